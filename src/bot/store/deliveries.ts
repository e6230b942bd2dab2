import PQueue from 'p-queue';
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
  type OutboxRow,
  type RollUpReference,
  readLedgerEntry,
  readOutboxRow,
  readRollUp,
} from './delivery-rows.ts';
import { PendingDeliveries } from './pending-deliveries.ts';
import { sweep } from './rows.ts';

/**
 * How long the ledger keeps a delivery. After the first announcement of an entity only a catch-up computes its id
 * again, and a person who subscribes anew after that long may well get the entity once more.
 */
const LEDGER_MS = 120 * 24 * 3_600_000;
/** The member list of a roll-up is kept for as long as an old post. */
const ROLL_UPS_MS = LEDGER_MS;

type Merge = (fresh: readonly Delivery[]) => Delivery[];

/**
 * Deliveries: the outbox holds those still to be posted, the ledger those that have ended. An id that is in the ledger
 * never enters the outbox again. Between the two writes of `end` a delivery is in both; opening the store cleans that
 * up.
 */
export interface DeliveryStore {
  /** The channels with pending deliveries. */
  channels(): string[];
  /** A channel's deliveries that are to be posted individually, first due first. */
  pending(channelId: string): readonly Delivery[];
  /** A channel's pending roll-up. */
  pendingRollUp(channelId: string): RollUp | undefined;
  /** Whether a delivery or roll-up has not ended. */
  isPending(id: string): boolean;
  /**
   * Enqueues the deliveries that are neither pending nor in the ledger, all or nothing. Returns those that were
   * enqueued.
   * @param merge merges new deliveries that stand for each other
   */
  add(deliveries: readonly Delivery[], merge: Merge): Promise<Delivery[]>;
  /**
   * Makes a delivery that waits for its time due at `nowMs`, to be posted alone. Resolves with whether one waited; a
   * member of a roll-up does not.
   */
  hasten(channelId: string, id: string, nowMs: number): Promise<boolean>;
  /** Makes the roll-up pending in place of its members, which are pending. */
  rollUp(rollUp: RollUp): Promise<void>;
  /**
   * Dissolves the pending roll-up: its members are pending individually again. Only for a roll-up that was not posted.
   */
  dissolve(rollUp: RollUp): Promise<void>;
  /** Moves the delivery to the ledger: written there first, then removed from the outbox. */
  end(delivery: Delivery, ending: Ending): Promise<void>;
  /** Like `end`, for the roll-up and all that it replaces. The deliveries in `over` (ids) end as over. */
  endRollUp(rollUp: RollUp, ending: Ending, over: ReadonlySet<string>): Promise<void>;
  /** Removes the delivery from the outbox without a trace: it was not posted, and nobody wants it any more. */
  withdraw(delivery: Delivery): Promise<void>;
  /** Records that the message of these deliveries no longer exists. They stay posted: nothing posts them again. */
  noteDeleted(ids: readonly string[], nowMs: number): Promise<void>;
  /** How a delivery or roll-up ended, for as long as the ledger keeps it. */
  ended(id: string): Promise<LedgerEntry | undefined>;
  /**
   * Reconciles the ledger with a channel: records deliveries that were found there and that it lacks, by delivery id.
   * Pending deliveries stay pending, but where a known roll-up was found, all that it replaces ends with it.
   */
  noteFound(channelId: string, found: ReadonlyMap<string, MessagePlace>, nowMs: number): Promise<void>;
  /** The places of those deliveries of `ids` that were found in a channel and are not recorded otherwise. */
  foundPlaces(ids: readonly string[]): Promise<ReadonlyMap<string, MessagePlace>>;
  /**
   * The deliveries that were posted with message ids from `fromId` until before `untilId`, by channel. A roll-up counts
   * as what it lists. Reads the whole ledger.
   */
  postedBetween(fromId: bigint, untilId: bigint): Promise<ReadonlyMap<string, readonly PostedDelivery[]>>;
  /** A roll-up that is pending or was posted, for as long as old posts are kept. */
  findRollUp(id: string): Promise<RollUp | undefined>;
  /**
   * Removes from the ledger where a channel's deliveries were posted, and its roll-ups. Their ids stay, by which none is
   * posted again. Reads the whole ledger.
   */
  forgetChannel(channelId: string): Promise<void>;
  sweep(nowMs: number): Promise<void>;
}

/** A delivery whose message is known. */
export interface PostedDelivery {
  id: string;
  messageId: string;
}

/** The location of a message. */
interface MessagePlace {
  channelId: string;
  messageId: string;
}

