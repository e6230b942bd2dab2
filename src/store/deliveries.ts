import { z } from 'zod';
import type { Announcement } from '../deals/announcement.ts';
import { DAY_MS } from '../shared/time.ts';
import {
  asTried,
  type Delivery,
  type Ending,
  idsOf,
  type LedgerEntry,
  memberOf,
  type RollUp,
  type RollUpMember,
  triedMatch,
} from './delivery.ts';
import { PendingDeliveries } from './pending-deliveries.ts';
import { type Changes, type Kind, kind, LIST, OBJECT, type State } from './table/state.ts';

/**
 * How long the ledger keeps a delivery, and the list of a roll-up. After the first announcement of an entity only a
 * catch-up computes its id again, and a person who subscribes anew after that long may well get the entity once more.
 */
export const LEDGER_MS = 120 * DAY_MS;

type Merge = (fresh: readonly Delivery[]) => Delivery[];
/** Adds to a waiting delivery those of the same announcement that were found since; returns it as it is where they add nothing. */
type Join = (waiting: Delivery, found: readonly Delivery[]) => Delivery;

/**
 * Hears of each announcement that has ended, once that is stored.
 * @param atMs epoch milliseconds
 */
export type EndingListener = (outcome: LedgerEntry['outcome'], announcement: Announcement, atMs: number) => void;

/** A delivery whose message is known. */
export interface PostedDelivery {
  id: string;
  messageId: string;
  /** Where the message is: the channel, or in a forum the thread. */
  messageChannelId: string;
}

/** The location of a message. */
interface MessagePlace {
  channelId: string;
  messageId: string;
}

/** A roll-up that is being posted. Its members are deliveries of the outbox. */
interface PendingRollUp extends Omit<RollUp, 'members'> {
  memberIds: string[];
}

const DELIVERY = kind<Delivery>('delivery', {
  id: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  announcement: OBJECT,
  createdAtMs: z.number(),
  matches: LIST,
  alsoTells: LIST,
  dueAtMs: z.number(),
});

const ROLL_UP_FIELDS = {
  id: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  replaces: LIST,
  createdAtMs: z.number(),
};
const PENDING_ROLL_UP = kind<PendingRollUp>('pending-roll-up', { ...ROLL_UP_FIELDS, memberIds: LIST });
const ROLL_UP = kind<RollUp>(
  'roll-up',
  { ...ROLL_UP_FIELDS, members: LIST },
  { kept: { ms: LEDGER_MS, since: ({ createdAtMs }) => createdAtMs } },
);

const ENTRY = kind<LedgerEntry>(
  'ledger',
  { channelId: z.string(), endedAtMs: z.number() },
  { kept: { ms: LEDGER_MS, since: ({ endedAtMs }) => endedAtMs } },
);
/** A malformed row still proves by its id that the delivery ended and must not be posted again. */
const UNREADABLE: LedgerEntry = {
  channelId: '',
  outcome: 'over',
  messageChannelId: null,
  messageId: null,
  rollUpId: null,
  endedAtMs: Number.POSITIVE_INFINITY,
};
const LEDGER: Kind<LedgerEntry> = { ...ENTRY, read: (row) => ENTRY.read(row) ?? UNREADABLE };

/** Whether a delivery was over before it could be posted. A malformed row may be one of a post. */
function wasOver(entry: LedgerEntry): boolean {
  return entry.outcome === 'over' && entry !== UNREADABLE;
}

/**
 * Deliveries: the outbox holds those still to be posted, the ledger those that have ended. An id that is in the ledger
 * enters the outbox again only where it was over before it could be posted. The outbox is in memory. Methods that return
 * promises belong into commits that may read (`State.transact`).
 */
export type DeliveryStore = Awaited<ReturnType<typeof openDeliveries>>;

export async function openDeliveries(state: State) {
  const pending = await pendingIn(state);
  return { ...outboxOf(state, pending), ...endingsOf(pending), ...ledgerOf(state, pending) };
}

