import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RETRY } from '../../src/announcements/deliver/channel.ts';
import { MINOR_EDITS } from '../../src/announcements/deliver/editing.ts';
import { LONGEST_CONFIRMING_MS } from '../../src/announcements/poll/asking.ts';
import { APART_MS } from '../../src/deals/belief.ts';
import { LONGEST_MISSING_MS } from '../../src/deals/feed-presence.ts';
import { ASIDE } from '../../src/discord/bad-answers.ts';
import { BLOCKED } from '../../src/discord/pause.ts';
import { ANSWERED_WITHIN_MS } from '../../src/discord/rest.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';

const DOCS = readFileSync('docs/operating.md', 'utf8');
const SECOND_MS = 1_000;
const UNITS = [
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
  [SECOND_MS, 'second'],
] as const;

/** `60 minutes` and `1 hour` for the same. */
function namesOf(ms: number): string[] {
  return UNITS.filter(([unitMs]) => ms % unitMs === 0).map(([unitMs, unit]) =>
    ms === unitMs ? `1 ${unit}` : `${ms / unitMs} ${unit}s`,
  );
}

test.each<[string, readonly number[]]>([
  ['a new offer, a lower price', [LONGEST_CONFIRMING_MS]],
  ['a price beyond a fifth', [APART_MS]],
  ['much of a feed', [LONGEST_MISSING_MS]],
  ['a post, an edit or any other request', [ANSWERED_WITHIN_MS, ASIDE.firstMs, ASIDE.longestMs]],
  ['all that is for a channel that doesn’t answer', [RETRY.firstMs, RETRY.longestMs]],
  ['all that is for a channel that refuses', [BLOCKED.firstMs, BLOCKED.longestMs]],
  ['an edit for a price', [MINOR_EDITS.apartMs]],
])('docs/operating.md tells how late this may be: %s', (what, bounds) => {
  const row = DOCS.split('\n').find((line) => line.startsWith(`| ${what.replace('’', "'")}`));
  for (const ms of bounds)
    expect(
      namesOf(ms).some((name) => row?.includes(name)),
      `${ms} ms in ${row}`,
    ).toBe(true);
});
