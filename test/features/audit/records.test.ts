import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECORDS } from '../../../src/features/audit/records.ts';
import { openStore } from '../../../src/store/store.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { NOW_MS } from '../../helpers/things.ts';

test('the last audit is known in the next run too, and none before the first', async () => {
  const { url, state } = openedState();
  const { audits } = await openedRecords(state, undefined, [RECORDS]);
  expect(audits.last()).toBeNull();
  const figures = { owed: 4, there: 2, twice: 1, missing: 1, untrue: 0 };
  const audit = (atMs: number) => ({
    atMs,
    channels: 2,
    unread: 1,
    ...figures,
    byServer: [['1', figures] as [string, typeof figures]],
  });
  await audits.save(audit(1));
  await audits.save(audit(2));
  for (const run of [audits, (await openedRecords(openedState(url).state, undefined, [RECORDS])).audits])
    expect(run.last()).toEqual(audit(2));
});

test('how far the audit of a channel is is known again, until nothing is posted there or its server is forgotten', async () => {
  const { state, url } = openedState();
  const records = await openedRecords(state, undefined, [RECORDS]);
  const runs = async () => [records, await openedRecords(openedState(url).state, undefined, [RECORDS])];
  const figures = { owed: 1, there: 1, twice: 0, missing: 0, untrue: 0 };
  const record = { atMs: 1, channels: 1, unread: 0, ...figures, byServer: [] };
  const audited = (guildId: string) => ({ guildId, atMs: 1, isRead: true, untilMs: 1, ...figures });
  const channels = new Map(
    Object.entries({ 10: '1', 11: '1', 20: '2' }).map(([id, guildId]) => [id, audited(guildId)]),
  );
  await records.audits.save(record, channels);
  for (const { audits } of await runs()) expect(audits.channel('10')).toEqual(audited('1'));
  await records.audits.save(record, new Map(), (channelId) => channelId !== '10');
  await state.commit((changes) => records.forgetPlace(changes, '2'));
  for (const { audits } of await runs()) {
    expect(['10', '11', '20'].map((id) => audits.channel(id)?.guildId)).toEqual([undefined, '1', undefined]);
  }
});

test('a person who is forgotten is in no audit, and others stay', async () => {
  const { state, backend } = openedState();
  const store = await openedRecords(state, undefined, [RECORDS]);
  const figures = { owed: 1, there: 1, twice: 0, missing: 0, untrue: 0 };
  const places = ['@me/ben', '@me/ada'];
  await store.audits.save(
    {
      atMs: NOW_MS,
      channels: 2,
      unread: 0,
      ...figures,
      byServer: places.map((place): [string, typeof figures] => [place, figures]),
    },
    new Map(
      places.map((guildId) => [
        `channel of ${guildId}`,
        { guildId, atMs: NOW_MS, isRead: true, untilMs: NOW_MS, ...figures },
      ]),
    ),
  );
  await store.commit((changes) => store.forgetPlace(changes, '@me/ben'));
  const rows = await backend.under(['audit:', 'audited-channel:']);
  expect(rows).toHaveLength(2);
  expect(rows.filter(({ key, value }) => `${key}${value}`.includes('@me/ben'))).toEqual([]);
  expect(store.audits.last()?.byServer.map(([place]) => place)).toEqual(['@me/ada']);
});

test('the last audit in a stored state of version 1 is read', async () => {
  const url = temporaryState();
  copyFileSync('test/store/states/version-1.sqlite', url.slice('sqlite://'.length));
  const store = await openStore(url, undefined, null, [RECORDS]);
  expect(store.audits.last()).toMatchObject({ owed: 2, there: 1 });
  await store.close();
});
