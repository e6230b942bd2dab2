import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { Fault } from '../../../packages/local-discord/src/index.ts';
import { enqueue } from '../../../src/announcements/outbox/enqueue.ts';
import type { AppearanceLayer } from '../../../src/deals/appearance.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import type { Dressed } from '../../helpers/appearances.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { postsOf } from '../../helpers/records.ts';
import { sampled } from '../../helpers/sampled.ts';
import { anOffer, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

const THING = `offer:${uuid(1)}` as const;
const SOLD_OUT = { key: THING, item: anOffer(1, { isSoldOut: true }) };
const isSilent = (flags: number | undefined) => ((flags ?? 0) & MessageFlags.SuppressNotifications) !== 0;
const isRemoval = ({ method }: { method: string }) => method === 'DELETE';

/** One post for several subscriptions of a channel. */
async function postFor(run: Run, subscriptions: readonly Subscription[], number = 1): Promise<void> {
  const announcement = newOfferOf(anOffer(number));
  const matches = subscriptions.map((subscription) => ({ announcement, subscription, terms: [] }));
  const occasion = { nowMs: NOW_MS, isLate: false, clock: new ManualClock(), signal: new AbortController().signal };
  await run.store.transact((changes) => enqueue(run.store, changes, matches, occasion));
  await run.settle();
}

/** A post that is to be deleted when its deal is over, and its delivery's id. */
async function aPost(office: PostOffice, channel: string, appearance: AppearanceLayer = { whenOver: 'delete' }) {
  const run = await office.run();
  const channelId = office.channelId(channel);
  const target = channel === 'forum' ? 'forum' : 'channel';
  const subscription = await run.subscribe({ channelId, target, appearance });
  const [id = ''] = await run.enqueue(subscription, [anOffer(1)]);
  await run.settle();
  return { run, channelId, subscription, id };
}

test.each<[string, AppearanceLayer, AppearanceLayer[], boolean]>([
  ['nobody set anything', {}, [{}], false],
  ['the subscription is silent', {}, [{ isSilent: true }], true],
  ['the server is silent', { isSilent: true }, [{}], true],
  ['the server is silent and the subscription is not', { isSilent: true }, [{ isSilent: false }], false],
  ['both subscriptions are silent', {}, [{ isSilent: true }, { isSilent: true }], true],
  ['only the first is silent', {}, [{ isSilent: true }, {}], false],
  ['only the second is silent', {}, [{}, { isSilent: true }], false],
])('where %s, the post arrives as that says', async (_, server, own, silent) => {
  const office = await aPostOffice({ server });
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscriptions = await Promise.all(
    own.map((appearance, at) => run.subscribe({ id: `s${at}`, channelId, appearance })),
  );
  await postFor(run, subscriptions);
  expect(office.posts(channelId).map(({ flags }) => isSilent(flags))).toEqual([silent]);
});

test('a silent roll-up and a silent forum post arrive without a notification, and an edit leaves that as it is', async () => {
  const office = await aPostOffice();
  const run = await office.run();
  const appearance = { isSilent: true };
  const channelId = office.channelId('deals');
  const inChannel = await run.subscribe({ channelId, appearance });
  await run.enqueue(inChannel, [anOffer(1), anOffer(2)], true);
  const inForum = await run.subscribe({ id: 'f', channelId: office.channelId('forum'), target: 'forum', appearance });
  await run.enqueue(inForum, [anOffer(1)]);
  await run.settle();
  expect(office.posts(channelId).map(({ flags }) => isSilent(flags))).toEqual([true]);
  const [post] = await postsOf(run.store, THING);
  const thread = post?.messageChannelId ?? '';
  expect(office.posts(thread).map(({ flags }) => isSilent(flags))).toEqual([true]);
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(office.posts(thread).map((message) => [isSilent(message.flags), textOf(message)])).toEqual([
    [true, expect.stringContaining('Sold out')],
  ]);
});

test('quiet hours make no sound: a subscription in them does not make a silent post ring', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const silent = await run.subscribe({ id: 'a', channelId, appearance: { isSilent: true } });
  const quiet = { fromMinute: 0, toMinute: 23 * 60 };
  const asleep = await run.subscribe({ id: 'b', channelId, timing: { ...silent.timing, quiet } });
  await postFor(run, [asleep, silent]);
  expect(office.posts(channelId).map(({ flags }) => isSilent(flags))).toEqual([true]);
});

