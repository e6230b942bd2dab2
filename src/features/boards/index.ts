import type { Feature } from '../../app/feature.ts';
import { BOARD } from './flag.ts';
import { WORDS } from './words/index.ts';

/** Posts of events that always show what is on now, and are pinned. */
export const boards: Feature = {
  name: 'boards',
  words: WORDS,
  flags: [BOARD],
};
