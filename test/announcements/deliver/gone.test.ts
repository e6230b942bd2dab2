import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { blockedMs, isFirstRetry, retryMs } from '../../helpers/back-offs.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

/** The waits until the next try; the gateway's event of the changed permissions may have caused a second one already. */
const BLOCKED_MS: readonly number[] = [blockedMs(), blockedMs(2)];

/** Resolves when a subscription is as expected, which the gateway brings about. */
async function until(office: PostOffice, run: Run, expected: Partial<Subscription>, id = 's'): Promise<void> {
  for (;;) {
    const subscription = run.store.subscriptions.get(id);
    if (subscription && Object.entries(expected).every(([key, value]) => Reflect.get(subscription, key) === value))
      return;
    // A question to Discord gives the gateway the time of a way there and back.
    await fetch(`${office.discord.api}/v10/gateway`);
  }
}

test('removed from a server, the bot ends what waits there and pauses; invited again it goes on with what is new', async () => {
  const office = await aPostOffice();
  const { discord, clock } = office;
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  await run.subscribe({ id: 'mine', channelId, pausedBy: 'person' });
  discord.setPermissions(channelId, { deny: ['sendMessages'] });
  const [waiting = ''] = await run.enqueue(subscription, [anOffer(1)]);
  run.deliverer.kick();
  await clock.untilSleeping((ms) => BLOCKED_MS.includes(ms));

  discord.setMembership('removed');
  await until(office, run, { pausedBy: 'gone' });
  await run.deliverer.settled();
  expect(await run.store.deliveries.ended(waiting)).toMatchObject({ outcome: 'gone' });
  expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: 'gone', problem: 'server-gone' });
  expect(run.deliverer.status()).toMatchObject({ pending: 0, blockedChannels: 0 });

  discord.setPermissions(channelId, {});
  discord.setMembership('member');
  await until(office, run, { pausedBy: null, problem: null });
  await run.deliverer.settled();
  await until(office, run, { pausedBy: 'person', problem: null }, 'mine');
  expect(office.posts(channelId)).toEqual([]);
  await run.enqueue(subscription, [anOffer(2)]);
  await run.settle();
  expect(office.posts(channelId).map(textOf)).toEqual([expect.stringContaining('Kettle 2')]);
});

test('what is new since the bot was invited again comes, though what waited before could not be ended yet', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  await run.store.postingPause.begin(office.clock.now());
  office.discord.setMembership('removed');
  await until(office, run, { pausedBy: 'gone' });
  office.discord.setMembership('member');
  await until(office, run, { pausedBy: null });
  await run.enqueue(subscription, [anOffer(1)]);
  await run.store.postingPause.end();
  await run.settle();
  expect(office.posts(channelId).map(textOf)).toEqual([expect.stringContaining('Kettle 1')]);
});

test('an outage of Discord’s pauses nothing, and what waited comes after it', async () => {
  const office = await aPostOffice();
  const { discord, clock } = office;
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  discord.setMembership('unavailable');
  await run.enqueue(subscription, [anOffer(1)]);
  run.deliverer.kick();
  await clock.untilSleeping((ms) => BLOCKED_MS.includes(ms));
  expect(run.store.subscriptions.get('s')?.pausedBy).toBeNull();
  discord.setMembership('member');
  await discord.waitFor(() => office.posts(channelId).length > 0);
  await run.deliverer.settled();
  expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: null, problem: null });
});

test('a channel that is deleted takes along what waits for it and its threads', async () => {
  const office = await aPostOffice();
  const { discord, clock } = office;
  const { id: channelId } = discord.createChannel('kettles');
  const response = await fetch(`${discord.api}/v10/channels/${channelId}/threads`, {
    method: 'POST',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'steel', type: 11, auto_archive_duration: 1_440 }),
  });
  const { id: threadId } = (await response.json()) as { id: string };
  const run = await office.run();
  const ids = [
    ...(await run.enqueue(await run.subscribe({ channelId }), [anOffer(1)])),
    ...(await run.enqueue(await run.subscribe({ id: 't', channelId: threadId, target: 'thread' }), [anOffer(1)])),
  ];
  discord.setPermissions(channelId, { deny: ['sendMessages', 'sendMessagesInThreads'] });
  run.deliverer.kick();
  await clock.untilSleeping((ms) => BLOCKED_MS.includes(ms));
  discord.deleteChannel(channelId);
  await until(office, run, { pausedBy: 'gone' });
  await until(office, run, { pausedBy: 'gone' }, 't');
  await run.deliverer.settled();
  for (const id of ids) expect(await run.store.deliveries.ended(id)).toMatchObject({ outcome: 'gone' });
  expect(run.store.subscriptions.get('t')?.problem).toBe('channel-gone');
});

test('a server that was left while the bot did not run is noticed at the start, and so is one that it is back in', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const before = await office.run();
  const elsewhere = await before.subscribe({ id: 'elsewhere', guildId: '1200000000000000009', channelId: '12' });
  await before.subscribe({ channelId, pausedBy: 'gone', problem: 'server-gone' });
  const [waiting = ''] = await before.enqueue(elsewhere, [anOffer(1)]);
  await before.stop();
  const run = await office.run();
  await until(office, run, { pausedBy: 'gone' }, 'elsewhere');
  await until(office, run, { pausedBy: null, problem: null });
  await run.settle();
  expect(run.store.subscriptions.get('elsewhere')?.problem).toBe('server-gone');
  expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: null, problem: null });
  expect(await run.store.deliveries.ended(waiting)).toMatchObject({ outcome: 'gone' });
});

