import { isDeepStrictEqual } from 'node:util';
import { MINUTE_MS } from '../shared/time.ts';
import type { FieldRule } from './belief.ts';
import { hasEnded } from './life.ts';

// The rules of fields that several entities have.

const isEqual = (one: unknown, other: unknown) => one === other;

/** A value that is always there: any change needs a second answer. */
export const firm: FieldRule<string | boolean> = { isSame: isEqual, isBelievedAtOnce: () => false };

/** A value may be added at once. Any other change needs a second answer: it is no news, and one odd answer shows it, too. */
export const plain: FieldRule<string | number | null> = { isSame: isEqual, isBelievedAtOnce: (was) => was === null };

/** Like `plain`, for an object. */
export const whole: FieldRule<object | null> = { isSame: isDeepStrictEqual, isBelievedAtOnce: (was) => was === null };

/** Like `plain`, for a list. */
export const list: FieldRule<readonly unknown[]> = {
  isSame: isDeepStrictEqual,
  isBelievedAtOnce: (was) => was.length === 0,
};

/** A figure that moves with every answer, and that no post shows: only its end needs a second answer. */
export const moving: FieldRule<object | number | null> = {
  isSame: isDeepStrictEqual,
  isBelievedAtOnce: (_was, says) => says !== null,
};

/** It is shown at once that something is sold out, and after a second answer that it is back. */
export const soldOut: FieldRule<boolean> = { isSame: isEqual, isBelievedAtOnce: (_was, says) => says };

/** Nobody sees that two ends differ by less, and some catalogs compute the end anew for each answer. */
export const SAME_END_MS = MINUTE_MS;

/** A first end of what is live, and a later one, are believed at once. An earlier one, and one after the end, needs a second answer. */
export const end: FieldRule<number | null> = {
  isSame: (one, other) => one === other || (one !== null && other !== null && Math.abs(one - other) < SAME_END_MS),
  isBelievedAtOnce(was, says, nowMs) {
    if (says === null || hasEnded({ endDateMs: was }, nowMs)) return false;
    return says > (was ?? nowMs);
  },
  isAstonishing: (_was, says, nowMs) => says !== null && says <= nowMs,
};
