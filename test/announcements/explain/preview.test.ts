import { describe, expect, test } from 'vitest';
import {
  announcementsOfEntity,
  announcementsOfOffer,
  type PreviewContext,
  previewDays,
  previewOf,
} from '../../../src/announcements/explain/preview.ts';
import { KINDS, partsOf } from '../../../src/announcements/kinds/index.ts';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { parseFilter } from '../../../src/deals/filter/index.ts';
import type { KnownOffer } from '../../../src/deals/known-offer.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { aDealcast, aKnownOffer, anEvent, anEventOffer, aSubscription, HOUR_MS, NOW_MS } from '../../helpers/things.ts';

const DAY_MS = 24 * HOUR_MS;
const at = (days: number) => NOW_MS - days * DAY_MS;
const price = (dollars: number) => ({ minimum: dollars, maximum: dollars });

function indexed(changes: Partial<Subscription> = {}, source: Partial<PreviewContext['source']> = {}): PreviewContext {
  const subscription = aSubscription('s', { kinds: [...KINDS_OF.feed.all], ...changes });
  const parsed = parseFilter(subscription.filter);
  return {
    subscription,
    filter: parsed.ok ? parsed.filter : null,
    source: { firstSeenMs: at(30), polledAtMs: NOW_MS, isCutOff: false, ...source },
    dayStartsMs: previewDays(subscription, NOW_MS),
    nowMs: NOW_MS,
  };
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

function told(some: PreviewContext, ...offers: KnownOffer[]): string[] {
  const { entries } = previewOf(
    some,
    offers.flatMap((known) => announcementsOfOffer(some, known)),
  );
  return entries.map(({ announcement }) => `${announcement.kind} ${Number(announcement.subject.slice(-4))}`);
}

test('the last seven days are counted day by day, newest first, and nothing older', () => {
  const some = indexed();
  const offers = [came(1, 0), came(2, 1), came(3, 1.2), came(4, 6), came(5, 7.6)];
  const preview = previewOf(
    some,
    offers.flatMap((known) => announcementsOfOffer(some, known)),
  );
  expect(preview.days.map(({ count }) => count)).toEqual([1, 0, 0, 0, 0, 2, 1]);
  expect(preview.days.map(({ startMs }) => startMs)).toEqual(some.dayStartsMs);
  expect(preview.entries.map(({ atMs }) => atMs)).toEqual([at(0), at(1), at(1.2), at(6)]);
});

test('days begin where the subscription says that its time is', () => {
  const timing = { ...aSubscription('s').timing, timeZone: 'Pacific/Auckland' };
  const some = indexed({ timing });
  expect(new Date(some.dayStartsMs.at(-1) ?? 0).toISOString()).toBe('2026-10-06T11:00:00.000Z');
  expect(told(some, came(1, 0), came(2, 7))).toEqual(['new-offer 1']);
});

test('what was there at the first sight came when it says that it started; what does not say is left out', () => {
  const old = { home: { firstSeenMs: at(1), unseenSinceMs: null, goneSinceMs: null, isOld: true } };
  const some = indexed();
  const offers = [
    came(1, 1, { startDateMs: at(3) }, { feeds: old }),
    came(2, 1, { startDateMs: at(9) }, { feeds: old }),
    came(3, 1, { startDateMs: null }, { feeds: old }),
    came(4, 1, { startDateMs: at(0) }, { feeds: old }),
  ];
  expect(told(some, ...offers)).toEqual(['new-offer 1']);
  const [entry] = offers.flatMap((known) => announcementsOfOffer(some, known));
  expect(entry?.atMs).toBe(at(3));
});

describe('as the subscription is set now', () => {
  const prices = [
    { atMs: at(2), salePrice: price(20) },
    { atMs: at(1), salePrice: price(10) },
  ];
  const cheaper = came(1, 2, { salePrice: price(10) }, { prices });

  test('its filter sees what was there then', () => {
    expect(told(indexed(), cheaper)).toEqual(['price-drop 1', 'new-offer 1']);
    expect(told(indexed({ filter: 'price:<15' }), cheaper)).toEqual(['price-drop 1']);
    expect(told(indexed({ filter: 'samovar' }), cheaper)).toEqual([]);
  });

  test('its kinds and its least drop count, that it is paused does not', () => {
    expect(told(indexed({ kinds: ['new-offer'] }), cheaper)).toEqual(['new-offer 1']);
    expect(told(indexed({ priceDropPercent: 60 }), cheaper)).toEqual(['new-offer 1']);
    expect(told(indexed({ pausedBy: 'person' }), cheaper)).toHaveLength(2);
  });

  test('a filter that can’t be read takes nothing, and that is told', () => {
    const some = indexed({ filter: 'price:<x' });
    expect(told(some, cheaper)).toEqual([]);
    expect(previewOf(some, [])).toMatchObject({ isReadable: false });
  });

  test('another feed’s offers are none of it, nor is what was over when it came', () => {
    expect(told(indexed({ source: { kind: 'feed', feed: 'Tools' } }), cheaper)).toEqual([]);
    expect(told(indexed(), came(2, 1, { endDateMs: at(2) }))).toEqual([]);
    const stock = [{ atMs: at(1), isSoldOut: true }];
    expect(told(indexed(), came(3, 1, { isSoldOut: true }, { stock, soldOutAtMs: at(1) }))).toEqual([]);
  });
});

test('the same drop is told once, and with a restock that comes along not at all', () => {
  const flapping = [20, 10, 20, 10].map((dollars, index) => ({ atMs: at(4 - index), salePrice: price(dollars) }));
  expect(told(indexed(), came(1, 4, {}, { prices: flapping }))).toEqual(['price-drop 1', 'new-offer 1']);
  const stock = [
    { atMs: at(2), isSoldOut: true },
    { atMs: at(1), isSoldOut: false },
  ];
  const prices = [
    { atMs: at(3), salePrice: price(20) },
    { atMs: at(1), salePrice: price(10) },
  ];
  expect(told(indexed(), came(1, 3, {}, { prices, stock }))).toEqual(['restocked 1', 'new-offer 1']);
});

test('what is over now is shown so, at the price of then', () => {
  const prices = [
    { atMs: at(2), salePrice: price(20) },
    { atMs: at(1), salePrice: price(25) },
  ];
  const gone = came(1, 2, { endDateMs: null, salePrice: price(25) }, { overAtMs: at(0.5), prices });
  expect(announcementsOfOffer(indexed(), gone)).toMatchObject([
    { announcement: { item: { endDateMs: at(0.5), salePrice: price(20) } } },
  ]);
});

test('other things come when they start or were first seen, of the sites and types that are wanted', () => {
  const events = indexed({ source: { kind: 'events', sites: ['home'], types: [] }, kinds: ['event-started'] });
  const event = (changes: Parameters<typeof anEvent>[1]) => KINDS['event-started'].announce(anEvent(1, changes));
  const of = (some: PreviewContext, announcement: ReturnType<typeof event>, firstSeenMs: number) =>
    announcementsOfEntity(some, { announcement, firstSeenMs }).map(({ atMs }) => atMs);
  const here = event({ startDateMs: at(2), endDateMs: null });
  expect(of(events, here, at(1)), 'seen coming').toEqual([at(1)]);
  expect(of(events, event({ site: 'wine.example.com', endDateMs: null }), at(1))).toEqual([]);

  const late = indexed(
    { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] },
    { firstSeenMs: at(1) },
  );
  expect(of(late, here, at(1)), 'there at the first look').toEqual([at(2)]);
  const dealcasts = indexed({ source: { kind: 'dealcasts' }, kinds: ['new-dealcast'] }, { firstSeenMs: at(1) });
  const dealcast = KINDS['new-dealcast'].announce(aDealcast(1, { startDateMs: null }));
  expect(announcementsOfEntity(dealcasts, { announcement: dealcast, firstSeenMs: at(1) })).toEqual([]);
  expect(previewOf(dealcasts, [])).toMatchObject({ isOfPresent: true, knownSinceMs: at(1) });
});

