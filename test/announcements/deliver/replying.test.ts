import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { deliveryId } from '../../../src/announcements/kinds/index.ts';
import { enqueue } from '../../../src/announcements/outbox/enqueue.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import type { ChangeOutcome } from '../../../src/discord/courier.ts';
import { retryMs } from '../../helpers/back-offs.ts';
import { MENTIONED } from '../../helpers/mentioned.ts';
import { aKnownOffer, anOffer, aSubscription, newOfferOf } from '../../helpers/things.ts';
import { anUpkeep, keyOf, priced } from '../../helpers/upkeep.ts';

const UNKNOWN: ChangeOutcome = { kind: 'unknown', reason: 'The connection was reset.' };
const MISSING: ChangeOutcome = { kind: 'missing', reason: 'unknown-message' };

/** A post that mentions role 7, whose offer other subscriptions want, too. */
async function aPost() {
  const upkeep = await anUpkeep();
  const { store, post, kick, clock } = upkeep;
  const made = await post(1, { alsoTells: [deliveryId('10', newOfferOf(anOffer(1)))] });
  if (!made) throw new Error('Nothing was posted.');
  await store.commit((changes) => store.posts.save(changes, { ...made, mentionRoleIds: ['7'] }));
  /** A subscription with these roles wants the offer. */
  async function enqueued(id: string, mentioned: string[], changes: Partial<Subscription> = {}): Promise<void> {
    const subscription = aSubscription(id, { mentioned, ...changes });
    await store.subscriptions.save(subscription);
    const announcement = newOfferOf(anOffer(1));
    const occasion = { nowMs: clock.now(), isLate: false, clock, signal: new AbortController().signal };
    const { deliveries, subscriptions } = store;
    const matches = [{ announcement, subscription, terms: [] }];
    await store.transact((changes) =>
      enqueue({ deliveries, subscriptions, replied: store, mentions: MENTIONED }, changes, matches, occasion),
    );
  }
  return {
    ...upkeep,
    enqueued,
    /** The same, and what follows from it. */
    wants: async (...wanted: Parameters<typeof enqueued>) => {
      await enqueued(...wanted);
      await kick();
    },
    repliedFor: async () => (await store.posts.get(keyOf(1), 'd1'))?.repliedFor,
  };
}

test('roles that a post does not mention are mentioned by one reply, and by no second one', async () => {
  const { wants, asked, repliedFor } = await aPost();
  await wants('late', ['7', '8']);
  expect(asked).toEqual(['reply 10/m1: 8']);
  expect(await repliedFor()).toEqual([{ subscriptionId: 'late', terms: [], roleIds: ['8'] }]);
  await wants('late', ['7', '8', '9']);
  await wants('later', ['7', '8']);
  expect(asked, 'no role is mentioned twice').toHaveLength(1);
  await wants('last', ['9']);
  expect(asked).toEqual(['reply 10/m1: 8', 'reply 10/m1: 9']);
});

test('the subscription that was posted for gets no reply when its announcement is found again', async () => {
  const { wants, asked } = await aPost();
  await wants('s', ['7', '8']);
  expect(asked).toEqual([]);
});

test('a reply that is made while the post is edited is remembered: its role is mentioned once', async () => {
  const { wants, enqueued, asked, change, script, repliedFor, waiting, store, deliverer } = await aPost();
  let isFirst = true;
  script.whileChanging = async () => {
    if (!isFirst) return;
    isFirst = false;
    await enqueued('late', ['8']);
    deliverer.kick();
    while ((await repliedFor()) === undefined) await setImmediate();
  };
  await change(priced(1, 15));
  expect(asked).toEqual([expect.stringMatching(/^edit/), 'reply 10/m1: 8']);
  expect(waiting(), 'the edit is made').toBe(0);
  expect(await store.posts.get(keyOf(1), 'd1')).toMatchObject({
    announcement: { item: { salePrice: { minimum: 15 } } },
  });
  expect(await repliedFor()).toHaveLength(1);
  await wants('later', ['8']);
  expect(asked).toHaveLength(2);
});

test('after an unknown outcome Discord is asked whether the reply stands, and so it is after a restart', async () => {
  const { wants, asked, script, pass, repliedFor, store } = await aPost();
  script.changes.push(UNKNOWN);
  await wants('late', ['8']);
  expect(store.replies.pending('10')).toMatchObject([{ wasTried: true }]);
  expect(await repliedFor()).toBeUndefined();
  await pass(retryMs());
  expect(asked).toEqual(['reply 10/m1: 8', 'reply 10/m1: 8 (again)']);
  expect(await repliedFor()).toHaveLength(1);
  expect(store.replies.pending('10')).toEqual([]);
});

test('what joins a reply that may stand already is mentioned, too', async () => {
  const { wants, asked, script, pass } = await aPost();
  script.changes.push(UNKNOWN);
  await wants('late', ['8']);
  await wants('later', ['9']);
  await pass(retryMs());
  expect(asked.at(-1)).toBe('reply 10/m1: 8 9 (again)');
});

test.each<[string, ChangeOutcome[]]>([
  ['was deleted', [MISSING, MISSING]],
  ['takes no reply', [{ kind: 'refused', reason: 'not-allowed' }]],
])('a post that %s gets none', async (_, outcomes) => {
  const { wants, asked, script, pass, store, repliedFor } = await aPost();
  script.changes.push(...outcomes);
  await wants('late', ['8']);
  await pass(3_600_000);
  expect(asked).toHaveLength(outcomes.length);
  expect([store.replies.pending('10'), await repliedFor()]).toEqual([[], undefined]);
});

test('a role that the bot may not ring, or that nobody has mentioned any more, is left out', async () => {
  const { wants, asked, script, store } = await aPost();
  script.unrung.add('8');
  await wants('late', ['8']);
  await wants('paused', ['9'], { pausedBy: 'person' });
  expect([asked, store.replies.pending('10')]).toEqual([[], []]);
});

test('the roles of a deal that is over are not mentioned', async () => {
  const { wants, asked, book, store } = await aPost();
  book.put([aKnownOffer(1, { isSoldOut: true })]);
  await wants('late', ['8']);
  expect([asked, store.replies.pending('10')]).toEqual([[], []]);
});
