import { expect, test } from 'vitest';
import type { PriceRun } from '../../src/deals/price-runs.ts';
import { KEPT_MS } from '../../src/store/prices.ts';
import { openedRecords, openedState } from '../helpers/opened-state.ts';

const run = (fromMs: number, untilMs: number, price: number | null): PriceRun => ({
  fromMs,
  untilMs,
  price: price === null ? null : { minimum: price, maximum: price },
});

async function thePrices() {
  const { state, backend } = openedState();
  const { prices } = await openedRecords(state);
  return {
    prices: {
      ...prices,
      add: (runs: ReadonlyMap<string, readonly PriceRun[]>) => state.transact((changes) => prices.add(changes, runs)),
    },
    backend,
  };
}

test('what is added can be read, and adding it again changes nothing', async () => {
  const { prices } = await thePrices();
  const range = { fromMs: 50, untilMs: 60, price: { minimum: 5, maximum: 9.99 } };
  const runs = new Map([['kettle|', [run(0, 10, 20), run(10, 20, null), range]]]);
  await prices.add(runs);
  await prices.add(runs);
  expect(await prices.among(['kettle|', 'samovar|'])).toEqual(runs);
});

test('runs of several listings come together', async () => {
  const { prices } = await thePrices();
  await prices.add(new Map([['kettle|', [run(0, 10, 20)]]]));
  await prices.add(
    new Map([
      ['kettle|', [run(5, 15, 20), run(30, 40, 15)]],
      ['samovar|', []],
    ]),
  );
  expect(await prices.among(['kettle|', 'samovar|'])).toEqual(
    new Map([['kettle|', [run(0, 15, 20), run(30, 40, 15)]]]),
  );
});

test('of more than a thousand runs the first moment, the low and the last moment are kept', async () => {
  const { prices } = await thePrices();
  const hour = 3_600_000;
  const many = Array.from({ length: 1_001 }, (_, index) =>
    run(index * hour, index * hour + hour / 2, index === 1 ? 5 : 20),
  );
  await prices.add(new Map([['kettle|', many]]));
  const kept = (await prices.among(['kettle|'])).get('kettle|') ?? [];
  expect(kept.length).toBeLessThan(100);
  expect(kept[0]?.fromMs).toBe(0);
  expect(kept).toContainEqual(many[1]);
  expect(kept.at(-1)).toEqual(many.at(-1));
});

test('more products can be added than one write takes', async () => {
  const { prices } = await thePrices();
  const names = Array.from({ length: 450 }, (_, index) => `product ${index}|`);
  await prices.add(new Map(names.map((name) => [name, [run(0, 10, 20)]])));
  expect((await prices.among(names)).size).toBe(450);
});

test('a product is forgotten two years after it was last observed', async () => {
  const { prices } = await thePrices();
  await prices.add(
    new Map([
      ['old|', [run(0, 9, 20)]],
      ['young|', [run(0, 10, 20)]],
    ]),
  );
  await prices.sweep(10 + KEPT_MS);
  expect([...(await prices.among(['old|', 'young|'])).keys()]).toEqual(['young|']);
});

test.each([[{ runs: [5] }], [{ runs: [[0, 10]] }], [{ runs: [[0, null, 20]] }], [{ runs: [[0, 10, '20']] }]])(
  'a row that holds %j counts as none, and other products are read',
  async (bad) => {
    const { prices, backend } = await thePrices();
    await prices.add(new Map([['kettle|', [run(0, 10, 20)]]]));
    const rows = await backend.under(['prices:']);
    await backend.write(new Map(rows.map(({ key }) => [key, JSON.stringify({ value: bad })])));
    await prices.add(new Map([['samovar|', [run(0, 10, null)]]]));
    expect([...(await prices.among(['kettle|', 'samovar|'])).keys()]).toEqual(['samovar|']);
    await prices.sweep(5 + KEPT_MS);
    expect([...(await prices.among(['kettle|', 'samovar|'])).keys()]).toEqual(['samovar|']);
  },
);
