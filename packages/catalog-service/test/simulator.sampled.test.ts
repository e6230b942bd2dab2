import { describe, expect, test } from 'vitest';
import { sampleSize } from '../../../test/helpers/sampled.ts';
import { type CatalogContent, FEED_NAMES } from '../src/content.ts';
import { feedItem, offer } from '../src/portal/schemas.ts';
import { atSpeed, createSimulator } from '../src/simulator/simulator.ts';
import { type CatalogEvent, type Dealcast, EVENT_TYPES, event } from '../src/v2/schemas.ts';
import { NOON_MS } from './running-service.ts';

const ORIGIN = 'http://127.0.0.1:4100';
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const store = (offers = 300, seed = 'test') => createSimulator({ seed, offers, pace: 'store' });
const demo = (seed = 'test') => createSimulator({ seed, offers: 300, pace: 'demo' });

function everything(content: CatalogContent, nowMs: number): string {
  const moment = content.at(nowMs, ORIGIN);
  return JSON.stringify([
    ...FEED_NAMES.map((name) => moment.feed(name)),
    moment.events(),
    moment.dealcasts(),
    moment.polls(),
    moment.monkeychats(),
  ]);
}

function itemsOf(content: CatalogContent, nowMs: number, feed: (typeof FEED_NAMES)[number] = 'All') {
  return content
    .at(nowMs, ORIGIN)
    .feed(feed)
    .items.map((item) => feedItem.parse(item));
}

const timesFrom = (startMs: number, count: number, stepMs: number) =>
  Array.from({ length: count }, (_, index) => startMs + index * stepMs);

describe('what is shown follows from seed and moment alone', () => {
  test.each([
    ['store', store, 5 * HOUR_MS],
    ['demo', demo, 37 * SECOND_MS],
  ])('at the pace "%s", on any way to the moment', (_, create, stepMs) => {
    const straight = everything(create(), NOON_MS);
    const wandering = create();
    for (const nowMs of [...timesFrom(NOON_MS - 4 * stepMs, 4, stepMs), NOON_MS + stepMs]) everything(wandering, nowMs);
    expect(everything(wandering, NOON_MS)).toBe(straight);
  });

  test.each([
    ['store', 2.3 * HOUR_MS],
    ['demo', 0.7 * SECOND_MS],
  ] as const)('at the pace "%s", at every step of the way', (pace, stepMs) => {
    const create = () => createSimulator({ seed: 'steps', offers: 60, pace });
    const walking = create();
    for (const nowMs of timesFrom(NOON_MS, sampleSize(60, 12), Math.floor(stepMs))) {
      expect(everything(walking, nowMs)).toBe(everything(create(), nowMs));
    }
  });

  test('also backwards over the end of a deal-off', () => {
    const endMs = Date.UTC(2026, 9, 10, 5) + 26 * HOUR_MS;
    const wandering = store(0);
    everything(wandering, endMs + 1);
    expect(everything(wandering, endMs - 1)).toBe(everything(store(0), endMs - 1));
    expect(everything(wandering, endMs)).not.toBe(everything(wandering, endMs - 1));
  });

  test('other seeds, other stores', () => {
    expect(everything(store(300, 'a'), NOON_MS)).not.toBe(everything(store(300, 'b'), NOON_MS));
  });

  test('nothing changes between two changes, so that the same objects answer', () => {
    const content = store(10);
    expect(content.at(NOON_MS + 1, ORIGIN)).toBe(content.at(NOON_MS, ORIGIN));
  });

  test('a faster clock shows the same store earlier', () => {
    const fast = atSpeed(store(), 60, NOON_MS);
    expect(everything(fast, NOON_MS + 10 * MINUTE_MS)).toBe(everything(store(), NOON_MS + 600 * MINUTE_MS));
  });
});

