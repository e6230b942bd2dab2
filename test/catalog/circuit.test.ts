import { expect, it } from 'vitest';
import { createTestCatalog } from './create-test-catalog.ts';
import { httpOf } from './reading.ts';

/** With this each call is one attempt: a person does not wait so long for another. */
const FAILURE = { status: 503, text: '', retryAfter: '600' };
const MANY = { rate: 1_000, burst: 1_000 };

/** A client of a catalog that has failed so often in a row. */
async function failed(times: number) {
  let held: (() => void) | null = null;
  let isFailing = true;
  const http = httpOf(async ({ path }) => {
    if (path.startsWith('/feed/held')) {
      await new Promise<void>((resolve) => {
        held = resolve;
      });
    }
    return isFailing ? FAILURE : { text: '[]' };
  });
  const { catalog, clock } = createTestCatalog('http://catalog.invalid', { http, portal: MANY });
  const ask = (name: string) => catalog.feeds.get(name, { lane: 'interactive' });
  async function fail(more: number): Promise<void> {
    for (let time = 0; time < more; time += 1) await expect(ask('Home')).rejects.toMatchObject({ status: 503 });
  }
  await fail(times);
  return {
    clock,
    ask,
    fail,
    succeed: async (): Promise<void> => {
      isFailing = false;
      await ask('Home');
      isFailing = true;
    },
    letGo: () => held?.(),
    openForMs: () => {
      const { circuitOpenUntilMs } = catalog.health().portal;
      return circuitOpenUntilMs === null ? null : circuitOpenUntilMs - clock.now();
    },
    isAway: () => catalog.health().portal.isAway,
  };
}

it('opens after the fifth failure in a row, and says for how long', async () => {
  const { clock, ask, fail, openForMs } = await failed(4);
  expect(openForMs()).toBeNull();
  await fail(1);
  expect(openForMs()).toBe(15_000);
  await expect(ask('Home')).rejects.toThrow("The catalog's portal interface keeps failing and is asked again in 15 s.");
  await clock.advance(14_999);
  expect(openForMs()).toBe(1);
  await clock.advance(1);
  expect(openForMs()).toBeNull();
});

it('counts as away from its opening until an attempt gets an answer, also while it is half open', async () => {
  const { clock, fail, succeed, isAway } = await failed(4);
  expect(isAway()).toBe(false);
  await fail(1);
  expect(isAway()).toBe(true);
  await clock.advance(15_000);
  expect(isAway(), 'half open').toBe(true);
  await fail(1);
  expect(isAway(), 'open again').toBe(true);
  await clock.advance(30_000);
  await succeed();
  expect(isAway()).toBe(false);
});

it('does not add up failures with successes between them', async () => {
  const { fail, succeed, openForMs } = await failed(4);
  await succeed();
  await fail(4);
  expect(openForMs()).toBeNull();
});

it('closes when the catalog answers: five failures open it again, for the first time', async () => {
  const { clock, fail, succeed, openForMs } = await failed(5);
  await clock.advance(15_000);
  await succeed();
  await fail(4);
  expect(openForMs()).toBeNull();
  await fail(1);
  expect(openForMs()).toBe(15_000);
});

it('waits twice as long after every probe that fails, up to five minutes', async () => {
  const { clock, fail, openForMs } = await failed(5);
  const waits: (number | null)[] = [];
  for (let probe = 0; probe < 6; probe += 1) {
    await clock.advance(openForMs() ?? 0);
    await fail(1);
    waits.push(openForMs());
  }
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});

it('does not count what had left before it opened against the next probe', async () => {
  const { clock, ask, fail, letGo, openForMs } = await failed(0);
  const before = expect(ask('held')).rejects.toMatchObject({ status: 503 });
  await clock.advance(0);
  await fail(5);
  await clock.advance(100);
  letGo();
  await before;
  expect(openForMs()).toBe(14_900);
});
