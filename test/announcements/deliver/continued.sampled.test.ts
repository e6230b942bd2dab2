import { ChannelType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { DelivererParts } from '../../../src/announcements/deliver/parts.ts';
import type { Announcement, EntityKey } from '../../../src/deals/announcement.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { aPostOffice } from '../../helpers/post-office.ts';
import { postsOf } from '../../helpers/records.ts';
import { sampled } from '../../helpers/sampled.ts';
import { anOffer, NOW_MS, uuid } from '../../helpers/things.ts';

/** FORMER is sold first, and NEXT continues it. */
const [FORMER, NEXT] = [anOffer(1), anOffer(2, { title: 'Kettle 1' })];
const FORMER_KEY: EntityKey = `offer:${FORMER.id}`;
const NEXT_KEY: EntityKey = `offer:${NEXT.id}`;
const BEFORE = { offerId: FORMER.id, salePrice: FORMER.salePrice, endedAtMs: NOW_MS };
const RELISTED: Announcement = { kind: 'relisted', subject: NEXT.id, occurrence: '', item: NEXT, before: BEFORE };

/** Longer than an announcement takes to be begun. */
const LATE_MS = 1_234;

/** The subscriptions whose id begins with `c` have posts continued. */
const continues: NonNullable<DelivererParts['continues']> = (announcement, { id }) =>
  id.startsWith('c') && announcement.kind === 'relisted' ? `offer:${announcement.before.offerId}` : null;

/** A channel in which the former offer stands. */
async function aStanding({ channel = 'deals', isPublished = false } = {}) {
  const office = await aPostOffice({ continues });
  const channelId = office.channelId(channel);
  const first = await office.run();
  const subscription = await first.subscribe({ id: 'c', channelId, isPublished });
  const [formerId = ''] = await first.enqueue(subscription, [FORMER]);
  await first.settle();
  const posts = () => office.posts(channelId);
  const [{ id: messageId } = { id: '' }] = posts();
  return { office, channelId, first, subscription, formerId, posts, messageId };
}

test('the post of what an announcement continues is edited, stays true from then on, and stands for both', async () => {
  const { first, subscription, formerId, posts, messageId } = await aStanding();
  const { store, deliverer } = first;
  const text = () => posts().map(textOf).join();
  const [id = ''] = await first.announce([subscription], [RELISTED]);
  await first.settle();

  expect(posts().map((post) => [post.id, customIdsOf(post)[0]])).toEqual([[messageId, `offer:${NEXT.id}:${id}`]]);
  expect(text()).toContain('Back again');
  expect(deliverer.status()).toMatchObject({ pending: 0, editsPending: 0 });
  for (const one of [formerId, id])
    expect(await store.deliveries.ended(one)).toMatchObject({ outcome: 'posted', messageId });
  expect([await postsOf(store, FORMER_KEY), await postsOf(store, NEXT_KEY)]).toMatchObject([
    [],
    [{ messageId, alsoTells: [formerId] }],
  ]);

  // The post follows this listing alone.
  const soldOut = { isSoldOut: true };
  await store.transact((changes) => deliverer.refresh(changes, [{ key: FORMER_KEY, item: { ...FORMER, ...soldOut } }]));
  await first.settle();
  expect(text()).not.toContain('Sold out');
  await store.transact((changes) => deliverer.refresh(changes, [{ key: NEXT_KEY, item: { ...NEXT, ...soldOut } }]));
  await first.settle();
  expect(text()).toContain('Sold out');
});

test('an edit that is on its way when its message is given to another announcement leaves no second record of it', async () => {
  const { office, first, subscription, posts, messageId } = await aStanding();
  const { store, deliverer } = first;
  let edits = 0;
  office.discord.faults.use(({ method }) => {
    if (method !== 'PATCH') return undefined;
    edits += 1;
    return edits === 1 ? { kind: 'latency', ms: LATE_MS } : undefined;
  });
  await store.transact((changes) =>
    deliverer.refresh(changes, [{ key: FORMER_KEY, item: { ...FORMER, isSoldOut: true } }]),
  );
  deliverer.kick();
  await office.clock.untilSleeping((ms) => ms === LATE_MS);
  await first.announce([subscription], [RELISTED]);
  deliverer.kick();
  await expect.poll(() => postsOf(store, NEXT_KEY)).toHaveLength(1);
  await office.clock.advance(LATE_MS);
  await first.settle();
  expect(await postsOf(store, FORMER_KEY)).toEqual([]);
  expect(posts().map((post) => [post.id, customIdsOf(post)[0]?.split(':')[1]])).toEqual([[messageId, NEXT.id]]);
});

test('a post in a forum stays as it is: its thread may be locked', async () => {
  const { office, first, subscription } = await aStanding({ channel: 'forum' });
  const threads = () => office.discord.channels().filter(({ type }) => type === ChannelType.PublicThread).length;
  const before = threads();
  await first.announce([subscription], [RELISTED]);
  await first.settle();
  expect(threads()).toBe(before + 1);
});

/** More writes than it takes. */
const MOST_WRITES = 10;

test.each(
  sampled(
    Array.from({ length: MOST_WRITES }, (_, index) => index + 1),
    4,
  ),
)('killed before write %i, the post shows it in the end, and there is no other', async (dieAt) => {
  const { office, first, subscription, posts, messageId } = await aStanding();
  const [id = ''] = await first.announce([subscription], [RELISTED]);
  await first.stop();

  const killed = await office.run((backend) => mortal(backend, dieAt));
  killed.deliverer.kick();
  await Promise.race([killed.deliverer.settled(), office.clock.untilSleeping(isFirstRetry)]);
  await killed.stop();

  await office.clock.advance(HOUR_MS);
  const after = await office.run();
  await after.settle();
  expect(posts().map((post) => [post.id, customIdsOf(post)[0]])).toEqual([[messageId, `offer:${NEXT.id}:${id}`]]);
  expect(await after.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId });
  expect(after.deliverer.status()).toMatchObject({ pending: 0, editsPending: 0 });
});

test('where somebody has deleted the message, it is posted', async () => {
  const { office, first, subscription, posts, messageId } = await aStanding();
  office.discord.deleteMessage(messageId);
  const [id = ''] = await first.announce([subscription], [RELISTED]);
  await first.settle();
  expect(posts().map((post) => customIdsOf(post)[0])).toEqual([`offer:${NEXT.id}:${id}`]);
  expect(await first.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: posts()[0]?.id });
});

test('it is posted where one subscription of the channel wants it so, and where the post is published', async () => {
  const { channelId, first, subscription, posts } = await aStanding();
  const other = await first.subscribe({ id: 'n', channelId });
  await first.announce([subscription, other], [RELISTED]);
  await first.settle();
  expect(posts()).toHaveLength(2);

  const published = await aStanding({ channel: 'announcements', isPublished: true });
  await published.first.announce([published.subscription], [RELISTED]);
  await published.first.settle();
  expect(published.posts()).toHaveLength(2);
});

test('of several posts about it the newest shows it; the others stay as they are', async () => {
  const { office, first, subscription, posts } = await aStanding();
  await office.clock.advance(HOUR_MS);
  const restocked: Announcement = { kind: 'restocked', subject: FORMER.id, occurrence: '1', item: FORMER };
  await first.announce([subscription], [restocked]);
  await first.settle();
  await first.announce([subscription], [RELISTED]);
  await first.settle();
  expect(posts().map((post) => customIdsOf(post)[0]?.split(':')[1])).toEqual([uuid(1), uuid(2)]);
});
