import fc from 'fast-check';
import { expect, test } from 'vitest';
import { announcementsOf } from '../../src/announcements/kinds/index.ts';
import { changesOfFeed, changesOfTime, ENDING_SOON_MS, type OfferChange } from '../../src/deals/change.ts';
import { historyOf } from '../../src/deals/history.ts';
import type { KnownOffer } from '../../src/deals/known-offer.ts';
import { QUIET_MS } from '../../src/deals/stories.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { sampleSize } from '../helpers/sampled.ts';
import { aKnownOffer, anOffer, NOW_MS } from '../helpers/things.ts';

const priceOf = (minimum: number) => ({ minimum, maximum: minimum });

const TOLD = new Set<OfferChange['kind']>(['appeared', 'entered', 'price-dropped', 'price-confirmed', 'restocked']);

/** The state of the one offer in a poll of a feed: absent, or its price and whether it is sold out. */
const looks = fc.array(
  fc.record({
    feed: fc.constantFrom('home', 'tools'),
    shown: fc.option(fc.record({ price: fc.integer({ min: 1, max: 4 }), isSoldOut: fc.boolean() })),
    isFirstSight: fc.boolean(),
    waitMs: fc.constantFrom(1000, QUIET_MS),
  }),
  { maxLength: 12 },
);
const ARCHIVED = new Map([['kettle 1|', [{ fromMs: 0, untilMs: NOW_MS - 9 * HOUR_MS, price: priceOf(3) }]]]);

/** What is announced of changes: the kinds and occurrences. The same one, told again, is one announcement. */
function announcedBy(changes: readonly OfferChange[]): string[] {
  const all = changes.filter(({ kind }) => TOLD.has(kind)).flatMap((change) => announcementsOf(change));
  return [...new Set(all.map(({ kind, occurrence }) => `${kind} ${occurrence}`))].toSorted();
}

test('what a record tells afterwards is what was found when it happened', () => {
  fc.assert(
    fc.property(looks, (all) => {
      let known: KnownOffer | undefined;
      let nowMs = NOW_MS;
      const told: OfferChange[] = [];
      for (const { feed, shown, isFirstSight, waitMs } of all) {
        nowMs += waitMs;
        const offers = shown
          ? [
              anOffer(1, {
                salePrice: { minimum: shown.price, maximum: 9 },
                isSoldOut: shown.isSoldOut,
                endDateMs: null,
              }),
            ]
          : [];
        const was = known;
        const before = {
          get: () => was,
          all: () => (was ? [was] : []),
          listings: () => (was ? [was] : []),
          past: new Map(),
          archived: ARCHIVED,
          items: new Map(),
          polledAtMs: () => null,
          isOld: () => isFirstSight,
          isCurrent: () => true,
        };
        const { changes, records } = changesOfFeed(before, { feed, offers, isCutOff: false, nowMs });
        known = records[0] ?? known;
        told.push(...changes);
      }
      const found = (known ? historyOf(known) : []).filter(({ isNews }) => isNews).map(({ change }) => change);
      const isClaim = (announced: string) => announced.startsWith('all-time-low');
      const [kept, then] = [announcedBy(found), announcedBy(told)];
      expect(kept.filter((one) => !isClaim(one))).toEqual(then.filter((one) => !isClaim(one)));
      // The claim of a price that was shown twice while no feed held the offer is told when one does again.
      expect(kept).toEqual(expect.arrayContaining(then));
    }),
    { seed: 7, numRuns: sampleSize(500, 100) },
  );
});

test('that its end was near is told once, and not where it was first seen so', () => {
  const endDateMs = NOW_MS + 5 * HOUR_MS;
  const [told] = changesOfTime([aKnownOffer(1, { endDateMs })], endDateMs - HOUR_MS).records;
  expect(told && historyOf(told)).toMatchObject([
    { atMs: NOW_MS, change: { kind: 'appeared' } },
    { atMs: endDateMs - ENDING_SOON_MS, change: { kind: 'ending-soon', feeds: ['home'] } },
  ]);
  const late = aKnownOffer(1, { endDateMs: NOW_MS + HOUR_MS }, { endingSoonToldMs: NOW_MS + HOUR_MS });
  expect(historyOf(late)).toMatchObject([{ change: { kind: 'appeared' } }]);
});

