import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyvSqlite } from '@keyv/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { StateInUseError, StoreError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { backUp, newestBackupMs, restore, rotateBackups } from '../../src/store/backup.ts';
import type { Delivery } from '../../src/store/delivery.ts';
import { rollUpOf } from '../../src/store/delivery.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { HEARTBEAT_MS, LOOK_MS } from '../../src/store/table/lease.ts';
import { textOf } from '../helpers/discord-form.ts';
import { betweenLooks } from '../helpers/lease-looks.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { openedState } from '../helpers/opened-state.ts';
import { aPostOffice, type PostOffice } from '../helpers/post-office.ts';
import { runSql } from '../helpers/sql.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';
import { aDelivery, anOffer, aSubscription, NOW_MS } from '../helpers/things.ts';

const fileOf = (url: string) => url.slice('sqlite://'.length);
const urlOf = (file: string) => `sqlite://${file}`;
const posted = { outcome: 'posted', messageChannelId: '10', messageId: '20', endedAtMs: NOW_MS } as const;
const spent = (day: string, count: number) => ({ day, spent: count, tokens: 0, tokensAtMs: NOW_MS }) as never;

/** Makes of a state one that a newer program has written. */
const NEWER = `UPDATE state SET value = '{"value":{"version":99,"dealbell":"9.8.7","isSetUp":true}}' WHERE key = 'about:state'`;

/** The time on an owner's clock. */
const OWNER_NOW_MS = new ManualClock().now();

function anOwner(clock = new ManualClock()) {
  return {
    dealbell: '1.2.3',
    clock,
    log: createLog('silent'),
    signal: new AbortController().signal,
    onLost: () => undefined,
  };
}

async function open(url: string, owner: ReturnType<typeof anOwner> | null = anOwner()): Promise<Store> {
  const store = await openStore(url, owner?.clock, owner);
  onTestFinished(() => store.close());
  return store;
}

/** A state that was set up, with a subscription. */
async function aState(url = temporaryState(), id = 's'): Promise<{ url: string; store: Store }> {
  const store = await open(url);
  await store.commit((changes) => store.markSetUp(changes));
  await store.subscriptions.save(aSubscription(id));
  return { url, store };
}

const add = (store: Store, deliveries: readonly Delivery[]) =>
  store.transact((changes) => store.deliveries.add(changes, deliveries, (fresh) => [...fresh]));

const idsOf = (store: Store) => store.subscriptions.all().map(({ id }) => id);

test('a backup of a state in use holds what was written before it, and belongs to nobody', async () => {
  const { url, store } = await aState();
  const file = join(temporaryFolder(), 'new', 'backup.sqlite');
  let writes = 0;
  let isDone = false;
  // Somebody writes all the while.
  const writing = (async () => {
    while (!isDone) {
      await add(store, [aDelivery(`d${writes}`)]);
      writes += 1;
    }
  })();
  await expect.poll(() => writes).toBeGreaterThan(5);
  const before = writes;
  await backUp(url, file);
  isDone = true;
  await writing;
  expect(writes).toBeGreaterThan(before);

  expect(readdirSync(dirname(file))).toEqual(['backup.sqlite']);
  expect(await runSql(urlOf(file), "SELECT * FROM state WHERE key = 'lease'")).toEqual([]);
  const copy = await open(urlOf(file));
  for (let number = 0; number < before; number += 1) expect(copy.deliveries.isPending(`d${number}`)).toBe(true);
  expect(idsOf(copy)).toEqual(['s']);
});

test('a backup overwrites nothing, and where it fails there is none', async () => {
  const { url } = await aState();
  const folder = temporaryFolder();
  const file = join(folder, 'backup.sqlite');
  writeFileSync(file, 'mine');
  await expect(backUp(url, file)).rejects.toThrow(`${file} exists already.`);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  await expect(backUp(url, join(file, 'below.sqlite'))).rejects.toThrow(StoreError);
  await expect(backUp(temporaryState(), join(folder, 'other.sqlite'))).rejects.toThrow('There is no state to back up');
  expect(readdirSync(folder)).toEqual(['backup.sqlite']);
});

