import { expect, test } from 'vitest';
import type { ChangeOutcome } from '../../../src/discord/courier.ts';
import { blockedMs, retryMs } from '../../helpers/back-offs.ts';
import { NOW_MS } from '../../helpers/things.ts';
import { anUpkeep } from '../../helpers/upkeep.ts';

const CHANNEL = '10';
const TOO_MANY = {
  guildId: '1',
  channelId: CHANNEL,
  messageChannelId: 'thread',
  messageId: 'm9',
  queuedAtMs: NOW_MS,
};
const UNKNOWN: ChangeOutcome = { kind: 'unknown', reason: 'silence' };
const MISSING: ChangeOutcome = { kind: 'missing', reason: 'unknown-message' };
const UNFOUND: ChangeOutcome = { kind: 'unfound', reason: 'channel-gone' };

/** A message that is to be deleted, whose deletion Discord answers so. */
async function aRemoval(...outcomes: ChangeOutcome[]) {
  const upkeep = await anUpkeep();
  const { store, script, kick } = upkeep;
  await upkeep.post(1);
  script.changes.push(...outcomes);
  await store.commit((changes) => store.removals.add(changes, [TOO_MANY]));
  await kick();
  return { ...upkeep, left: () => store.removals.pending(CHANNEL).length };
}

test.each<[string, ChangeOutcome]>([
  ['done', { kind: 'done' }],
  ['gone already', { kind: 'gone', reason: 'channel-gone' }],
  ['kept by a missing permission', { kind: 'refused', reason: 'missing permissions' }],
])('a message that is too many is deleted where it is, once: %s', async (_, outcome) => {
  const { asked, left, pass } = await aRemoval(outcome);
  expect([asked, left()]).toEqual([['remove thread/m9'], 0]);
  await pass(3_600_000);
  expect(asked).toHaveLength(1);
});

test.each<[outcome: ChangeOutcome, afterMs: number]>([
  [UNKNOWN, retryMs()],
  [{ kind: 'blocked', reason: 'cannot-post' }, blockedMs()],
  [{ kind: 'later', reason: 'rate limit', afterMs: 5_000 }, 5_000],
])('a deletion that ends in %j is tried %i ms later, not a moment earlier', async (outcome, afterMs) => {
  const { asked, left, pass } = await aRemoval(outcome);
  expect(left()).toBe(1);
  await pass(afterMs - 1);
  expect([asked.length, left()]).toEqual([1, 1]);
  await pass(1);
  expect([asked.length, left()]).toEqual([2, 0]);
});

test.each([[MISSING], [UNFOUND]])(
  'a message of which Discord says %j is asked for again before it counts as deleted',
  async (denial) => {
    const { asked, left, pass } = await aRemoval(denial, denial);
    expect([asked.length, left()]).toEqual([1, 1]);
    await pass(retryMs());
    expect([asked.length, left()]).toEqual([2, 0]);
  },
);

test('a message that was denied and then deleted is new to denials', async () => {
  const { store, script, asked, left, pass, kick } = await aRemoval(MISSING);
  await pass(retryMs());
  expect([asked.length, left()]).toEqual([2, 0]);
  script.changes.push(MISSING);
  await store.commit((changes) => store.removals.add(changes, [TOO_MANY]));
  await kick();
  expect([asked.length, left()], 'the first denial of this one').toEqual([3, 1]);
});
