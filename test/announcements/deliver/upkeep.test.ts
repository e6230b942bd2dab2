import { expect, test } from 'vitest';
import type { AppearanceLayer } from '../../../src/deals/appearance.ts';
import type { Failure } from '../../../src/discord/outcome.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { blockedMs, retryMs } from '../../helpers/back-offs.ts';
import { postsOf } from '../../helpers/records.ts';
import { aKnownOffer, anOffer } from '../../helpers/things.ts';
import { anUpkeep, keyOf, priced, soldOut } from '../../helpers/upkeep.ts';

const DELETED_WHEN_OVER: AppearanceLayer = { whenOver: 'delete' };
const UNKNOWN: Failure = { kind: 'unknown', reason: 'silence' };
/** The outcomes after which a request is made again, and when. */
const LATER: [outcome: Failure, afterMs: number][] = [
  [UNKNOWN, retryMs()],
  [{ kind: 'blocked', reason: 'cannot-post' }, blockedMs()],
  [{ kind: 'later', reason: 'rate limit', afterMs: 5_000 }, 5_000],
];
/** The outcomes after which nothing is left to do, with the answers that make them. */
const NEVER: Failure[][] = [
  [{ kind: 'gone', reason: 'channel-gone' }],
  [
    { kind: 'missing', reason: 'unknown-message' },
    { kind: 'missing', reason: 'unknown-message' },
  ],
  [
    { kind: 'unfound', reason: 'channel-gone' },
    { kind: 'unknown', reason: 'silence' },
    { kind: 'unfound', reason: 'channel-gone' },
  ],
];
const REFUSED: Failure = { kind: 'refused', reason: 'invalid form body' };

test('an edit is made where the post is, shows the new state, and is remembered', async () => {
  const { post, change, asked, store, waiting } = await anUpkeep();
  const before = await post(1, { messageChannelId: 'thread' });
  await post(2);
  await change(soldOut(1));
  expect(asked).toEqual([expect.stringMatching(/^edit thread\/m1: .*Sold out/s)]);
  expect(waiting()).toBe(0);
  const after = await store.posts.get(keyOf(1), 'd1');
  expect(after).toMatchObject({ announcement: { item: { isSoldOut: true } }, messageChannelId: 'thread' });
  expect(after?.face).not.toBe(before?.face);
});

test('an edit that would change nothing is not made, and not counted', async () => {
  const { post, change, asked, store, clock, waiting } = await anUpkeep({ isPublished: true });
  await post(1);
  await change({ key: keyOf(1), item: anOffer(1) });
  expect([asked, waiting(), store.rateLog.recent('edit/m1', clock.now())]).toEqual([['publish 10/m1'], 0, []]);
});

test('an edit of a post that is not known any more ends', async () => {
  const { post, kick, deliverer, asked, store, waiting } = await anUpkeep();
  const made = await post(1);
  await store.transact((changes) => deliverer.refresh(changes, [soldOut(1)]));
  await store.commit((changes) => made && store.posts.forget(changes, made));
  expect(waiting()).toBe(1);
  await kick();
  expect([asked, waiting()]).toEqual([[], 0]);
});

test('an edit shows what the entity is by now, not what it was when it was queued', async () => {
  const { post, kick, deliverer, asked, book, store } = await anUpkeep();
  await post(1);
  await store.transact((changes) => deliverer.refresh(changes, [soldOut(1)]));
  book.put([aKnownOffer(1, { salePrice: { minimum: 5, maximum: 5 } })]);
  await kick();
  expect(asked).toEqual([expect.stringContaining('$5.00')]);
  expect(asked[0]).not.toContain('Sold out');
});

test.each(LATER)('an edit that ends in %j is made %i ms later, not a moment earlier', async (outcome, afterMs) => {
  const { post, change, script, asked, store, pass, waiting } = await anUpkeep();
  const before = await post(1);
  script.changes.push(outcome);
  await change(soldOut(1));
  await pass(afterMs - 1);
  expect([asked.length, waiting()]).toEqual([1, 1]);
  expect(await store.posts.get(keyOf(1), 'd1')).toEqual(before);
  await pass(1);
  expect([asked.length, waiting()]).toEqual([2, 0]);
});

test.each(NEVER)('a post that is found to be %j is forgotten, and so in the ledger', async (...outcomes) => {
  const { post, change, script, asked, store, clock, waiting, pass } = await anUpkeep();
  await post(1, { alsoTells: ['e1'] });
  script.changes.push(...outcomes);
  await change(soldOut(1));
  for (const again of outcomes.slice(1).keys()) {
    expect([asked.length, waiting(), (await postsOf(store, keyOf(1))).length]).toEqual([again + 1, 1, 1]);
    await pass(retryMs(again + 1));
  }
  expect([asked.length, waiting(), await postsOf(store, keyOf(1))]).toEqual([outcomes.length, 0, []]);
  for (const id of ['d1', 'e1']) {
    expect(await store.deliveries.ended(id)).toMatchObject({ messageId: null, deletedAtMs: clock.now() });
  }
});