test('a damaged state makes no backup that looks whole', async () => {
  const { url, store } = await aState();
  await add(
    store,
    Array.from({ length: 200 }, (_, number) => aDelivery(`d${number}`)),
  );
  await store.close();
  const bytes = readFileSync(fileOf(url));
  bytes.fill(0x5a, 8 * 4096, bytes.length - 4096);
  writeFileSync(fileOf(url), bytes);
  const file = join(temporaryFolder(), 'backup.sqlite');
  await expect(backUp(url, file)).rejects.toThrow(StoreError);
  expect(existsSync(file)).toBe(false);
});

test('as many backups are kept as is wanted, the newest ones, and nothing of one that was cut off', async () => {
  const { store } = await aState();
  const folder = join(temporaryFolder(), 'backups');
  expect(await newestBackupMs({ folder, botId: null })).toBeNull();
  for (let day = 1; day <= 4; day += 1) {
    if (day === 3) {
      writeFileSync(join(folder, 'dealbell-2026-10-02T12-00-00.000Z.sqlite.partial'), 'cut off');
      writeFileSync(join(folder, 'dealbell-notes.sqlite'), 'mine');
    }
    await rotateBackups(store, { folder, botId: null, keep: 2 }, Date.UTC(2026, 9, day, 12));
  }
  expect(readdirSync(folder).sort()).toEqual([
    'dealbell-2026-10-03T12-00-00.000Z.sqlite',
    'dealbell-2026-10-04T12-00-00.000Z.sqlite',
    'dealbell-notes.sqlite',
  ]);
  expect(await newestBackupMs({ folder, botId: null })).toBe(Date.UTC(2026, 9, 4, 12));
});

test('two bots in one folder keep theirs, whatever the other one does', async () => {
  const { store } = await aState();
  const folder = temporaryFolder();
  const [one, other] = ['1300000000000000001', '130000000000000000'];
  const at = (day: number) => Date.UTC(2026, 9, day, 12);
  writeFileSync(join(folder, 'dealbell-2026-10-01T12-00-00.000Z.sqlite'), 'of a bot that has never logged in');
  await rotateBackups(store, { folder, botId: other, keep: 1 }, at(2));
  for (const day of [3, 4, 5]) await rotateBackups(store, { folder, botId: one, keep: 2 }, at(day));
  expect(readdirSync(folder).sort()).toEqual([
    `dealbell-${other}-2026-10-02T12-00-00.000Z.sqlite`,
    `dealbell-${one}-2026-10-04T12-00-00.000Z.sqlite`,
    `dealbell-${one}-2026-10-05T12-00-00.000Z.sqlite`,
    'dealbell-2026-10-01T12-00-00.000Z.sqlite',
  ]);
  expect(await newestBackupMs({ folder, botId: one })).toBe(at(5));
  expect(await newestBackupMs({ folder, botId: other })).toBe(at(2));
});

test('a backup by hand has the id of the bot whose state it is', async () => {
  const { url, store } = await aState();
  const folder = temporaryFolder();
  const nowMs = Date.UTC(2026, 9, 4, 12);
  expect(await backUp(url, { folder, nowMs })).toBe(join(folder, 'dealbell-2026-10-04T12-00-00.000Z.sqlite'));
  await store.botUser.save('1300000000000000001');
  expect(await backUp(url, { folder, nowMs })).toBe(
    join(folder, 'dealbell-1300000000000000001-2026-10-04T12-00-00.000Z.sqlite'),
  );
});

test('a restore from a folder names the backups in it, the newest first, and changes nothing', async () => {
  const { url, store } = await aState();
  await store.close();
  const folder = temporaryFolder();
  await expect(restore(url, folder, anOwner())).rejects.toThrow(`There is no backup in ${folder}.`);
  const names = [
    'dealbell-1300000000000000001-2026-10-04T12-00-00.000Z.sqlite',
    'dealbell-2026-10-05T12-00-00.000Z.sqlite',
    'dealbell-1300000000000000002-2026-10-03T12-00-00.000Z.sqlite',
  ];
  for (const name of [...names, 'notes.sqlite', `${names[0]}.partial`]) writeFileSync(join(folder, name), '');
  const error = await restore(url, folder, anOwner()).catch((refused: unknown) => refused);
  expect(error).toBeInstanceOf(StoreError);
  expect(String(error).split('\n  ').slice(1)).toEqual(
    [names[1], names[0], names[2]].map((name) => join(folder, name ?? '')),
  );
  const before = await open(url);
  expect(idsOf(before)).toEqual(['s']);
});

