import { beforeEach, expect, it } from 'vitest';
import { LANES, type Lane } from '../../../src/catalog/catalog.ts';
import { Demand } from '../../../src/catalog/demand.ts';
import { Throttle } from '../../../src/catalog/throttle/throttle.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { MemorySpending } from '../create-test-catalog.ts';

const SECOND_MS = 1_011;

let clock: ManualClock;
let throttle: Throttle;
/** The requests that have left, in order. */
let left: string[];

beforeEach(async () => {
  clock = new ManualClock();
  left = [];
  throttle = new Throttle({
    name: 'portal',
    rate: 1,
    burst: 1,
    quota: 100_000,
    clock,
    spending: new MemorySpending(),
  });
  await enter('first', 'interactive');
  await clock.advance(0);
  left = [];
});

/** Has a request wait; what it resolves with is its demand. */
async function enter(name: string, lane: Lane): Promise<Demand> {
  const demand = new Demand();
  demand.join(lane, clock.monotonicMs() + 10_000_000);
  throttle.schedule(demand, async () => void left.push(name)).catch(() => undefined);
  await clock.advance(0);
  return demand;
}

/** Lets that many requests go, and tells what has left. */
async function order(count: number): Promise<string> {
  await clock.advance(count * SECOND_MS);
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
  middle.leave(new Error('Never mind.'));
  last.leave(new Error('Never mind.'));
  await enter('y', 'background');
  expect(await order(5)).toBe('u w y');
});

it('puts who changes lanes at the end of the new one', async () => {
  const demand = await enter('b', 'background');
  await enter('i', 'interactive');
  demand.join('interactive', Number.POSITIVE_INFINITY);
  await enter('j', 'interactive');
  expect(await order(3)).toBe('i b j');
});

it('leaves the place of who is asked for again in the lane that it is in', async () => {
  const demand = await enter('x', 'background');
  await enter('y', 'background');
  demand.join('background', Number.POSITIVE_INFINITY);
  expect(await order(2)).toBe('x y');
});

it('keeps its order over hundreds who come, leave and are served', async () => {
  const random = seededRandom(7);
  const waiting: { name: string; lane: Lane; demand: Demand }[] = [];
  const expected: string[] = [];
  for (let step = 0; step < 1_000; step += 1) {
    const roll = random();
    if (roll < 0.5) {
      const [name, lane] = [String(step), LANES[Math.floor(random() * LANES.length)] ?? 'background'];
      waiting.push({ name, lane, demand: await enter(name, lane) });
    } else if (roll < 0.7) {
      const [gone] = waiting.splice(Math.floor(random() * waiting.length), 1);
      gone?.demand.leave(new Error('Never mind.'));
    } else if (waiting.length > 0) {
      const lane = LANES.find((one) => waiting.some((waiter) => waiter.lane === one));
      const next = waiting.findIndex((waiter) => waiter.lane === lane);
      expected.push(...waiting.splice(next, 1).map(({ name }) => name));
      await clock.advance(SECOND_MS);
    }
    expect(left).toEqual(expected);
  }
});
