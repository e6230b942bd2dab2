import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { personAt } from '../deals/person.ts';
import { STORED_SETTINGS, type SubscriptionFields, USUAL_SETTINGS, withDefaults } from '../deals/settings.ts';
import { type ResourceKey, resourceOf, type Subscription } from '../deals/subscription.ts';
import { DAY_MS } from '../shared/time.ts';
import { type InMemory, inMemory } from './table/records.ts';
import { type Changes, type Kind, kind, LIST, OBJECT, type State } from './table/state.ts';

export interface SubscriptionChanges {
  saved: readonly Subscription[];
  /** The ids of those to remove. */
  removed: readonly string[];
}

/** How many subscriptions are put into a commit before everybody else has a turn. */
const PUT_AT_ONCE = 5_000;

/** How long a removal can be undone: longer than anyone keeps the answer with the button on their screen. */
export const RESTORABLE_MS = DAY_MS;

interface Removed {
  subscription: Subscription;
  removedAtMs: number;
}

/** What a row holds, whatever features are there. */
const ROW = kind<Subscription>('subscription', {
  id: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  source: OBJECT,
  createdAtMs: z.number(),
  kinds: LIST,
  ...STORED_SETTINGS,
});

/** How the fields are read that features add to subscriptions; undefined makes the row malformed. */
export type FieldReaders = {
  readonly [Field in keyof SubscriptionFields]?: (stored: unknown) => SubscriptionFields[Field] | undefined;
};

/** What features do with stored subscriptions: see `FeatureRecords`. */
interface OfFeatures {
  /** Absent where no feature has subscriptions of people: theirs stay as they are. */
  isPersonal?: ((subscription: Subscription) => boolean) | undefined;
  /** Of the fields that they add. One without a reader stays as it is. */
  readers?: FieldReaders;
  /** A row with the present form of what a former version stored otherwise. */
  former?: (row: unknown) => unknown;
}

/** undefined where the row is malformed. A setting that is newer than the row has its default. */
function read(
  row: unknown,
  { isPersonal = () => true, readers = {}, former = (asItIs) => asItIs }: OfFeatures,
): Subscription | undefined {
  const subscription = ROW.read(former(row));
  if (!subscription) return undefined;
  // Without what a feature keeps in it, it would match far more than the person wants.
  if (personAt(subscription.guildId) !== null && !isPersonal(subscription)) return undefined;
  return withFields(withDefaults(subscription, USUAL_SETTINGS), readers);
}

/** One that has none of the fields is returned as it is, as by `withDefaults`. undefined where a field is malformed. */
function withFields(subscription: Subscription, readers: FieldReaders): Subscription | undefined {
  const own = Object.entries<(stored: unknown) => unknown>(readers).filter(([field]) => field in subscription);
  if (own.length === 0) return subscription;
  const stored: Readonly<Record<string, unknown>> = { ...subscription };
  const values = own.map(([field, readOne]) => [field, readOne(stored[field])] as const);
  if (values.some(([, value]) => value === undefined)) return undefined;
  return { ...subscription, ...Object.fromEntries(values) };
}

/** The kinds of rows. */
function kindsWith(ofFeatures: OfFeatures) {
  const present: Kind<Subscription> = { ...ROW, read: (row) => read(row, ofFeatures) };
  const removed = kind<Removed>(
    'removed-subscription',
    { subscription: OBJECT, removedAtMs: z.number() },
    {
      kept: { ms: RESTORABLE_MS, since: ({ removedAtMs }) => removedAtMs },
      complete(one) {
        const subscription = present.read(one.subscription);
        return subscription && { ...one, subscription };
      },
    },
  );
  return { present, removed };
}

export const SUBSCRIPTION_KINDS = Object.values(kindsWith({}));

/** The subscriptions of servers and of people. All are in memory. */
export type SubscriptionStore = Awaited<ReturnType<typeof openSubscriptions>>;

