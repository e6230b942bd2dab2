import { beforeEach, expect, it } from 'vitest';
import { type Catalog, LANES, type Lane } from '../../../src/catalog/catalog.ts';
import type { ManualClock } from '../../helpers/manual-clock.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { createTestCatalog } from '../create-test-catalog.ts';
import { httpOf } from '../reading.ts';

/** After which the bucket holds a token again. */
const REFILL_MS = 11;

let clock: ManualClock;
let catalog: Catalog;
/** The requests that have left, in order. */
let left: string[];

beforeEach(async () => {
  left = [];
  const http = httpOf(({ path }) => {
    left.push(path.slice('/feed/'.length));
    return '[]';
  });
  const portal = { rate: 100, burst: 1, quota: 100_000 };
  ({ catalog, clock } = createTestCatalog('http://catalog.invalid', { http, portal }));
  await enter('first', 'interactive');
  left = [];
});

/** Has a request wait, for a caller who can leave. Who asks for the same again raises what waits already. */
async function enter(name: string, lane: Lane): Promise<{ leave(): void }> {
  const caller = new AbortController();
  catalog.feeds.get(name, { lane, signal: caller.signal }).catch(() => undefined);
  await clock.advance(0);
  return { leave: () => caller.abort(new Error('Never mind.')) };
}

/** Lets that many requests go, and tells what has left. */
async function order(count: number): Promise<string> {
  await clock.advance(count * REFILL_MS);
  return left.join(' ');
}

it('serves lanes by urgency, and first come first served within one', async () => {
  await enter('b1', 'background');
  await enter('a1', 'announcement');
  await enter('i1', 'interactive');
  await enter('b2', 'background');
  await enter('i2', 'interactive');
  expect(await order(5)).toBe('i1 i2 a1 b1 b2');
});

it('lets anybody leave from anywhere', async () => {
  await enter('u', 'background');
  const [middle, , last] = [
    await enter('v', 'background'),
    await enter('w', 'background'),
    await enter('x', 'background'),
  ];
  middle.leave();
  last.leave();
  await enter('y', 'background');
  expect(await order(5)).toBe('u w y');
});

it('puts who changes lanes at the end of the new one', async () => {
  await enter('b', 'background');
  await enter('i', 'interactive');
  await enter('b', 'interactive');
  await enter('j', 'interactive');
  expect(await order(3)).toBe('i b j');
});

it('leaves the place of who is asked for again in the lane that it is in', async () => {
  await enter('x', 'background');
  await enter('y', 'background');
  await enter('x', 'background');
  expect(await order(2)).toBe('x y');
});

it('keeps its order over hundreds who come, leave and are served', async () => {
  const random = seededRandom(7);
  const waiting: { name: string; lane: Lane; leave(): void }[] = [];
  const expected: string[] = [];
  for (let step = 0; step < 1_000; step += 1) {
    const roll = random();
    if (roll < 0.5) {
      const [name, lane] = [String(step), LANES[Math.floor(random() * LANES.length)] ?? 'background'];
      waiting.push({ name, lane, ...(await enter(name, lane)) });
    } else if (roll < 0.7) {
      const [gone] = waiting.splice(Math.floor(random() * waiting.length), 1);
      gone?.leave();
    } else if (waiting.length > 0) {
      const lane = LANES.find((one) => waiting.some((waiter) => waiter.lane === one));
      const next = waiting.findIndex((waiter) => waiter.lane === lane);
      expected.push(...waiting.splice(next, 1).map(({ name }) => name));
      await clock.advance(REFILL_MS);
    }
    expect(left).toEqual(expected);
  }
});
