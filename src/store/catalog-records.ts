// What the bot knows of the catalog between two polls.

import { z } from 'zod';
import type { SpendingStore, SpentRecord } from '../catalog/catalog.ts';
import type { PastListing } from '../deals/announcement.ts';
import type { EventSales } from '../deals/event-sales.ts';
import type { KnownOffer } from '../deals/known-offer.ts';
import type { NamelessAtFirst } from '../deals/presence.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import { DAY_MS } from '../shared/time.ts';
import { type InMemory, inMemory } from './table/records.ts';
import { type Changes, kind, LIST, OBJECT, type State } from './table/state.ts';

/** The record of a resource between polls. */
export interface ResourceRecord {
  /** When it was first read whole: nothing that it held then was news. */
  firstSeenMs: number;
  polledAtMs: number;
  /**
   * Whether somebody was subscribed to it then. Entities that appear while nobody is are not news to later subscribers.
   */
  isFollowed: boolean;
  /** Whether the catalog truncated the last answer. */
  isCutOff: boolean;
  /** Whether so much was missing from the last answer for the first time that a second poll should follow soon. */
  isDoubtful?: boolean;
  /**
   * Of a feed: the ids that its first answer held and that no answer has shown readably since. They were there before, so
   * they are no news once they can be read. Absent where there are none.
   */
  unread?: readonly string[];
  /** Of a feed: the items without an id that its first answer held; absent where there are none. */
  namelessAtFirst?: NamelessAtFirst;
  /** The display name of a feed's category. */
  marketingName: string | null;
  /** The times of day at which it changes. Absent where nothing was learned yet. */
  learned?: LearnedTimes;
}

/**
 * The times of day (UTC) at which entities arrive in a resource, as far as polls have shown; older arrivals weigh less.
 */
export interface LearnedTimes {
  /** The moment for which the weights are valid: epoch milliseconds. */
  asOfMs: number;
  /** Days of observation. */
  days: number;
  /** Arrivals by the minute of the day (`0` to `1439`), for the minutes that stand out. */
  minutes: Readonly<Record<string, number>>;
  /** The other arrivals, by the hour of the day: 24 numbers. */
  hours: readonly number[];
}

const RESOURCE = kind<ResourceRecord>('resource', {
  firstSeenMs: z.number(),
  polledAtMs: z.number(),
  isFollowed: z.boolean(),
  isCutOff: z.boolean(),
});

/** The polled resources, all in memory. */
export type ResourceStore = InMemory<ResourceRecord, ResourceKey>;

export const openResources = (state: State): Promise<ResourceStore> => inMemory(state, RESOURCE);

/** The record of one subject (an event, a dealcast, a poll) of one resource. */
export interface KnownRecord {
  firstSeenMs: number;
  /** Accurate to a day. */
  lastSeenMs: number;
  /** The fingerprint of its posts: they are edited when it changes. */
  face: string;
  /** It was news when it was first seen; absent where it wasn't, and in a record of an earlier version. */
  wasNews?: true;
  /** The subject under which the same event was seen first; absent where this is it. */
  sameAs?: string;
}

/** Kept for 90 days without a sight: an entity that appears again after that is news. */
const KNOWN = kind<KnownRecord>(
  'known',
  { firstSeenMs: z.number(), lastSeenMs: z.number(), face: z.string() },
  { kept: { ms: 90 * DAY_MS, since: ({ lastSeenMs }) => lastSeenMs } },
);

/** The known subjects of all resources that are no feeds. */
export function openKnown(state: State) {
  return {
    /** The records of those of `subjects` that were seen in the resource. */
    async among(resource: ResourceKey, subjects: readonly string[]): Promise<Map<string, KnownRecord>> {
      const start = `${resource}/`;
      const records = await state.among(
        KNOWN,
        subjects.map((subject) => start + subject),
      );
      return new Map([...records].map(([key, record]) => [key.slice(start.length), record]));
    },
    save(changes: Changes, resource: ResourceKey, records: ReadonlyMap<string, KnownRecord>): void {
      for (const [subject, record] of records) changes.set(KNOWN, `${resource}/${subject}`, record);
    },
  };
}

/** What each event has sold, by its id, for as long as its posts are kept up to date. */
export const EVENT_SALES = kind<EventSales>(
  'event-sales',
  { sales: LIST, changedAtMs: z.number() },
  { kept: { ms: 45 * DAY_MS, since: ({ changedAtMs }) => changedAtMs } },
);

/** The record of each offer, by its id, over all feeds that hold it. All of them are in memory, in the offer book. */
export const OFFER = kind<KnownOffer>('offer', { offer: OBJECT, firstSeenMs: z.number(), feeds: OBJECT, prices: LIST });

/** The last listing of each product, by each of its `productKeys`: a product that comes back is recognised without its offer. */
export const PRODUCT = kind<PastListing>(
  'product',
  { offerId: z.string(), endedAtMs: z.number() },
  { kept: { ms: 180 * DAY_MS, since: ({ endedAtMs }) => endedAtMs } },
);

/** By the interface's name. */
const SPENT = kind<SpentRecord>('spent', {
  day: z.string(),
  spent: z.number(),
  tokens: z.number(),
  tokensAtMs: z.number(),
});

/** The requests spent of each interface's daily quota. */
export function openSpending(state: State): SpendingStore {
  return {
    load: async (name) => (await state.get(SPENT, name)) ?? null,
    save: (name, record) => state.commit((changes) => changes.set(SPENT, name, record)),
  };
}

/** Takes over the requests that a later state has counted: those of the later day or, on the same day, the more. */
export async function addSpent(later: State, copy: State): Promise<void> {
  await copy.transact(async (changes) => {
    for await (const [name, record] of later.entries(SPENT)) {
      const own = await copy.get(SPENT, name);
      const isMore = !own || own.day < record.day || (own.day === record.day && own.spent < record.spent);
      if (isMore) changes.set(SPENT, name, record);
    }
  });
}

export const CATALOG_KINDS = [RESOURCE, KNOWN, EVENT_SALES, OFFER, PRODUCT, SPENT];