test('an edit that Discord never takes is given up, and the next one is tried', async () => {
  const { post, change, script, asked, store, waiting } = await anUpkeep();
  const before = await post(1);
  script.changes.push(REFUSED);
  await change(soldOut(1));
  expect(waiting()).toBe(0);
  expect(await store.posts.get(keyOf(1), 'd1')).toEqual(before);
  await change(soldOut(1));
  expect(asked).toHaveLength(2);
});

test('a published message is edited three times an hour, and the fourth edit follows an hour after the first', async () => {
  const { post, change, asked, script, clock, pass, waiting } = await anUpkeep({ isPublished: true });
  await post(1);
  // A repeated try is the same edit, counted when it was made last.
  script.changes.push(UNKNOWN);
  await change(priced(1, 15));
  await pass(retryMs());
  const firstMs = clock.now();
  for (const dollars of [14, 13]) {
    await pass(MINUTE_MS);
    await change(priced(1, dollars));
    expect(waiting()).toBe(0);
  }
  expect(asked.filter((request) => request.startsWith('edit'))).toHaveLength(4);
  await pass(MINUTE_MS);
  await change(priced(1, 12));
  await pass(firstMs + HOUR_MS - clock.now() - 1);
  expect(waiting()).toBe(1);
  await pass(1);
  expect([waiting(), asked.at(-1)]).toEqual([0, expect.stringContaining('$12.00')]);
});

test('edits of messages that are not published wait for none', async () => {
  const { post, change, store, clock, waiting } = await anUpkeep();
  await post(1);
  for (const dollars of [15, 14, 13, 12, 11]) {
    await change(priced(1, dollars));
    expect(waiting()).toBe(0);
    await clock.advance(1);
  }
  expect(store.rateLog.recent('edit/m1', clock.now())).toEqual([]);
});

test('the edits of one published message hold back those of no other', async () => {
  const { post, change, asked, clock, waiting } = await anUpkeep({ isPublished: true });
  await post(1);
  for (const dollars of [15, 14, 13, 12]) {
    await change(priced(1, dollars));
    await clock.advance(1);
  }
  expect(waiting()).toBe(1);
  await post(2);
  await change(soldOut(2));
  expect([waiting(), asked.at(-1)]).toEqual([1, expect.stringMatching(/^edit 10\/m2: .*Sold out/s)]);
});

test('a post is deleted only where its deal is over and its look says so', async () => {
  const { post, change, asked } = await anUpkeep({ appearance: DELETED_WHEN_OVER });
  await post(1);
  await change(priced(1, 15));
  await change(soldOut(1));
  const other = await anUpkeep();
  await other.post(2);
  await other.change(soldOut(2));
  expect([...asked, ...other.asked].map((request) => request.split(':')[0])).toEqual([
    'edit 10/m1',
    'remove 10/m1',
    'edit 10/m2',
  ]);
});

test.each([[], ...NEVER])(
  'a deletion that ends in %j ends the edit, and the post is forgotten',
  async (...outcomes) => {
    const { post, change, script, asked, store, clock, waiting, pass } = await anUpkeep({
      appearance: DELETED_WHEN_OVER,
    });
    await post(1, { messageChannelId: 'thread', alsoTells: ['e1'] });
    script.changes.push(...outcomes);
    await change(soldOut(1));
    for (const again of outcomes.slice(1).keys()) {
      expect([asked.length, waiting(), (await postsOf(store, keyOf(1))).length]).toEqual([again + 1, 1, 1]);
      await pass(retryMs(again + 1));
    }
    expect(asked).toEqual(Array.from({ length: outcomes.length || 1 }, () => 'remove thread/m1'));
    expect([waiting(), await postsOf(store, keyOf(1))]).toEqual([0, []]);
    for (const id of ['d1', 'e1']) {
      expect(await store.deliveries.ended(id)).toMatchObject({ messageId: null, deletedAtMs: clock.now() });
    }
  },
);