/** A request that writes to or reads a channel's messages, not one for the channel itself. */
const isAbout = (channelId: string, of: string) => {
  return ({ method, path }: { method: string; path: string }) =>
    method === of && path.startsWith(`/channels/${channelId}/messages`);
};

test.each(['POST', 'GET'])(
  'one answer to a %s that denies a channel which exists ends and pauses nothing',
  async (of) => {
    const office = await aPostOffice();
    const channelId = office.channelId('deals');
    const run = await office.run();
    const subscription = await run.subscribe({ channelId });
    office.discord.faults.failNext(isAbout(channelId, of), { kind: 'refused', error: 'unknownChannel' });
    await run.enqueue(subscription, [anOffer(1), anOffer(2)]);
    await run.settle();
    expect(office.posts(channelId)).toHaveLength(2);
    expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: null, problem: null });
  },
);

test('as long as the channel itself is found, nothing ends, however often its messages are denied', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  office.discord.faults.failNext(isAbout(channelId, 'POST'), { kind: 'refused', error: 'unknownChannel' }, 6);
  await run.enqueue(subscription, [anOffer(1)]);
  await run.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  expect(run.store.subscriptions.get('s')?.pausedBy).toBeNull();
});

test('a channel that is denied twice is gone, though the gateway has not told so', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  const isThere = ({ path }: { path: string }) => path.startsWith(`/channels/${channelId}`);
  office.discord.faults.failNext(isThere, { kind: 'refused', error: 'unknownChannel' }, 2);
  const [waiting = ''] = await run.enqueue(subscription, [anOffer(1)]);
  run.deliverer.kick();
  await office.clock.untilSleeping(isFirstRetry);
  expect(run.store.deliveries.isPending(waiting)).toBe(true);
  await office.clock.advance(retryMs());
  await run.deliverer.settled();
  expect(await run.store.deliveries.ended(waiting)).toMatchObject({ outcome: 'gone' });
  expect(run.store.subscriptions.get('s')).toMatchObject({ pausedBy: 'gone', problem: 'channel-gone' });
});

test.each(['unknownMessage', 'unknownChannel'] as const)(
  'one answer of %s to an edit or a publication of a message that stands makes the bot forget nothing',
  async (error) => {
    const office = await aPostOffice();
    const channelId = office.channelId('announcements');
    const run = await office.run();
    const isOf = (ending: string, of: string) => {
      return ({ method, path }: { method: string; path: string }) => method === of && path.endsWith(ending);
    };
    office.discord.faults.failNext(isOf('/crosspost', 'POST'), { kind: 'refused', error });
    await run.enqueue(await run.subscribe({ channelId, isPublished: true }), [anOffer(1)]);
    await run.settle();
    const [post] = office.posts(channelId);
    expect((post?.flags ?? 0) & MessageFlags.Crossposted).toBe(MessageFlags.Crossposted);
    office.discord.faults.failNext(isOf(`/messages/${post?.id}`, 'PATCH'), { kind: 'refused', error });
    for (const isSoldOut of [true, false]) {
      const item = anOffer(1, { isSoldOut });
      await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: `offer:${uuid(1)}`, item }]));
      await run.settle();
      expect(office.posts(channelId).map((one) => textOf(one).includes('Sold out'))).toEqual([isSoldOut]);
    }
  },
);

test('one answer that denies a message does not keep a post whose deal is over from being deleted', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  await run.enqueue(await run.subscribe({ channelId, appearance: { whenOver: 'delete' } }), [anOffer(1)]);
  await run.settle();
  const isDeletion = ({ method }: { method: string }) => method === 'DELETE';
  office.discord.faults.failNext(isDeletion, { kind: 'refused', error: 'unknownMessage' });
  const item = anOffer(1, { isSoldOut: true });
  await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: `offer:${uuid(1)}`, item }]));
  await run.settle();
  expect(office.posts(channelId)).toEqual([]);
});

test('what a forum took without the bot knowing is found though Discord denies its message once', async () => {
  const office = await aPostOffice();
  const forum = office.discord.createChannel('offers', 'forum');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId: forum.id, target: 'forum' });
  const [id = ''] = await run.enqueue(subscription, [anOffer(1)]);
  const isNewPost = ({ method, path }: { method: string; path: string }) =>
    method === 'POST' && path.endsWith('/threads');
  office.discord.faults.failNext(isNewPost, { kind: 'drop', accepted: true });
  const isFirstMessage = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && /\/messages\/\d+$/.test(path);
  office.discord.faults.failNext(isFirstMessage, { kind: 'refused', error: 'unknownMessage' });
  const made = new Set<string>();
  office.discord.onUpdate((update) => {
    if (update.type === 'message') made.add(update.message.id);
  });
  await run.settle();
  expect(await run.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted' });
  expect(made.size).toBe(1);
});

test('a channel that was not to be found goes on when the gateway tells of it', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  await run.subscribe({ channelId, pausedBy: 'gone', problem: 'channel-gone' });
  await run.subscribe({ id: 'lost', channelId: '13', pausedBy: 'gone', problem: 'channel-gone' });
  office.discord.setPermissions(channelId, { deny: ['attachFiles'] });
  await until(office, run, { pausedBy: null, problem: null });
  expect(run.store.subscriptions.get('lost')?.pausedBy).toBe('gone');
});
