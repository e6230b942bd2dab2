import type { Backend, Table } from '../../shared/storage/backend.ts';
import {
  type Delivery,
  type Ending,
  idsOf,
  type LedgerEntry,
  memberOf,
  type RollUp,
  type RollUpMember,
} from './delivery.ts';
import {
  isFound,
  isRollUp,
  type LedgerRow,
  type OutboxRow,
  type RollUpReference,
  type RollUpRow,
  readLedgerEntry,
  readOutboxRow,
  readRollUp,
  upgraded,
  upgradedEntry,
  upgradedRollUp,
} from './delivery-rows.ts';
import { PendingDeliveries } from './pending-deliveries.ts';
import { sweep } from './rows.ts';

/**
 * How long the ledger knows a delivery. Nothing but a catch-up computes its id anew once its thing is known, and whoever
 * subscribes anew after that long may well be shown again what is still there.
 */
const LEDGER_MS = 120 * 24 * 3_600_000;
/** A roll-up's list is there for as long as an old post is. */
const ROLL_UPS_MS = LEDGER_MS;

type Merge = (fresh: readonly Delivery[]) => Delivery[];

/**
 * Deliveries: the outbox holds what is still to be posted, the ledger what has been. An id that is in the ledger never
 * enters the outbox again. Between the two writes of `end` a delivery is in both; opening clears that up.
 */
export interface DeliveryStore {
  /** The channels that something is to be posted to. */
  channels(): string[];
  /** What is to be posted to a channel by itself, the first due first. */
  pending(channelId: string): readonly Delivery[];
  /** The roll-up that is to be posted to a channel. */
  pendingRollUp(channelId: string): RollUp | undefined;
  /** Whether a delivery or roll-up has not ended. */
  isPending(id: string): boolean;
  /**
   * Puts in what is neither pending nor in the ledger, all or nothing. Returns what was put in.
   * @param merge what of that stands for what else of it
   */
  add(deliveries: readonly Delivery[], merge: Merge): Promise<Delivery[]>;
  /** From now on the roll-up is to be posted in place of its members, which are pending. */
  rollUp(rollUp: RollUp): Promise<void>;
  /** Takes the pending roll-up apart: its members are pending by themselves again. Only for one that is not in the channel. */
  dissolve(rollUp: RollUp): Promise<void>;
  /** Into the ledger, then out of the outbox. */
  end(delivery: Delivery, ending: Ending): Promise<void>;
  /** As `end`, for the roll-up and all that it replaces; those of `over`, the ids of some of them, end as over. */
  endRollUp(rollUp: RollUp, ending: Ending, over: ReadonlySet<string>): Promise<void>;
  /** Out of the outbox, as if it had never been put in: nobody wants it any more, and it has not been posted. */
  withdraw(delivery: Delivery): Promise<void>;
  /** How a delivery or roll-up ended, as far as that is still known. */
  ended(id: string): Promise<LedgerEntry | undefined>;
  /**
   * Into the ledger: what the channel was found to hold, by delivery id, and the ledger doesn't know. What is pending stays
   * so, and what a roll-up holds that is known ends with it.
   */
  noteFound(channelId: string, found: ReadonlyMap<string, MessagePlace>, nowMs: number): Promise<void>;
  /** Where those of `ids` are that were only found in a channel. */
  foundPlaces(ids: readonly string[]): Promise<ReadonlyMap<string, MessagePlace>>;
  /** A roll-up that is to be posted or has been, for as long as old posts are known. */
  findRollUp(id: string): Promise<RollUp | undefined>;
  sweep(nowMs: number): Promise<void>;
}

/** Where a message is. */
interface MessagePlace {
  channelId: string;
  messageId: string;
}

/** The tables of deliveries, and what they hold in memory. */
interface Tables {
  outbox: Table<OutboxRow>;
  ledger: Table<LedgerRow>;
  rollUps: Table<RollUpRow>;
  pending: PendingDeliveries;
}