const presence = (firstSeenMs: number, goneSinceMs: number | null) => ({
  firstSeenMs,
  unseenSinceMs: null,
  goneSinceMs,
  isOld: false,
});
const at = (afterMs: number) => NOW_MS + afterMs;

test('each feed that showed an offer is told of, the first sight anywhere as its appearance', () => {
  const seen = (firstSeenMs: number, isOld = false) => ({ firstSeenMs, unseenSinceMs: null, goneSinceMs: null, isOld });
  const known = aKnownOffer(1, {}, { feeds: { tools: seen(at(5)), home: seen(NOW_MS), cellar: seen(at(3), true) } });
  expect(historyOf(known)).toMatchObject([
    { atMs: NOW_MS, isNews: true, change: { kind: 'appeared', feeds: ['home'] } },
    { atMs: at(3), isNews: false, change: { kind: 'entered', feeds: ['cellar'] } },
    { atMs: at(5), isNews: true, change: { kind: 'entered', feeds: ['tools'] } },
  ]);
});

const drop = (storyMs: number, before = 20, beforeForMs = 5) => ({
  drop: { storyMs, times: 0, before: priceOf(before), beforeForMs },
});

test('a drop is told once, as it was found when its story began', () => {
  const prices = [
    { atMs: at(0), salePrice: priceOf(20) },
    { atMs: at(5), salePrice: priceOf(4), ...drop(at(5)) },
    { atMs: at(6), salePrice: priceOf(20) },
    { atMs: at(7), salePrice: priceOf(4), ...drop(at(5)) },
    { atMs: at(8), salePrice: priceOf(5) },
    { atMs: at(9), salePrice: priceOf(3), ...drop(at(9), 5, 1) },
  ];
  const known = aKnownOffer(1, { salePrice: priceOf(3) }, { prices });
  const drops = historyOf(known).filter(({ change }) => change.kind === 'price-dropped');
  expect(drops).toMatchObject([
    { atMs: at(5), isNews: true, change: { ...drop(at(5)).drop, known: { offer: { salePrice: priceOf(4) } } } },
    { atMs: at(9), isNews: true, change: { ...drop(at(9), 5, 1).drop, known: { offer: { salePrice: priceOf(3) } } } },
  ]);
  const told = drops.flatMap(({ change }) => announcementsOf(change));
  expect(told).toMatchObject([
    { kind: 'price-drop', beforeForMs: 5 },
    { kind: 'price-drop', beforeForMs: 1 },
  ]);
});

test('where the price of a moment is not known, the nearest one stands for it', () => {
  const prices = [priceOf(20), priceOf(20.5)].map((salePrice, index) => ({ atMs: at(index), salePrice }));
  const known = aKnownOffer(1, { salePrice: priceOf(4) }, { prices });
  const [first] = historyOf(known);
  expect(first?.change.known.offer.salePrice).toEqual(priceOf(20));
  const [unpriced] = historyOf({ ...known, prices: [{ atMs: NOW_MS, salePrice: null }] });
  expect(unpriced?.change.known.offer.salePrice).toBeNull();
  const [early] = historyOf({ ...known, prices: [{ atMs: at(1), salePrice: priceOf(7) }] });
  expect(early?.change.known.offer.salePrice, 'the first that is known stands for what was before').toEqual(priceOf(7));
});

test('what happens concerns the feeds that held the offer then and had shown it before', () => {
  const feeds = {
    holds: presence(NOW_MS, null),
    holdsSince: presence(at(9), null),
    holdsSinceThen: presence(at(10), null),
    leftThen: presence(NOW_MS, at(10)),
    leftAfter: presence(NOW_MS, at(11)),
  };
  const prices = [
    { atMs: NOW_MS, salePrice: priceOf(20) },
    { atMs: at(10), salePrice: priceOf(10), ...drop(at(10)) },
  ];
  const [dropped] = historyOf(aKnownOffer(1, {}, { feeds, prices })).filter(
    ({ change }) => change.kind === 'price-dropped',
  );
  expect(dropped?.change.feeds).toEqual(['holds', 'holdsSince', 'leftAfter']);
});