/** A message that is to be deleted, as another one tells the same. */
const COPY = { guildId: '1', channelId: '10', messageChannelId: '10', messageId: '21', queuedAtMs: 1 };

/** A state with a backup, after which all sorts of things have happened. */
async function aChangedState() {
  const { url, store } = await aState();
  await add(store, [aDelivery('waiting')]);
  await store.spending.save('portal', spent('2026-10-06', 5));
  const file = join(temporaryFolder(), 'backup.sqlite');
  await backUp(url, file);
  await add(store, [aDelivery('later')]);
  await store.spending.save('portal', spent('2026-10-06', 9));
  await store.commit((changes) => {
    store.deliveries.end(changes, aDelivery('waiting'), posted);
    store.rateLog.record(changes, 'post/10', 'waiting');
    store.newestMessages.note(changes, '10', '20');
    store.removals.add(changes, [COPY]);
  });
  await store.subscriptions.save(aSubscription('younger'));
  await store.close();
  return { url, file };
}

test('a restore brings back what the backup holds, and forgets nothing that was done since', async () => {
  const { url, file } = await aChangedState();
  const bytes = readFileSync(file);
  const { asidePath, isMerged } = await restore(url, file, anOwner());
  expect(isMerged).toBe(true);
  const store = await open(url);
  expect(store.isNew).toBe(false);
  expect(idsOf(store)).toEqual(['s']);
  expect(store.deliveries.isPending('waiting')).toBe(false);
  expect(store.deliveries.isPending('later')).toBe(false);
  expect(await store.deliveries.ended('waiting')).toMatchObject(posted);
  expect(await store.spending.load('portal')).toMatchObject({ day: '2026-10-06', spent: 9 });
  expect(store.rateLog.recent('post/10', OWNER_NOW_MS)).toHaveLength(1);
  expect(store.removals.pending('10')).toEqual([COPY]);
  // As in the backup: so the channel is read from there on.
  expect(store.newestMessages.of('10')).toBeNull();
  // The backup is as it was, and what was replaced is kept.
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(idsOf(await open(urlOf(asidePath ?? ''))).toSorted()).toEqual(['s', 'younger']);
  expect(readdirSync(dirname(fileOf(url))).filter((name) => name.includes('restoring'))).toEqual([]);
});

test('what a backup holds in roll-ups is not posted again either, nor what was told in it that was dissolved', async () => {
  const { url, store } = await aState();
  const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) =>
    aDelivery(id, { channelId: `${10 + Math.floor(index / 2)}` }),
  ) as [Delivery, Delivery, Delivery, Delivery, Delivery, Delivery];
  await add(store, [a, b, c, d, e, f]);
  const [whole, dissolved, waiting] = [rollUpOf([a, b], 'late'), rollUpOf([c, d], 'late'), rollUpOf([e, f], 'late')];
  await store.commit((changes) => {
    for (const rollUp of [whole, dissolved, waiting]) store.deliveries.rollUp(changes, rollUp);
  });
  const file = join(temporaryFolder(), 'backup.sqlite');
  await backUp(url, file);
  await store.commit((changes) => {
    store.deliveries.endRollUp(changes, whole, posted, new Set());
    store.deliveries.dissolve(changes, dissolved);
  });
  await store.commit((changes) => store.deliveries.end(changes, c, posted));
  await store.close();
  await restore(url, file, anOwner());
  const { deliveries } = await open(url);
  expect([...deliveries.channels()].toSorted()).toEqual(['11', '12']);
  expect(deliveries.pending('11')).toEqual([d]);
  expect(deliveries.pendingRollUp('11')).toBeUndefined();
  expect(deliveries.pendingRollUp('12')).toEqual(waiting);
});