test.each(LATER)(
  'a deletion that ends in %j is tried again after %i ms, and a deal that is back by then is edited',
  async (outcome, afterMs) => {
    const { post, change, script, asked, store, pass, waiting } = await anUpkeep({ appearance: DELETED_WHEN_OVER });
    await post(1);
    script.changes.push(outcome);
    await change(soldOut(1));
    expect(waiting()).toBe(1);
    // The message may be gone: only Discord's answer to an edit tells.
    expect((await store.posts.get(keyOf(1), 'd1'))?.face).toBeNull();
    await change({ key: keyOf(1), item: anOffer(1) });
    await pass(afterMs - 1);
    expect(asked).toHaveLength(1);
    await pass(1);
    expect(asked.map((request) => request.split(' ')[0])).toEqual(['remove', 'edit']);
    expect(waiting()).toBe(0);
  },
);

test('a post whose deletion is refused shows that its deal is over, and nothing waits', async () => {
  const { post, change, script, asked, store, pass, waiting } = await anUpkeep({ appearance: DELETED_WHEN_OVER });
  await post(1);
  script.changes.push(REFUSED, { kind: 'later', reason: 'rate limit', afterMs: 5_000 }, REFUSED);
  await change(soldOut(1));
  // It stands as it was posted.
  expect((await store.posts.get(keyOf(1), 'd1'))?.face).not.toBeNull();
  await pass(5_000);
  expect(asked.map((request) => request.split(' ')[0])).toEqual(['remove', 'edit', 'remove', 'edit']);
  expect(asked.at(-1)).toContain('Sold out');
  expect(waiting()).toBe(0);
});

test('a channel publishes ten messages an hour, one after another, and a repeated try counts once', async () => {
  const { publish, clock, asked, script, pass, deliverer } = await anUpkeep();
  const messages = Array.from({ length: 12 }, (_, index) => `m${index + 1}`);
  script.changes.push(UNKNOWN);
  await publish(messages);
  await pass(retryMs());
  // The first went behind the others, and was tried again now.
  const firstMs = clock.now();
  expect(asked).toEqual([...messages.slice(0, 10), 'm1'].map((id) => `publish 10/${id}`));
  await publish(['m13'], '11');
  expect(asked.at(-1)).toBe('publish 11/m13');
  await pass(firstMs + HOUR_MS - clock.now() - 1);
  expect(deliverer.status().publicationsPending).toBe(2);
  await pass(1);
  expect(asked.slice(-2)).toEqual(['publish 10/m11', 'publish 10/m12']);
});

test('the last try of an hour is repeated soon: it is counted already', async () => {
  const { publish, post, change, script, asked, pass, clock } = await anUpkeep({ isPublished: true });
  await post(1);
  for (const dollars of [15, 14]) {
    await change(priced(1, dollars));
    await clock.advance(1);
  }
  script.changes.push(UNKNOWN);
  await change(priced(1, 13));
  await pass(retryMs());
  expect(asked.slice(-2)).toEqual([expect.stringContaining('$13.00'), expect.stringContaining('$13.00')]);
  await publish(Array.from({ length: 8 }, (_, index) => `n${index}`));
  script.changes.push(UNKNOWN);
  await publish(['last']);
  await pass(retryMs());
  expect(asked.slice(-2)).toEqual(['publish 10/last', 'publish 10/last']);
});

test.each(LATER)('a publication that ends in %j is made %i ms later', async (outcome, afterMs) => {
  const { publish, script, asked, pass, deliverer } = await anUpkeep();
  script.changes.push(outcome);
  await publish(['m1']);
  await pass(afterMs - 1);
  expect([asked.length, deliverer.status().publicationsPending]).toEqual([1, 1]);
  await pass(1);
  expect([asked.length, deliverer.status().publicationsPending]).toEqual([2, 0]);
});

test.each([...NEVER, [REFUSED]])('a publication that ends in %j is given up', async (...outcomes) => {
  const { publish, script, asked, deliverer, pass } = await anUpkeep();
  script.changes.push(...outcomes);
  await publish(['m1']);
  for (const again of outcomes.slice(1).keys()) {
    expect([asked.length, deliverer.status().publicationsPending]).toEqual([again + 1, 1]);
    await pass(retryMs(again + 1));
  }
  expect([asked.length, deliverer.status().publicationsPending]).toEqual([outcomes.length, 0]);
});

test('two denials of a message with a success between them make the bot forget nothing', async () => {
  const { post, change, script, store, pass, waiting } = await anUpkeep();
  await post(1);
  const denial: Failure = { kind: 'missing', reason: 'unknown-message' };
  script.changes.push(denial, { kind: 'done' }, denial, { kind: 'done' });
  for (const dollars of [19, 18]) {
    await change(priced(1, dollars));
    await pass(retryMs());
  }
  expect([waiting(), (await postsOf(store, keyOf(1))).length]).toEqual([0, 1]);
});
