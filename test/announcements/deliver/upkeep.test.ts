import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { createEditing } from '../../../src/announcements/deliver/editing.ts';
import { cardHash, createMessageRenderer } from '../../../src/announcements/deliver/message-renderer.ts';
import { createPublishing } from '../../../src/announcements/deliver/publishing.ts';
import { type Look, USUAL_LOOK } from '../../../src/deals/look.ts';
import type { Courier } from '../../../src/discord/courier.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import type { Failure } from '../../../src/discord/outcome.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { createLog } from '../../../src/shared/log.ts';
import type { Post } from '../../../src/store/posts.ts';
import { openStore } from '../../../src/store/store.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { postsOf } from '../../helpers/records.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDelivery, aKnownOffer, anOffer, HOUR_MS, newOfferOf, uuid } from '../../helpers/things.ts';

const CHANNEL = '10';
const MINUTE_MS = 60_000;
const DELETED_WHEN_OVER: Look = { ...USUAL_LOOK, whenOver: 'delete' };
const LATER: Failure[] = [
  { kind: 'unknown', reason: 'silence' },
  { kind: 'blocked', reason: 'cannot-post' },
  { kind: 'later', reason: 'rate limit', afterMs: 5_000 },
];
const NEVER: Failure[] = [
  { kind: 'gone', reason: 'channel-gone' },
  { kind: 'missing', reason: 'unknown-message' },
];
const REFUSED: Failure = { kind: 'refused', reason: 'invalid form body' };

const keyOf = (number: number) => `offer:${uuid(number)}` as const;
const soldOut = (number: number) => ({ key: keyOf(number), item: anOffer(number, { isSoldOut: true }) });
const priced = (number: number, dollars: number) => ({
  key: keyOf(number),
  item: anOffer(number, { salePrice: { minimum: dollars, maximum: dollars } }),
});

/** Edits and publications on a real store, with a courier that answers as it is told and succeeds otherwise. */
async function anUpkeep() {
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const asked: { what: string; at: string; text?: string; roles?: readonly string[] }[] = [];
  const answers: Failure[] = [];
  const answer = () => answers.shift() ?? ({ kind: 'done' } as const);
  const courier: Courier = {
    post: () => Promise.reject(new Error('nothing is posted here')),
    async edit({ channelId, messageId }, { card, mentionRoleIds }) {
      asked.push({ what: 'edit', at: `${channelId}/${messageId}`, text: textOf(card), roles: mentionRoleIds });
      return answer();
    },
    async remove({ channelId, messageId }) {
      asked.push({ what: 'remove', at: `${channelId}/${messageId}` });
      return answer();
    },
    async publish({ channelId, messageId }) {
      asked.push({ what: 'publish', at: `${channelId}/${messageId}` });
      return answer();
    },
    findPosted: () => Promise.reject(new Error('nothing is read here')),
    sendDirectMessage: async () => undefined,
  };
  const book = createOfferBook([], () => undefined);
  const currentState = new CurrentState(book, store);
  const renderer = createMessageRenderer(() => translatorFor('en-US'), store.subscriptions, currentState);
  const parts = { store, courier, clock, log: createLog('silent') };
  const editing = createEditing({ ...parts, currentState, renderer });

  /** A post as the deliverer records it, in the ledger too. */
  async function post(number: number, changes: Partial<Omit<Post, 'face'>> = {}): Promise<Post> {
    const announcement = newOfferOf(anOffer(number));
    const bare: Omit<Post, 'face'> = {
      deliveryId: `d${number}`,
      guildId: '1',
      channelId: CHANNEL,
      messageChannelId: CHANNEL,
      messageId: `m${number}`,
      announcement,
      matches: [],
      mentionRoleIds: ['7'],
      isPublished: false,
      look: USUAL_LOOK,
      alsoTells: [],
      postedAtMs: clock.now(),
      ...changes,
    };
    const made: Post = { ...bare, face: cardHash(renderer.card(announcement, bare, clock.now())) };
    await store.commit((changes) => store.posts.save(changes, made));
    const { deliveryId: id, messageChannelId, messageId, alsoTells } = made;
    const ending = { outcome: 'posted', messageChannelId, messageId, endedAtMs: clock.now() } as const;
    await store.commit((changes) =>
      store.deliveries.end(changes, aDelivery(id, { announcement, alsoTells: [...alsoTells] }), ending),
    );
    return made;
  }
  return {
    clock,
    store,
    asked,
    answers,
    book,
    currentState,
    editing,
    publishing: createPublishing(parts),
    post,
    editsPending: () => store.edits.pending(CHANNEL).length,
    dueInMs: () => editing.dueAtMs(CHANNEL) - clock.now(),
  };
}