test('a roll-up that was being posted is known after a restore: its message would tell only its id', async () => {
  const { url, store } = await aState();
  const file = join(temporaryFolder(), 'backup.sqlite');
  await backUp(url, file);
  const members = [aDelivery('a', { alsoTells: ['also'] }), aDelivery('b')] as const;
  await add(store, [...members, aDelivery('later')]);
  const rollUp = rollUpOf(members, 'late');
  await store.commit((changes) => store.deliveries.rollUp(changes, rollUp));
  await store.close();
  await restore(url, file, anOwner());
  const { deliveries } = await open(url);
  expect(deliveries.pendingRollUp('10')).toEqual(rollUp);
  expect(['a', 'also', 'b', rollUp.id, 'later'].map((id) => deliveries.isPending(id))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

test.each([
  ['2026-10-07', 1, '2026-10-06', 9, '2026-10-07', 1],
  ['2026-10-06', 1, '2026-10-07', 2, '2026-10-07', 2],
  ['2026-10-06', 8, '2026-10-06', 7, '2026-10-06', 8],
])(
  'of the requests of %s (%i) in the backup and of %s (%i) since, the later count',
  async (day, count, nowDay, nowCount, leftDay, left) => {
    const { url, store } = await aState();
    await store.spending.save('v2', spent(day, count));
    const file = join(temporaryFolder(), 'backup.sqlite');
    await backUp(url, file);
    await store.spending.save('v2', spent(nowDay, nowCount));
    await store.close();
    await restore(url, file, anOwner());
    expect(await (await open(url)).spending.load('v2')).toMatchObject({ day: leftDay, spent: left });
  },
);

test('a restore where there is no state, as on a new machine', async () => {
  const { file } = await aChangedState();
  const url = urlOf(join(temporaryFolder(), 'data', 'dealbell.sqlite'));
  expect(await restore(url, file, anOwner())).toEqual({ asidePath: null, isMerged: false });
  const store = await open(url);
  expect(idsOf(store)).toEqual(['s']);
  expect(store.deliveries.isPending('waiting')).toBe(true);
});

test.each([
  ['all of it', (bytes: Buffer) => bytes.fill(0x5a)],
  ['its middle', (bytes: Buffer) => bytes.fill(0x5a, 4096, bytes.length / 2)],
])('a state of which %s is damaged is moved aside for the backup', async (_, damage) => {
  const { url, file } = await aChangedState();
  const damaged = damage(readFileSync(fileOf(url)));
  writeFileSync(fileOf(url), damaged);
  const { asidePath, isMerged } = await restore(url, file, anOwner());
  expect(isMerged).toBe(false);
  expect(asidePath).toContain('.damaged-');
  expect(readFileSync(asidePath ?? '').length).toBe(damaged.length);
  expect(idsOf(await open(url))).toEqual(['s']);
});

test('a copy that was made by hand of a state in use can be restored with its log', async () => {
  const { url, store } = await aState();
  const copy = temporaryState();
  await store.subscriptions.save(aSubscription('in the log'));
  for (const ending of ['', '-wal']) copyFileSync(fileOf(url) + ending, fileOf(copy) + ending);
  const other = temporaryState();
  await restore(other, fileOf(copy), anOwner());
  expect(idsOf(await open(other)).toSorted()).toEqual(['in the log', 's']);
});

test('a state that was never used is not backed up, since such a backup could not be restored', async () => {
  const url = temporaryState();
  const backup = join(temporaryFolder(), 'backup.sqlite');
  writeFileSync(fileOf(url), '');
  await expect(backUp(url, backup)).rejects.toThrow(`There is no state to back up: ${fileOf(url)} is empty.`);
  expect(existsSync(backup)).toBe(false);
});

test('what is no backup, is damaged, or is newer, replaces nothing', async () => {
  const { url, file } = await aChangedState();
  const bad = join(temporaryFolder(), 'bad.sqlite');
  const sentences: [bytes: string | Buffer, sentence: string][] = [
    ['no database, though long enough to be taken for one'.repeat(100), 'is damaged, or no backup'],
    ['', 'is no backup of a Dealbell state'],
    [readFileSync(file).fill(0x5a, 4096, 3 * 4096), 'is damaged, or no backup'],
  ];
  for (const [bytes, sentence] of sentences) {
    writeFileSync(bad, bytes);
    await expect(restore(url, bad, anOwner())).rejects.toThrow(sentence);
  }
  const newer = temporaryState();
  copyFileSync(file, fileOf(newer));
  await runSql(newer, NEWER);
  await expect(restore(url, fileOf(newer), anOwner())).rejects.toThrow('written by Dealbell 9.8.7 or newer');
  await expect(restore(url, `${bad}.gone`, anOwner())).rejects.toThrow('does not exist');
  await expect(restore(url, fileOf(url), anOwner())).rejects.toThrow('is the state itself');
  expect(idsOf(await open(url)).toSorted()).toEqual(['s', 'younger']);
});

test('a state that somebody holds is not replaced', async () => {
  const { url, file } = await aChangedState();
  const holder = anOwner();
  const store = await open(url, holder);
  const clock = new ManualClock();
  const refused = restore(url, file, anOwner(clock));
  refused.catch(() => undefined);
  await betweenLooks(clock);
  const leases = async () => JSON.stringify(await runSql(url, "SELECT value FROM state WHERE key = 'lease'"));
  const before = await leases();
  await holder.clock.advance(HEARTBEAT_MS);
  await expect.poll(leases).not.toBe(before);
  await clock.advance(LOOK_MS);
  await expect(refused).rejects.toThrow(StateInUseError);
  expect(idsOf(store).toSorted()).toEqual(['s', 'younger']);
  await store.close();
  expect(idsOf(await open(url)).toSorted()).toEqual(['s', 'younger']);
});

test('a file that holds anything but a state of this form is neither restored nor replaced, and left as it is', async () => {
  const { url, file } = await aChangedState();
  const old = join(temporaryFolder(), 'old.sqlite');
  const other = new KeyvSqlite({ uri: urlOf(old), table: 'subscriptions' });
  await other.query("INSERT INTO subscriptions VALUES ('s', '{}')");
  await other.close();
  const bytes = readFileSync(old);
  const unknown = "holds something that this version of Dealbell can't read";
  await expect(restore(url, old, anOwner())).rejects.toThrow(`${old} ${unknown}`);
  expect(readFileSync(old).equals(bytes)).toBe(true);
  await expect(restore(urlOf(old), file, anOwner())).rejects.toThrow(`${old} ${unknown}`);
  const left = new KeyvSqlite({ uri: urlOf(old), table: 'subscriptions' });
  onTestFinished(() => left.disconnect());
  expect(await left.query("SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([{ name: 'subscriptions' }]);
  expect(await left.query('SELECT * FROM subscriptions')).toEqual([{ key: 's', value: '{}' }]);
  expect(idsOf(await open(url)).toSorted()).toEqual(['s', 'younger']);
});

test('a part of a state is kept aside, and nothing of it is taken over', async () => {
  const { url, file } = await aChangedState();
  await runSql(url, "DELETE FROM state WHERE key = 'about:state'");
  const { asidePath, isMerged } = await restore(url, file, anOwner());
  expect(isMerged).toBe(false);
  expect(await runSql(urlOf(asidePath ?? ''), "SELECT key FROM state WHERE key LIKE 'subscription:%'")).toHaveLength(2);
  const store = await open(url);
  expect(idsOf(store)).toEqual(['s']);
  expect(store.deliveries.isPending('waiting')).toBe(true);
});

test('of a state that a newer program has written nothing is taken over', async () => {
  const { url, file } = await aChangedState();
  await runSql(url, NEWER);
  const { asidePath, isMerged } = await restore(url, file, anOwner());
  expect(isMerged).toBe(false);
  const store = await open(url);
  expect(store.deliveries.isPending('waiting')).toBe(true);
  const aside = await runSql(urlOf(asidePath ?? ''), "SELECT value FROM state WHERE key = 'about:state'");
  expect(aside).toEqual([{ value: expect.stringContaining('9.8.7') as string }]);
});

test('a restore that is cut off leaves the state as it was', async () => {
  const { url, file } = await aChangedState();
  await runSql(
    url,
    "CREATE TRIGGER broken BEFORE INSERT ON state WHEN NEW.key LIKE 'subscription:%' BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  await expect(restore(url, file, anOwner())).rejects.toThrow(StoreError);
  await runSql(url, 'DROP TRIGGER broken');
  const store = await open(url);
  expect(idsOf(store).toSorted()).toEqual(['s', 'younger']);
  expect(store.deliveries.isPending('later')).toBe(true);
});

test('a process that is waiting for the lease gets the restored state', async () => {
  const { url, file } = await aChangedState();
  const { backend } = openedState(url);
  const subscriptions = async () => (await backend.under(['subscription:'])).map(({ key }) => key);
  expect(await subscriptions()).toEqual(['subscription:s', 'subscription:younger']);
  await restore(url, file, anOwner());
  expect(await subscriptions()).toEqual(['subscription:s']);
});

/** The numbers of the kettles that the posts of a channel tell of, each as often as it is told. */
const told = (office: PostOffice, channelId: string) =>
  office
    .posts(channelId)
    .flatMap((post) => [...new Set(textOf(post).match(/Kettle \d+/g))])
    .map((title) => Number(title.slice('Kettle '.length)))
    .toSorted((one, other) => one - other);

const offers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => anOffer(from + index));

test.each([
  ['replaces the state', true],
  ['is all that is left', false],
])(
  'a backup made while posts are made, and restored after more of them, makes none twice and loses none: it %s',
  async (_, isMerged) => {
    const office = await aPostOffice();
    const channelId = office.channelId('deals');
    const forum = office.discord.createChannel('offers', 'forum');
    const url = temporaryState();
    const file = join(temporaryFolder(), 'backup.sqlite');
    await (await aState(url, 'unused')).store.close();

    const run = await office.run(undefined, url);
    const subscription = await run.subscribe({ channelId, mostPerHour: 600 });
    const inForum = await run.subscribe({ id: 'f', channelId: forum.id, target: 'forum', mostPerHour: 600 });
    for (const one of [subscription, inForum]) await run.enqueue(one, offers(1, 20));
    run.deliverer.kick();
    await office.discord.waitFor(() => office.posts(channelId)[4]);
    await backUp(url, file);
    const atBackup = office.posts(channelId).length;
    expect(atBackup).toBeLessThan(20);
    await run.settle();
    for (const one of [subscription, inForum]) await run.enqueue(one, offers(21, 25));
    // Late: one post of several. Its list stands in the state alone.
    if (isMerged) await run.enqueue(subscription, offers(26, 30), true);
    await run.settle();
    await run.enqueue(subscription, offers(31, 32));
    await run.stop();
    // Longer than Discord remembers a nonce.
    await office.clock.advance(HOUR_MS);

    const restored = isMerged ? url : temporaryState();
    expect((await restore(restored, file, anOwner())).isMerged).toBe(isMerged);
    const again = await office.run(undefined, restored);
    const all = [...offers(1, 25), ...(isMerged ? offers(26, 30) : []), ...offers(31, 33)];
    // The catalog still has them all, and they are detected anew.
    for (const one of [subscription, inForum]) await again.enqueue(one, all);
    await again.settle();
    expect(told(office, channelId)).toEqual(all.map(({ title }) => Number(title.slice('Kettle '.length))));
    const response = await fetch(`${office.discord.api}/v10/guilds/${office.discord.guildId}/threads/active`, {
      headers: { authorization: `Bot ${office.discord.token}` },
    });
    const { threads } = (await response.json()) as { threads: { name: string; parent_id: string }[] };
    const titles = threads.filter(({ parent_id }) => parent_id === forum.id).map(({ name }) => name);
    expect(titles.toSorted()).toEqual(all.map(({ title }) => title).toSorted());
    expect(again.deliverer.status().pending).toBe(0);
  },
);
