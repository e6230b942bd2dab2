import { expect, onTestFinished, test } from 'vitest';
import { withMetrics } from '../../../../src/bot/announcements/deliver/delivery-metrics.ts';
import { unposted } from '../../../../src/bot/announcements/deliver/recording.ts';
import { rollUpOf } from '../../../../src/bot/announcements/deliver/rolling-up.ts';
import type { Ending } from '../../../../src/bot/store/delivery.ts';
import { openStore } from '../../../../src/bot/store/store.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';
import { temporaryState } from '../../../helpers/temporary-folder.ts';
import { aDelivery } from '../../../helpers/things.ts';

async function someMetrics() {
  const clock = new ManualClock('2026-10-06T23:59:59.999Z');
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const posted: Ending = { outcome: 'posted', messageChannelId: '10', messageId: '1', endedAtMs: clock.now() };
  return { clock, store, posted, ...withMetrics(store.deliveries, clock) };
}

test('what ends is counted by how it ended, each of a roll-up by itself, and written', async () => {
  const { store, posted, deliveries, deliveryMetrics } = await someMetrics();
  const [a, b] = [aDelivery('a'), aDelivery('b')];
  const together = [aDelivery('c'), aDelivery('d'), aDelivery('e')] as const;
  await store.deliveries.add([a, b, ...together], (added) => [...added]);
  await deliveries.end(a, posted);
  await deliveries.end(b, unposted('refused', 1));
  const rollUp = rollUpOf(together, 'limit');
  await deliveries.rollUp(rollUp);
  await deliveries.endRollUp(rollUp, posted, new Set(['d']));
  expect(deliveryMetrics()).toEqual({ sinceStart: { posted: 3, over: 1, gone: 0, refused: 1 }, postedToday: 3 });
  expect(await store.deliveries.ended('b')).toMatchObject({ outcome: 'refused' });
  expect(await store.deliveries.ended('e')).toMatchObject({ outcome: 'posted' });
  expect(store.deliveries.channels()).toEqual([]);
});

test('the posts of the day begin anew at midnight UTC, and those since the start go on', async () => {
  const { clock, posted, deliveries, deliveryMetrics } = await someMetrics();
  await deliveries.end(aDelivery('a'), posted);
  expect(deliveryMetrics().postedToday).toBe(1);
  await clock.advance(1);
  expect(deliveryMetrics()).toMatchObject({ sinceStart: { posted: 1 }, postedToday: 0 });
  await deliveries.end(aDelivery('b'), posted);
  expect(deliveryMetrics()).toMatchObject({ sinceStart: { posted: 2 }, postedToday: 1 });
  await clock.advance(86_399_999);
  expect(deliveryMetrics().postedToday).toBe(1);
  await clock.advance(1);
  await deliveries.end(aDelivery('c'), posted);
  expect(deliveryMetrics().postedToday).toBe(1);
});

test('what could not be written is not counted', async () => {
  const { clock, store, posted } = await someMetrics();
  const failing = async () => {
    throw new Error('The disk is full.');
  };
  const { deliveries, deliveryMetrics } = withMetrics({ ...store.deliveries, end: failing, endRollUp: failing }, clock);
  await expect(deliveries.end(aDelivery('a'), posted)).rejects.toThrow('disk');
  await expect(deliveries.endRollUp(rollUpOf([aDelivery('a')], 'limit'), posted, new Set())).rejects.toThrow('disk');
  expect(deliveryMetrics().sinceStart.posted).toBe(0);
});