test('days begin with their first moment and end with their last', () => {
  const some = indexed();
  const [first = 0, second = 0] = some.dayStartsMs;
  const moments = [first - 1, first, second - 1, second, NOW_MS, NOW_MS + 1];
  const offers = moments.map((atMs, index) => came(index, (NOW_MS - atMs) / DAY_MS));
  const preview = previewOf(
    some,
    offers.flatMap((known) => announcementsOfOffer(some, known)),
  );
  expect(preview.days.map(({ count }) => count)).toEqual([2, 1, 0, 0, 0, 0, 1]);
  expect(preview.entries.map(({ atMs }) => atMs)).toEqual([NOW_MS, second, second - 1, first]);
});

test('what was there at the first sight and starts only then came then; what starts later is not told', () => {
  const old = { home: { firstSeenMs: at(1), unseenSinceMs: null, goneSinceMs: null, isOld: true } };
  const of = (startDateMs: number) => announcementsOfOffer(indexed(), came(1, 1, { startDateMs }, { feeds: old }));
  expect(of(at(1)).map(({ atMs }) => atMs)).toEqual([at(1)]);
  expect(of(at(1) + 1)).toEqual([]);
});

test('an offer came to a feed when that feed showed it, whatever another did before', () => {
  const presence = { unseenSinceMs: null, goneSinceMs: null, isOld: false };
  const feeds = { home: { ...presence, firstSeenMs: at(3) }, tools: { ...presence, firstSeenMs: at(1) } };
  const tools = indexed({ source: { kind: 'feed', feed: 'Tools' } });
  expect(announcementsOfOffer(tools, came(1, 3, {}, { feeds })).map(({ atMs }) => atMs)).toEqual([at(1)]);
});

test('only a feed’s preview tells of the past, and a source that was never read knows nothing of its first sight', () => {
  expect(previewOf(indexed(), [])).toMatchObject({ isOfPresent: false, isReadable: true });
  const events = indexed(
    { source: { kind: 'events', sites: [], types: [] }, kinds: [...KINDS_OF.events.all] },
    { firstSeenMs: null },
  );
  expect(announcementsOfOffer(events, came(1, 1))).toEqual([]);
  const announcement = KINDS['event-started'].announce(anEvent(1, { startDateMs: at(2), endDateMs: null }));
  expect(announcementsOfEntity(events, { announcement, firstSeenMs: at(1) })).toMatchObject([{ atMs: at(2) }]);
});

test('of a part of an event that was so at the first sight nobody knows since when', () => {
  const started = KINDS['event-started'].announce(
    anEvent(1, { startDateMs: at(2), endDateMs: null, offers: [anEventOffer(101, { percentageRemaining: 5 })] }),
  );
  const some = (firstSeenMs: number) =>
    indexed({ source: { kind: 'events', sites: [], types: [] }, kinds: ['almost-gone'] }, { firstSeenMs });
  const told = (firstLookMs: number) =>
    partsOf(started).flatMap((announcement) =>
      announcementsOfEntity(some(firstLookMs), { announcement, firstSeenMs: at(1) }),
    );
  expect(told(at(1))).toEqual([]);
  expect(told(at(1) - 1)).toMatchObject([{ atMs: at(1), announcement: { kind: 'almost-gone' } }]);
});
