import { expect, test } from 'vitest';
import { activeSubscriptions, mergeOptions } from '../../../src/announcements/deliver/delivery-options.ts';
import { type LookSettings, USUAL_LOOK } from '../../../src/deals/look.ts';
import { USUAL_TIMING } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { aSubscription, HOUR_MS, NOW_MS } from '../../helpers/things.ts';

/** From 13:00 UTC, an hour after the moment at which tests play, to 15:00. */
const QUIET: Subscription['timing'] = { ...USUAL_TIMING, quiet: { fromMinute: 13 * 60, toMinute: 15 * 60 } };

test('a subscription that was removed or is paused wants nothing any more', () => {
  const all = [
    aSubscription('a'),
    aSubscription('mine', { pausedBy: 'person' }),
    aSubscription('gone', { pausedBy: 'gone' }),
    aSubscription('b'),
  ];
  const get = (id: string) => all.find((subscription) => subscription.id === id);
  const matches = ['b', 'mine', 'removed', 'gone', 'a'].map((subscriptionId) => ({ subscriptionId, terms: [] }));
  expect(activeSubscriptions(matches, { get }).map(({ id }) => id)).toEqual(['b', 'a']);
});

test('the roles and tags of all are joined, each once, and one that publishes is enough', () => {
  const one = aSubscription('a', { mentionRoleId: '7', tagIds: ['1', '2'], isPublished: false });
  const other = aSubscription('b', { mentionRoleId: '8', tagIds: ['2', '3'], isPublished: true });
  const same = aSubscription('c', { mentionRoleId: '7', tagIds: [] });
  const plain = aSubscription('d', { mentionRoleId: null });
  expect(mergeOptions([one, other, same, plain], {}, NOW_MS)).toEqual({
    mentionRoleIds: ['7', '8'],
    tagIds: ['1', '2', '3'],
    isPublished: true,
    look: USUAL_LOOK,
  });
  expect(mergeOptions([one, plain], {}, NOW_MS).isPublished).toBe(false);
  expect(mergeOptions([], {}, NOW_MS)).toEqual({
    mentionRoleIds: [],
    tagIds: [],
    isPublished: false,
    look: USUAL_LOOK,
  });
});

test('a role is called until quiet hours begin, and again from the moment at which they end', () => {
  const quiet = aSubscription('a', { mentionRoleId: '7', tagIds: ['1'], isPublished: true, timing: QUIET });
  const open = aSubscription('b', { mentionRoleId: '8' });
  const rolesAt = (nowMs: number) => mergeOptions([quiet, open], {}, nowMs).mentionRoleIds;
  expect(rolesAt(NOW_MS + HOUR_MS - 1)).toEqual(['7', '8']);
  expect(rolesAt(NOW_MS + HOUR_MS)).toEqual(['8']);
  expect(rolesAt(NOW_MS + 3 * HOUR_MS - 1)).toEqual(['8']);
  expect(rolesAt(NOW_MS + 3 * HOUR_MS)).toEqual(['7', '8']);
  // Only the call waits: the post that the other wants is tagged and published.
  expect(mergeOptions([quiet, open], {}, NOW_MS + HOUR_MS)).toMatchObject({ tagIds: ['1'], isPublished: true });
});

const SILENT = { look: { isSilent: true } };

test('a post looks as the subscription asks that was made first, and else as its server does', () => {
  const first = aSubscription('b', { createdAtMs: 1, look: { line: 'first' } });
  const same = aSubscription('c', { createdAtMs: 1, look: { line: 'same' } });
  const last = aSubscription('a', { createdAtMs: 2, look: { line: 'last' } });
  for (const order of [
    [first, same, last],
    [last, same, first],
    [same, last, first],
  ]) {
    expect(mergeOptions(order, { style: 'large', line: 'server' }, NOW_MS).look).toMatchObject({
      line: 'first',
      style: 'large',
    });
  }
});

test.each<[Partial<Subscription>[], LookSettings, boolean]>([
  [[SILENT, SILENT], {}, true],
  [[SILENT, {}], {}, false],
  [[{}, SILENT], {}, false],
  [[{}, {}], { isSilent: true }, true],
  [[{ timing: QUIET }, SILENT], {}, true],
  [[{ timing: QUIET, ...SILENT }, {}], {}, false],
  [[{ timing: QUIET }, { timing: QUIET, ...SILENT }], {}, false],
  [[{ timing: QUIET, ...SILENT }], {}, true],
  [[], { isSilent: true }, false],
])('a post is silent where all want it so who have no quiet hours now: %j, server %j: %s', (all, server, isSilent) => {
  const subscriptions = all.map((changes, index) => aSubscription(String(index), changes));
  expect(mergeOptions(subscriptions, server, NOW_MS + HOUR_MS).look.isSilent).toBe(isSilent);
});