describe('the store at its full size', () => {
  const full = store(12_400);
  const items = itemsOf(full, NOON_MS);
  const sizeOf = (feed: (typeof FEED_NAMES)[number]) => full.at(NOON_MS, ORIGIN).feed(feed).items.length;

  test('has about so many live offers, each under its own id', () => {
    expect(items.length).toBeGreaterThan(11_800);
    expect(items.length).toBeLessThan(13_000);
    expect(new Set(items.map((item) => item.OfferId)).size).toBe(items.length);
  });

  test('spreads them over the feeds as a live deployment does', () => {
    for (const feed of ['Home', 'Clearance', 'Sports'] as const) {
      expect(sizeOf(feed)).toBeGreaterThan(3800);
      expect(sizeOf(feed)).toBeLessThan(5000);
    }
    for (const feed of ['Electronics', 'Computers'] as const) {
      expect(sizeOf(feed)).toBeGreaterThan(750);
      expect(sizeOf(feed)).toBeLessThan(1050);
    }
    expect(sizeOf('Featured')).toBeGreaterThan(2);
    expect(sizeOf('Featured')).toBeLessThan(25);
    expect(items.slice(0, 5000).length).toBeLessThan(items.length - 6000);
  });

  test('has the prices, conditions and categories that clients must cope with', () => {
    const share = (count: number) => count / items.length;
    expect(share(items.filter((item) => item.ListPrice === null).length)).toBeCloseTo(0.2, 1);
    expect(share(items.filter((item) => item.SalePrice.Minimum < item.SalePrice.Maximum).length)).toBeGreaterThan(0.1);
    expect(share(items.filter((item) => item.Condition === null).length)).toBeGreaterThan(0.5);
    expect(items.some((item) => item.Categories.includes('Sellout'))).toBe(true);
    expect(items.every((item) => item.SalePrice.Minimum <= (item.ListPrice?.Maximum ?? Number.POSITIVE_INFINITY))).toBe(
      true,
    );
  });

  test('starts and ends offers at midnight US Central; they live 1 to 31 days', () => {
    const starts = items.filter((item) => item.StartDate.endsWith('T05:00:00+00:00')).length;
    expect(starts / items.length).toBeGreaterThan(0.8);
    const lives = items.map((item) => Date.parse(item.EndDate) - Date.parse(item.StartDate));
    // One more hour where daylight saving time ends on the way.
    expect(Math.max(...lives)).toBeLessThanOrEqual(31 * DAY_MS + HOUR_MS);
    expect(lives.filter((lifeMs) => lifeMs < 2 * DAY_MS).length).toBeLessThan(items.length / 100);
    const ends = items.filter((item) => /T0(?:4:59|5:00):00\+00:00$/.test(item.EndDate)).length;
    expect(ends / items.length).toBeGreaterThan(0.8);
  });

  test('moves midnight by an hour when daylight saving time ends', () => {
    const december = itemsOf(store(), Date.UTC(2026, 11, 20));
    expect(december.filter((item) => item.StartDate.endsWith('T06:00:00+00:00')).length).toBeGreaterThan(200);
  });
});

