import type { Feature } from '../../app/feature.ts';
import { linesWithout } from './lines.ts';
import { nearestFilter } from './nearest.ts';
import { WORDS } from './words/index.ts';

/** Ways out where a filter matches nothing. */
export const noMatch: Feature = {
  name: 'no-match',
  words: WORDS,
  noMatch: {
    lines: linesWithout,
    meant: (filter, { services }) => nearestFilter(filter, services.search),
  },
};
