import fc from 'fast-check';
import { expect, test } from 'vitest';
import { announcementsOf } from '../../src/announcements/kinds/index.ts';
import { changesOfFeed, changesOfTime, ENDING_SOON_MS, type OfferChange } from '../../src/deals/change.ts';
import { historyOf } from '../../src/deals/history.ts';
import type { KnownOffer } from '../../src/deals/known-offer.ts';
import { inOneGo } from '../../src/shared/turns.ts';
import { aKnownOffer, anOffer, HOUR_MS, NOW_MS } from '../helpers/things.ts';

const TOLD = new Set<OfferChange['kind']>(['appeared', 'entered', 'price-dropped', 'restocked']);

/** The state of the one offer in a poll of a feed: absent, or its price and whether it is sold out. */
const looks = fc.array(
  fc.record({
    feed: fc.constantFrom('home', 'tools'),
    shown: fc.option(fc.record({ price: fc.integer({ min: 1, max: 4 }), isSoldOut: fc.boolean() })),
    isFirstSight: fc.boolean(),
  }),
  { maxLength: 12 },
);

test('what a record tells afterwards is what was found when it happened', () => {
  fc.assert(
    fc.property(looks, (all) => {
      let known: KnownOffer | undefined;
      const told: unknown[] = [];
      for (const [index, { feed, shown, isFirstSight }] of all.entries()) {
        const nowMs = NOW_MS + index * 1000;
        const offers = shown
          ? [anOffer(1, { salePrice: { minimum: shown.price, maximum: 9 }, isSoldOut: shown.isSoldOut })]
          : [];
        const was = known;
        const before = {
          get: () => was,
          all: () => (was ? [was] : []),
          listings: () => (was ? [was] : []),
          past: new Map(),
          archived: new Map(),
          items: new Map(),
          polledAtMs: () => null,
          isOld: () => isFirstSight,
          isCurrent: () => true,
        };
        const { changes, records } = inOneGo(changesOfFeed(before, { feed, offers, isCutOff: false, nowMs }));
        known = records[0] ?? known;
        for (const change of changes.filter(({ kind }) => TOLD.has(kind))) {
          const { salePrice, isSoldOut } = change.known.offer;
          const own = 'before' in change ? change.before : 'soldOutAtMs' in change ? change.soldOutAtMs : null;
          told.push([nowMs, change.kind, own, salePrice, isSoldOut]);
        }
      }
      const found = (known ? historyOf(known) : [])
        .filter(({ isNews }) => isNews)
        .map(({ atMs, change }) => {
          const { salePrice, isSoldOut } = change.known.offer;
          const own = 'before' in change ? change.before : 'soldOutAtMs' in change ? change.soldOutAtMs : null;
          return [atMs, change.kind, own, salePrice, isSoldOut];
        });
      const sorted = (entries: unknown[]) => entries.map((entry) => JSON.stringify(entry)).toSorted();
      expect(sorted(found)).toEqual(sorted(told));
    }),
    { seed: 7, numRuns: 500 },
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

const priceOf = (minimum: number) => ({ minimum, maximum: minimum });
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

test('drops are told with the price before and after, and nothing else that a price does', () => {
  const salePrices = [priceOf(20), priceOf(20.5), null, priceOf(5), priceOf(5), priceOf(4)];
  const prices = salePrices.map((salePrice, index) => ({ atMs: at(index), salePrice }));
  const known = aKnownOffer(1, { salePrice: priceOf(4) }, { prices });
  const drops = historyOf(known).filter(({ change }) => change.kind === 'price-dropped');
  expect(drops).toMatchObject([
    { atMs: at(5), isNews: true, change: { before: priceOf(5), known: { offer: { salePrice: priceOf(4) } } } },
  ]);
  const both = [...prices, { atMs: at(9), salePrice: priceOf(3) }];
  const told = historyOf({ ...known, prices: both }).flatMap(({ change }) => announcementsOf(change));
  expect(
    told.filter(({ kind }) => kind === 'price-drop').map((drop) => 'beforeForMs' in drop && drop.beforeForMs),
  ).toEqual([at(5) - at(4), at(9) - at(5)]);
  const [first] = historyOf({ ...known, prices: prices.slice(0, 2) });
  expect(first?.change.known.offer.salePrice).toEqual(priceOf(20));
  const [unpriced] = historyOf({ ...known, prices: [{ atMs: NOW_MS, salePrice: null }] });
  expect(unpriced?.change.known.offer.salePrice).toBeNull();
  const [early] = historyOf({ ...known, prices: [{ atMs: at(1), salePrice: priceOf(7) }] });
  expect(early?.change.known.offer.salePrice, 'the first that is known stands for what was before').toEqual(priceOf(7));
});

test('what happens concerns the feeds that held the offer then and had shown it before', () => {
  const presence = (firstSeenMs: number, goneSinceMs: number | null) => ({
    firstSeenMs,
    unseenSinceMs: null,
    goneSinceMs,
    isOld: false,
  });
  const feeds = {
    holds: presence(NOW_MS, null),
    holdsSince: presence(at(9), null),
    holdsSinceThen: presence(at(10), null),
    leftThen: presence(NOW_MS, at(10)),
    leftAfter: presence(NOW_MS, at(11)),
  };
  const prices = [
    { atMs: NOW_MS, salePrice: priceOf(20) },
    { atMs: at(10), salePrice: priceOf(10) },
  ];
  const [drop] = historyOf(aKnownOffer(1, {}, { feeds, prices })).filter(
    ({ change }) => change.kind === 'price-dropped',
  );
  expect(drop?.change.feeds).toEqual(['holds', 'holdsSince', 'leftAfter']);
});

test('that an offer is back is told with the moment since which it had been sold out', () => {
  const stock = [true, false, true, false].map((isSoldOut, index) => ({ atMs: at(index * 10), isSoldOut }));
  const known = aKnownOffer(1, {}, { stock });
  expect(historyOf(known).filter(({ change }) => change.kind === 'restocked')).toMatchObject([
    {
      atMs: at(10),
      isNews: true,
      change: { soldOutAtMs: NOW_MS, known: { soldOutAtMs: null, offer: { isSoldOut: false } } },
    },
    { atMs: at(30), isNews: true, change: { soldOutAtMs: at(20), known: { soldOutAtMs: null } } },
  ]);
  const cut = historyOf({ ...known, stock: stock.slice(1) }).filter(({ change }) => change.kind === 'restocked');
  expect(cut, 'since when it had been sold out before the first is not known').toMatchObject([{ atMs: at(30) }]);
});

test('whether an offer was sold out at a moment is read from what was kept then', () => {
  const drop = (changes: Partial<KnownOffer>) => {
    const prices = [priceOf(20), priceOf(10)].map((salePrice, index) => ({ atMs: at(index * 10), salePrice }));
    const [found] = historyOf(aKnownOffer(1, {}, { prices, ...changes })).filter(
      ({ change }) => change.kind === 'price-dropped',
    );
    return [found?.change.known.offer.isSoldOut, found?.change.known.soldOutAtMs];
  };
  expect(drop({ stock: [{ atMs: at(10), isSoldOut: true }] })).toEqual([true, at(10)]);
  expect(drop({ stock: [{ atMs: at(11), isSoldOut: true }] })).toEqual([false, null]);
  expect(drop({ stock: [{ atMs: at(9), isSoldOut: false }] })).toEqual([false, null]);
  expect(drop({})).toEqual([false, null]);
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
