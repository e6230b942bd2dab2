import type { Subscription } from '../deals/subscription.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { copyAside } from './backup.ts';
import {
  CATALOG_KINDS,
  EVENT_SALES,
  OFFER,
  openKnown,
  openResources,
  openSpending,
  PRODUCT,
} from './catalog-records.ts';
import {
  CHANNEL_KINDS,
  openEdits,
  openNewestMessages,
  openPins,
  openPublications,
  openRemovals,
  openReplies,
  UNPUBLISHED,
} from './channel-records.ts';
import { DELIVERY_KINDS, openDeliveries } from './deliveries.ts';
import { ABOUT, type AboutRecord, describe, migrate, STATE_VERSION } from './migrations.ts';
import { beginState, type OpenedState, openState, readAbout } from './open-state.ts';
import { openPosts, POST } from './posts.ts';
import { openPrices, PRICES } from './prices.ts';
import { openRateLog, PACE } from './rate-log.ts';
import { openBotUser, openPostingPause, PERSON, SERVER_KINDS } from './server-records.ts';
import { type FieldReaders, openSubscriptions, SUBSCRIPTION_KINDS } from './subscriptions.ts';
import type { Backend } from './table/backend.ts';
import { type BackendParts, LAST, NO_RECORDS } from './table/database.ts';
import { type Lease, type LeaseParts, takeLease } from './table/lease.ts';
import { inMemory, stored } from './table/records.ts';
import type { Changes, Kind, OnOperation, State } from './table/state.ts';
import { isOnServer } from './table/state-place.ts';

/** The records of the state, for those who read and change them. */
export type Records = Awaited<ReturnType<typeof openRecords>>;

/** The bot's whole state: see `openStore`. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/** Stores of features in the state. Each feature adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: Features add members by declaration merging.
export interface FeatureStores {}

/** A feature's records. */
export interface FeatureRecords {
  /** Every kind of record that it stores, by which the state knows them, and sweeps those that are old. */
  kinds: readonly Kind<unknown>[];
  /** Opens them, and reads those that are kept in memory. */
  open(state: State): Promise<Partial<FeatureStores>>;
  /**
   * Whether a stored subscription, whose place is a person, is whole. At most one feature has such subscriptions; without it
   * they are not read: their rows stay, and post nothing.
   * @example
   * isPersonal: ({ greeting }) => greeting !== undefined
   */
  isPersonal?: (subscription: Subscription) => boolean;
  /**
   * Reads the fields that the feature adds to a stored subscription. A field that gives undefined makes the row malformed: it
   * stays stored, and isn't read. Where the feature is not here, its fields stay as they are.
   * @example
   * subscriptionFields: { greeting: (stored) => GREETING.safeParse(stored).data ?? NO_GREETING }
   */
  subscriptionFields?: FieldReaders;
  /**
   * A subscription's row with the present form of what a former version of the feature stored otherwise.
   * @example
   * formerSubscription: (row) => ('greet' in Object(row) ? { ...Object(row), greeting: { text: 'Hello' } } : row)
   */
  formerSubscription?(row: unknown): unknown;
  /**
   * Forgets a server, or a person by their place, as a part of a commit.
   * @example
   * forgetPlace: (changes, place, { greetings }) => greetings.delete(changes, place)
   */
  forgetPlace?(changes: Changes, place: string, stores: FeatureStores): void;
}

/** The owner of a state that other processes may want to write as well. */
export interface StateOwner extends LeaseParts, Pick<Partial<BackendParts>, 'networkClock' | 'onAway' | 'isPatient'> {
  /** The program's own version. */
  dealbell: string;
  onOperation?: OnOperation;
}

/**
 * Opens the state and reads the parts that are kept in memory.
 * @param owner takes the state's lease; without an owner, no other process may have the state open
 * @param features what the bot's features keep in it
 * @throws StateInUseError where another process holds the lease
 * @throws StoreError where the state can't be opened or read, or is of another form; it is left unchanged
 */
