import type { Audit, Watching } from '../announcements/audit/audit.ts';
import type { Finding } from '../announcements/audit/compare.ts';
import { keyOf, type Repair } from '../announcements/audit/repair.ts';
import type { Deliverer } from '../announcements/deliver/deliverer.ts';
import { personAt } from '../deals/person.ts';
import { messageUrl } from '../discord/format.ts';
import type { AuditReply, AuditRequest, OperatorJobs, ToldFinding } from './operator-socket.ts';

interface AuditParts {
  audit: Pick<Audit, 'runThrough'>;
  repair: Pick<Repair, 'run'>;
  deliverer: Pick<Deliverer, 'status'>;
  /** The name of a channel or server; null where it is not known. */
  nameOf: (id: string) => string | null;
}

/** Makes an audit for the operator, or repairs what one has found. Rejects with a StoreError. */
export async function auditForOperator(
  { repair: wanted }: AuditRequest,
  { onReading, signal }: Parameters<OperatorJobs['audit']>[1],
  { audit, repair, deliverer, nameOf }: AuditParts,
): Promise<AuditReply> {
  const nameOfChannel = (id: string) => nameOf(id) ?? id;
  const watching: Watching = {
    onReading: (channelId, number, of) => onReading({ channel: nameOfChannel(channelId), number, of }),
    signal,
  };
  if (wanted) {
    const repaired = await repair.run(wanted.findings, { ...watching, withDeleted: wanted.withDeleted });
    return {
      result: 'repaired',
      steps: repaired.flatMap((one) => ('step' in one ? [{ ...keyOf(one.finding), step: one.step }] : [])),
      left: repaired.flatMap((one) => ('left' in one ? [{ ...keyOf(one.finding), because: one.left }] : [])),
      isPaused: deliverer.status().pausedSinceMs !== null,
    };
  }
  const { channels, unreadIds, findings } = await audit.runThrough(null, watching);
  const told = (finding: Finding): ToldFinding => {
    const { guildId, channelId, title, place } = finding;
    const isPerson = personAt(guildId) !== null;
    return {
      ...keyOf(finding),
      server: isPerson ? 'direct messages' : (nameOf(guildId) ?? guildId),
      channel: nameOfChannel(channelId),
      deal: title,
      link: place && messageUrl(isPerson ? '@me' : guildId, place),
    };
  };
  return { result: 'audited', channels, unread: unreadIds.map(nameOfChannel), findings: findings.map(told) };
}
