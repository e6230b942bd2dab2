import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRestOptions } from '../../src/discord/rest.ts';

/** A request that is asked for `gapMs` after the one before, and leaves so much later than it might. */
interface Asked {
  gapMs: number;
  lateMs: number;
}

const AT_ONCE = { gapMs: 0, lateMs: 0 };

/**
 * The moments at which requests leave that are asked for like this, by a clock that only the test moves.
 * @param answerMs how long the state takes to say that they may leave: milliseconds
 */
async function departuresOf(asked: readonly Asked[], requestsPerSecond = 50, answerMs = 0): Promise<number[]> {
  const departures: number[] = [];
  const timers = new Map<() => void, number>();
  let nowMs = 0;
  const clock = {
    monotonicMs: () => nowMs,
    after(ms: number, ring: () => void) {
      timers.set(ring, nowMs + ms);
      return () => void timers.delete(ring);
    },
  };
  /** Lets time pass in which nothing happens, and then rings what is due. */
  async function pass(ms: number): Promise<void> {
    nowMs += ms;
    for (const [ring, atMs] of timers) {
      if (atMs > nowMs) continue;
      timers.delete(ring);
      ring();
    }
    await setImmediate();
  }
  /** How long it takes until the next timer rings, on a machine that may be too busy to see it in time. */
  const untilNextMs = () => Math.max(0, Math.min(...timers.values()) - nowMs) + (asked[departures.length]?.lateMs ?? 0);
  let answeredMs = -Infinity;
  let answer: Promise<void> | null = null;
  const ask = () =>
    new Promise<void>((resolve) =>
      clock.after(answerMs, () => {
        [answeredMs, answer] = [nowMs, null];
        resolve();
      }),
    );
  const { makeRequest } = createRestOptions({
    requestsPerSecond,
    async mayLeave(withinMs = Infinity) {
      if (answerMs === 0 || nowMs - answeredMs < withinMs) return;
      answer ??= ask();
      await answer;
    },
    onUnauthorized: () => undefined,
    clock,
  });
  for (const { gapMs } of asked) {
    const untilMs = nowMs + gapMs;
    while (nowMs + untilNextMs() <= untilMs) await pass(untilNextMs());
    await pass(Math.max(0, untilMs - nowMs));
    // It leaves, and comes to nothing at once.
    void makeRequest('no address', {}).catch(() => departures.push(nowMs));
    await setImmediate();
  }
  while (timers.size > 0) await pass(untilNextMs());
  return departures;
}

test('no second sees more than fifty, wherever it begins, however they are asked for and however late they leave', async () => {
  const request = fc.record({
    gapMs: fc.integer({ min: -300, max: 100 }).map((ms) => Math.max(0, ms)),
    lateMs: fc.integer({ min: -500, max: 300 }).map((ms) => Math.max(0, ms)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 51, maxLength: 400 }), async (requests) => {
      const departures = await departuresOf(requests);
      departures.forEach((atMs, index) => {
        const later = departures[index + 50];
        if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(1_034.99);
      });
    }),
  );
});

test('what a busy machine is late by is made up for', async () => {
  const asked = Array.from({ length: 2_000 }, (_, index) => ({ gapMs: 0, lateMs: index % 20 === 0 ? 60 : 0 }));
  const departures = await departuresOf(asked);
  expect(departures.length / ((departures.at(-1) ?? 0) / 1_000)).toBeGreaterThan(45);
});

test('few leave at once; many leave one after another, at more than 95 % of what Discord takes', async () => {
  expect(await departuresOf(Array.from({ length: 25 }, () => AT_ONCE))).toEqual(Array.from({ length: 25 }, () => 0));
  const many = await departuresOf(Array.from({ length: 5_000 }, () => AT_ONCE));
  const rate = (many.length - 25) / ((many.at(-1) ?? 0) / 1_000);
  expect(rate).toBeGreaterThan(47.5);
  const gaps = many.slice(100).map((atMs, index) => atMs - (many[index + 99] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(22);
});

test.each([5, 25, 35])('a state that takes %i ms to answer costs no turn', async (answerMs) => {
  const many = await departuresOf(
    Array.from({ length: 2_000 }, () => AT_ONCE),
    50,
    answerMs,
  );
  expect((many.length - 25) / ((many.at(-1) ?? 0) / 1_000)).toBeGreaterThan(47.5);
  many.forEach((atMs, index) => {
    const later = many[index + 50];
    if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(1_034.99);
  });
});

test.each([1, 2, 10, 50, 125])('at %i a second no second sees more, and almost all of them are used', async (most) => {
  const asked = Array.from({ length: 40 * most }, () => AT_ONCE);
  const departures = await departuresOf(asked, most);
  departures.forEach((atMs, index) => {
    const later = departures[index + most];
    if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(1_034.99);
  });
  expect(departures.length / ((departures.at(-1) ?? 0) / 1_000) / most).toBeGreaterThan(0.95);
});

test('a request leaves only once it may; while that is asked, the line stands, and nobody leaves in a heap', async () => {
  const answers: (() => void)[] = [];
  const asked: (number | undefined)[] = [];
  const { makeRequest } = createRestOptions({
    requestsPerSecond: 50,
    mayLeave(withinMs) {
      asked.push(withinMs);
      return new Promise((resolve) => answers.push(resolve));
    },
    onUnauthorized: () => undefined,
    clock: { monotonicMs: () => 0, after: () => () => undefined },
  });
  let left = 0;
  const ask = (url: string) => void makeRequest(url, {}).catch(() => (left += 1));
  for (let request = 0; request < 3; request += 1) ask('no address');
  for (const leaving of [1, 2, 3]) {
    await setImmediate();
    expect([answers.length, left]).toEqual([1, leaving - 1]);
    answers.shift()?.();
    await setImmediate();
    expect(left).toBe(leaving);
  }
  expect(asked, 'each goes by an answer that is a tenth of a second old at most').toEqual([100, 100, 100]);
  ask('/interactions/1/answer');
  expect(asked.at(-1), 'an answer to a person waits in no line').toBeUndefined();
  expect(asked).toHaveLength(4);
});

test('where none may leave, all that wait are refused at once, and the next one is asked for anew', async () => {
  const refusal = new Error('Another process leads.');
  const { makeRequest } = createRestOptions({
    requestsPerSecond: 50,
    mayLeave: async () => {
      throw refusal;
    },
    onUnauthorized: () => undefined,
    clock: { monotonicMs: () => 0, after: () => () => undefined },
  });
  const requests = Array.from({ length: 3 }, () => makeRequest('no address', {}));
  for (const request of requests) await expect(request).rejects.toBe(refusal);
  await expect(makeRequest('no address', {})).rejects.toBe(refusal);
});
