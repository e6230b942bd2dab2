import { describe, expect, test } from 'vitest';
import { MINOR_EDITS, OLD_MS } from '../../../src/announcements/deliver/editing.ts';
import { MOST_PUBLISHED_PER_HOUR } from '../../../src/announcements/deliver/plan.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import type { Failure } from '../../../src/discord/outcome.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { aKnownOffer, anOffer } from '../../helpers/things.ts';
import { anUpkeep, keyOf, priced, soldOut } from '../../helpers/upkeep.ts';

const UNKNOWN: Failure = { kind: 'unknown', reason: 'silence' };
const later = (afterMs: number): Failure => ({ kind: 'later', reason: 'rate limit', afterMs });

/** An upkeep, and the lines of its log. */
async function aLoggedUpkeep(changes: Parameters<typeof anUpkeep>[0] = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = createTestLog((line) => lines.push(JSON.parse(line) as Record<string, unknown>));
  const upkeep = await anUpkeep(changes, log);
  /** The lines that have this field. */
  return { ...upkeep, lines: (field: string) => lines.filter((line) => field in line) };
}

/** The messages that were asked to be changed, in their order. */
const messagesIn = (asked: readonly string[]) => asked.map((request) => request.split(/[:/]/)[1]);

test('a channel’s used-up publications are logged once for each hour', async () => {
  const { publish, clock, pass, lines } = await aLoggedUpkeep();
  const firstMs = clock.now();
  await publish(Array.from({ length: MOST_PUBLISHED_PER_HOUR }, (_, index) => `m${index}`));
  expect(lines('nextAt')).toEqual([]);
  await publish(['n1']);
  await publish(['n2']);
  const nextAt = new Date(firstMs + HOUR_MS).toISOString();
  const first = { channel: '10', waiting: 1, nextAt };
  expect(lines('nextAt')).toEqual([expect.objectContaining(first)]);
  await pass(HOUR_MS);
  await publish(Array.from({ length: MOST_PUBLISHED_PER_HOUR - 1 }, (_, index) => `o${index}`));
  expect(lines('nextAt')).toHaveLength(2);
  const second = { channel: '10', waiting: 1, nextAt: new Date(firstMs + 2 * HOUR_MS).toISOString() };
  expect(lines('nextAt')[1]).toMatchObject(second);
});

test.each([
  [DAY_MS - 1, 2, null],
  [DAY_MS, 1, 'too-late'],
])('a post that waits %i ms to be published is tried %i times, and ends as %j', async (waitedMs, times, because) => {
  const { publish, script, asked, pass, clock, store, lines, deliverer } = await aLoggedUpkeep();
  const queuedAtMs = clock.now();
  script.changes.push(later(waitedMs));
  await publish(['m1']);
  await pass(waitedMs, waitedMs);
  expect([asked.length, deliverer.status().publicationsPending]).toEqual([times, 0]);
  expect(lines('message').at(-1)).toMatchObject({ channel: '10', message: 'm1', ...(because && { reason: because }) });
  expect((await store.unpublished.get('m1')) ?? null).toEqual(because && { because, queuedAtMs, atMs: clock.now() });
});

test.each([
  [[{ kind: 'refused', reason: 'invalid form body' }], 'refused'],
  [[{ kind: 'gone', reason: 'channel-gone' }], null],
  [[], null],
] satisfies [Failure[], string | null][])('a publication that ends in %j is left as %s', async (outcomes, because) => {
  const { publish, script, store, clock } = await anUpkeep();
  const queuedAtMs = clock.now();
  script.changes.push(...outcomes);
  await publish(['m1']);
  expect((await store.unpublished.get('m1')) ?? null).toEqual(because && { because, queuedAtMs, atMs: queuedAtMs });
});

test('a deal that is over is published no more, and no other publication is given up for it', async () => {
  const { post, change, script, store, clock, deliverer, lines, pass, asked } = await aLoggedUpkeep({
    isPublished: true,
  });
  const queuedAtMs = clock.now();
  script.changes.push(later(MINUTE_MS));
  for (const number of [1, 2, 3]) await post(number);
  expect(asked).toEqual(['publish 10/m1']);
  await change(soldOut(2), priced(3, 15));
  expect(deliverer.status().publicationsPending).toBe(2);
  expect(await store.unpublished.get('m2')).toEqual({ because: 'over', queuedAtMs, atMs: queuedAtMs });
  expect(lines('reason').filter(({ reason }) => reason === 'over')).toMatchObject([{ channel: '10', message: 'm2' }]);
  await pass(MINUTE_MS);
  expect(asked.filter((request) => request.startsWith('publish')).slice(1)).toEqual(['publish 10/m1', 'publish 10/m3']);
});

test.each([
  [OLD_MS - 1, ['m4', 'm1', 'm2', 'm3'], 0],
  [OLD_MS, ['m4', 'm1', 'm2'], 1],
])('of four posts that are %i ms old, those are edited at once: %j', async (ageMs, edited, left) => {
  const { post, change, asked, pass, waiting } = await anUpkeep();
  for (const number of [1, 2, 3, 4]) await post(number);
  await pass(ageMs, ageMs);
  await change(priced(1, 15), priced(2, 15), priced(3, 15), soldOut(4));
  expect([messagesIn(asked), waiting()]).toEqual([edited, left]);
  await pass(5_999, 5_999);
  expect(waiting()).toBe(left);
  await pass(1);
  expect([asked.length, waiting()]).toEqual([4, 0]);
});