export async function openStore(
  stateUrl: string,
  clock: Pick<Clock, 'now' | 'monotonicMs'> = systemClock,
  owner: StateOwner | null = null,
  features: readonly FeatureRecords[] = [],
) {
  const opened = openState(stateUrl, owner ?? undefined);
  const { backend, state } = opened;
  let lease: Lease | null = null;
  try {
    await readAbout(opened);
    lease = owner ? await takeLease(backend.lease, owner) : null;
    // Read again: the holder that this process waited for may have set the state up, or migrated it.
    const about = (await readAbout(opened)) ?? (await beginState(state, owner?.dealbell ?? ''));
    await convert(opened, about, { stateUrl, clock, owner });
    const open = () => openRecords(state, clock, features);
    // By a slow database this takes minutes, in which the process may be stopped, or have handed the state over.
    const records = await (owner ? unlessAborted(owner.signal, open) : open());
    const unknown = (await kindsIn(backend)).filter(isUnknownTo(features));
    if (unknown.length > 0)
      owner?.log.warn({ kinds: unknown }, 'the state has records of features that are not here; they stay as they are');
    const restamp = () =>
      records.rateLog.restamp().catch((error: unknown) => {
        owner?.log.error({ err: error }, 'could not adjust the hourly limits to the new clock');
      });
    lease?.onRenewed(() => void restamp());
    return {
      ...records,
      /** True until `markSetUp`: the first set-up of this state is still to be done. */
      isNew: !about.isSetUp,
      markSetUp: (changes: Changes) => describe(changes, { ...about, version: STATE_VERSION, isSetUp: true }),
      /** Why writing fails; null while writes succeed. */
      writeProblem: backend.writeProblem,
      /** See `Database.scrub`. */
      scrub: () => (lease ? lease.whileBusy(() => backend.scrub()) : backend.scrub()),
      /** Makes a backup: see `Backend.copyTo`. */
      copyTo: (path: string) => backend.copyTo(path),
      /**
       * Resolves when this process may act on the state; rejects with a StateInUseError when another process has taken
       * it over.
       * @param withinMs as for `Lease.confirm`
       */
      confirm: async (withinMs?: number) => lease?.confirm(withinMs),
      /** The number of this process's taking of the lease: see `Lease.epoch`; 0 without an owner. */
      epoch: lease?.epoch ?? 0,
      /** From when on something may be posted, by the monotonic clock: see `Lease.clearFromMs`. */
      clearFromMs: lease?.clearFromMs ?? 0,
      async close(): Promise<void> {
        try {
          await restamp();
          await state.settled();
          await lease?.release();
        } finally {
          await backend.close();
        }
      },
    };
  } catch (error) {
    await lease?.release().catch(() => undefined);
    await backend.close();
    owner?.signal.throwIfAborted();
    throw error;
  }
}

/** Whether no kind of the core's or of these features has a name. */
function isUnknownTo(features: readonly FeatureRecords[]): (name: string) => boolean {
  const names = new Set([...KINDS, ...features.flatMap(({ kinds }) => kinds)].map(({ name }) => name));
  return (name) => !names.has(name);
}

/** More than there are keys of rows that are no records. */
const FIRST_ROWS = NO_RECORDS.length + 1;

/** The names of the kinds of which a state has records: the first row of each is read. */
async function kindsIn(backend: Pick<Backend, 'page'>): Promise<string[]> {
  const names: string[] = [];
  for (let after = ''; ; ) {
    const rows = await backend.page(after, LAST, FIRST_ROWS);
    const key = rows.map((row) => row.key).find((one) => !NO_RECORDS.includes(one));
    if (key === undefined) return names;
    const [name = ''] = key.split(':', 1);
    const isRecord = name !== key;
    if (isRecord) names.push(name);
    after = isRecord ? `${name}:${LAST}` : key;
  }
}