/** The tables of deliveries, and their contents in memory. */
interface Tables {
  outbox: Table<OutboxRow>;
  ledger: Table<LedgerEntry>;
  rollUps: Table<RollUp>;
  pending: PendingDeliveries;
}

export async function openDeliveries(backend: Backend): Promise<DeliveryStore> {
  const tables: Tables = {
    outbox: backend.table<OutboxRow>('outbox', { read: readOutboxRow, isDurable: true }),
    ledger: backend.table<LedgerEntry>('ledger', { read: readLedgerEntry, isDurable: true }),
    rollUps: backend.table<RollUp>('roll_ups', { read: readRollUp, isDurable: true }),
    pending: new PendingDeliveries(),
  };
  await load(tables);
  const { pending } = tables;
  // One addition at a time: otherwise another's delivery could be added, posted and ended between the two checks of
  // `add`.
  const additions = new PQueue({ concurrency: 1 });
  return {
    channels: () => pending.channels(),
    pending: (channelId) => pending.in(channelId),
    pendingRollUp: (channelId) => pending.rollUpIn(channelId),
    isPending: (id) => pending.has(id),
    add: (deliveries, merge) => additions.add(() => add(tables, deliveries, merge)),
    hasten: (channelId, id, nowMs) => hasten(tables, channelId, id, nowMs),
    ...rollUpsOf(tables),
    ...endingsOf(tables),
    ...foundOf(tables),
    postedBetween: (fromId, untilId) => postedBetween(tables.ledger, fromId, untilId),
    forgetChannel: (channelId) => forgetChannel(tables, channelId),
    async sweep(nowMs) {
      await sweep(tables.ledger, ({ endedAtMs }) => endedAtMs < nowMs - LEDGER_MS);
      await sweep(tables.rollUps, ({ id, createdAtMs }) => !pending.has(id) && createdAtMs < nowMs - ROLL_UPS_MS);
    },
  };
}

/** Reads the pending deliveries, and repairs moves from the outbox to the ledger that were interrupted. */
async function load({ outbox, ledger, pending }: Tables): Promise<void> {
  const stored = new Map<string, OutboxRow>();
  for await (const [id, row] of outbox.entries()) stored.set(id, row);
  const ended = await inLedger(ledger, [...stored.keys()]);
  await outbox.deleteMany([...ended]);
  const rows = [...stored.values()].filter((row) => !ended.has(row.id));
  pending.add(rows.flatMap((row) => (isRollUp(row) ? [] : [row])));
  // A roll-up that replaces another comes after it.
  for (const row of rows.filter(isRollUp).sort((a, b) => a.replaces.length - b.replaces.length)) {
    const rollUp = 'memberIds' in row ? assembled(row, pending.in(row.channelId)) : row;
    if (rollUp.members.length > 0) pending.rollUp(rollUp);
    else await outbox.delete(row.id);
  }
}

/** The roll-up with those of its members that are still pending. */
function assembled({ memberIds, ...row }: RollUpReference, pending: readonly Delivery[]): RollUp {
  const wanted = new Set(memberIds);
  return { ...row, version: 1, members: pending.filter(({ id }) => wanted.has(id)).map(memberOf) };
}

/**
 * The ids that have ended. A delivery that was only found in a channel has not, until it is detected again and
 * recorded.
 */
async function inLedger(ledger: Table<LedgerEntry>, ids: readonly string[]): Promise<Set<string>> {
  const entries = await ledger.getMany(ids);
  return new Set(ids.filter((_, index) => entries[index] !== undefined && !isFound(entries[index])));
}

async function add(
  { outbox, ledger, pending }: Tables,
  deliveries: readonly Delivery[],
  merge: Merge,
): Promise<Delivery[]> {
  const unique = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  // The outbox is checked first: deliveries only ever move from it to the ledger, so none is missed between the two
  // checks.
  const candidates = [...unique.values()].filter(({ id }) => !pending.has(id));
  const done = await inLedger(
    ledger,
    candidates.map(({ id }) => id),
  );
  // Merging comes after the check: a delivery that was announced before must not hold back a new one.
  const fresh = merge(candidates.filter(({ id }) => !done.has(id)));
  await outbox.setMany(fresh.map((delivery) => [delivery.id, delivery]));
  pending.add(fresh);
  return fresh;
}