async function pendingIn(state: State): Promise<PendingDeliveries> {
  const deliveries: Delivery[] = [];
  for await (const [, delivery] of state.entries(DELIVERY)) deliveries.push(delivery);
  const pending = new PendingDeliveries(deliveries);
  for await (const [, { memberIds, ...rollUp }] of state.entries(PENDING_ROLL_UP)) {
    const wanted = new Set(memberIds);
    const members = pending.in(rollUp.channelId).filter(({ id }) => wanted.has(id));
    // Its members may be unreadable.
    if (members.length > 0) pending.rollUp({ ...rollUp, members: members.map((member) => memberOf(asTried(member))) });
  }
  return pending;
}

/**
 * Brings an older copy's outbox up to the later state: deliveries that have ended since leave it, and the roll-ups that
 * were being posted are the later state's, with their members. Such a roll-up may stand in its channel, and its message holds
 * only its id.
 */
export async function bringOutboxUpTo(later: State, copy: State): Promise<void> {
  await copy.transact(async (changes) => {
    const ids: string[] = [];
    for await (const [id] of copy.entries(DELIVERY)) ids.push(id);
    // A delivery that was only found in a channel has not ended.
    for (const [id, { isFound }] of await later.among(LEDGER, ids)) if (!isFound) changes.delete(DELIVERY, id);
    for await (const [id] of copy.entries(PENDING_ROLL_UP)) changes.delete(PENDING_ROLL_UP, id);
    for await (const [id, rollUp] of later.entries(PENDING_ROLL_UP)) {
      changes.set(PENDING_ROLL_UP, id, rollUp);
      const members = await later.among(DELIVERY, rollUp.memberIds);
      for (const [memberId, member] of members) changes.set(DELIVERY, memberId, member);
    }
  });
}

