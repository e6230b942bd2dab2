import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesOfFeed, changesOfTime, ENDING_SOON_MS, type OfferChange } from '../../src/deals/change.ts';
import { historyOf } from '../../src/deals/history.ts';
import type { KnownOffer } from '../../src/deals/known-offer.ts';
import { aKnownOffer, anOffer, HOUR_MS, NOW_MS } from '../helpers/things.ts';

const TOLD = new Set<OfferChange['kind']>(['appeared', 'entered', 'price-dropped', 'restocked']);

/** What a look at a feed shows of the one offer: nothing, or its price and whether it is sold out. */
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
          isOld: () => isFirstSight,
          isCurrent: () => true,
        };
        const { changes, records } = changesOfFeed(before, { feed, offers, isCutOff: false, nowMs });
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

test('a record from before stock was kept tells when it was sold out, and is kept from there on', () => {
  const old = aKnownOffer(1, { isSoldOut: true }, { firstSeenMs: NOW_MS - HOUR_MS });
  const before = {
    get: () => old,
    all: () => [old],
    listings: () => [old],
    past: new Map(),
    isOld: () => false,
    isCurrent: () => true,
  };
  const sighting = { feed: 'home', offers: [anOffer(1)], isCutOff: false, nowMs: NOW_MS + HOUR_MS };
  const [known] = changesOfFeed(before, sighting).records;
  expect(known && historyOf(known)).toMatchObject([
    { change: { kind: 'entered', known: { offer: { isSoldOut: true } } } },
    { change: { kind: 'restocked', soldOutAtMs: NOW_MS, known: { offer: { isSoldOut: false } } } },
  ]);
});
