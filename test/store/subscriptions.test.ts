import { expect, test } from 'vitest';
import { newSubscription } from '../../src/deals/subscription.ts';
import { openBackend } from '../../src/store/backend.ts';
import { openSubscriptions } from '../../src/store/subscriptions.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { NOW_MS } from '../helpers/things.ts';

test('reads what was kept before subscriptions had filters, kinds and times', async ({ onTestFinished }) => {
  const backend = openBackend(temporaryState());
  onTestFinished(() => backend.close());
  const wish = { id: 'a', guildId: '1', channelId: '10', createdBy: '100', createdAtMs: NOW_MS, catchUp: 2 };
  await backend
    .table('subscriptions')
    .setMany([
      ['a', { ...wish, version: 1, source: { kind: 'events' }, problem: 'The channel is gone.', isPaused: true }],
    ]);

  const subscriptions = await openSubscriptions(backend);

  expect(subscriptions.get('a')).toEqual({
    ...newSubscription({ ...wish, source: { kind: 'events', sites: [], types: [] } }),
    problem: 'The channel is gone.',
    pausedBy: 'gone',
  });
});