export async function openDeliveries(backend: Backend): Promise<DeliveryStore> {
  const tables: Tables = {
    outbox: backend.table<OutboxRow>('outbox', { read: readOutboxRow, isDurable: true }),
    ledger: backend.table<LedgerRow>('ledger', { read: readLedgerEntry, isDurable: true }),
    rollUps: backend.table<RollUpRow>('roll_ups', { read: readRollUp, isDurable: true }),
    pending: new PendingDeliveries(),
  };
  await load(tables);
  const { pending } = tables;
  // One addition at a time: another's could otherwise be added, posted and ended between the two looks of `add`.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    channels: () => pending.channels(),
    pending: (channelId) => pending.in(channelId),
    pendingRollUp: (channelId) => pending.rollUpIn(channelId),
    isPending: (id) => pending.has(id),
    add(deliveries, merge) {
      const added = turn.then(() => add(tables, deliveries, merge));
      turn = added.catch(() => undefined);
      return added;
    },
    ...rollUpsOf(tables),
    ...endingsOf(tables),
    ...foundOf(tables),
    async sweep(nowMs) {
      await sweep(tables.ledger, ({ endedAtMs }) => endedAtMs < nowMs - LEDGER_MS);
      await sweep(tables.rollUps, ({ id, createdAtMs }) => !pending.has(id) && createdAtMs < nowMs - ROLL_UPS_MS);
    },
  };
}

/** Reads what has not ended, and clears up what was cut off between the ledger and the outbox. */
async function load({ outbox, ledger, pending }: Tables): Promise<void> {
  const stored = new Map<string, OutboxRow>();
  for await (const [id, row] of outbox.entries()) stored.set(id, row);
  const ended = await inLedger(ledger, [...stored.keys()]);
  await outbox.deleteMany([...ended]);
  const rows = [...stored.values()].filter((row) => !ended.has(row.id));
  pending.add(rows.flatMap((row) => (isRollUp(row) ? [] : [upgraded(row)])));
  // One that replaces another comes after it.
  for (const row of rows.filter(isRollUp).sort((a, b) => a.replaces.length - b.replaces.length)) {
    const rollUp = 'memberIds' in row ? assembled(row, pending.in(row.channelId)) : upgradedRollUp(row);
    if (rollUp.members.length > 0) pending.rollUp(rollUp);
    else await outbox.delete(row.id);
  }
}

/** With those of its members that are still pending. */
function assembled({ memberIds, ...row }: RollUpReference, pending: readonly Delivery[]): RollUp {
  const wanted = new Set(memberIds);
  return { ...row, version: 1, members: pending.filter(({ id }) => wanted.has(id)).map(memberOf) };
}

/** Which of them have ended. What was only found in a channel has not, until it is detected anew and recorded. */
async function inLedger(ledger: Table<LedgerRow>, ids: readonly string[]): Promise<Set<string>> {
  const entries = await ledger.getMany(ids);
  return new Set(ids.filter((_, index) => entries[index] !== undefined && !isFound(entries[index])));
}

async function add(
  { outbox, ledger, pending }: Tables,
  deliveries: readonly Delivery[],
  merge: Merge,
): Promise<Delivery[]> {
  const unique = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  // The outbox is looked at first: only what is in it can move to the ledger, so nothing slips by between the two looks.
  const candidates = [...unique.values()].filter(({ id }) => !pending.has(id));
  const done = await inLedger(
    ledger,
    candidates.map(({ id }) => id),
  );
  // Only then is it decided which stands for others: what was told before must not keep back what is new.
  const fresh = merge(candidates.filter(({ id }) => !done.has(id)));
  await outbox.setMany(fresh.map((delivery) => [delivery.id, delivery]));
  pending.add(fresh);
  return fresh;
}

async function takeOut({ outbox, pending }: Tables, channelId: string, gone: readonly string[]): Promise<void> {
  await outbox.deleteMany(gone);
  pending.remove(channelId, gone);
}

