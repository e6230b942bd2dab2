import { newSubscription } from '../announcements/kinds/of-source.ts';
import type { Source, Subscription } from '../deals/subscription.ts';
import type { Delivery, LedgerEntry, RollUp, RollUpMember } from './delivery.ts';
import type { KnownRecord } from './known.ts';
import { rowReader } from './rows.ts';

// The forms that rows had in states of version 1, and what becomes of them in version 2. Any other row stays as it is.

/** The first form of a delivery: without a due time and without matches. */
interface FirstDelivery
  extends Omit<Delivery, 'version' | 'matches' | 'alsoTells' | 'dueAtMs' | 'isDigest' | 'isLate'> {
  version: 1;
  subscriptionIds: string[];
}

/** A delivery from before one post could stand for several. */
type LonelyDelivery = Omit<Delivery, 'alsoTells'>;
type LonelyRollUp = Omit<RollUp, 'members'> & { members: Omit<RollUpMember, 'alsoTells'>[] };

/** The first form of a ledger entry: from before roll-ups and forums. */
interface FirstLedgerEntry extends Pick<LedgerEntry, 'channelId' | 'messageId' | 'endedAtMs'> {
  version: 1;
}

/** The record from before posts were kept up to date. */
interface FirstKnownRecord {
  version: 1;
  firstSeenMs: number;
}

/** A subscription from before filters, kinds and timing. */
interface FirstSubscription
  extends Pick<Subscription, 'id' | 'guildId' | 'channelId' | 'createdBy' | 'createdAtMs' | 'catchUp' | 'problem'> {
  version: 1;
  source: { kind: 'feed'; feed: string } | { kind: 'events' } | { kind: 'dealcasts' };
  isPaused: boolean;
}

const DELIVERY = {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  announcement: 'object',
  createdAtMs: 'number',
} as const;
const readFirstDelivery = rowReader<FirstDelivery>([1], { ...DELIVERY, subscriptionIds: 'list' });
const readLonelyDelivery = rowReader<LonelyDelivery>([2], { ...DELIVERY, matches: 'list', dueAtMs: 'number' });
const readRollUp = rowReader<LonelyRollUp>([1], { id: 'string', members: 'list', replaces: 'list' });
const readEntry = rowReader<FirstLedgerEntry>([1], { channelId: 'string', endedAtMs: 'number' });
const readKnown = rowReader<FirstKnownRecord>([1], { firstSeenMs: 'number' });
const readSubscription = rowReader<FirstSubscription>([1], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  source: 'object',
  createdAtMs: 'number',
});

/** Rows of the outbox: deliveries and roll-ups. */
export function outboxRow(row: unknown): unknown {
  const first = readFirstDelivery(row);
  if (first) return delivery(first);
  const lonely = readLonelyDelivery(row);
  if (lonely) return 'alsoTells' in lonely ? row : ({ ...lonely, alsoTells: [] } satisfies Delivery);
  return rollUpRow(row);
}

function delivery({ subscriptionIds, ...kept }: FirstDelivery): Delivery {
  return {
    ...kept,
    version: 2,
    alsoTells: [],
    matches: subscriptionIds.map((subscriptionId) => ({ subscriptionId, terms: [] })),
    announcement: { ...kept.announcement, occurrence: '' },
    dueAtMs: kept.createdAtMs,
    isDigest: false,
    isLate: false,
  };
}

export function rollUpRow(row: unknown): unknown {
  const rollUp = readRollUp(row);
  if (!rollUp || rollUp.members.every((member) => 'alsoTells' in member)) return row;
  return { ...rollUp, members: rollUp.members.map((member) => ({ alsoTells: [], ...member })) } satisfies RollUp;
}

export function ledgerRow(row: unknown): unknown {
  const entry = readEntry(row);
  if (!entry) return row;
  return {
    ...entry,
    version: 2,
    outcome: entry.messageId === null ? 'over' : 'posted',
    messageChannelId: entry.messageId && entry.channelId,
    rollUpId: null,
  } satisfies LedgerEntry;
}

export function knownRow(row: unknown): unknown {
  const record = readKnown(row);
  return record ? ({ ...record, version: 2, lastSeenMs: record.firstSeenMs, face: null } satisfies KnownRecord) : row;
}

export function subscriptionRow(row: unknown): unknown {
  const record = readSubscription(row);
  if (!record) return row;
  const { version: _, isPaused, ...kept } = record;
  const source: Source = kept.source.kind === 'events' ? { kind: 'events', sites: [], types: [] } : kept.source;
  return {
    ...newSubscription({ ...kept, source }),
    problem: kept.problem,
    pausedBy: isPaused ? 'gone' : null,
  } satisfies Subscription;
}
