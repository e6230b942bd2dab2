import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { RETRY } from '../../../src/announcements/deliver/channel.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstBlocked, isFirstRetry } from '../../helpers/back-offs.ts';
import { textOf } from '../../helpers/discord-form.ts';
import type { Backend } from '../../helpers/opened-state.ts';
import { aPostOffice, type PostOffice } from '../../helpers/post-office.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

const many = (count: number, from = 1) => Array.from({ length: count }, (_, index) => anOffer(from + index));

/** Sends a request to Discord as the bot. */
async function ask<T>({ discord }: PostOffice, path: string, body?: object): Promise<T> {
  const response = await fetch(`${discord.api}/v10${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

async function aThread(office: PostOffice): Promise<string> {
  const thread = { name: 'kettles', type: 11, auto_archive_duration: 1_440 };
  return (await ask<{ id: string }>(office, `/channels/${office.channelId('deals')}/threads`, thread)).id;
}

async function forumPosts(office: PostOffice, forumId: string): Promise<string[]> {
  const { threads } = await ask<{ threads: { id: string; name: string; parent_id: string }[] }>(
    office,
    `/guilds/${office.discord.guildId}/threads/active`,
  );
  const archived = await ask<{ threads: { id: string; name: string; parent_id: string }[] }>(
    office,
    `/channels/${forumId}/threads/archived/public`,
  );
  return [...threads, ...archived.threads].filter(({ parent_id }) => parent_id === forumId).map(({ name }) => name);
}

test('a thread that was archived is posted in, and its posts are edited', async () => {
  const office = await aPostOffice();
  const threadId = await aThread(office);
  const run = await office.run();
  const subscription = await run.subscribe({ channelId: threadId, target: 'thread' });
  office.discord.setThread(threadId, { archived: true });
  await run.enqueue(subscription, [anOffer(1)]);
  await run.settle();
  expect(office.posts(threadId)).toHaveLength(1);
  office.discord.setThread(threadId, { archived: true });
  await run.store.transact((changes) =>
    run.deliverer.refresh(changes, [{ key: `offer:${uuid(1)}`, item: anOffer(1, { isSoldOut: true }) }]),
  );
  await run.settle();
  expect(office.posts(threadId).map(textOf)).toEqual([expect.stringContaining('Sold out')]);
});

test.each([
  ['locked', { locked: true }],
  ['locked and archived', { locked: true, archived: true }],
] as const)(
  'a thread that is %s holds back what is posted there, says so, and gets it when it is open again',
  async (_, state) => {
    const office = await aPostOffice();
    const threadId = await aThread(office);
    const run = await office.run();
    const subscription = await run.subscribe({ channelId: threadId, target: 'thread' });
    office.discord.setThread(threadId, state);
    await run.enqueue(subscription, [anOffer(1)]);
    run.deliverer.kick();
    await office.clock.untilSleeping(isFirstBlocked);
    expect(office.posts(threadId)).toEqual([]);
    expect(run.store.subscriptions.get('s')?.problem).toBe('thread-locked');
    office.discord.setThread(threadId, { locked: false, archived: false });
    await office.discord.waitFor(() => office.posts(threadId).length > 0);
    await run.deliverer.settled();
    expect(office.posts(threadId)).toHaveLength(1);
    expect(run.store.subscriptions.get('s')?.problem).toBeNull();
  },
);

test.each([false, true])(
  'what a forum took without the bot knowing is found after a restart, archived (%s) or not',
  async (isArchived) => {
    const office = await aPostOffice();
    const forum = office.discord.createChannel('offers', 'forum');
    const run = await office.run();
    const subscription = await run.subscribe({ channelId: forum.id, target: 'forum' });
    const [first = ''] = await run.enqueue(subscription, [anOffer(1)]);
    office.discord.faults.failNext(({ method, path }) => method === 'POST' && path.endsWith('/threads'), {
      kind: 'drop',
      accepted: true,
    });
    run.deliverer.kick();
    await office.clock.untilSleeping(isFirstRetry);
    await run.enqueue(subscription, [anOffer(2)]);
    await run.stop();
    expect(await run.store.deliveries.ended(first)).toBeUndefined();
    const { threads } = await ask<{ threads: { id: string; parent_id: string }[] }>(
      office,
      `/guilds/${office.discord.guildId}/threads/active`,
    );
    const [post] = threads.filter(({ parent_id }) => parent_id === forum.id);
    if (isArchived) office.discord.setThread(post?.id ?? '', { archived: true });

    await office.clock.advance(HOUR_MS / 4);
    const again = await office.run();
    await again.settle();
    expect((await forumPosts(office, forum.id)).toSorted()).toEqual(['Kettle 1', 'Kettle 2']);
    expect(await again.store.deliveries.ended(first)).toMatchObject({ outcome: 'posted', messageId: post?.id });
  },
);

test('a limit of minutes is waited for outside of the queues: the channel rests, the others go on, and it is posted once', async () => {
  const office = await aPostOffice();
  const [here, there] = [office.channelId('deals'), office.channelId('announcements')];
  const run = await office.run();
  const [one, other] = [
    await run.subscribe({ channelId: here }),
    await run.subscribe({ id: 'other', channelId: there }),
  ];
  office.discord.faults.failNext(({ path }) => path.startsWith(`/channels/${here}/messages`), {
    kind: 'rate-limit',
    retryAfterMs: 10 * 60_000,
    scope: 'shared',
  });
  await run.enqueue(one, [anOffer(1)]);
  run.deliverer.kick();
  await office.clock.untilSleeping((ms) => ms >= 10 * 60_000 && ms < 11 * 60_000);
  await run.enqueue(other, [anOffer(1)]);
  run.deliverer.kick();
  await office.discord.waitFor(() => office.posts(there).length > 0);
  expect(office.posts(here)).toEqual([]);
  expect(run.store.subscriptions.get('s')?.problem).toBeNull();
  await office.clock.advance(11 * 60_000);
  await run.deliverer.settled();
  expect([office.posts(here).length, office.posts(there).length]).toEqual([1, 1]);
});

test('what is published is edited three times an hour, the last state first, though the bot is restarted', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('announcements');
  let run = await office.run();
  await run.enqueue(await run.subscribe({ channelId, isPublished: true }), [anOffer(1)]);
  await run.settle();
  expect((office.posts(channelId)[0]?.flags ?? 0) & MessageFlags.Crossposted).toBe(MessageFlags.Crossposted);
  let edits = 0;
  office.discord.onUpdate((update) => {
    if (update.type === 'message' && update.message.channel_id === channelId) edits += 1;
  });
  for (const [index, dollars] of [19, 18, 17, 16, 15].entries()) {
    const item = anOffer(1, { salePrice: { minimum: dollars, maximum: dollars } });
    await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: `offer:${uuid(1)}`, item }]));
    run.deliverer.kick();
    await run.deliverer.settled();
    await office.clock.advance(60_000);
    if (index !== 2) continue;
    await run.stop();
    run = await office.run();
  }
  expect(edits).toBe(3);
  expect(run.deliverer.status().editsPending).toBe(1);
  await office.clock.advance(HOUR_MS);
  await run.deliverer.settled();
  expect(edits).toBe(4);
  expect(textOf(office.posts(channelId)[0] ?? {})).toContain('$15.00');
});

test('of several subscriptions in a channel the one that wants the fewest says how many, for as long as it has something due', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const [few, lots] = [
    await run.subscribe({ id: 'few', channelId, mostPerHour: 2 }),
    await run.subscribe({ id: 'lots', channelId, mostPerHour: 30 }),
  ];
  await run.enqueue(lots, many(4));
  await run.settle();
  expect(office.posts(channelId)).toHaveLength(4);
  await run.enqueue(few, many(3, 5));
  run.deliverer.kick();
  await run.deliverer.settled();
  expect(office.posts(channelId)).toHaveLength(4);
  await office.clock.advance(HOUR_MS + 1);
  await run.deliverer.settled();
  expect(office.posts(channelId).slice(4).map(textOf)).toEqual([expect.stringContaining('3 deals')]);
});

test('what could not be posted in time is not posted in quiet hours either, but when they are over', async () => {
  const office = await aPostOffice();
  const { clock, discord } = office;
  const channelId = office.channelId('deals');
  const run = await office.run();
  // It is noon.
  const quiet = { fromMinute: 13 * 60, toMinute: 15 * 60 };
  const timing = { mode: 'at-once', dailyAtMinute: 0, timeZone: 'UTC', quiet } as const;
  const subscription = await run.subscribe({ channelId, timing, mostPerHour: 2 });
  await clock.advance(HOUR_MS / 2);
  await run.enqueue(subscription, many(2));
  await run.settle();
  await run.enqueue(subscription, [anOffer(3)]);
  discord.setPermissions(channelId, { deny: ['sendMessages'] });
  run.deliverer.kick();
  await run.deliverer.settled();
  // The hour of the first two is over, and the bot may post again: in the middle of the quiet hours.
  await clock.advance(1.5 * HOUR_MS);
  discord.setPermissions(channelId, {});
  await run.enqueue(await run.subscribe({ id: 'loud', channelId }), [anOffer(4)]);
  run.deliverer.kick();
  await run.deliverer.settled();
  expect(office.posts(channelId).map(textOf).join()).toContain('Kettle 4');
  expect(office.posts(channelId).map(textOf).join()).not.toContain('Kettle 3');
  await clock.advance(2 * HOUR_MS);
  await run.deliverer.settled();
  expect(office.posts(channelId).map(textOf).join()).toContain('Kettle 3');
});

/** A backend whose writes fail for as long as `isFull` says. */
function fillable(backend: Backend, isFull: () => boolean): Backend {
  return {
    ...backend,
    write: (rows) => (isFull() ? Promise.reject(new StoreError('The disk is full.')) : backend.write(rows)),
  };
}

test('a disk that is full for a while loses nothing and posts nothing twice, in the same run', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  let isFull = false;
  const run = await office.run((backend) => fillable(backend, () => isFull));
  const subscription = await run.subscribe({ channelId });
  const ids = await run.enqueue(subscription, many(3));
  // Full from the moment at which Discord has the first one, which is longer than it remembers a nonce.
  const end = office.discord.onUpdate(({ type }) => {
    if (type === 'message') isFull = true;
  });
  run.deliverer.kick();
  for (let minutes = 0; minutes < 60; minutes += 5) {
    await office.clock.untilSleeping((ms) => ms >= RETRY.firstMs && ms <= RETRY.longestMs);
    await office.clock.advance(RETRY.longestMs);
  }
  expect(office.posts(channelId)).toHaveLength(1);
  await expect(run.enqueue(subscription, [anOffer(4)])).rejects.toThrow(StoreError);
  end();
  isFull = false;
  await run.enqueue(subscription, [anOffer(4)]);
  await run.settle();
  const told = office.posts(channelId).map(textOf).join('\n');
  for (const number of [1, 2, 3, 4]) expect(told.split(`[Kettle ${number}]`)).toHaveLength(2);
  for (const id of ids) expect(await run.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted' });
});

test('a role or a channel of another server in a record reaches nobody there', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const mine = await run.subscribe({ channelId, mentioned: ['1200000000000000001'] });
  const theirs = await run.subscribe({ id: 'theirs', guildId: '1200000000000000002', channelId });
  await run.enqueue(mine, [anOffer(1)]);
  await run.settle();
  const [post] = office.posts(channelId);
  expect([post?.mention_roles, textOf(post ?? {}).includes('1200000000000000001')]).toEqual([[], false]);
  await run.store.subscriptions.remove('s');
  await run.enqueue(theirs, [anOffer(2)]);
  await run.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  expect(run.store.subscriptions.get('theirs')).toMatchObject({ pausedBy: 'gone', problem: 'channel-gone' });
});