function rollUpsOf({ outbox, rollUps, pending }: Tables): Pick<DeliveryStore, 'rollUp' | 'dissolve' | 'findRollUp'> {
  return {
    async rollUp(rollUp) {
      const { members, ...row } = rollUp;
      // From this write on it stands for its members.
      await outbox.set(rollUp.id, { ...row, version: 2, memberIds: members.map(({ deliveryId }) => deliveryId) });
      pending.rollUp(rollUp);
    },
    async dissolve(rollUp) {
      const { id, channelId, replaces } = rollUp;
      const kept = pending.membersIn(channelId);
      const known = new Set(kept.flatMap(idsOf));
      // Older state could hold a roll-up whose members had no rows, or one that replaced others.
      const bare = rollUp.members.filter(({ deliveryId }) => !known.has(deliveryId)).map(deliveryOf(rollUp));
      if (bare.length > 0) await outbox.setMany(bare.map((delivery) => [delivery.id, delivery]));
      const members = [...kept, ...bare];
      const memberIds = new Set(members.flatMap(idsOf));
      const others = [id, ...replaces.filter((other) => !memberIds.has(other))];
      await outbox.deleteMany(others);
      pending.remove(channelId, others);
      pending.add(members);
    },
    async findRollUp(id) {
      const row = await rollUps.get(id);
      return row ? upgradedRollUp(row) : pending.findRollUp(id);
    },
  };
}

function endingsOf(tables: Tables): Pick<DeliveryStore, 'end' | 'endRollUp' | 'withdraw' | 'ended'> {
  const { ledger, rollUps } = tables;
  return {
    async end(delivery, ending) {
      const { channelId } = delivery;
      await ledger.setMany(
        idsOf(delivery).map((id) => [id, { version: 2, channelId, rollUpId: null, ...ending }] as const),
      );
      await takeOut(tables, channelId, idsOf(delivery));
    },
    async endRollUp(rollUp, ending, over) {
      const { id, channelId, replaces } = rollUp;
      // The button of its message asks for it. What was not posted has none.
      if (ending.outcome === 'posted') await rollUps.set(id, rollUp);
      const entry: LedgerEntry = { version: 2, channelId, rollUpId: null, ...ending };
      const missed: LedgerEntry = { ...entry, outcome: 'over', messageChannelId: null, messageId: null };
      await ledger.setMany([
        [id, entry],
        ...replaces.map((other) => [other, over.has(other) ? missed : { ...entry, rollUpId: id }] as const),
      ]);
      await takeOut(tables, channelId, [id, ...replaces]);
    },
    withdraw: (delivery) => takeOut(tables, delivery.channelId, idsOf(delivery)),
    async ended(id) {
      const entry = await ledger.get(id);
      return entry?.version === 1 ? upgradedEntry(entry) : entry;
    },
  };
}

function foundOf(tables: Tables): Pick<DeliveryStore, 'noteFound' | 'foundPlaces'> {
  const { ledger, rollUps, pending } = tables;
  return {
    async noteFound(channelId, found, nowMs) {
      const ended = await ledger.getMany([...found.keys()]);
      const unknown = [...found].filter(([id], index) => ended[index] === undefined && !pending.has(id));
      const entries: [string, LedgerEntry][] = [];
      for (const [id, place] of unknown) {
        const entry: LedgerEntry = {
          version: 2,
          channelId,
          outcome: 'posted',
          messageChannelId: place.channelId,
          messageId: place.messageId,
          rollUpId: null,
          endedAtMs: nowMs,
        };
        const replaced = (await rollUps.get(id))?.replaces ?? [];
        entries.push([id, { ...entry, isFound: true }]);
        for (const other of replaced) entries.push([other, { ...entry, rollUpId: id }]);
      }
      await ledger.setMany(entries);
      const gone = entries.map(([id]) => id).filter((id) => pending.has(id));
      if (gone.length > 0) await takeOut(tables, channelId, gone);
    },
    async foundPlaces(asked) {
      const entries = await ledger.getMany(asked);
      const places = new Map<string, MessagePlace>();
      for (const [index, id] of asked.entries()) {
        const entry = entries[index];
        if (entry?.version !== 2 || !isFound(entry) || !entry.messageId || !entry.messageChannelId) continue;
        places.set(id, { channelId: entry.messageChannelId, messageId: entry.messageId });
      }
      return places;
    },
  };
}

/** A member of a roll-up as a delivery by itself, which comes late. */
function deliveryOf({ guildId, channelId, createdAtMs }: RollUp): (member: RollUpMember, index: number) => Delivery {
  return ({ deliveryId, announcement, alsoTells, matches }, sequence) => ({
    version: 2,
    id: deliveryId,
    guildId,
    channelId,
    matches,
    announcement,
    alsoTells,
    createdAtMs,
    sequence,
    dueAtMs: createdAtMs,
    isDigest: false,
    isLate: true,
  });
}
