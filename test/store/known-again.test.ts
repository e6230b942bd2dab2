import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/shared/time.ts';
import { EVENT_SALES } from '../../src/store/catalog-records.ts';
import type { Pin } from '../../src/store/channel-records.ts';
import { openedRecords, openedState, stateIn } from '../helpers/opened-state.ts';
import { aDelivery, aSubscription, NOW_MS } from '../helpers/things.ts';

type Kept = Awaited<ReturnType<typeof openedRecords>>;

/** The records of a state, in this run and in the next one. */
async function aState() {
  const { url, state } = openedState();
  const records = await openedRecords(state);
  return { state, records, runs: async (): Promise<Kept[]> => [records, await openedRecords(openedState(url).state)] };
}

test('the bot’s user is known again, and written only where it is another one', async () => {
  const { url, backend } = openedState();
  let writes = 0;
  const write: typeof backend.write = (rows) => {
    writes += 1;
    return backend.write(rows);
  };
  const { botUser } = await openedRecords(stateIn({ ...backend, write }));
  expect(botUser.id()).toBeNull();
  for (const id of ['1', '2', '2']) await botUser.save(id);
  expect(writes).toBe(2);
  for (const run of [botUser, (await openedRecords(openedState(url).state)).botUser]) expect(run.id()).toBe('2');
});

test('pins wait in their channels, oldest first, until they are done, and are known until they are forgotten', async () => {
  const { records, runs, state } = await aState();
  const pin = (messageId: string, is: Pin['is'], queuedAtMs: number, channelId = '10'): Pin => {
    return { channelId, messageId, thing: 'event:1', is, queuedAtMs };
  };
  const pins = [
    pin('1', 'wanted', 3),
    pin('2', 'unwanted', 2),
    pin('3', 'pinned', 1),
    pin('4', 'refused', 0),
    pin('5', 'wanted', 9, '11'),
    pin('6', 'wanted', 9, '12'),
  ];
  await state.commit((changes) => {
    records.pins.add(changes, pins);
  });
  await state.commit((changes) => records.pins.end(changes, pins[5] as Pin));
  for (const run of await runs()) {
    expect(run.pins.all()).toEqual(pins.slice(0, 5));
    expect(run.pins.channels()).toEqual(['10', '11']);
    expect(run.pins.pending('10').map(({ messageId }) => messageId)).toEqual(['2', '1']);
    expect(run.pins.pending('12')).toEqual([]);
    expect([run.pins.get('3'), run.pins.get('6')]).toEqual([pins[2], undefined]);
  }
});

test('why a post was left unpublished is known for 45 days', async () => {
  const { records, runs, state } = await aState();
  const why = { because: 'refused', queuedAtMs: 5, atMs: NOW_MS } as const;
  await state.commit((changes) => records.unpublished.set(changes, '2', why));
  for (const { unpublished } of await runs())
    expect(await unpublished.among(['9', '2'])).toEqual(new Map([['2', why]]));
  await records.sweep(NOW_MS + 45 * 24 * HOUR_MS);
  expect(await records.unpublished.get('2')).toEqual(why);
  await records.sweep(NOW_MS + 45 * 24 * HOUR_MS + 1);
  expect(await records.unpublished.get('2')).toBeUndefined();
});

test('what an event has sold is known again, for 45 days after the last change', async () => {
  const { records, runs, state } = await aState();
  const sold = (changedAtMs: number) => ({ sales: [], changedAtMs });
  await state.commit((changes) => {
    records.eventSales.set(changes, 'old', sold(NOW_MS - 1));
    records.eventSales.set(changes, 'young', sold(NOW_MS));
  });
  for (const { eventSales } of await runs()) expect(eventSales.get('old')).toEqual(sold(NOW_MS - 1));
  await records.sweep(NOW_MS + 45 * 24 * HOUR_MS);
  for (const { eventSales } of await runs()) {
    expect([eventSales.get('old'), eventSales.get('young')]).toEqual([undefined, sold(NOW_MS)]);
  }
});