test.each([
  ['created first', { createdAtMs: NOW_MS - 1 }, { createdAtMs: NOW_MS }],
  ['created in the same moment with the lower id', { createdAtMs: NOW_MS }, { createdAtMs: NOW_MS }],
])('of several subscriptions, the one %s decides how the post looks, in whatever order they match', async (_, a, b) => {
  for (const reversed of [false, true]) {
    const office = await aPostOffice({ server: { line: 'From the server', accent: 1 } });
    const channelId = office.channelId('deals');
    const run = await office.run();
    const pair = [
      await run.subscribe({ id: 'a', channelId, appearance: { accent: 0x123456 }, ...a }),
      await run.subscribe({ id: 'b', channelId, appearance: { style: 'large', line: 'Not this one' }, ...b }),
    ];
    await postFor(run, reversed ? pair.toReversed() : pair);
    expect((await postsOf(run.store, THING)).map(({ look }) => look)).toEqual([
      {
        style: 'compact',
        accent: 0x123456,
        line: 'From the server',
        isSilent: false,
        hasChart: true,
        whenOver: 'strike',
      },
    ]);
  }
});

test('a post is deleted when its deal is over, and neither posted nor edited again', async () => {
  const office = await aPostOffice();
  const { run, channelId, subscription, id } = await aPost(office, 'deals');
  await run.store.transact((changes) =>
    run.deliverer.refresh(changes, [{ key: THING, item: anOffer(1, { salePrice: { minimum: 9, maximum: 9 } }) }]),
  );
  await run.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(office.posts(channelId)).toEqual([]);
  expect(await postsOf(run.store, THING)).toEqual([]);
  expect(await run.store.deliveries.ended(id)).toMatchObject({
    outcome: 'posted',
    messageId: null,
    deletedAtMs: office.clock.now(),
  });
  // Back in stock: that is another announcement, for those who ask for it.
  await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: THING, item: anOffer(1) }]));
  expect(await run.enqueue(subscription, [anOffer(1)])).toEqual([]);
  await run.settle();
  expect(office.posts(channelId)).toEqual([]);
  expect(run.deliverer.status()).toMatchObject({ pending: 0, editsPending: 0 });
});

test('the appearance is that of the moment of posting: a later change deletes no post that stands', async () => {
  const office = await aPostOffice();
  const { run, channelId, subscription } = await aPost(office, 'deals', {});
  const changed: Dressed & Subscription = { ...subscription, appearance: { whenOver: 'delete' } };
  await run.store.subscriptions.save(changed);
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(office.posts(channelId).map(textOf)).toEqual([expect.stringContaining('Sold out')]);
});

const writes = Array.from({ length: 8 }, (_, index) => index + 1);

const KILLS = writes.flatMap((dieAt) => [false, true].map((isBack) => ({ dieAt, isBack })));

test.each(sampled(KILLS, 4))(
  'killed before write $dieAt of a deletion (back in stock meanwhile: $isBack), the post is gone once and for all, or shows the truth',
  async ({ dieAt, isBack }) => {
    const office = await aPostOffice();
    const { run, channelId, subscription, id } = await aPost(office, 'deals');
    await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
    await run.stop();

    const killed = await office.run((backend) => mortal(backend, dieAt));
    killed.deliverer.kick();
    await Promise.race([killed.deliverer.settled(), office.clock.untilSleeping(isFirstRetry)]);
    await killed.stop();

    const after = await office.run();
    if (isBack)
      await after.store.transact((changes) => after.deliverer.refresh(changes, [{ key: THING, item: anOffer(1) }]));
    expect(await after.enqueue(subscription, [anOffer(1)])).toEqual([]);
    await after.settle();
    // Only before the first write had nothing been done yet, and a deal that is back needs no deletion.
    const stands = isBack && dieAt === 1;
    const posts = office.posts(channelId);
    expect(posts.map((post) => textOf(post).includes('Sold out'))).toEqual(stands ? [false] : []);
    expect(await postsOf(after.store, THING)).toHaveLength(posts.length);
    const messageId = posts[0]?.id ?? null;
    expect(await after.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId });
    expect(after.deliverer.status()).toMatchObject({ pending: 0, editsPending: 0 });
  },
);

