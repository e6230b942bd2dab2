import type { Backend } from '../../shared/storage/backend.ts';
import type { Announcement } from '../deals/announcement.ts';
import type { Delivery, DeliveryMatch } from './delivery.ts';
import { rowReader } from './rows.ts';
import { sweep } from './sweep.ts';

/** Many announcements on their way to one channel in one post. */
export interface RollUp {
  version: 1;
  /** Made from the ids of what is in it. */
  id: string;
  guildId: string;
  channelId: string;
  members: RollUpMember[];
  /** The ids of all that ends when it does: its members, and what those stand for. */
  replaces: string[];
  createdAtMs: number;
}

export interface RollUpMember {
  deliveryId: string;
  announcement: Announcement;
  /** As in `Delivery`. */
  alsoTells: string[];
  matches: DeliveryMatch[];
}

/** A roll-up as the outbox keeps it: its members' rows stay there too, so a large one is a short row. */
interface RollUpReference extends Omit<RollUp, 'version' | 'members'> {
  version: 2;
  memberIds: string[];
}

/** What was kept before deliveries had a time and said what matched. */
interface FirstDelivery
  extends Omit<Delivery, 'version' | 'matches' | 'alsoTells' | 'dueAtMs' | 'isDigest' | 'isLate'> {
  version: 1;
  subscriptionIds: string[];
}

/** What was kept before one post could stand for several. */
type LonelyDelivery = Omit<Delivery, 'alsoTells'>;
type LonelyRollUp = Omit<RollUp, 'members'> & { members: Omit<RollUpMember, 'alsoTells'>[] };

/** How a delivery ended. */
export interface LedgerEntry {
  version: 2;
  channelId: string;
  /** `over`, `gone` (the channel) and `refused` were not posted. */
  outcome: 'posted' | 'over' | 'gone' | 'refused';
  /** Where the message is and which it is; null where there is none. */
  messageChannelId: string | null;
  messageId: string | null;
  /** The roll-up that it was posted in; null where it has a post of its own. */
  rollUpId: string | null;
  endedAtMs: number;
  /**
   * It was found in the channel, and the state knew nothing of it: its last writes are lost, or it is an older copy. Where
   * it is detected anew, it is recorded as the post that it is, so that it is kept up to date.
   */
  isFound?: true;
}

/** What was kept before there were roll-ups and forums. */
interface FirstLedgerEntry extends Pick<LedgerEntry, 'channelId' | 'messageId' | 'endedAtMs'> {
  version: 1;
}

/** How something ended, without what the store knows itself. */
export type Ending = Pick<LedgerEntry, 'outcome' | 'messageChannelId' | 'messageId' | 'endedAtMs'>;

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

type RollUpRow = RollUp | LonelyRollUp;
type DeliveryRow = Delivery | LonelyDelivery | FirstDelivery;
type OutboxRow = DeliveryRow | RollUpRow | RollUpReference;