test('a record that is renewed while old ones are swept stays', async () => {
  const { records, runs, state } = await aState();
  const soldAt = (id: string, changedAtMs: number) =>
    state.commit((changes) => records.eventSales.set(changes, id, { sales: [], changedAtMs }));
  for (const id of ['gone', 'renewed']) await soldAt(id, NOW_MS - 1);
  let renewal: Promise<unknown> | undefined;
  await state.sweep(EVENT_SALES, ({ changedAtMs }, id) => {
    if (id === 'renewed') renewal ??= soldAt(id, NOW_MS);
    return changedAtMs < NOW_MS;
  });
  await renewal;
  for (const { eventSales } of await runs()) {
    expect([eventSales.get('gone'), eventSales.get('renewed')?.changedAtMs]).toEqual([undefined, NOW_MS]);
  }
});

test('subscriptions are found by a value of theirs, as it is by then', async () => {
  const { records, runs } = await aState();
  const { subscriptions } = records;
  await subscriptions.save(aSubscription('a', { filter: 'kettle' }));
  await subscriptions.save(aSubscription('b', { filter: 'kettle' }));
  await subscriptions.save(aSubscription('c', { filter: 'pot', pausedBy: 'person' }));
  const found = [records, ...(await runs())].map((run) =>
    run.subscriptions.groupedBy(({ filter, pausedBy }) => (pausedBy === null ? filter : null)),
  );
  for (const byFilter of found.slice(1)) expect([...(byFilter.get('kettle')?.keys() ?? [])]).toEqual(['a', 'b']);
  await subscriptions.update('b', (was) => ({ ...was, pausedBy: 'person' }));
  const [byFilter] = found;
  expect([...(byFilter?.keys() ?? [])]).toEqual(['kettle']);
  expect([...(byFilter?.get('kettle')?.keys() ?? [])]).toEqual(['a']);
});

test('a delivery that waits is as what joins it makes it', async () => {
  const { records, runs, state } = await aState();
  const { deliveries } = records;
  const late = aDelivery('late', { dueAtMs: NOW_MS + 1, isDigest: true, isLate: true, alsoTells: ['too'] });
  await state.transact((changes) => deliveries.add(changes, [late, aDelivery('due')], (all) => [...all]));
  const sooner = { dueAtMs: NOW_MS, isDigest: false, isLate: false };
  const join = (id: string) =>
    state.commit((changes) => deliveries.join(changes, [aDelivery(id)], (waiting) => ({ ...waiting, ...sooner })));
  expect([await join('none'), await join('too')]).toEqual([[], [{ ...late, ...sooner }]]);
  for (const run of await runs()) {
    const [waiting] = run.deliveries.pending('10').filter(({ id }) => id === 'late');
    expect(waiting).toEqual({ ...late, ...sooner });
    expect(run.deliveries.pending('10')).toHaveLength(2);
  }
});

test('a delivery that was posted and whose message is gone waits again, for a post or to be recorded as found', async () => {
  const { records, runs, state } = await aState();
  const { deliveries } = records;
  const [gone, standing] = [aDelivery('gone', { alsoTells: ['too'] }), aDelivery('standing')];
  await state.transact((changes) => deliveries.add(changes, [gone, standing], (all) => [...all]));
  const posted = { outcome: 'posted', messageChannelId: '10', messageId: '7', endedAtMs: NOW_MS } as const;
  await state.commit((changes) => {
    for (const one of [gone, standing]) deliveries.end(changes, one, posted);
  });
  expect(deliveries.pending('10')).toEqual([]);
  await state.commit((changes) => {
    deliveries.reopen(changes, gone, null);
    deliveries.reopen(changes, standing, { channelId: '10', messageId: '8' });
  });
  for (const run of await runs()) {
    expect(run.deliveries.pending('10').map(({ id }) => id)).toEqual(['gone', 'standing']);
    expect([await run.deliveries.ended('gone'), await run.deliveries.ended('too')]).toEqual([undefined, undefined]);
    const found = await run.deliveries.foundPlaces(['gone', 'standing']);
    expect(found).toEqual(new Map([['standing', { channelId: '10', messageId: '8' }]]));
  }
});
