import { suiteSeed } from './seed.ts';
import { seededRandom } from './seeded-random.ts';

/** Whether everything is tried: `npm run test:slow` does, `npm test` takes samples. */
export const isInFull = process.env['DEALBELL_TEST_FULL'] === '1';

/**
 * The cases that a test tries: all of them in full, else so many by the seed, in their order. The first and the last one
 * are always among them.
 * @param most at least 2
 */
export function sampled<T>(cases: readonly T[], most: number): readonly T[] {
  if (isInFull || cases.length <= most) return cases;
  const random = seededRandom(suiteSeed);
  const inside = Array.from({ length: cases.length - 2 }, (_, index) => ({ index: index + 1, rank: random() }));
  const chosen = inside.toSorted((one, other) => one.rank - other.rank).slice(0, most - 2);
  const places = new Set([0, cases.length - 1, ...chosen.map(({ index }) => index)]);
  return cases.filter((_, index) => places.has(index));
}

/** How many cases a test tries that makes them up: so many in full, else a few. */
export const sampleSize = (inFull: number, otherwise: number): number => (isInFull ? inFull : otherwise);
