import { expect, test } from 'vitest';
import { FOLLOW_VACUUMS } from '../../local-discord/src/page/demo/commands.ts';
import { firstSubscriptions } from '../src/first-subscriptions.ts';

const CHANNEL_IDS = { deals: '1', digest: '2', events: '3', forum: '4', thread: '5' };

test('what a newcomer follows with one click allows as many posts an hour as all else, which it would hold back', () => {
  const file = firstSubscriptions({ guildId: '6', roleId: '7', channelIds: CHANNEL_IDS }, ['Electronics', 'Home']);
  const { servers } = JSON.parse(file) as { servers: { subscriptions: Record<string, unknown>[] }[] };
  const limits = servers.flatMap(({ subscriptions }) => subscriptions.map((one) => one['most-per-hour']));
  expect(limits.length).toBeGreaterThan(0);
  const followed = Number(/ most-per-hour:(\d+)$/.exec(FOLLOW_VACUUMS)?.[1]);
  expect(new Set(limits)).toEqual(new Set([followed]));
});
