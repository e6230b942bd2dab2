import { describe, expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { preview } from '../../../src/announcements/explain/dry-run.ts';
import { KINDS, knownAs, partsOf } from '../../../src/announcements/kinds/index.ts';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { KnownOffer } from '../../../src/deals/known-offer.ts';
import type { Preview } from '../../../src/deals/preview.ts';
import { resourceOf, type Subscription } from '../../../src/deals/subscription.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import type { ResourceRecord } from '../../../src/store/catalog-records.ts';
import { openStore } from '../../../src/store/store.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDealcast, aKnownOffer, anEvent, anEventOffer, aSubscription, NOW_MS } from '../../helpers/things.ts';

const at = (days: number) => NOW_MS - days * DAY_MS;
const price = (dollars: number) => ({ minimum: dollars, maximum: dollars });

/** What a bot knows. */
interface Known {
  /** The subscription's settings, where they are not the usual ones. */
  settings?: Partial<Subscription>;
  /** The record of the resource that it follows; null where that was never read. */
  read?: Partial<ResourceRecord> | null;
  offers?: readonly KnownOffer[];
  /** The whole entities of its resource, and when each of them and their parts was first seen. */
  seen?: readonly (readonly [Announcement, number])[];
}

/** Plays the last seven days again, on a real state. */
async function played({ settings = {}, read = {}, offers = [], seen = [] }: Known): Promise<Preview> {
  const store = await openStore(temporaryState());
  onTestFinished(() => store.close());
  const subscription = aSubscription('s', { kinds: [...KINDS_OF.feed.all], ...settings });
  const resource = resourceOf(subscription.source);
  const record: ResourceRecord = {
    firstSeenMs: at(30),
    polledAtMs: NOW_MS,
    isFollowed: true,
    isCutOff: false,
    marketingName: null,
    ...read,
  };
  const all = seen.flatMap(([whole, firstSeenMs]) =>
    [whole, ...partsOf(whole)].map(
      (announcement) => [knownAs(announcement), { firstSeenMs, lastSeenMs: NOW_MS, face: '' }] as const,
    ),
  );
  await store.commit((changes) => {
    if (read !== null) store.resources.set(changes, resource, record);
    store.known.save(changes, resource, new Map(all));
  });
  const book = createOfferBook(offers, () => undefined);
  const currentState = new CurrentState(book, store);
  const entities = seen.map(([announcement]) => ({ announcement, record: undefined }));
  currentState.setEntities(resource, entities, true);
  return preview(subscription, {
    settings: [],
    store,
    offers: book,
    currentState,
    clock: { now: () => NOW_MS, monotonicMs: () => 0 },
  });
}

/** An offer that appeared in Home so many days ago. */
function came(
  number: number,
  days: number,
  offer: Parameters<typeof aKnownOffer>[1] = {},
  changes: Partial<KnownOffer> = {},
) {
  const firstSeenMs = at(days);
  return aKnownOffer(number, offer, {
    firstSeenMs,
    feeds: { home: { firstSeenMs, unseenSinceMs: null, goneSinceMs: null, isOld: false } },
    prices: [{ atMs: firstSeenMs, salePrice: price(20) }],
    ...changes,
  });
}

/** An offer that was in Home when that was read for the first time, a day ago. */
function wasThere(number: number, startDateMs: number | null) {
  const home = { firstSeenMs: at(1), unseenSinceMs: null, goneSinceMs: null, isOld: true };
  return came(number, 1, { startDateMs }, { feeds: { home } });
}

/** A price from so many days ago on, to which the offer fell from $20 in a story that began so many days ago. */
const fellTo = (dollars: number, days: number, storyDays = days) => ({
  atMs: at(days),
  salePrice: price(dollars),
  drop: { storyMs: at(storyDays), times: 0, before: price(20), beforeForMs: DAY_MS },
});

/** What a subscription would have been told of offers, the newest first. */
async function told(settings: Partial<Subscription>, ...offers: KnownOffer[]): Promise<string[]> {
  const { entries } = await played({ settings, offers });
  return entries.map(({ announcement }) => `${announcement.kind} ${Number(announcement.subject.slice(-4))}`);
}

test('the last seven days are counted day by day, newest first, and nothing older', async () => {
  const offers = [came(1, 0), came(2, 1), came(3, 1.2), came(4, 6), came(5, 7.6)];
  const { days, entries } = await played({ offers });
  expect(days.map(({ count }) => count)).toEqual([1, 0, 0, 0, 0, 2, 1]);
  const midnightMs = NOW_MS - (NOW_MS % DAY_MS);
  expect(days.map(({ startMs }) => startMs)).toEqual([6, 5, 4, 3, 2, 1, 0].map((ago) => midnightMs - ago * DAY_MS));
  expect(entries.map(({ atMs }) => atMs)).toEqual([at(0), at(1), at(1.2), at(6)]);
});

test('days begin where the subscription says that its time is', async () => {
  const settings = { timing: { ...aSubscription('s').timing, timeZone: 'Pacific/Auckland' } };
  const { days } = await played({ settings });
  expect(new Date(days.at(-1)?.startMs ?? 0).toISOString()).toBe('2026-10-06T11:00:00.000Z');
  expect(await told(settings, came(1, 0), came(2, 7))).toEqual(['new-offer 1']);
});

test('days begin with their first moment and end with their last', async () => {
  const [first = 0, second = 0] = (await played({})).days.map(({ startMs }) => startMs);
  const moments = [first - 1, first, second - 1, second, NOW_MS, NOW_MS + 1];
  const { days, entries } = await played({
    offers: moments.map((atMs, index) => came(index, (NOW_MS - atMs) / DAY_MS)),
  });
  expect(days.map(({ count }) => count)).toEqual([2, 1, 0, 0, 0, 0, 1]);
  expect(entries.map(({ atMs }) => atMs)).toEqual([NOW_MS, second, second - 1, first]);
});

test('what was there at the first sight came when it says that it started; what does not say is left out', async () => {
  const { entries } = await played({
    offers: [wasThere(1, at(3)), wasThere(2, at(9)), wasThere(3, null), wasThere(4, at(0)), wasThere(5, at(1) + 1)],
  });
  expect(entries).toMatchObject([{ announcement: { item: { title: 'Kettle 1' } }, atMs: at(3) }]);
  const justThen = await played({ offers: [wasThere(1, at(1))] });
  expect(justThen.entries.map(({ atMs }) => atMs)).toEqual([at(1)]);
});

test('an offer came to a feed when that feed showed it, whatever another did before', async () => {
  const presence = { unseenSinceMs: null, goneSinceMs: null, isOld: false };
  const feeds = { home: { ...presence, firstSeenMs: at(3) }, tools: { ...presence, firstSeenMs: at(1) } };
  const { entries } = await played({
    settings: { source: { kind: 'feed', feed: 'Tools' } },
    offers: [came(1, 3, {}, { feeds })],
  });
  expect(entries.map(({ atMs }) => atMs)).toEqual([at(1)]);
});

describe('as the subscription is set now', () => {
  const prices = [{ atMs: at(2), salePrice: price(20) }, fellTo(10, 1)];
  const cheaper = came(1, 2, { salePrice: price(10) }, { prices });

  test('its filter sees what was there then', async () => {
    expect(await told({}, cheaper)).toEqual(['price-drop 1', 'new-offer 1']);
    expect(await told({ filter: 'price:<15' }, cheaper)).toEqual(['price-drop 1']);
    expect(await told({ filter: 'samovar' }, cheaper)).toEqual([]);
  });

  test('its kinds and its least drop count, that it is paused does not', async () => {
    expect(await told({ kinds: ['new-offer'] }, cheaper)).toEqual(['new-offer 1']);
    expect(await told({ priceDropPercent: 60 }, cheaper)).toEqual(['new-offer 1']);
    expect(await told({ pausedBy: 'person' }, cheaper)).toHaveLength(2);
  });

  test('a filter that can’t be read takes nothing, and that is told', async () => {
    expect(await played({ settings: { filter: 'price:<x' }, offers: [cheaper] })).toMatchObject({
      entries: [],
      isReadable: false,
    });
  });

  test('another feed’s offers are none of it, nor is what was over when it came', async () => {
    expect(await told({ source: { kind: 'feed', feed: 'Tools' } }, cheaper)).toEqual([]);
    expect(await told({}, came(2, 1, { endDateMs: at(2) }))).toEqual([]);
    const stock = [{ atMs: at(1), isSoldOut: true }];
    expect(await told({}, came(3, 1, { isSoldOut: true }, { stock, soldOutAtMs: at(1) }))).toEqual([]);
  });
});

test('the same drop is told once, and with a restock that comes along not at all', async () => {
  const flapping = [
    { atMs: at(4), salePrice: price(20) },
    fellTo(10, 3),
    { atMs: at(2.9), salePrice: price(20) },
    fellTo(10, 2.8, 3),
  ];
  expect(await told({}, came(1, 4, {}, { prices: flapping }))).toEqual(['price-drop 1', 'new-offer 1']);
  const stock = [
    { atMs: at(2), isSoldOut: true },
    { atMs: at(1), isSoldOut: false, storyMs: at(2) },
  ];
  const prices = [{ atMs: at(3), salePrice: price(20) }, fellTo(10, 1)];
  expect(await told({}, came(1, 3, {}, { prices, stock }))).toEqual(['restocked 1', 'new-offer 1']);
});

test('what is over now is shown so, at the price of then', async () => {
  const prices = [
    { atMs: at(2), salePrice: price(20) },
    { atMs: at(1), salePrice: price(25) },
  ];
  const gone = came(1, 2, { endDateMs: null, salePrice: price(25) }, { overAtMs: at(0.5), prices });
  expect((await played({ offers: [gone] })).entries).toMatchObject([
    { announcement: { item: { endDateMs: at(0.5), salePrice: price(20) } } },
  ]);
});

describe('of other things than offers', () => {
  const EVENTS = { source: { kind: 'events' as const, sites: [], types: [] }, kinds: [...KINDS_OF.events.all] };
  const event = (changes: Parameters<typeof anEvent>[1]) =>
    KINDS['event-started'].announce(anEvent(1, { endDateMs: null, ...changes }));
  const momentsOf = async (known: Known) => (await played(known)).entries.map(({ atMs }) => atMs);

  test('each came when it was first seen, of the sites and types that are wanted', async () => {
    const settings = { source: { kind: 'events' as const, sites: ['home' as const], types: [] }, kinds: EVENTS.kinds };
    const here = event({ startDateMs: at(2) });
    expect(await momentsOf({ settings, seen: [[here, at(1)]] })).toEqual([at(1)]);
    expect(await momentsOf({ settings, seen: [[event({ site: 'wine.example.com' }), at(1)]] })).toEqual([]);
  });

  test('what was there at the first look came when it started; where it does not say, nobody knows when', async () => {
    const read = { firstSeenMs: at(1) };
    expect(await momentsOf({ settings: EVENTS, read, seen: [[event({ startDateMs: at(2) }), at(1)]] })).toEqual([
      at(2),
    ]);
    const dealcast = KINDS['new-dealcast'].announce(aDealcast(1, { startDateMs: null }));
    const dealcasts = { source: { kind: 'dealcasts' as const }, kinds: [...KINDS_OF.dealcasts.all] };
    expect(await momentsOf({ settings: dealcasts, read, seen: [[dealcast, at(1)]] })).toEqual([]);
    expect(await momentsOf({ settings: dealcasts, read, seen: [[dealcast, at(1) + 1]] })).toEqual([at(1) + 1]);
  });

  test('of a part of an event that was so at the first look nobody knows since when', async () => {
    const started = event({ startDateMs: at(2), offers: [anEventOffer(101, { percentageRemaining: 5 })] });
    const of = (firstSeenMs: number) =>
      played({
        settings: { ...EVENTS, kinds: ['almost-gone'] },
        read: { firstSeenMs },
        seen: [[started, at(1)]],
      });
    expect((await of(at(1))).entries).toEqual([]);
    expect((await of(at(1) - 1)).entries).toMatchObject([{ atMs: at(1), announcement: { kind: 'almost-gone' } }]);
  });

  test('only the present is known, and no offer of a feed is among them', async () => {
    expect(await played({ settings: EVENTS, offers: [came(1, 1)] })).toMatchObject({ entries: [], onlyListed: true });
    expect(await played({ offers: [came(1, 1)] })).toMatchObject({ onlyListed: false, isReadable: true });
  });
});

test('since when the resource is known, when it was last read and whether it was cut off is told', async () => {
  const read = { firstSeenMs: at(1), polledAtMs: at(0.5), isCutOff: true };
  expect(await played({ read })).toMatchObject({ knownSinceMs: at(1), lastReadMs: at(0.5), isCutOff: true });
  expect(await played({ read: null })).toMatchObject({ knownSinceMs: null, lastReadMs: null, isCutOff: false });
});