test('a channel without edits and publications has nothing to do', async () => {
  const { editing, publishing, asked } = await anUpkeep();
  for (const task of [editing, publishing]) {
    expect(task.dueAtMs(CHANNEL)).toBe(Number.POSITIVE_INFINITY);
    expect(await task.step(CHANNEL)).toEqual({ kind: 'done' });
  }
  expect(asked).toEqual([]);
});

test('an edit is due at once, shows the new state where the post is, and is remembered', async () => {
  const { editing, post, asked, store, clock, editsPending } = await anUpkeep();
  const before = await post(1, { messageChannelId: 'thread' });
  await post(2);
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  expect(store.edits.size()).toBe(1);
  expect(editing.dueAtMs(CHANNEL)).toBeLessThanOrEqual(clock.now());
  expect(await editing.step(CHANNEL)).toEqual({ kind: 'done' });
  expect(asked).toEqual([
    { what: 'edit', at: 'thread/m1', text: expect.stringContaining('Sold out') as string, roles: ['7'] },
  ]);
  expect(editsPending()).toBe(0);
  const after = await store.posts.get(keyOf(1), 'd1');
  expect(after).toMatchObject({ announcement: { item: { isSoldOut: true } }, messageChannelId: 'thread' });
  expect(after?.face).not.toBe(before.face);
});

test('an edit that would change nothing is not made, and not counted', async () => {
  const { editing, post, asked, store, clock, editsPending } = await anUpkeep();
  await post(1, { isPublished: true });
  await store.transact((changes) => editing.refresh(changes, [{ key: keyOf(1), item: anOffer(1) }]));
  expect(editsPending()).toBe(1);
  await editing.step(CHANNEL);
  expect([asked, editsPending(), store.paces.of('edit/m1', clock.now())]).toEqual([[], 0, []]);
});

test('an edit of a post that is not known any more ends', async () => {
  const { editing, post, asked, store, editsPending } = await anUpkeep();
  const made = await post(1);
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  await store.commit((changes) => store.posts.forget(changes, made));
  expect(await editing.step(CHANNEL)).toEqual({ kind: 'done' });
  expect([asked, editsPending()]).toEqual([[], 0]);
});

test('an edit shows what the entity is by now, not what it was when it was queued', async () => {
  const { editing, post, asked, book, store } = await anUpkeep();
  await post(1);
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  book.put([aKnownOffer(1, { salePrice: { minimum: 5, maximum: 5 } })]);
  await editing.step(CHANNEL);
  expect(asked.map(({ text }) => text)).toEqual([expect.stringContaining('$5.00')]);
  expect(asked[0]?.text).not.toContain('Sold out');
});

test.each(LATER)('an edit that ends in $kind is made later', async (outcome) => {
  const { editing, post, answers, store, editsPending } = await anUpkeep();
  const before = await post(1);
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  answers.push(outcome);
  expect(await editing.step(CHANNEL)).toEqual(outcome);
  expect(editsPending()).toBe(1);
  expect(await store.posts.get(keyOf(1), 'd1')).toEqual(before);
  expect(await editing.step(CHANNEL)).toEqual({ kind: 'done' });
  expect(editsPending()).toBe(0);
});

test.each(NEVER)('a post that is found to be $kind is forgotten, and so in the ledger', async (outcome) => {
  const { editing, post, answers, store, clock, editsPending } = await anUpkeep();
  await post(1, { alsoTells: ['e1'] });
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  answers.push(outcome);
  await clock.advance(MINUTE_MS);
  expect(await editing.step(CHANNEL)).toEqual({ kind: 'done' });
  expect([editsPending(), await postsOf(store, keyOf(1))]).toEqual([0, []]);
  for (const id of ['d1', 'e1']) {
    expect(await store.deliveries.ended(id)).toMatchObject({ messageId: null, deletedAtMs: clock.now() });
  }
});

test('an edit that Discord never takes is given up, and the next one is tried', async () => {
  const { editing, post, answers, asked, store, editsPending } = await anUpkeep();
  const before = await post(1);
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  answers.push(REFUSED);
  expect(await editing.step(CHANNEL)).toEqual({ kind: 'done' });
  expect(editsPending()).toBe(0);
  expect(await store.posts.get(keyOf(1), 'd1')).toEqual(before);
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  await editing.step(CHANNEL);
  expect(asked).toHaveLength(2);
});

