import { describe, expect, test } from 'vitest';
import { HOME } from '../src/simulator/categories.ts';
import {
  createListing,
  dropsSoFar,
  isLive,
  isSoldOut,
  type Listing,
  narrow,
  percentageRemaining,
} from '../src/simulator/listing.ts';

const START_MS = 1_000_000;
const END_MS = 9_000_000;

const LISTINGS = Array.from({ length: 300 }, (_, index) =>
  createListing({
    key: `key ${index}`,
    product: 'product',
    edition: 1,
    category: HOME,
    startMs: START_MS,
    endMs: END_MS,
    isDealOff: false,
    featuredShare: 0.1,
    pace: { lingerMs: 500_000, dropGridMs: 1, dropShare: 0.3 },
  }),
);

const stateAt = (listing: Listing, nowMs: number) =>
  `${isLive(listing, nowMs)} ${isSoldOut(listing, nowMs)} ${dropsSoFar(listing, nowMs)}`;

describe('a listing', () => {
  test('stays as it is within the time that it narrows to, and changes at both ends', () => {
    for (const listing of LISTINGS) {
      const { dropsMs, soldOutMs, goneMs } = listing;
      for (const nowMs of [START_MS - 1, START_MS, ...dropsMs, soldOutMs ?? START_MS, goneMs - 1, goneMs]) {
        const span = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
        narrow(span, listing, nowMs);
        const state = stateAt(listing, nowMs);
        expect(stateAt(listing, span.untilMs - 1)).toBe(state);
        expect(stateAt(listing, span.fromMs)).toBe(state);
        if (span.untilMs !== Number.POSITIVE_INFINITY) expect(stateAt(listing, span.untilMs)).not.toBe(state);
        if (span.fromMs !== Number.NEGATIVE_INFINITY) expect(stateAt(listing, span.fromMs - 1)).not.toBe(state);
      }
    }
  });

  test('gets cheaper only while it can be had, and is gone when it ends at the latest', () => {
    for (const { dropsMs, soldOutMs, goneMs } of LISTINGS) {
      for (const dropMs of dropsMs) {
        expect(dropMs).toBeGreaterThan(START_MS);
        expect(dropMs).toBeLessThan(soldOutMs ?? END_MS);
      }
      expect(goneMs).toBeGreaterThanOrEqual(soldOutMs ?? END_MS);
      expect(goneMs).toBeLessThanOrEqual(END_MS);
    }
  });

  test('is sold a little at a time, and down to nothing only when it is sold out', () => {
    for (const listing of LISTINGS) {
      let before = 100;
      for (let nowMs = START_MS; nowMs < listing.goneMs; nowMs += 250_000) {
        const left = percentageRemaining(listing, nowMs);
        expect(left).toBeLessThanOrEqual(before);
        expect(left === 0).toBe(isSoldOut(listing, nowMs));
        before = left;
      }
      expect(before).toBeLessThan(100);
    }
  });

  test('has each kind of life', () => {
    const count = (isOfKind: (listing: Listing) => boolean) => LISTINGS.filter(isOfKind).length;
    expect(count(({ soldOutMs }) => soldOutMs !== null)).toBeGreaterThan(50);
    expect(count(({ soldOutMs, goneMs }) => soldOutMs === goneMs)).toBeGreaterThan(20);
    expect(count(({ soldOutMs, goneMs }) => soldOutMs !== null && goneMs > soldOutMs)).toBeGreaterThan(20);
    expect(count(({ dropsMs }) => dropsMs.length === 1)).toBeGreaterThan(20);
    expect(count(({ dropsMs }) => dropsMs.length === 2)).toBeGreaterThan(5);
  });
});
