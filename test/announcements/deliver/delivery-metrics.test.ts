import { expect, onTestFinished, test } from 'vitest';
import { countEndings } from '../../../src/announcements/deliver/delivery-metrics.ts';
import { unposted } from '../../../src/announcements/deliver/recording.ts';
import { rollUpOf } from '../../../src/announcements/deliver/rolling-up.ts';
import type { Delivery, Ending } from '../../../src/store/delivery.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDelivery } from '../../helpers/things.ts';

async function someMetrics() {
  const clock = new ManualClock('2026-10-06T23:59:59.999Z');
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const posted: Ending = { outcome: 'posted', messageChannelId: '10', messageId: '1', endedAtMs: clock.now() };
  const metrics = countEndings(store.deliveries, clock);
  const end = (delivery: Delivery, ending: Ending = posted) =>
    store.commit((changes) => store.deliveries.end(changes, delivery, ending));
  return { clock, store, posted, end, metrics };
}

test('what ends is counted by how it ended, each of a roll-up by itself, and written', async () => {
  const { store, posted, end, metrics } = await someMetrics();
  const [a, b] = [aDelivery('a'), aDelivery('b')];
  const together = [aDelivery('c'), aDelivery('d'), aDelivery('e')] as const;
  await store.transact((changes) => store.deliveries.add(changes, [a, b, ...together], (added) => [...added]));
  await end(a);
  await end(b, unposted('refused', 1));
  const rollUp = rollUpOf(together, 'limit');
  await store.commit((changes) => store.deliveries.rollUp(changes, rollUp));
  await store.commit((changes) => store.deliveries.endRollUp(changes, rollUp, posted, new Set(['d'])));
  expect(metrics()).toEqual({ sinceStart: { posted: 3, over: 1, gone: 0, refused: 1 }, postedToday: 3 });
  expect(await store.deliveries.ended('b')).toMatchObject({ outcome: 'refused' });
  expect(await store.deliveries.ended('e')).toMatchObject({ outcome: 'posted' });
  expect(store.deliveries.channels()).toEqual([]);
});

test('the posts of the day begin anew at midnight UTC, and those since the start go on', async () => {
  const { clock, end, metrics } = await someMetrics();
  await end(aDelivery('a'));
  expect(metrics().postedToday).toBe(1);
  await clock.advance(1);
  expect(metrics()).toMatchObject({ sinceStart: { posted: 1 }, postedToday: 0 });
  await end(aDelivery('b'));
  expect(metrics()).toMatchObject({ sinceStart: { posted: 2 }, postedToday: 1 });
  await clock.advance(86_399_999);
  expect(metrics().postedToday).toBe(1);
  await clock.advance(1);
  await end(aDelivery('c'));
  expect(metrics().postedToday).toBe(1);
});

test('what could not be written is not counted', async () => {
  const { store, end, metrics } = await someMetrics();
  await store.close();
  await expect(end(aDelivery('a'))).rejects.toThrow();
  expect(metrics().sinceStart.posted).toBe(0);
});
