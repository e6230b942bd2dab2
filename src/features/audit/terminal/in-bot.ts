import type { Deliverer } from '../../../announcements/deliver/deliverer.ts';
import type { OperatorJob } from '../../../app/feature.ts';
import { personAt } from '../../../deals/person.ts';
import { messageUrl } from '../../../discord/format.ts';
import type { Audit, Watching } from '../audit.ts';
import type { Finding } from '../compare.ts';
import { keyOf, type Repair } from '../repair.ts';
import { AUDIT_REQUEST, type AuditReply, type ReportedFinding } from './protocol.ts';

interface AuditParts {
  audit: Audit;
  repair: Repair;
  deliverer: Deliverer;
  /** The name of a channel or server; null where it is not known. */
  nameOf: (id: string) => string | null;
}

/** Makes an audit for the operator, or repairs what one has found. Rejects with a StoreError. */
export async function auditForOperator(
  [asked]: readonly unknown[],
  { tell, signal }: Parameters<OperatorJob['run']>[1],
  { audit, repair, deliverer, nameOf }: AuditParts,
): Promise<AuditReply | null> {
  const { data } = AUDIT_REQUEST.safeParse(asked);
  if (!data) return null;
  const { repair: wanted } = data;
  const nameOfChannel = (id: string) => nameOf(id) ?? id;
  const watching: Watching = {
    onReading: (channelId, number, of) => tell({ result: 'reading', channel: nameOfChannel(channelId), number, of }),
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
  const reported = (finding: Finding): ReportedFinding => {
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
  return { result: 'audited', channels, unread: unreadIds.map(nameOfChannel), findings: findings.map(reported) };
}