describe('the life of the store', () => {
  test('new offers come in a burst at midnight, and often for hours not at all', () => {
    const content = store(2000);
    const arrivals = timesFrom(Date.UTC(2026, 9, 6, 5), 24, HOUR_MS).map((hourMs) => {
      const before = new Set(itemsOf(content, hourMs - 1).map((item) => item.OfferId));
      return itemsOf(content, hourMs + HOUR_MS - 1).filter((item) => !before.has(item.OfferId)).length;
    });
    expect(arrivals[0]).toBeGreaterThan(100);
    expect(arrivals.slice(1, 9)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(arrivals.slice(9).some((count) => count > 0)).toBe(true);
  });

  test('offers get cheaper, sell out and are gone, some before they end', () => {
    const content = store();
    const first = new Map(itemsOf(content, NOON_MS).map((item) => [item.OfferId, item]));
    const seen = { cheaper: 0, soldOut: 0, goneEarly: 0, dearer: 0 };
    const later = new Map(itemsOf(content, NOON_MS + 2 * DAY_MS).map((item) => [item.OfferId, item]));
    for (const [id, item] of first) {
      const after = later.get(id);
      if (!after && Date.parse(item.EndDate) > NOON_MS + 2 * DAY_MS) seen.goneEarly += 1;
      if (after && after.SalePrice.Minimum < item.SalePrice.Minimum) seen.cheaper += 1;
      if (after && after.SalePrice.Minimum > item.SalePrice.Minimum) seen.dearer += 1;
    }
    for (const nowMs of timesFrom(NOON_MS, 12, 6 * HOUR_MS)) {
      seen.soldOut += itemsOf(content, nowMs).filter((item) => item.IsSoldOut).length;
    }
    expect(seen.cheaper).toBeGreaterThan(3);
    expect(seen.soldOut).toBeGreaterThan(3);
    expect(seen.goneEarly).toBeGreaterThan(3);
    expect(seen.dearer).toBe(0);
  });

  test('a product comes back under a new id, with the same title and a counter in its slug', () => {
    const content = store();
    const before = new Map(itemsOf(content, NOON_MS - 40 * DAY_MS).map((item) => [item.Url, item]));
    const relists = itemsOf(content, NOON_MS).flatMap((item) => {
      const earlier = before.get(item.Url.replace(/-1$/, ''));
      return earlier && item.Url.endsWith('-1') && earlier.Title === item.Title ? [[earlier, item] as const] : [];
    });
    expect(relists.length).toBeGreaterThan(0);
    for (const [earlier, item] of relists) expect(item.OfferId).not.toBe(earlier.OfferId);
  });

  test('all six types of events come; while a deal-off runs, its site has no daily event', () => {
    const content = store();
    const seen = new Set<string>();
    for (const nowMs of timesFrom(NOON_MS, 10, DAY_MS)) {
      const events = content
        .at(nowMs, ORIGIN)
        .events()
        .map((shown): CatalogEvent => event.parse(shown));
      for (const { Type } of events) seen.add(Type);
      const dealOff = events.find(({ Type }) => Type === 'DealOff');
      expect(events.some(({ Type, Site }) => Type === 'Daily' && Site === 'www.example.com')).toBe(!dealOff);
      if (dealOff) expect(dealOff.Offers.filter(({ SoldOut }) => !SoldOut)).toHaveLength(1);
    }
    expect([...seen].sort()).toEqual([...EVENT_TYPES].sort());
  });

  test('sold-out offers have nothing left, others have something', () => {
    const content = store();
    const moment = content.at(NOON_MS, ORIGIN);
    for (const item of itemsOf(content, NOON_MS)) {
      const full = offer.parse(moment.offer(item.OfferId));
      expect(full.PercentageRemainingBlurred === 0).toBe(item.IsSoldOut);
      expect(full.SoldOutOn !== null).toBe(item.IsSoldOut);
    }
  });
});

test.each([
  ['store', store, HOUR_MS],
  ['demo', demo, 5 * SECOND_MS],
])(
  'at the pace "%s", offers of events are almost gone before they are sold out, and had more before',
  (_, create, stepMs) => {
    const content = create();
    const most = new Map<string, number>();
    const almostGone = new Set<string>();
    for (const nowMs of timesFrom(NOON_MS, sampleSize(240, 100), stepMs)) {
      const events = content.at(nowMs, ORIGIN).events();
      const offers = events.flatMap((shown) => (event.parse(shown) as CatalogEvent).Offers);
      for (const { Id, PercentageRemaining, SoldOut } of offers) {
        if (!SoldOut && PercentageRemaining <= 10 && (most.get(Id) ?? 0) > 10) almostGone.add(Id);
        most.set(Id, Math.max(PercentageRemaining, most.get(Id) ?? 0));
      }
    }
    expect(almostGone.size).toBeGreaterThan(3);
  },
);

describe('the demo', () => {
  const startMs = NOON_MS + 12_345;

  test('has offers and dealcasts from the very first moment', () => {
    const moment = demo().at(startMs, ORIGIN);
    for (const feed of ['All', 'Electronics', 'Computers', 'Home', 'Sports', 'Tools', 'Shirts'] as const) {
      expect(moment.feed(feed).items.length).toBeGreaterThan(5);
    }
    expect(moment.dealcasts().length).toBeGreaterThan(3);
  });

  test('brings a new offer into Electronics every twelve seconds', () => {
    const content = demo();
    const known = new Set(itemsOf(content, startMs, 'Electronics').map((item) => item.OfferId));
    const atFirst = known.size;
    let waitedS = 0;
    let longestS = 0;
    for (const nowMs of timesFrom(startMs + SECOND_MS, 180, SECOND_MS)) {
      const fresh = itemsOf(content, nowMs, 'Electronics').filter((item) => !known.has(item.OfferId));
      for (const item of fresh) known.add(item.OfferId);
      waitedS = fresh.length > 0 ? 0 : waitedS + 1;
      longestS = Math.max(longestS, waitedS);
    }
    // The second in which one comes counts as none waited.
    expect(longestS).toBe(11);
    expect(known.size - atFirst).toBeGreaterThanOrEqual(3 * 5);
  });

  test('ends everything within an hour, cheaper and sold out on the way', () => {
    const content = demo();
    const first = new Map(itemsOf(content, startMs).map((item) => [item.OfferId, item]));
    const after = timesFrom(startMs, 61, MINUTE_MS).flatMap((nowMs) => itemsOf(content, nowMs));
    const ofFirst = after.filter((item) => first.has(item.OfferId));
    expect(ofFirst.some((item) => item.IsSoldOut)).toBe(true);
    expect(ofFirst.some((item) => item.SalePrice.Minimum < (first.get(item.OfferId)?.SalePrice.Minimum ?? 0))).toBe(
      true,
    );
    const last = itemsOf(content, startMs + 61 * MINUTE_MS);
    expect(last.some((item) => first.has(item.OfferId))).toBe(false);
    expect(last.length).toBeGreaterThan(200);
  });

  test('lowers prices in Electronics at the moments at which offers come', () => {
    const content = demo();
    const prices = new Map<string, number>();
    const drops: number[] = [];
    for (const nowMs of timesFrom(NOON_MS, sampleSize(900, 300), SECOND_MS)) {
      for (const { OfferId: id, SalePrice: price } of itemsOf(content, nowMs, 'Electronics')) {
        if (price.Minimum < (prices.get(id) ?? 0)) drops.push((nowMs / SECOND_MS) % 12);
        prices.set(id, price.Minimum);
      }
    }
    expect(drops.length).toBeGreaterThan(sampleSize(5, 2));
    expect(new Set(drops)).toEqual(new Set([0]));
  });

  test('shows no two polls and no two chats alike', () => {
    const moment = demo().at(startMs, ORIGIN);
    const questions = moment
      .polls()
      .map((shown) => JSON.stringify((shown as { Questions: { Text: string }[] }).Questions[0]?.Text));
    expect(new Set(questions).size).toBe(questions.length);
    const chats = moment.monkeychats().map((shown) => (shown as { Title: string }).Title);
    expect(new Set(chats).size).toBe(chats.length);
  });

  test('has a new dealcast every minute, and events that change', () => {
    const content = demo();
    const newest = (nowMs: number) => content.at(nowMs, ORIGIN).dealcasts()[0];
    const titles = timesFrom(startMs, 5, MINUTE_MS).map((nowMs) => {
      const cast: Partial<Dealcast> = newest(nowMs) ?? {};
      return `${cast.StartDate} ${cast.BlogUrl}`;
    });
    expect(new Set(titles).size).toBe(5);
    const idsAt = (nowMs: number) =>
      JSON.stringify(
        content
          .at(nowMs, ORIGIN)
          .events()
          .map((shown) => event.parse(shown).Id),
      );
    expect(idsAt(startMs)).not.toBe(idsAt(startMs + 2 * MINUTE_MS));
  });
});

test('there is a picture for every offer', () => {
  const content = store();
  const names = new Set(itemsOf(content, NOON_MS).map((item) => /photos\/(.+)\.svg$/.exec(item.Photo)?.[1] ?? ''));
  expect(names.size).toBeGreaterThan(20);
  for (const name of names) expect(content.picture?.(name)).toMatch(/^<svg /);
  for (const name of ['', 'lamp', 'cat-10', 'lamp-9999', 'constructor-1', 'lamp-1/../x']) {
    expect(content.picture?.(name)).toBeUndefined();
  }
});

test('texts are as dirty as those of real shops', () => {
  const content = store(1000);
  const moment = content.at(NOON_MS, ORIGIN);
  const html = itemsOf(content, NOON_MS)
    .map((item) => offer.parse(moment.offer(item.OfferId)))
    .map(({ Features, Specs, WriteUpBody }) => `${Features}\n${Specs}\n${WriteUpBody}`)
    .join('\n');
  for (const dirt of [
    '<p>&nbsp;</p>',
    'href="/warranty"',
    'src="//video.',
    'font-family: &quot;',
    '\r\n\t<li>',
    '’',
    '</ul>\n<b>',
    '<table',
    '&lt;5%',
  ]) {
    expect(html).toContain(dirt);
  }
  expect(html).toMatch(/^Variation$/m);
});