function outboxOf(state: State, pending: PendingDeliveries) {
  return {
    /** The channels with pending deliveries. */
    channels: () => pending.channels(),
    /** A channel's deliveries that are to be posted individually, first due first. */
    pending: (channelId: string) => pending.in(channelId),
    /** A channel's pending roll-up. */
    pendingRollUp: (channelId: string) => pending.rollUpIn(channelId),
    /** The members of a channel's pending roll-up, as the deliveries that they are. */
    pendingMembers: (channelId: string) => pending.membersIn(channelId),
    /** Whether a delivery or roll-up has not ended. */
    isPending: (id: string) => pending.has(id),
    /**
     * Enqueues the deliveries that are neither pending nor in the ledger, and takes those out of the ledger that were over
     * before they could be posted: they are news again. Returns those that were enqueued.
     * @param merge merges new deliveries that stand for each other
     */
    async add(changes: Changes, deliveries: readonly Delivery[], merge: Merge): Promise<Delivery[]> {
      const candidates = new Map(deliveries.filter(({ id }) => !pending.has(id)).map((one) => [one.id, one]));
      const ended = await state.among(LEDGER, [...candidates.keys()]);
      const unposted = new Set([...ended].flatMap(([id, entry]) => (wasOver(entry) ? [id] : [])));
      // A delivery that was only found in a channel has not ended, until it is detected again and recorded.
      const isNew = [...candidates.values()].filter(
        ({ id }) => !ended.has(id) || unposted.has(id) || ended.get(id)?.isFound,
      );
      for (const id of unposted) changes.delete(LEDGER, id);
      // Merging comes after the check: a delivery that was announced before must not hold back a new one.
      const fresh = merge(isNew);
      for (const delivery of fresh) changes.set(DELIVERY, delivery.id, delivery);
      changes.afterwards(() => pending.add(fresh));
      return fresh;
    },
    /** Joins the deliveries that are pending to what waits. Returns what waits of them, where that changed it. */
    join(changes: Changes, deliveries: readonly Delivery[], join: Join): Delivery[] {
      const joining = new Map<Delivery, Delivery[]>();
      const known = new Map<string, ReadonlyMap<string, Delivery>>();
      for (const found of deliveries) {
        const { id, channelId } = found;
        if (!pending.has(id)) continue;
        const inChannel = known.get(channelId) ?? pending.byId(channelId);
        known.set(channelId, inChannel);
        const waiting = inChannel.get(id);
        if (waiting) joining.set(waiting, [...(joining.get(waiting) ?? []), found]);
      }
      const joined = [...joining].flatMap(([waiting, found]) => {
        const after = join(waiting, found);
        return after === waiting ? [] : [after];
      });
      replace(changes, pending, joined);
      return joined;
    },
    /** Notes that a try includes all matches of a delivery, of which no earlier try can stand in the channel. */
    noteTried: (changes: Changes, { id, channelId, matches }: Delivery) =>
      noteTried(changes, pending, channelId, [{ deliveryId: id, matches }]),
    /**
     * Puts a delivery back into the outbox that was posted, and whose message is gone, or that the ledger has lost. It must
     * not be pending.
     * @param standing a message of it that stands in the channel: it is recorded as its post; null to post it again
     */
    reopen(changes: Changes, delivery: Delivery, standing: MessagePlace | null): void {
      for (const id of idsOf(delivery)) changes.delete(LEDGER, id);
      if (standing) {
        const { channelId: messageChannelId, messageId } = standing;
        const { channelId, createdAtMs: endedAtMs } = delivery;
        const about = { channelId, outcome: 'posted', messageChannelId, messageId, rollUpId: null, endedAtMs } as const;
        changes.set(LEDGER, delivery.id, { ...about, isFound: true });
      }
      changes.set(DELIVERY, delivery.id, delivery);
      changes.afterwards(() => pending.add([delivery]));
    },
    /** Makes the roll-up pending in place of its members, which are pending. */
    rollUp(changes: Changes, rollUp: RollUp): void {
      const { members, ...kept } = rollUp;
      const memberIds = members.map(({ deliveryId }) => deliveryId);
      changes.set(PENDING_ROLL_UP, rollUp.id, { ...kept, memberIds });
      changes.afterwards(() => pending.rollUp(rollUp));
      noteTried(changes, pending, rollUp.channelId, members);
    },
    /**
     * Dissolves the pending roll-up: its members are pending individually again. Only for a roll-up that was not posted.
     */
    dissolve(changes: Changes, { id, channelId }: RollUp): void {
      changes.delete(PENDING_ROLL_UP, id);
      changes.afterwards(() => pending.dissolve(channelId));
    },
    /** Removes the delivery from the outbox without a trace: it was not posted, and nobody wants it any more. */
    withdraw: (changes: Changes, delivery: Delivery) => takeOut(changes, pending, delivery.channelId, idsOf(delivery)),
    /** Like `withdraw`, for all that waits for a channel, a roll-up and its members included. */
    abandon(changes: Changes, channelId: string): void {
      const rollUp = pending.rollUpIn(channelId);
      if (rollUp) changes.delete(PENDING_ROLL_UP, rollUp.id);
      const ids = [...pending.in(channelId).flatMap(idsOf), ...(rollUp ? [rollUp.id, ...rollUp.replaces] : [])];
      takeOut(changes, pending, channelId, ids);
    },
  };
}

function noteTried(
  changes: Changes,
  pending: PendingDeliveries,
  channelId: string,
  tried: readonly Pick<RollUpMember, 'deliveryId' | 'matches'>[],
): void {
  const inChannel = pending.byId(channelId);
  const noted = tried.flatMap(({ deliveryId, matches }) => {
    const waiting = inChannel.get(deliveryId);
    if (!waiting?.matches.some(({ isUntried }) => isUntried)) return [];
    // Others may have joined while the try was being made.
    const included = new Set(matches.map(({ subscriptionId }) => subscriptionId));
    const after = waiting.matches.map((match) => (included.has(match.subscriptionId) ? triedMatch(match) : match));
    return [{ ...waiting, matches: after }];
  });
  replace(changes, pending, noted);
}