test.each<Fault>([
  { kind: 'error', status: 500, accepted: false },
  { kind: 'error', status: 502, accepted: true },
  { kind: 'drop', accepted: false },
  { kind: 'drop', accepted: true },
  { kind: 'rate-limit', retryAfterMs: 4 * 60_000, scope: 'shared' },
])('a removal that meets $kind (accepted: $accepted) is repeated until the post is gone', async (fault) => {
  const office = await aPostOffice();
  const { run, channelId, id } = await aPost(office, 'deals');
  // discord.js itself tries four times.
  office.discord.faults.failNext(isRemoval, fault, 5);
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(office.posts(channelId)).toEqual([]);
  expect(await run.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: null });
  expect(run.deliverer.status().editsPending).toBe(0);
});

test('a post that somebody has deleted already is recorded as deleted', async () => {
  const office = await aPostOffice();
  const { run, id } = await aPost(office, 'deals');
  const [post] = await postsOf(run.store, THING);
  office.discord.deleteMessage(post?.messageId ?? '');
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(await postsOf(run.store, THING)).toEqual([]);
  expect(await run.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: null });
});

function asBot({ discord }: PostOffice, route: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
  return fetch(`${discord.api}/v10${route}`, { ...init, headers });
}

const threadStatus = async (office: PostOffice, threadId: string) =>
  (await asBot(office, `/channels/${threadId}`)).status;

/** A forum in which the bot may delete posts. */
async function aForumPost(office: PostOffice) {
  const forumId = office.channelId('forum');
  office.discord.setPermissions(forumId, { allow: ['manageThreads'] });
  const { run, id } = await aPost(office, 'forum');
  const [post] = await postsOf(run.store, THING);
  return { run, id, threadId: post?.messageChannelId ?? '', forumId };
}

test('in a forum, the post goes with its thread', async () => {
  const office = await aPostOffice();
  const { run, id, threadId } = await aForumPost(office);
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(await threadStatus(office, threadId)).toBe(404);
  expect(await run.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: null });
});

test('a forum post that people have replied to stays, struck through', async () => {
  const office = await aPostOffice();
  const { run, id, threadId } = await aForumPost(office);
  await asBot(office, `/channels/${threadId}/messages`, {
    method: 'POST',
    body: JSON.stringify({ content: 'Got it!' }),
  });
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(office.posts(threadId).map(textOf)).toEqual([expect.stringContaining('Sold out'), '']);
  expect(await run.store.deliveries.ended(id)).toMatchObject({ messageId: threadId });
});

test('where the bot may not delete forum posts, the post is struck through, and nothing waits', async () => {
  const office = await aPostOffice();
  const { run, threadId, forumId } = await aForumPost(office);
  office.discord.setPermissions(forumId, {});
  await run.store.transact((changes) => run.deliverer.refresh(changes, [SOLD_OUT]));
  await run.settle();
  expect(office.posts(threadId).map(textOf)).toEqual([expect.stringContaining('Sold out')]);
  expect(run.deliverer.status()).toMatchObject({ editsPending: 0, blockedChannels: 0 });
});

test('a deal is over at its end, not a millisecond before', async () => {
  const office = await aPostOffice();
  const { run, channelId } = await aPost(office, 'deals');
  const past = anOffer(1, { endDateMs: office.clock.now() + HOUR_MS });
  await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: THING, item: past }]));
  await run.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  await office.clock.advance(HOUR_MS - 1);
  await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: THING, item: past }]));
  await run.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  await office.clock.advance(1);
  await run.store.transact((changes) => run.deliverer.refresh(changes, [{ key: THING, item: past }]));
  await run.settle();
  expect(office.posts(channelId)).toEqual([]);
});
