import { CurrentState } from '../bot/announcements/current-state.ts';
import type { KnownOffer } from '../bot/deals/known-offer.ts';
import type { ResourceKey } from '../bot/deals/subscription.ts';
import { createOfferBook, type OfferBook } from '../bot/offers/offer-book.ts';
import { readAbout } from '../bot/store/about.ts';
import { STATE_VERSION } from '../bot/store/migrations.ts';
import { openOffers } from '../bot/store/offers.ts';
import { openPeople, type PeopleStore } from '../bot/store/people.ts';
import { openPrices, type PriceStore } from '../bot/store/prices.ts';
import { openPublished, type PublishedStore } from '../bot/store/published.ts';
import { openResources } from '../bot/store/resources.ts';
import type { Store } from '../bot/store/store.ts';
import { openSubscriptions, type SubscriptionStore } from '../bot/store/subscriptions.ts';
import type { Clock } from '../shared/clock.ts';
import { LeaderNeededError } from '../shared/errors.ts';
import type { Backend } from '../shared/storage/backend.ts';
import type { ChangeFeed, RowChange } from '../shared/storage/change-feed.ts';

/** The tables that a copy holds in memory. `about` tells which version of the program can read the others. */
export const COPIED_TABLES = [
  'about',
  'offers',
  'resources',
  'subscriptions',
  'watches',
  'people',
  'published',
] as const;

/** The resources whose entities are published whole. */
export const PUBLISHED_RESOURCES = ['events', 'dealcasts', 'polls', 'monkeychats'] as const;

/** A copy that was true longer ago than this answers nobody: milliseconds. */
const TRUE_FOR_MS = 5_000;

/** A copy of what people look up in the state, in a process that doesn't lead. */
export interface StateCopy {
  offers: OfferBook;
  subscriptions: SubscriptionStore;
  people: PeopleStore;
  currentState: CurrentState;
  published: PublishedStore;
  prices: Pick<PriceStore, 'among'>;
  /** Whether it holds what the state held 5 seconds ago at the most. */
  isTrue(): boolean;
  /** Follows the state. Resolves with false where it can't: then it has to be made anew. Rejects with a StoreError. */
  update(): Promise<boolean>;
}

/**
 * Reads a copy of the state. Resolves with null where there is nothing to be copied yet: no process has led, or the one
 * that leads is of another version.
 * @param backend only reads
 */
export async function copyState(backend: Backend, changes: ChangeFeed, clock: Clock): Promise<StateCopy | null> {
  let trueAtMs = clock.monotonicMs();
  // First, so that what changes meanwhile is read again.
  const latest = await changes.latest();
  if (latest === null) return null;
  const about = await readAbout(backend);
  if (about?.version !== STATE_VERSION) return null;
  let position = latest;
  const subscriptions = await openSubscriptions(backend);
  const resources = await openResources(backend);
  const people = await openPeople(backend);
  const published = await openPublished(backend);
  const stored = openOffers(backend);
  const offers = createOfferBook(await stored.list(), (feed) => resources.get(`feed:${feed}`));
  const currentState = new CurrentState(
    offers,
    leadersPart<Pick<Store, 'resources' | 'known' | 'posts' | 'deliveries' | 'edits'>>({ resources }),
  );
  showPublished(published, currentState);

  const refresh: Readonly<Record<string, (keys: string[]) => Promise<void>>> = {
    subscriptions: (ids) => subscriptions.refresh('subscriptions', ids),
    watches: (ids) => subscriptions.refresh('watches', ids),
    resources: (keys) => resources.refresh(keys as ResourceKey[]),
    people: (ids) => people.refresh(ids),
    async published(names) {
      await published.refresh(names);
      showPublished(published, currentState);
    },
    async offers(ids) {
      const records = await stored.among(ids);
      offers.put(records.filter((record): record is KnownOffer => record !== undefined));
      offers.remove(ids.filter((_, index) => records[index] === undefined));
    },
  };

  return {
    offers,
    subscriptions,
    people,
    currentState,
    published,
    prices: openPrices(backend),
    isTrue: () => clock.monotonicMs() - trueAtMs <= TRUE_FOR_MS,
    async update() {
      const startedAtMs = clock.monotonicMs();
      const found = await changes.since(position);
      if (found === null) return false;
      const changed = keysByTable(found);
      // Rows of a state that another version has converted can't be read here.
      if (changed.has('about')) return false;
      for (const [table, keys] of changed) await refresh[table]?.([...keys]);
      position = { ...position, number: position.number + found.length };
      trueAtMs = startedAtMs;
      return true;
    },
  };
}

function showPublished(published: PublishedStore, currentState: CurrentState): void {
  for (const resource of PUBLISHED_RESOURCES) {
    const announcements = published.get(resource);
    if (!announcements) continue;
    const states = announcements.map((announcement) => ({ announcement, record: undefined }));
    currentState.setEntities(resource, states, true);
  }
  currentState.stock.replace(published.get('stock') ?? {});
}

function keysByTable(changes: readonly RowChange[]): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  for (const { table, keys: changed } of changes) {
    const known = keys.get(table) ?? new Set();
    for (const key of changed) known.add(key);
    keys.set(table, known);
  }
  return keys;
}

/** A part of which this process has only some: using any of the rest throws a LeaderNeededError. */
export function leadersPart<T extends object>(own: Partial<T> = {}): T {
  return new Proxy(own as T, {
    get(part, name, receiver): unknown {
      if (name in part) return Reflect.get(part, name, receiver);
      throw new LeaderNeededError();
    },
  });
}