function replace(changes: Changes, pending: PendingDeliveries, deliveries: readonly Delivery[]): void {
  for (const delivery of deliveries) changes.set(DELIVERY, delivery.id, delivery);
  changes.afterwards(() => pending.replace(deliveries));
}

/** Takes deliveries, and the roll-up that holds them, out of the outbox. */
function takeOut(changes: Changes, pending: PendingDeliveries, channelId: string, ids: readonly string[]): void {
  for (const id of ids) changes.delete(DELIVERY, id);
  changes.afterwards(() => pending.remove(channelId, ids));
}

function endingsOf(pending: PendingDeliveries) {
  const listeners: EndingListener[] = [];
  function tell(changes: Changes, outcome: Ending['outcome'], announcement: Announcement, atMs: number): void {
    changes.afterwards(() => {
      for (const listener of listeners) listener(outcome, announcement, atMs);
    });
  }
  return {
    /** Moves the delivery to the ledger. */
    end(changes: Changes, delivery: Delivery, ending: Ending): void {
      const { channelId, announcement } = delivery;
      for (const id of idsOf(delivery)) changes.set(LEDGER, id, { channelId, rollUpId: null, ...ending });
      takeOut(changes, pending, channelId, idsOf(delivery));
      tell(changes, ending.outcome, announcement, ending.endedAtMs);
    },
    /** Like `end`, for the roll-up and all that it replaces. The deliveries in `over` (ids) end as over. */
    endRollUp(changes: Changes, rollUp: RollUp, ending: Ending, over: ReadonlySet<string>): void {
      const { id, channelId, members, replaces } = rollUp;
      // The button of the message needs the roll-up, with what the message tells. One of which all is over may arrive later.
      if (ending.outcome === 'posted') {
        changes.set(ROLL_UP, id, { ...rollUp, members: members.filter(({ deliveryId }) => !over.has(deliveryId)) });
      } else if (ending.outcome === 'over') changes.set(ROLL_UP, id, rollUp);
      const entry: LedgerEntry = { channelId, rollUpId: null, ...ending };
      const missed: LedgerEntry = { ...entry, outcome: 'over', messageChannelId: null, messageId: null };
      changes.set(LEDGER, id, entry);
      for (const other of replaces) changes.set(LEDGER, other, over.has(other) ? missed : { ...entry, rollUpId: id });
      changes.delete(PENDING_ROLL_UP, id);
      takeOut(changes, pending, channelId, [id, ...replaces]);
      for (const { deliveryId, announcement } of members) {
        tell(changes, over.has(deliveryId) ? 'over' : ending.outcome, announcement, ending.endedAtMs);
      }
    },
    /** Calls the listener for every later ending; each announcement of a roll-up counts. */
    onEnded: (listener: EndingListener): void => void listeners.push(listener),
  };
}