test('a published message is edited three times an hour, and the fourth edit follows an hour after the first', async () => {
  const { editing, post, asked, answers, clock, dueInMs, store } = await anUpkeep();
  await post(1, { isPublished: true });
  // A repeated try is the same edit.
  answers.push({ kind: 'unknown', reason: 'silence' });
  for (const dollars of [15, 14, 13]) {
    await store.transact((changes) => editing.refresh(changes, [priced(1, dollars)]));
    expect(dueInMs()).toBeLessThanOrEqual(0);
    await editing.step(CHANNEL);
    if (dollars === 15) await editing.step(CHANNEL);
    await clock.advance(MINUTE_MS);
  }
  expect(asked).toHaveLength(4);
  await store.transact((changes) => editing.refresh(changes, [priced(1, 12)]));
  expect(dueInMs()).toBe(HOUR_MS - 3 * MINUTE_MS);
  await clock.advance(HOUR_MS - 3 * MINUTE_MS - 1);
  await editing.step(CHANNEL);
  expect(asked).toHaveLength(4);
  await clock.advance(1);
  await editing.step(CHANNEL);
  expect(asked.at(-1)?.text).toContain('$12.00');
});

test('the edits of other messages, and of those that are not published, wait for none', async () => {
  const { editing, post, asked, store, clock, dueInMs } = await anUpkeep();
  await post(1);
  for (const dollars of [15, 14, 13, 12, 11]) {
    await store.transact((changes) => editing.refresh(changes, [priced(1, dollars)]));
    expect(dueInMs()).toBeLessThanOrEqual(0);
    await editing.step(CHANNEL);
    await clock.advance(1);
  }
  expect(store.paces.of('edit/m1', clock.now())).toEqual([]);
  await post(2, { isPublished: true });
  for (const dollars of [15, 14, 13, 12]) {
    await store.transact((changes) => editing.refresh(changes, [priced(2, dollars)]));
    await editing.step(CHANNEL);
    await clock.advance(1);
  }
  expect(asked).toHaveLength(8);
  await post(3, { isPublished: true });
  await store.transact((changes) => editing.refresh(changes, [soldOut(3)]));
  expect(dueInMs()).toBeLessThanOrEqual(0);
});

test('a post is deleted only where its deal is over and its look says so', async () => {
  const { editing, post, asked, store } = await anUpkeep();
  await post(1, { look: DELETED_WHEN_OVER });
  await post(2);
  await store.transact((changes) => editing.refresh(changes, [priced(1, 15), soldOut(2)]));
  for (let step = 0; step < 2; step += 1) await editing.step(CHANNEL);
  expect(asked.map(({ what }) => what)).toEqual(['edit', 'edit']);
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  await editing.step(CHANNEL);
  expect(asked.map(({ what, at }) => `${what} ${at}`)).toEqual(['edit 10/m1', 'edit 10/m2', 'remove 10/m1']);
});

test.each([null, ...NEVER])('a deletion that ends in %j ends the edit, and the post is forgotten', async (outcome) => {
  const { editing, post, answers, asked, store, clock, editsPending } = await anUpkeep();
  await post(1, { look: DELETED_WHEN_OVER, messageChannelId: 'thread', alsoTells: ['e1'] });
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  if (outcome) answers.push(outcome);
  expect(await editing.step(CHANNEL)).toEqual({ kind: 'done' });
  expect(asked).toEqual([{ what: 'remove', at: 'thread/m1' }]);
  expect([editsPending(), await postsOf(store, keyOf(1))]).toEqual([0, []]);
  for (const id of ['d1', 'e1']) {
    expect(await store.deliveries.ended(id)).toMatchObject({ messageId: null, deletedAtMs: clock.now() });
  }
});

test.each(LATER)(
  'a deletion that ends in $kind is tried again, and a deal that is back by then is edited',
  async (outcome) => {
    const { editing, post, answers, asked, store, editsPending } = await anUpkeep();
    await post(1, { look: DELETED_WHEN_OVER });
    await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
    answers.push(outcome);
    expect(await editing.step(CHANNEL)).toEqual(outcome);
    expect(editsPending()).toBe(1);
    // The message may be gone: only Discord's answer to an edit tells.
    expect((await store.posts.get(keyOf(1), 'd1'))?.face).toBeNull();
    await store.transact((changes) => editing.refresh(changes, [{ key: keyOf(1), item: anOffer(1) }]));
    await editing.step(CHANNEL);
    expect(asked.map(({ what }) => what)).toEqual(['remove', 'edit']);
    expect(editsPending()).toBe(0);
  },
);

