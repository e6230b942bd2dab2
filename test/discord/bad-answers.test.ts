import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ASIDE, BAD_ANSWERS, isPlainNext, ThingsAside } from '../../src/discord/bad-answers.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

/** Things, and a way to answer one of them badly after so many other requests have succeeded. */
function things() {
  const clock = new ManualClock();
  let successes = 0;
  const aside = new ThingsAside<{ name: string }>({ successes: () => successes, clock });
  const answerBadly = (key: string, succeeded: number, hasPlain = false) => {
    successes += succeeded;
    return aside.note(key, { name: key }, hasPlain);
  };
  return { clock, aside, answerBadly };
}

test('while nothing else succeeds, bad answers are about Discord, however many they are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.boolean(), (times, hasPlain) => {
      const { aside, answerBadly } = things();
      for (let count = 0; count < times; count += 1) expect(answerBadly('a', 0, hasPlain).isAside).toBe(false);
      expect(aside.all()).toEqual([]);
    }),
  );
});

test('a thing steps aside once, with as many bad answers as it takes, and one more where it has a plain card', () => {
  for (const hasPlain of [false, true]) {
    const { aside, answerBadly } = things();
    const answers = Array.from({ length: BAD_ANSWERS + 3 }, () => answerBadly('a', 1, hasPlain));
    const first = BAD_ANSWERS - 1 + (hasPlain ? 1 : 0);
    expect(answers.map(({ isAside }) => isAside)).toEqual(answers.map((_, index) => index >= first));
    expect(answers.findIndex(({ isFirst }) => isFirst)).toBe(first);
    expect(answers.filter(({ isFirst }) => isFirst)).toHaveLength(1);
    expect(aside.all()).toMatchObject([{ key: 'a', about: { name: 'a' } }]);
  }
});

test('the plain card is tried before a thing with one steps aside, and again from time to time', () => {
  const { aside, answerBadly } = things();
  const tries = Array.from({ length: 40 }, () => {
    const isPlain = isPlainNext(aside.countOf('a'));
    answerBadly('a', 1, true);
    return isPlain;
  });
  expect(tries.indexOf(true)).toBe(BAD_ANSWERS);
  expect(tries.filter(Boolean).length).toBeGreaterThan(1);
  expect(tries.filter(Boolean).length).toBeLessThan(tries.length / 2);
});

test('a count grows by one at most, and only after something has succeeded', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2), { maxLength: 30 }), (succeeded) => {
      const { aside, answerBadly } = things();
      for (const [index, more] of succeeded.entries()) {
        const before = aside.countOf('a');
        answerBadly('a', more);
        expect(aside.countOf('a') - before).toBe(index === 0 || more > 0 ? 1 : 0);
      }
    }),
  );
});

test('the tries come at growing distances, never further apart than the longest, however the wall clock is set', () => {
  const { clock, aside, answerBadly } = things();
  for (let count = 1; count < BAD_ANSWERS; count += 1) answerBadly('a', 1);
  let beforeMs = 0;
  for (let count = 0; count < 20; count += 1) {
    answerBadly('a', 1);
    clock.jump(-3_600_000);
    const waitMs = (aside.againAtMs('a') ?? 0) - clock.now();
    expect(waitMs).toBeGreaterThanOrEqual(Math.max(beforeMs, ASIDE.firstMs));
    expect(waitMs).toBeLessThanOrEqual(ASIDE.longestMs);
    beforeMs = waitMs;
  }
  expect(beforeMs).toBe(ASIDE.longestMs);
});

test('once a thing is taken as it is, all others are tried at once; its plain card says nothing of them', () => {
  for (const isMended of [false, true]) {
    const { aside, answerBadly } = things();
    for (const key of ['a', 'b']) for (let count = 0; count < BAD_ANSWERS; count += 1) answerBadly(key, 1);
    expect(aside.end('a', isMended)).toBe(true);
    expect(aside.againAtMs('b') === null).toBe(isMended);
    expect(aside.end('a', isMended)).toBe(false);
  }
});

test('what is tried no more is forgotten, and what is tried at the longest distance is not', async () => {
  const { clock, aside, answerBadly } = things();
  for (let count = 0; count < 20; count += 1) answerBadly('a', 1);
  await clock.advance(ASIDE.longestMs);
  answerBadly('b', 1);
  aside.sweep();
  expect(['a', 'b'].map((key) => aside.countOf(key) > 0)).toEqual([true, true]);
  await clock.advance(ASIDE.longestMs + 1);
  aside.sweep();
  expect(['a', 'b'].map((key) => aside.countOf(key) > 0)).toEqual([false, true]);
});
