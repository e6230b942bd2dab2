import type { Delivery, LedgerEntry, RollUp, RollUpMember } from './delivery.ts';
import { rowReader } from './rows.ts';

/** The outbox row of a roll-up. Its members keep their own rows, so even a large roll-up has a short one. */
export interface RollUpReference extends Omit<RollUp, 'version' | 'members'> {
  version: 2;
  memberIds: string[];
}

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

export type RollUpRow = RollUp | LonelyRollUp;
export type DeliveryRow = Delivery | LonelyDelivery | FirstDelivery;
export type OutboxRow = DeliveryRow | RollUpRow | RollUpReference;

export type LedgerRow = LedgerEntry | FirstLedgerEntry;

const readDelivery = rowReader<DeliveryRow>([1, 2], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  announcement: 'object',
  createdAtMs: 'number',
});
const readSecondDelivery = rowReader<LonelyDelivery>([2], { matches: 'list', dueAtMs: 'number' });
export const readRollUp = rowReader<RollUpRow>([1], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  members: 'list',
  replaces: 'list',
  createdAtMs: 'number',
});
const readRollUpReference = rowReader<RollUpReference>([2], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  memberIds: 'list',
  replaces: 'list',
  createdAtMs: 'number',
});
const readEntry = rowReader<LedgerRow>([1, 2], { channelId: 'string', endedAtMs: 'number' });

/** undefined where the row is malformed. */
export function readOutboxRow(row: unknown): OutboxRow | undefined {
  const delivery = readDelivery(row);
  return readRollUp(row) ?? readRollUpReference(row) ?? (delivery?.version === 2 ? readSecondDelivery(row) : delivery);
}

/** Reads a ledger row. A malformed one still proves by its id that the delivery ended and must not be posted again. */
export function readLedgerEntry(row: unknown): LedgerRow {
  return readEntry(row) ?? { version: 1, channelId: '', messageId: null, endedAtMs: Number.POSITIVE_INFINITY };
}

export function isFound(entry: LedgerRow | undefined): boolean {
  return entry?.version === 2 && entry.isFound === true;
}

export function isRollUp(row: OutboxRow): row is RollUpRow | RollUpReference {
  return 'members' in row || 'memberIds' in row;
}

export function upgradedRollUp(row: RollUpRow): RollUp {
  return { ...row, members: row.members.map((member) => ({ alsoTells: [], ...member })) };
}

export function upgradedEntry(entry: FirstLedgerEntry): LedgerEntry {
  return {
    ...entry,
    version: 2,
    outcome: entry.messageId === null ? 'over' : 'posted',
    messageChannelId: entry.messageId && entry.channelId,
    rollUpId: null,
  };
}

export function upgraded(record: DeliveryRow): Delivery {
  if (record.version === 2) return { alsoTells: [], ...record };
  const { subscriptionIds, ...kept } = record;
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