test('a post whose deletion is refused shows that its deal is over, and nothing waits', async () => {
  const { editing, post, answers, asked, store, editsPending } = await anUpkeep();
  await post(1, { look: DELETED_WHEN_OVER });
  await store.transact((changes) => editing.refresh(changes, [soldOut(1)]));
  answers.push(REFUSED, { kind: 'later', reason: 'rate limit', afterMs: 5_000 });
  expect(await editing.step(CHANNEL)).toMatchObject({ kind: 'later' });
  // It stands as it was posted.
  expect((await store.posts.get(keyOf(1), 'd1'))?.face).not.toBeNull();
  answers.push(REFUSED);
  await editing.step(CHANNEL);
  expect(asked.map(({ what }) => what)).toEqual(['remove', 'edit', 'remove', 'edit']);
  expect(asked.at(-1)?.text).toContain('Sold out');
  expect(editsPending()).toBe(0);
});

test('what was posted is edited only where it shows another state', async () => {
  const { editing, post, asked, book, editsPending, store } = await anUpkeep();
  const made = await post(1);
  await store.commit((changes) => editing.check(changes, made));
  expect(editsPending()).toBe(0);
  book.put([aKnownOffer(1, { isSoldOut: true })]);
  await store.commit((changes) => editing.check(changes, made));
  await editing.step(CHANNEL);
  expect(asked).toMatchObject([{ at: '10/m1', text: expect.stringContaining('Sold out') as string }]);
});

test('a channel publishes ten messages an hour, one after another, and a repeated try counts once', async () => {
  const { publishing, store, clock, asked, answers } = await anUpkeep();
  const of = (number: number, channelId = CHANNEL) =>
    ({ channelId, messageId: `m${number}`, queuedAtMs: clock.now() + number }) as const;
  await store.commit((changes) =>
    store.publications.add(
      changes,
      Array.from({ length: 12 }, (_, index) => of(index + 1)),
    ),
  );
  answers.push({ kind: 'unknown', reason: 'silence' });
  for (let step = 0; step < 11; step += 1) {
    expect(publishing.dueAtMs(CHANNEL)).toBeLessThanOrEqual(clock.now());
    await publishing.step(CHANNEL);
    await clock.advance(MINUTE_MS);
  }
  expect(asked.map(({ at }) => at)).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => `10/m${number}`));
  // The first was tried for the last time after a minute.
  expect(publishing.dueAtMs(CHANNEL) - clock.now()).toBe(HOUR_MS - 10 * MINUTE_MS);
  await store.commit((changes) => store.publications.add(changes, [of(13, '11')]));
  expect(publishing.dueAtMs('11')).toBeLessThanOrEqual(clock.now());
});

test('the last try of an hour is repeated at once: it is counted already', async () => {
  const { editing, publishing, post, store, clock, asked, answers, dueInMs } = await anUpkeep();
  const messages = Array.from({ length: 10 }, (_, index) => `m${index}`);
  await store.commit((changes) =>
    store.publications.add(
      changes,
      messages.map((messageId) => ({ channelId: CHANNEL, messageId, queuedAtMs: clock.now() })),
    ),
  );
  await post(1, { isPublished: true });
  for (const _ of messages.slice(1)) await publishing.step(CHANNEL);
  for (const dollars of [15, 14]) {
    await store.transact((changes) => editing.refresh(changes, [priced(1, dollars)]));
    await editing.step(CHANNEL);
    await clock.advance(1);
  }
  await store.transact((changes) => editing.refresh(changes, [priced(1, 13)]));
  for (const task of [publishing, editing]) {
    answers.push({ kind: 'unknown', reason: 'silence' });
    await task.step(CHANNEL);
  }
  expect(publishing.dueAtMs(CHANNEL)).toBeLessThanOrEqual(clock.now());
  expect(dueInMs()).toBeLessThanOrEqual(0);
  await editing.step(CHANNEL);
  expect(asked.slice(-2).map(({ text }) => text)).toEqual([
    expect.stringContaining('$13.00'),
    expect.stringContaining('$13.00'),
  ]);
});

test.each(LATER)('a publication that ends in $kind stays queued', async (outcome) => {
  const { publishing, store, clock, answers } = await anUpkeep();
  await store.commit((changes) =>
    store.publications.add(changes, [{ channelId: CHANNEL, messageId: 'm1', queuedAtMs: clock.now() }]),
  );
  answers.push(outcome);
  expect(await publishing.step(CHANNEL)).toEqual(outcome);
  expect(store.publications.size()).toBe(1);
});

test.each([...NEVER, REFUSED])('a publication that ends in $kind is given up', async (outcome) => {
  const { publishing, store, clock, answers } = await anUpkeep();
  await store.commit((changes) =>
    store.publications.add(changes, [{ channelId: CHANNEL, messageId: 'm1', queuedAtMs: clock.now() }]),
  );
  answers.push(outcome);
  expect(await publishing.step(CHANNEL)).toEqual({ kind: 'done' });
  expect(store.publications.size()).toBe(0);
});