export async function openSubscriptions(state: State, ofFeatures: OfFeatures = {}) {
  const kinds = kindsWith(ofFeatures);
  const isTaken = ({ guildId }: Subscription) => ofFeatures.isPersonal !== undefined || personAt(guildId) === null;
  const subscriptions = await inMemory(state, kinds.present, isTaken);
  // A person's subscriptions are looked up at each of their messages.
  const byGuild = subscriptions.groupedBy(({ guildId }) => guildId);
  const put = (changes: Changes, subscription: Subscription) =>
    subscriptions.set(changes, subscription.id, subscription);

  /** A removed subscription as it was, as long as it can be restored. */
  async function restorable(id: string, nowMs: number): Promise<Subscription | undefined> {
    const removed = await state.get(kinds.removed, id);
    // A moment in the future tells nothing: the clock has been set back since.
    return removed && Math.abs(nowMs - removed.removedAtMs) <= RESTORABLE_MS ? removed.subscription : undefined;
  }

  return {
    ...subscriptions,
    /** Subscriptions of servers alone, without those of people. */
    ofServers: () => subscriptions.all().filter(({ guildId }) => personAt(guildId) === null),
    /** Subscriptions of a server or, by `placeOfPerson`, of a person. */
    ofGuild: (guildId: string) => [...(byGuild.get(guildId)?.values() ?? [])],
    followers: followersAmong(subscriptions),
    /** @param check inspects the others right before the save; an error that it throws rejects, and nothing is saved */
    save: (subscription: Subscription, check?: () => void): Promise<void> =>
      check
        ? state.transact(async (changes) => {
            check();
            put(changes, subscription);
          })
        : state.commit((changes) => put(changes, subscription)),
    /** As `save`, as a part of a commit. */
    put,
    /** Removes a subscription so that `restore` can undo it for `RESTORABLE_MS`. */
    removeRestorably: (id: string, removedAtMs: number) =>
      state.commit((changes) => {
        const subscription = subscriptions.get(id);
        if (!subscription) return;
        changes.set(kinds.removed, id, { subscription, removedAtMs });
        subscriptions.delete(changes, id);
      }),
    restorable,
    /**
     * Undoes a removal: the subscription has its id and all its settings again. Nothing changes where it exists already,
     * or can't be restored any more.
     * @param check as for `save`
     */
    restore: (id: string, nowMs: number, check: () => void) =>
      state.transact(async (changes) => {
        const subscription = subscriptions.get(id) ? undefined : await restorable(id, nowMs);
        if (!subscription) return;
        check();
        put(changes, { ...subscription, changedAtMs: nowMs });
        changes.delete(kinds.removed, id);
      }),
    /**
     * Saves and removes many subscriptions of servers at once: all or none, whatever is cut off.
     * @param decide called right before, so that it decides on what is stored by then; what it throws rejects, and
     *   nothing is done
     */
    apply: (decide: () => SubscriptionChanges) =>
      state.transact(async (changes) => {
        const { saved, removed } = decide();
        // What comes is shown before what goes: of very many, nobody sees less than there was.
        for (const [index, subscription] of saved.entries()) {
          if (index % PUT_AT_ONCE === PUT_AT_ONCE - 1) await nextTurn();
          put(changes, subscription);
        }
        for (const id of removed) subscriptions.delete(changes, id);
      }),
  };
}

/** The active subscriptions by the resource that they follow, kept up to date with each change. */
function followersAmong(subscriptions: InMemory<Subscription>) {
  const followed = ({ pausedBy, source }: Subscription) => (pausedBy === null ? resourceOf(source) : null);
  const byResource = subscriptions.groupedBy(followed);
  const catchingUp = subscriptions.groupedBy((one) => (one.catchUp > 0 ? followed(one) : null));
  /** By resource, as long as none of its subscriptions changes: the planner asks at every tick. */
  const weights = new Map<ResourceKey, number>();
  subscriptions.onChange((_, subscription, before) => {
    for (const one of [subscription, before]) if (one) weights.delete(resourceOf(one.source));
  });
  const followersOf = (resource: ResourceKey) => ({
    /** The subscriptions to which the next answer owes the newest of what is live. */
    catchingUp: () => [...(catchingUp.get(resource)?.values() ?? [])],
    /** How much the resource's polls matter, as `weightOf` counts. */
    weight(): number {
      const weight = weights.get(resource) ?? weightOf(byResource.get(resource)?.values() ?? []);
      weights.set(resource, weight);
      return weight;
    },
  });
  return {
    /** The followed resources with their followers. */
    all: () => new Map([...byResource.keys()].map((resource) => [resource, followersOf(resource)])),
    /** undefined where nobody follows the resource. */
    of: (resource: ResourceKey) => (byResource.has(resource) ? followersOf(resource) : undefined),
  };
}

/**
 * The weight of a resource's followers: a server with one subscription counts 1, and 1 more for each doubling. A server
 * with thousands of subscriptions weighs about as much as twelve others, and can't take their polls.
 */
function weightOf(followers: Iterable<Pick<Subscription, 'guildId'>>): number {
  const byServer = new Map<string, number>();
  for (const { guildId } of followers) {
    // All people together weigh like one server: none of them may take a server's polls.
    const place = personAt(guildId) === null ? guildId : '';
    byServer.set(place, (byServer.get(place) ?? 0) + 1);
  }
  return [...byServer.values()].reduce((sum, count) => sum + 1 + Math.log2(count), 0);
}