export async function openDeliveries(backend: Backend): Promise<DeliveryStore> {
  const outbox = backend.table<OutboxRow>('outbox', { read: readOutboxRow, isDurable: true });
  const ledger = backend.table<LedgerEntry | FirstLedgerEntry>('ledger', { read: readLedgerEntry, isDurable: true });
  const rollUps = backend.table<RollUpRow>('roll_ups', { read: readRollUp, isDurable: true });

  /** Which of them have ended. What was only found in a channel has not, until it is detected anew and recorded. */
  async function inLedger(ids: readonly string[]): Promise<Set<string>> {
    const entries = await ledger.getMany(ids);
    return new Set(ids.filter((_, index) => entries[index] !== undefined && !isFound(entries[index])));
  }

  const stored = new Map<string, OutboxRow>();
  for await (const [id, row] of outbox.entries()) stored.set(id, row);
  const ended = await inLedger([...stored.keys()]);
  await outbox.deleteMany([...ended]);

  /** All that has not ended, what a roll-up replaces included. */
  const ids = new Set<string>();
  const byChannel = new Map<string, Delivery[]>();
  const rollUpOf = new Map<string, RollUp>();
  /** The members of each channel's roll-up, as they were pending by themselves. */
  const membersOf = new Map<string, Delivery[]>();
  const rows = [...stored.values()].filter((row) => !ended.has(row.id));
  remember(rows.flatMap((row) => (isRollUp(row) ? [] : [upgraded(row)])));
  const rollUpRows = rows.filter(isRollUp);
  // One that replaces another comes after it.
  for (const row of rollUpRows.sort((a, b) => a.replaces.length - b.replaces.length)) {
    const rollUp = 'memberIds' in row ? assembled(row) : upgradedRollUp(row);
    if (rollUp.members.length > 0) replace(rollUp);
    else await outbox.delete(row.id);
  }

  /** With those of its members that are still pending. */
  function assembled({ memberIds, ...row }: RollUpReference): RollUp {
    const wanted = new Set(memberIds);
    const members = (byChannel.get(row.channelId) ?? []).filter(({ id }) => wanted.has(id));
    return { ...row, version: 1, members: members.map(memberOf) };
  }

  function remember(deliveries: readonly Delivery[]): void {
    const fresh = new Map<string, Delivery[]>();
    for (const delivery of deliveries) {
      for (const id of idsOf(delivery)) ids.add(id);
      const together = fresh.get(delivery.channelId) ?? [];
      fresh.set(delivery.channelId, together);
      together.push(delivery);
    }
    for (const [channelId, together] of fresh) {
      byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), ...together].sort(firstDueFirst));
    }
  }

  function replace(rollUp: RollUp): void {
    const { id, channelId, replaces } = rollUp;
    ids.add(id);
    rollUpOf.set(channelId, rollUp);
    const replaced = new Set(replaces);
    const members = (byChannel.get(channelId) ?? []).filter((delivery) => replaced.has(delivery.id));
    membersOf.set(channelId, [...(membersOf.get(channelId) ?? []), ...members]);
    keepInChannel(channelId, replaced);
  }

  function keepInChannel(channelId: string, without: ReadonlySet<string>): void {
    const rest = (byChannel.get(channelId) ?? []).filter(({ id }) => !without.has(id));
    if (rest.length > 0) byChannel.set(channelId, rest);
    else byChannel.delete(channelId);
  }

  async function addNow(deliveries: readonly Delivery[], merge: Merge): Promise<Delivery[]> {
    const unique = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    // The outbox is looked at first: only what is in it can move to the ledger, so nothing slips by between the two looks.
    const candidates = [...unique.values()].filter(({ id }) => !ids.has(id));
    const done = await inLedger(candidates.map(({ id }) => id));
    // Only then is it decided which stands for others: what was told before must not keep back what is new.
    const fresh = merge(candidates.filter(({ id }) => !done.has(id)));
    await outbox.setMany(fresh.map((delivery) => [delivery.id, delivery]));
    remember(fresh);
    return fresh;
  }

  async function takeOut(channelId: string, gone: readonly string[]): Promise<void> {
    await outbox.deleteMany(gone);
    for (const id of gone) ids.delete(id);
    const rollUp = rollUpOf.get(channelId);
    if (rollUp && gone.includes(rollUp.id)) {
      rollUpOf.delete(channelId);
      membersOf.delete(channelId);
    }
    keepInChannel(channelId, new Set(gone));
  }

  // One addition at a time: another's could otherwise be added, posted and ended between the two looks above.
  let turn: Promise<unknown> = Promise.resolve();

  return {
    channels: () => [...new Set([...byChannel.keys(), ...rollUpOf.keys()])],
    pending: (channelId) => byChannel.get(channelId) ?? [],
    pendingRollUp: (channelId) => rollUpOf.get(channelId),
    isPending: (id) => ids.has(id),
    add(deliveries, merge) {
      const added = turn.then(() => addNow(deliveries, merge));
      turn = added.catch(() => undefined);
      return added;
    },
    async rollUp(rollUp) {
      const { members, ...row } = rollUp;
      // From this write on it stands for its members.
      await outbox.set(rollUp.id, { ...row, version: 2, memberIds: members.map(({ deliveryId }) => deliveryId) });
      replace(rollUp);
    },
    async dissolve(rollUp) {
      const { id, channelId, replaces } = rollUp;
      const kept = membersOf.get(channelId) ?? [];
      const known = new Set(kept.flatMap(idsOf));
      // Older state could hold a roll-up whose members had no rows, or one that replaced others.
      const bare = rollUp.members.filter(({ deliveryId }) => !known.has(deliveryId)).map(deliveryOf(rollUp));
      if (bare.length > 0) await outbox.setMany(bare.map((delivery) => [delivery.id, delivery]));
      const members = [...kept, ...bare];
      const memberIds = new Set(members.flatMap(idsOf));
      const others = [id, ...replaces.filter((other) => !memberIds.has(other))];
      await outbox.deleteMany(others);
      for (const other of others) ids.delete(other);
      rollUpOf.delete(channelId);
      membersOf.delete(channelId);
      remember(members);
    },
    async end(delivery, ending) {
      const { channelId } = delivery;
      await ledger.setMany(
        idsOf(delivery).map((id) => [id, { version: 2, channelId, rollUpId: null, ...ending }] as const),
      );
      await takeOut(channelId, idsOf(delivery));
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
      await takeOut(channelId, [id, ...replaces]);
    },
    withdraw: (delivery) => takeOut(delivery.channelId, idsOf(delivery)),
    async ended(id) {
      const entry = await ledger.get(id);
      return entry?.version === 1 ? upgradedEntry(entry) : entry;
    },
    async noteFound(channelId, found, nowMs) {
      const ended = await ledger.getMany([...found.keys()]);
      const unknown = [...found].filter(([id], index) => ended[index] === undefined && !ids.has(id));
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
      const gone = entries.map(([id]) => id).filter((id) => ids.has(id));
      if (gone.length > 0) await takeOut(channelId, gone);
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
    async findRollUp(id) {
      const row = await rollUps.get(id);
      return row ? upgradedRollUp(row) : [...rollUpOf.values()].find((pending) => pending.id === id);
    },
    async sweep(nowMs) {
      await sweep(ledger, ({ endedAtMs }) => endedAtMs < nowMs - LEDGER_MS);
      await sweep(rollUps, ({ id, createdAtMs }) => !ids.has(id) && createdAtMs < nowMs - ROLL_UPS_MS);
    },
  };
}