function ledgerOf(state: State, pending: PendingDeliveries) {
  return {
    /** How a delivery or roll-up ended, for as long as the ledger keeps it. */
    ended: (id: string) => state.get(LEDGER, id),
    /** Records that the message of these deliveries no longer exists. They stay posted: nothing posts them again. */
    async noteDeleted(changes: Changes, ids: readonly string[], nowMs: number): Promise<void> {
      for (const [id, entry] of await state.among(LEDGER, ids)) {
        if (entry.outcome !== 'posted') continue;
        changes.set(LEDGER, id, { ...entry, messageChannelId: null, messageId: null, deletedAtMs: nowMs });
      }
    },
    /**
     * Reconciles the ledger with a channel: records deliveries that were found there and that it lacks, by delivery id.
     * Pending deliveries stay pending, but where a known roll-up was found, all that it replaces ends with it.
     */
    async noteFound(
      changes: Changes,
      channelId: string,
      found: ReadonlyMap<string, MessagePlace>,
      nowMs: number,
    ): Promise<void> {
      const ended = await state.among(LEDGER, [...found.keys()]);
      for (const [id, place] of found) {
        const known = ended.get(id);
        // An attempt may arrive after its delivery was found to be over.
        if ((known && !wasOver(known)) || pending.has(id)) continue;
        const entry: LedgerEntry = {
          channelId,
          outcome: 'posted',
          messageChannelId: place.channelId,
          messageId: place.messageId,
          rollUpId: null,
          endedAtMs: nowMs,
        };
        const replaced = (await state.get(ROLL_UP, id))?.replaces ?? [];
        changes.set(LEDGER, id, { ...entry, isFound: true });
        for (const other of replaced) changes.set(LEDGER, other, { ...entry, rollUpId: id });
        takeOut(changes, pending, channelId, replaced);
      }
    },
    /** The places of those deliveries of `ids` that were found in a channel and are not recorded otherwise. */
    async foundPlaces(ids: readonly string[]): Promise<ReadonlyMap<string, MessagePlace>> {
      const places = new Map<string, MessagePlace>();
      for (const [id, { isFound, messageChannelId, messageId }] of await state.among(LEDGER, ids)) {
        if (isFound && messageChannelId && messageId) places.set(id, { channelId: messageChannelId, messageId });
      }
      return places;
    },
    /**
     * The deliveries that were posted with message ids from `fromId` until before `untilId`, by channel. A roll-up
     * counts as what it lists. Reads the whole ledger.
     */
    async postedBetween(fromId: bigint, untilId: bigint): Promise<ReadonlyMap<string, readonly PostedDelivery[]>> {
      const byChannel = new Map<string, PostedDelivery[]>();
      const rollUps = new Set<string>();
      for await (const [id, entry] of state.entries(LEDGER)) {
        const { channelId, outcome, messageId, rollUpId } = entry;
        if (outcome !== 'posted' || messageId === null || !/^\d+$/.test(messageId)) continue;
        if (BigInt(messageId) < fromId || BigInt(messageId) >= untilId) continue;
        if (rollUpId !== null) rollUps.add(rollUpId);
        const posted = byChannel.get(channelId) ?? [];
        posted.push({ id, messageId, messageChannelId: entry.messageChannelId ?? channelId });
        byChannel.set(channelId, posted);
      }
      const isNoRollUp = ({ id }: PostedDelivery) => !rollUps.has(id);
      return new Map([...byChannel].map(([channelId, posted]) => [channelId, posted.filter(isNoRollUp)]));
    },
    /** A roll-up that is pending or was posted, for as long as old posts are kept. */
    findRollUp: async (id: string) => (await state.get(ROLL_UP, id)) ?? pending.findRollUp(id),
    /**
     * Removes from the ledger where a channel's deliveries were posted, and its roll-ups. Their ids stay, by which none
     * is posted again. Reads the whole ledger, while others write; nothing may be under way in the channel meanwhile.
     * @returns adds the changes to a commit
     */
    async forgetChannel(channelId: string): Promise<(changes: Changes) => void> {
      const entries: [string, LedgerEntry][] = [];
      for await (const one of state.entries(LEDGER)) if (one[1].channelId === channelId) entries.push(one);
      const rollUps: string[] = [];
      for await (const [id, rollUp] of state.entries(ROLL_UP)) if (rollUp.channelId === channelId) rollUps.push(id);
      return (changes) => {
        for (const [id, entry] of entries) {
          changes.set(LEDGER, id, { ...entry, channelId: '', messageChannelId: null, messageId: null, rollUpId: null });
        }
        for (const id of rollUps) changes.delete(ROLL_UP, id);
      };
    },
  };
}

export const DELIVERY_KINDS = [DELIVERY, PENDING_ROLL_UP, ROLL_UP, LEDGER];
