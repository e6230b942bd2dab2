import { expect, test } from 'vitest';
import { scoreOf } from '../../src/page/demo/score.ts';
import type { DemoState } from '../../src/server/demo-api.ts';

const score = (changes: Partial<DemoState['counters']>, kills = 0) =>
  scoreOf({
    counters: {
      owed: 0,
      posted: 0,
      waiting: 0,
      held: 0,
      skipped: 0,
      twice: 0,
      lost: 0,
      edits: 0,
      skippedIn: [],
      limitedIn: [],
      ...changes,
    },
    bot: { state: 'running', restartsAtMs: null, kills },
  });

test('the score is one sentence, and says how often the bot was killed', () => {
  expect(score({})).toBe('0 due, 0 posted, none twice, none lost.');
  expect(score({ owed: 1_312, posted: 1_312 }, 3)).toBe(
    '1,312 due, 1,312 posted, none twice, none lost. You killed the bot 3 times.',
  );
  expect(score({ owed: 3, posted: 2, twice: 1, lost: 1 }, 1)).toBe(
    '3 due, 2 posted, 1 twice, 1 lost. You killed the bot once.',
  );
});