const readDelivery = rowReader<DeliveryRow>([1, 2], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  announcement: 'object',
  createdAtMs: 'number',
});
const readSecondDelivery = rowReader<LonelyDelivery>([2], { matches: 'list', dueAtMs: 'number' });
const readRollUp = rowReader<RollUpRow>([1], {
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
const readEntry = rowReader<LedgerEntry | FirstLedgerEntry>([1, 2], { channelId: 'string', endedAtMs: 'number' });

/** undefined where it is none. */
function readOutboxRow(row: unknown): OutboxRow | undefined {
  const delivery = readDelivery(row);
  return readRollUp(row) ?? readRollUpReference(row) ?? (delivery?.version === 2 ? readSecondDelivery(row) : delivery);
}

/** One that can't be read says by its id alone that something has ended: it must not be posted again. */
function readLedgerEntry(row: unknown): LedgerEntry | FirstLedgerEntry {
  return readEntry(row) ?? { version: 1, channelId: '', messageId: null, endedAtMs: Number.POSITIVE_INFINITY };
}

function isFound(entry: LedgerEntry | FirstLedgerEntry | undefined): boolean {
  return entry?.version === 2 && entry.isFound === true;
}

function firstDueFirst(a: Delivery, b: Delivery): number {
  return a.dueAtMs - b.dueAtMs || a.createdAtMs - b.createdAtMs || a.sequence - b.sequence;
}

/** What ends together with a delivery. */
export function idsOf({ id, alsoTells }: Pick<Delivery, 'id' | 'alsoTells'>): string[] {
  return [id, ...alsoTells];
}

function isRollUp(row: OutboxRow): row is RollUpRow | RollUpReference {
  return 'members' in row || 'memberIds' in row;
}

/** A delivery as a member of a roll-up. */
export function memberOf({ id, announcement, alsoTells, matches }: Delivery): RollUpMember {
  return { deliveryId: id, announcement, alsoTells, matches };
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

function upgradedRollUp(row: RollUpRow): RollUp {
  return { ...row, members: row.members.map((member) => ({ alsoTells: [], ...member })) };
}

function upgradedEntry(entry: FirstLedgerEntry): LedgerEntry {
  return {
    ...entry,
    version: 2,
    outcome: entry.messageId === null ? 'over' : 'posted',
    messageChannelId: entry.messageId && entry.channelId,
    rollUpId: null,
  };
}

function upgraded(record: DeliveryRow): Delivery {
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