test('that an offer is back is told once in each story, as it was when the first one was found', () => {
  const stock = [
    { atMs: at(0), isSoldOut: true },
    { atMs: at(10), isSoldOut: false, storyMs: NOW_MS },
    { atMs: at(20), isSoldOut: true },
    { atMs: at(30), isSoldOut: false, storyMs: NOW_MS },
    { atMs: at(40), isSoldOut: true, isSeenOnce: true as const },
    { atMs: at(50), isSoldOut: false },
    { atMs: at(60), isSoldOut: true },
    { atMs: at(70), isSoldOut: false, storyMs: at(60) },
  ];
  const known = aKnownOffer(1, {}, { stock });
  expect(historyOf(known).filter(({ change }) => change.kind === 'restocked')).toMatchObject([
    {
      atMs: at(10),
      isNews: true,
      change: { storyMs: NOW_MS, known: { soldOutAtMs: null, offer: { isSoldOut: false } } },
    },
    { atMs: at(70), isNews: true, change: { storyMs: at(60), known: { soldOutAtMs: null } } },
  ]);
});

test('a claim is told of each price that two answers have shown, and of no other', () => {
  const observed = { atMs: 0, sinceMs: 0, low: { price: 30, atMs: 5 }, lowestSinceMs: 0, usual: 30 };
  const feeds = { home: presence(NOW_MS, null), tools: { ...presence(NOW_MS, null), isOld: true } };
  const prices = [
    { atMs: NOW_MS, salePrice: priceOf(20), observed },
    { atMs: at(10), salePrice: priceOf(10), observed, isSeenOnce: true as const, ...drop(at(10)) },
    { atMs: at(20), salePrice: priceOf(15) },
    { atMs: at(30), salePrice: priceOf(9), observed },
  ];
  const told = historyOf(aKnownOffer(1, {}, { feeds, prices }));
  expect(told.filter(({ change }) => change.kind === 'price-confirmed')).toMatchObject([
    { atMs: NOW_MS, isNews: true, change: { feeds: ['home'], known: { offer: { observed } } } },
    { atMs: at(30), isNews: true, change: { feeds: ['home', 'tools'], known: { offer: { observed } } } },
  ]);
  const once = told.find(({ change }) => change.kind === 'price-dropped');
  expect(once?.change.known.offer).not.toHaveProperty('observed');
  const old = aKnownOffer(1, {}, { feeds: { tools: feeds.tools }, prices: prices.slice(0, 1) });
  expect(historyOf(old).map(({ isNews }) => isNews)).toEqual([false, false]);
});

test('whether an offer was sold out at a moment is read from what was kept then', () => {
  const soldOut = (changes: Partial<KnownOffer>) => {
    const prices = [
      { atMs: NOW_MS, salePrice: priceOf(20) },
      { atMs: at(10), salePrice: priceOf(10), ...drop(at(10)) },
    ];
    const [found] = historyOf(aKnownOffer(1, {}, { prices, ...changes })).filter(
      ({ change }) => change.kind === 'price-dropped',
    );
    return [found?.change.known.offer.isSoldOut, found?.change.known.soldOutAtMs];
  };
  expect(soldOut({ stock: [{ atMs: at(10), isSoldOut: true }] })).toEqual([true, at(10)]);
  expect(soldOut({ stock: [{ atMs: at(11), isSoldOut: true }] })).toEqual([false, null]);
  expect(soldOut({ stock: [{ atMs: at(9), isSoldOut: false }] })).toEqual([false, null]);
  expect(soldOut({})).toEqual([false, null]);
});

test('that an end is near is not told of another end, nor where it was seen first no earlier than that', () => {
  const endDateMs = NOW_MS + ENDING_SOON_MS;
  const kinds = (known: KnownOffer) => historyOf(known).map(({ change }) => change.kind);
  const told = { endingSoonToldMs: endDateMs };
  expect(kinds(aKnownOffer(1, { endDateMs }, { ...told, firstSeenMs: NOW_MS }))).not.toContain('ending-soon');
  expect(kinds(aKnownOffer(1, { endDateMs }, { ...told, firstSeenMs: NOW_MS - 1 }))).toContain('ending-soon');
  expect(kinds(aKnownOffer(1, { endDateMs: endDateMs + 1 }, { ...told, firstSeenMs: 0 }))).not.toContain('ending-soon');
  expect(kinds(aKnownOffer(1, { endDateMs: null }, { endingSoonToldMs: null, firstSeenMs: 0 }))).not.toContain(
    'ending-soon',
  );
  const [, near] = historyOf(aKnownOffer(1, { endDateMs: endDateMs + 1 }, { endingSoonToldMs: endDateMs + 1 }));
  expect(near).toMatchObject({ atMs: NOW_MS + 1, isNews: true, change: { feeds: ['home'] } });
});
