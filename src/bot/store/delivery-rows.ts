import type { Delivery, LedgerEntry, RollUp } from './delivery.ts';
import { rowReader } from './rows.ts';

/** The outbox row of a roll-up. Its members keep their own rows, so even a large roll-up has a short one. */
export interface RollUpReference extends Omit<RollUp, 'version' | 'members'> {
  version: 2;
  memberIds: string[];
}

export type OutboxRow = Delivery | RollUp | RollUpReference;

const readDelivery = rowReader<Delivery>([2], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  announcement: 'object',
  createdAtMs: 'number',
  matches: 'list',
  dueAtMs: 'number',
});
export const readRollUp = rowReader<RollUp>([1], {
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
const readEntry = rowReader<LedgerEntry>([2], { channelId: 'string', endedAtMs: 'number' });

/** undefined where the row is malformed. */
export function readOutboxRow(row: unknown): OutboxRow | undefined {
  return readRollUp(row) ?? readRollUpReference(row) ?? readDelivery(row);
}

/** Reads a ledger row. A malformed one still proves by its id that the delivery ended and must not be posted again. */
export function readLedgerEntry(row: unknown): LedgerEntry {
  return readEntry(row) ?? UNREADABLE;
}

const UNREADABLE: LedgerEntry = {
  version: 2,
  channelId: '',
  outcome: 'over',
  messageChannelId: null,
  messageId: null,
  rollUpId: null,
  endedAtMs: Number.POSITIVE_INFINITY,
};

export function isFound(entry: LedgerEntry | undefined): boolean {
  return entry?.isFound === true;
}

export function isRollUp(row: OutboxRow): row is RollUp | RollUpReference {
  return 'members' in row || 'memberIds' in row;
}
