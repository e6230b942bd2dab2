import { z } from 'zod';
import { readLook } from '../deals/look.ts';
import type { Subscription } from '../deals/subscription.ts';
import { personAt } from '../deals/watch.ts';
import { Followers } from './followers.ts';
import { fields, type Kind, LIST, OBJECT } from './table/kind.ts';
import { type RecordListener, Records } from './table/records.ts';
import type { Changes, State } from './table/state.ts';

/** The subscriptions of servers, and the watches of people. All are in memory. */
export interface SubscriptionStore {
  all(): Subscription[];
  /** Subscriptions of servers alone, without watches. */
  ofServers(): Subscription[];
  get(id: string): Subscription | undefined;
  /** Subscriptions of a server or, by `placeOfPerson`, the watches of a person. */
  ofGuild(guildId: string): Subscription[];
  readonly followers: Pick<Followers, 'all' | 'of'>;
  /** @param check inspects the others right before the save; an error that it throws rejects, and nothing is saved */
  save(subscription: Subscription, check?: () => void): Promise<void>;
  /** Changes a subscription if it still exists; one that was removed meanwhile stays removed. */
  update(id: string, change: (subscription: Subscription) => Subscription): Promise<void>;
  remove(id: string): Promise<void>;
  /** As `save`, `update` and `remove`, as a part of a commit. */
  put(changes: Changes, subscription: Subscription): void;
  change(changes: Changes, id: string, change: (subscription: Subscription) => Subscription): void;
  delete(changes: Changes, id: string): void;
  /** Removes a subscription so that `restore` can undo it for `RESTORABLE_MS`. */
  removeRestorably(id: string, nowMs: number): Promise<void>;
  /** A removed subscription as it was, as long as it can be restored. */
  restorable(id: string, nowMs: number): Promise<Subscription | undefined>;
  /**
   * Undoes a removal: the subscription has its id and all its settings again. Nothing changes where it exists already,
   * or can't be restored any more.
   * @param check as for `save`
   */
  restore(id: string, nowMs: number, check: () => void): Promise<void>;
  /**
   * Saves and removes many subscriptions of servers at once: all or none, whatever is cut off.
   * @param decide called right before, so that it decides on what is stored by then; what it throws rejects, and nothing
   *   is done
   */
  apply(decide: () => SubscriptionChanges): Promise<void>;
  /** Calls the listener after every later change is stored. */
  onChange(listener: RecordListener<Subscription>): void;
}

export interface SubscriptionChanges {
  saved: readonly Subscription[];
  /** The ids of those to remove. */
  removed: readonly string[];
}

/** How long a removal can be undone: longer than anyone keeps the answer with the button on their screen. */
export const RESTORABLE_MS = 24 * 3_600_000;

interface Removed {
  subscription: Subscription;
  removedAtMs: number;
}

const readFields = fields<Subscription>({
  id: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  source: OBJECT,
  createdAtMs: z.number(),
  kinds: LIST,
  filter: z.string(),
  timing: OBJECT,
  mostPerHour: z.number(),
});

/** undefined where the row is malformed. A look that can't be read is the server's. */
function read(row: unknown): Subscription | undefined {
  const subscription = readFields(row);
  if (!subscription) return undefined;
  // Without what it watches, it would match far more than the person wants.
  if (personAt(subscription.guildId) !== null && !subscription.watch) return undefined;
  return subscription.look ? { ...subscription, look: readLook(subscription.look) } : subscription;
}

const SUBSCRIPTION: Kind<Subscription> = { name: 'subscription', read };

const readRemoved = fields<Removed>({ subscription: OBJECT, removedAtMs: z.number() });

export const REMOVED_SUBSCRIPTION: Kind<Removed> = {
  name: 'removed-subscription',
  read(row) {
    const removed = readRemoved(row);
    const subscription = removed && read(removed.subscription);
    return subscription && { ...removed, subscription };
  },
  kept: { ms: RESTORABLE_MS, since: ({ removedAtMs }) => removedAtMs },
};

export async function openSubscriptions(state: State): Promise<SubscriptionStore> {
  const byGuild = new ByGuild();
  const followers = new Followers();
  const subscriptions = await Records.load(state, SUBSCRIPTION, (...change) => {
    byGuild.listener(...change);
    followers.listener(...change);
  });

  async function restorable(id: string, nowMs: number): Promise<Subscription | undefined> {
    const removed = await state.get(REMOVED_SUBSCRIPTION, id);
    // A moment in the future tells nothing: the clock has been set back since.
    return removed && Math.abs(nowMs - removed.removedAtMs) <= RESTORABLE_MS ? removed.subscription : undefined;
  }
  const put = (changes: Changes, subscription: Subscription) =>
    subscriptions.set(changes, subscription.id, subscription);

  return {
    all: () => [...subscriptions.values()],
    ofServers: () => [...subscriptions.values()].filter(({ watch }) => watch === undefined),
    get: (id) => subscriptions.get(id),
    ofGuild: (guildId) => byGuild.of(guildId),
    followers,
    save: (subscription, check) =>
      check
        ? state.transact(async (changes) => {
            check();
            put(changes, subscription);
          })
        : state.commit((changes) => put(changes, subscription)),
    update: (id, change) => state.commit((changes) => subscriptions.update(changes, id, change)),
    remove: (id) => state.commit((changes) => subscriptions.delete(changes, id)),
    put,
    change: (changes, id, change) => subscriptions.update(changes, id, change),
    delete: (changes, id) => subscriptions.delete(changes, id),
    removeRestorably: (id, removedAtMs) =>
      state.commit((changes) => {
        const subscription = subscriptions.get(id);
        if (!subscription) return;
        changes.set(REMOVED_SUBSCRIPTION, id, { subscription, removedAtMs });
        subscriptions.delete(changes, id);
      }),
    restorable,
    restore: (id, nowMs, check) =>
      state.transact(async (changes) => {
        const subscription = subscriptions.get(id) ? undefined : await restorable(id, nowMs);
        if (!subscription) return;
        check();
        put(changes, { ...subscription, changedAtMs: nowMs });
        changes.delete(REMOVED_SUBSCRIPTION, id);
      }),
    apply: (decide) =>
      state.transact(async (changes) => {
        const { saved, removed } = decide();
        for (const subscription of saved) put(changes, subscription);
        for (const id of removed) subscriptions.delete(changes, id);
      }),
    onChange: (listener) => subscriptions.onChange(listener),
  };
}

/** The subscriptions by place, because a person's watches are looked up at each of their messages. */
class ByGuild {
  readonly #byGuild = new Map<string, Subscription[]>();

  of(guildId: string): Subscription[] {
    return [...(this.#byGuild.get(guildId) ?? [])];
  }

  readonly listener: RecordListener<Subscription> = (_, subscription, before) => {
    const others = before ? (this.#byGuild.get(before.guildId) ?? []) : [];
    const place = before ? others.indexOf(before) : -1;
    if (before && subscription?.guildId === before.guildId) {
      others[place] = subscription;
      return;
    }
    if (before) {
      others.splice(place, 1);
      if (others.length === 0) this.#byGuild.delete(before.guildId);
    }
    if (!subscription) return;
    const here = this.#byGuild.get(subscription.guildId) ?? [];
    this.#byGuild.set(subscription.guildId, here);
    here.push(subscription);
  };
}
