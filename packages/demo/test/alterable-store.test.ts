import { expect, test } from 'vitest';
import type { CatalogContent } from '../../catalog-service/src/index.ts';
import { createSimulator } from '../../catalog-service/src/index.ts';
import { alterableStore } from '../src/alterable-store.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');

interface Item {
  OfferId: string;
  IsSoldOut: boolean;
  SalePrice: { Minimum: number; Maximum: number };
}

function electronics(content: CatalogContent): Item[] {
  return content.at(NOW_MS, '').feed('Electronics').items as Item[];
}

function aStore() {
  const store = alterableStore(createSimulator({ seed: 'alterable', offers: 300, pace: 'demo' }));
  const live = electronics(store).find(({ IsSoldOut }) => !IsSoldOut);
  if (!live) throw new Error('No offer is live.');
  const id = live.OfferId;
  return { store, live, id, now: () => electronics(store).find(({ OfferId }) => OfferId === id) };
}

test('a sold-out, cheaper or ended offer is so in its feed and in its details, and all others stay as they are', () => {
  const { store, live, id, now } = aStore();
  const others = electronics(store).length - 1;
  store.alter(id, { isSoldOut: true, isEnded: false, priceShare: 0.8 });
  expect(now()).toMatchObject({
    IsSoldOut: true,
    SalePrice: { Minimum: Math.round(live.SalePrice.Minimum * 80) / 100 },
  });
  expect(store.at(NOW_MS, '').offer(id)).toMatchObject({ IsSoldOut: true });
  store.alter(id, { isSoldOut: false, isEnded: true, priceShare: 1 });
  expect(now()).toBeUndefined();
  expect(store.at(NOW_MS, '').offer(id)).toBeUndefined();
  expect(electronics(store)).toHaveLength(others);
  store.alter(id, { isSoldOut: false, isEnded: false, priceShare: 1 });
  expect(now()).toEqual(live);
});

test('between two changes the same feed is the same object, so that its text is made once', () => {
  const { store, id } = aStore();
  store.alter(id, { isSoldOut: true, isEnded: false, priceShare: 1 });
  expect(store.at(NOW_MS, '').feed('Electronics')).toBe(store.at(NOW_MS, '').feed('Electronics'));
});
