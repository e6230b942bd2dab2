import { Boards } from '../../../src/features/boards/posts.ts';
import { WORDS } from '../../../src/features/boards/words/index.ts';
import type { Keeping } from '../../helpers/post-office.ts';

export const BOARDS: Keeping = {
  words: WORDS,
  of: (parts) => new Boards({ ...parts, isThere: async () => true, lagMs: () => 300_000 }),
};