test('six seconds after the first of three edits of old posts the next one is made, and then the one after', async () => {
  const { post, change, asked, pass, waiting, kick } = await anUpkeep();
  for (const number of [1, 2, 3, 4, 5]) await post(number);
  await pass(OLD_MS, OLD_MS);
  for (const number of [1, 2, 3]) {
    await change(soldOut(number));
    await pass(1_000, 1_000);
  }
  await change(soldOut(4), soldOut(5));
  expect(asked).toHaveLength(3);
  // Whoever wakes the channel meanwhile makes nothing go earlier.
  await pass(2_999, 2_999);
  await kick();
  expect(asked).toHaveLength(3);
  await pass(1);
  expect([messagesIn(asked).at(-1), waiting()]).toEqual(['m4', 1]);
  await pass(999, 999);
  expect(waiting()).toBe(1);
  await pass(1);
  expect(waiting()).toBe(0);
});

test('an edit that has to wait lets no other go before it is due', async () => {
  const { post, change, asked, pass, waiting, clock } = await anUpkeep({ isPublished: true });
  for (const number of [1, 2]) await post(number);
  for (const dollars of [15, 14, 13]) {
    await change(priced(1, dollars));
    await clock.advance(1);
  }
  const made = asked.length;
  // Its three edits of this hour are made: the one that tells that it is sold out waits, though it goes first.
  await change(soldOut(1), priced(2, 15));
  expect([asked.length, messagesIn(asked).at(-1), waiting()]).toEqual([made + 1, 'm2', 1]);
  await pass(HOUR_MS - 4);
  expect(waiting()).toBe(1);
  await pass(1);
  expect([messagesIn(asked).at(-1), waiting()]).toEqual(['m1', 0]);
});

test('a post that is outdated by the time it stands is edited', async () => {
  const { post, script, asked, book, kick, store } = await anUpkeep();
  script.whilePosting = async () => {
    book.put([aKnownOffer(1, { isSoldOut: true })]);
    script.whilePosting = async () => undefined;
  };
  await post(1);
  await kick();
  expect(asked).toEqual([expect.stringMatching(/^edit 10\/m1: .*Sold out/s)]);
  expect(await store.posts.get(keyOf(1), 'd1')).toMatchObject({ announcement: { item: { isSoldOut: true } } });
  book.put([aKnownOffer(2)]);
  await post(2);
  expect(asked).toHaveLength(1);
});

test.each([
  [later(MINUTE_MS), 20],
  [later(MINUTE_MS + 1), 40],
  [UNKNOWN, 40],
  [{ kind: 'blocked', reason: 'cannot-post' } satisfies Failure, 40],
])('an edit, or a deletion, that ends in %j is logged at level %i', async (outcome, level) => {
  const edited = await aLoggedUpkeep();
  await edited.post(1);
  edited.script.changes.push(outcome);
  await edited.change(soldOut(1));
  const { reason } = outcome;
  expect(edited.lines('reason')).toEqual([expect.objectContaining({ level, delivery: 'd1', reason })]);
  const deleted = await aLoggedUpkeep({ appearance: { whenOver: 'delete' } });
  await deleted.post(1);
  deleted.script.changes.push(outcome);
  await deleted.change(soldOut(1));
  const about = { delivery: 'd1', channel: '10', kind: 'new-offer', reason };
  expect(deleted.lines('reason')).toEqual([expect.objectContaining({ level, ...about })]);
});

test('a post is edited without a look, and where the entity is known by its edit alone', async () => {
  const { post, change, asked, store } = await anUpkeep();
  const made = await post(1);
  expect(made?.look?.whenOver).not.toBe('delete');
  await change({ key: keyOf(1), item: anOffer(1, { title: 'Kettle, blue' }) });
  expect(asked).toEqual([expect.stringContaining('Kettle, blue')]);
  expect(await store.posts.get(keyOf(1), 'd1')).toMatchObject({ announcement: { item: { title: 'Kettle, blue' } } });
});

describe('a price that moves by a few cents', () => {
  const cents = (price: number) => priced(1, Math.round(price * 100) / 100);

  test('is shown at once three times in an hour, then once in ten minutes, and at last as it is', async () => {
    const { post, change, book, asked, pass } = await anUpkeep();
    await post(1);
    const move = async (price: number) => {
      await pass(1);
      book.put([aKnownOffer(1, cents(price).item)]);
      await change(cents(price));
    };
    for (let moves = 1; moves <= MINOR_EDITS.most; moves += 1) await move(20 + moves / 10);
    expect(asked).toHaveLength(MINOR_EDITS.most);
    await move(20.4);
    await move(20.45);
    // The last edit was two moves ago.
    await pass(MINOR_EDITS.apartMs - 3, MINOR_EDITS.apartMs);
    expect(asked).toHaveLength(MINOR_EDITS.most);
    await pass(1);
    expect(asked).toHaveLength(MINOR_EDITS.most + 1);
    expect(asked.at(-1)).toContain('$20.45');
  });

  test.each<[string, Partial<Offer>]>([
    ['more than a fiftieth', { salePrice: { minimum: 20.72, maximum: 20.72 } }],
    ['it and something else', { salePrice: { minimum: 20.31, maximum: 20.31 }, isSoldOut: true }],
  ])('holds back no change of %s', async (_, changed) => {
    const { post, change, book, asked, pass } = await anUpkeep();
    await post(1);
    for (let moves = 1; moves <= MINOR_EDITS.most; moves += 1) {
      await pass(1);
      book.put([aKnownOffer(1, cents(20 + moves / 10).item)]);
      await change(cents(20 + moves / 10));
    }
    await pass(1);
    book.put([aKnownOffer(1, changed)]);
    await change({ key: keyOf(1), item: anOffer(1, changed) });
    expect(asked).toHaveLength(MINOR_EDITS.most + 1);
  });
});