/** Settles as `work` does; rejects with the signal's reason where that aborts first. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function convert(
  opened: OpenedState,
  about: AboutRecord,
  { stateUrl, clock, owner }: { stateUrl: string; clock: Pick<Clock, 'now'>; owner: StateOwner | null },
): Promise<void> {
  await migrate(opened, { about, dealbell: owner?.dealbell ?? '' }, async (version) => {
    const step = { from: version, to: STATE_VERSION };
    if (isOnServer(stateUrl)) {
      // A database server has backups of its own: see docs/operating.md.
      owner?.log.warn(step, 'converting the state without a copy: only a pg_dump from before can undo it');
      return;
    }
    const copy = await copyAside(opened.backend, stateUrl, `version-${version + 1}`, clock.now());
    owner?.log.info({ ...step, copy }, 'converting the state, of which a copy was made');
  });
}

/** Every kind of record of the core's. */
const KINDS: readonly Kind<unknown>[] = [
  ABOUT,
  ...CATALOG_KINDS,
  ...CHANNEL_KINDS,
  ...DELIVERY_KINDS,
  ...SERVER_KINDS,
  ...SUBSCRIPTION_KINDS,
  PACE,
  POST,
  PRICES,
];

/** Opens the subscriptions alone, with what features do with theirs. */
export function openSubscriptionsOf(state: State, features: readonly FeatureRecords[]) {
  return openSubscriptions(state, {
    isPersonal: features.find(({ isPersonal }) => isPersonal)?.isPersonal,
    readers: Object.assign({}, ...features.map(({ subscriptionFields }) => subscriptionFields)),
    former: (row) => features.reduce((one, feature) => feature.formerSubscription?.(one) ?? one, row),
  });
}

/** Opens the records of features alone. */
export async function openOfFeatures(state: State, features: readonly FeatureRecords[]): Promise<FeatureStores> {
  const ofFeatures: Partial<FeatureStores>[] = [];
  for (const feature of features) ofFeatures.push(await feature.open(state));
  // Each feature opens what it has declared.
  return Object.assign({}, ...ofFeatures) as FeatureStores;
}

/** Opens the records of all kinds, and reads those that are kept in memory. */
export async function openRecords(
  state: State,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
  features: readonly FeatureRecords[] = [],
) {
  const stores = await openOfFeatures(state, features);
  return {
    ...stores,
    /** Stores changes of any records together: see `State`. */
    commit: <R>(decide: (changes: Changes) => R) => state.commit(decide),
    transact: <R>(decide: (changes: Changes) => Promise<R>) => state.transact(decide),
    subscriptions: await openSubscriptionsOf(state, features),
    people: await inMemory(state, PERSON),
    postingPause: await openPostingPause(state),
    botUser: await openBotUser(state),
    resources: await openResources(state),
    known: openKnown(state),
    eventSales: await inMemory(state, EVENT_SALES),
    offers: stored(state, OFFER),
    products: stored(state, PRODUCT),
    prices: openPrices(state),
    deliveries: await openDeliveries(state),
    posts: openPosts(state),
    edits: await openEdits(state),
    publications: await openPublications(state),
    removals: await openRemovals(state),
    replies: await openReplies(state),
    pins: await openPins(state),
    unpublished: stored(state, UNPUBLISHED),
    rateLog: await openRateLog(state, clock),
    newestMessages: await openNewestMessages(state),
    spending: openSpending(state),
    /** Forgets what features keep of a server, or of a person by their place. */
    forgetPlace(changes: Changes, place: string): void {
      for (const feature of features) feature.forgetPlace?.(changes, place, stores);
    },
    /** Forgets what has been kept for long enough; observed prices and posts excepted. */
    async sweep(nowMs: number): Promise<void> {
      for (const kind of [...KINDS, ...features.flatMap(({ kinds }) => kinds)]) await state.sweepOld(kind, nowMs);
    },
  };
}