async function hasten({ outbox, pending }: Tables, channelId: string, id: string, nowMs: number): Promise<boolean> {
  const waiting = pending.in(channelId).find((delivery) => delivery.dueAtMs > nowMs && idsOf(delivery).includes(id));
  if (!waiting) return false;
  const hastened = { ...waiting, dueAtMs: nowMs, isDigest: false, isLate: false };
  // In memory first, and in the same turn as the write: it can't be posted and ended between the two.
  pending.remove(channelId, idsOf(waiting));
  pending.add([hastened]);
  await outbox.set(hastened.id, hastened);
  return true;
}

async function takeOut({ outbox, pending }: Tables, channelId: string, gone: readonly string[]): Promise<void> {
  await outbox.deleteMany(gone);
  pending.remove(channelId, gone);
}

function rollUpsOf({ outbox, rollUps, pending }: Tables): Pick<DeliveryStore, 'rollUp' | 'dissolve' | 'findRollUp'> {
  return {
    async rollUp(rollUp) {
      const { members, ...row } = rollUp;
      // From this write on, the roll-up stands for its members.
      await outbox.set(rollUp.id, { ...row, version: 2, memberIds: members.map(({ deliveryId }) => deliveryId) });
      pending.rollUp(rollUp);
    },
    async dissolve(rollUp) {
      const { id, channelId, replaces } = rollUp;
      const kept = pending.membersIn(channelId);
      const known = new Set(kept.flatMap(idsOf));
      // State of an older version could hold a roll-up whose members had no rows, or one that replaced others.
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
      return (await rollUps.get(id)) ?? pending.findRollUp(id);
    },
  };
}

function endingsOf(tables: Tables): Pick<DeliveryStore, 'end' | 'endRollUp' | 'withdraw' | 'noteDeleted' | 'ended'> {
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
      // The button of the message needs the roll-up, with what the message tells. One that was not posted has no button.
      if (ending.outcome === 'posted') {
        await rollUps.set(id, { ...rollUp, members: rollUp.members.filter(({ deliveryId }) => !over.has(deliveryId)) });
      }
      const entry: LedgerEntry = { version: 2, channelId, rollUpId: null, ...ending };
      const missed: LedgerEntry = { ...entry, outcome: 'over', messageChannelId: null, messageId: null };
      await ledger.setMany([
        [id, entry],
        ...replaces.map((other) => [other, over.has(other) ? missed : { ...entry, rollUpId: id }] as const),
      ]);
      await takeOut(tables, channelId, [id, ...replaces]);
    },
    withdraw: (delivery) => takeOut(tables, delivery.channelId, idsOf(delivery)),
    async noteDeleted(ids, nowMs) {
      const entries = await ledger.getMany(ids);
      const gone = ids.flatMap((id, index) => {
        const entry = entries[index];
        if (entry?.outcome !== 'posted') return [];
        return [[id, { ...entry, messageChannelId: null, messageId: null, deletedAtMs: nowMs }] as const];
      });
      await ledger.setMany(gone);
    },
    ended: (id) => ledger.get(id),
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
        if (!entry || !isFound(entry) || !entry.messageId || !entry.messageChannelId) continue;
        places.set(id, { channelId: entry.messageChannelId, messageId: entry.messageId });
      }
      return places;
    },
  };
}

async function postedBetween(
  ledger: Table<LedgerEntry>,
  fromId: bigint,
  untilId: bigint,
): Promise<Map<string, PostedDelivery[]>> {
  const byChannel = new Map<string, PostedDelivery[]>();
  const rollUps = new Set<string>();
  for await (const [id, { channelId, outcome, messageId, rollUpId }] of ledger.entries()) {
    if (outcome !== 'posted' || messageId === null || !/^\d+$/.test(messageId)) continue;
    if (BigInt(messageId) < fromId || BigInt(messageId) >= untilId) continue;
    if (rollUpId !== null) rollUps.add(rollUpId);
    const posted = byChannel.get(channelId) ?? [];
    posted.push({ id, messageId });
    byChannel.set(channelId, posted);
  }
  return new Map([...byChannel].map(([channelId, posted]) => [channelId, posted.filter(({ id }) => !rollUps.has(id))]));
}

async function forgetChannel({ ledger, rollUps }: Tables, channelId: string): Promise<void> {
  const nameless: [string, LedgerEntry][] = [];
  for await (const [id, entry] of ledger.entries()) {
    if (entry.channelId !== channelId) continue;
    nameless.push([id, { ...entry, channelId: '', messageChannelId: null, messageId: null, rollUpId: null }]);
  }
  await ledger.setMany(nameless);
  await sweep(rollUps, (rollUp) => rollUp.channelId === channelId);
}

/** Turns a member of a roll-up into a delivery of its own, which is late. */
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
