import { expect, test } from 'vitest';
import type { Failure } from '../../../src/discord/outcome.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aKnownOffer, anOffer } from '../../helpers/things.ts';

const CHANNEL = '10';
const later = (afterMs: number): Failure => ({ kind: 'later', reason: 'rate-limit', afterMs });
const BLOCKED: Failure = { kind: 'blocked', reason: 'cannot-post' };
/** By its discount from the list price, the higher numbers are the better offers. */
const offer = (number: number) =>
  anOffer(number, {
    endDateMs: null,
    listPrice: { minimum: 100, maximum: 100 },
    salePrice: { minimum: 100 - number, maximum: 100 - number },
  });

/** A channel whose posts are of use only once they are published, with one subscription; what Discord was asked for, in its order. */
async function aPublishedChannel() {
  const house = await aScriptedDeliverer();
  const run = await house.run();
  const { store, deliverer } = run;
  house.publishedOnly.add(CHANNEL);
  const subscription = await run.subscribe('s', { isPublished: true, mostPerHour: 30 });
  const asked: string[] = [];
  const kettlesIn = (text: string) => [...new Set(text.match(/Kettle \d+/g) ?? [])].map((title) => title.slice(7));
  house.script.whilePosting = async () => {
    asked.push(`post ${kettlesIn(house.tries.at(-1)?.text ?? '').join(',')}`);
  };
  house.script.whileChanging = async () => {
    if (house.script.others.at(-1)?.startsWith('publish')) asked.push('publish');
  };
  return {
    ...house,
    ...run,
    asked,
    come: async (...numbers: number[]) => {
      for (const number of numbers) await run.enqueue(offer(number), subscription);
      await run.kick();
    },
    waits: () => ({ publications: store.publications.size(), limit: deliverer.limitOf(CHANNEL) }),
    /** Another life of the bot. */
    again: async () => {
      await deliverer.stop();
      return house.run();
    },
  };
}

test('the best of what comes together goes first, each is published before the next one, and the rest comes in one', async () => {
  const { come, asked, waits } = await aPublishedChannel();
  await come(1, 8, 3, 5, 7, 2, 6, 4);
  expect(asked).toEqual(
    ['post 8', 'post 7', 'post 6', 'post 5', 'post 4', 'post 3,2,1'].flatMap((one) => [one, 'publish']),
  );
  expect(waits()).toEqual({ publications: 0, limit: null });
});

test('where others have used up the hour, one post waits to be published, and what comes meanwhile follows in one roll-up', async () => {
  const { come, asked, waits, pass, script, clock } = await aPublishedChannel();
  const allowedAtMs = clock.now() + 20 * MINUTE_MS;
  script.changes.push(later(20 * MINUTE_MS));
  await come(1);
  await come(2, 3);
  expect(asked).toEqual(['post 1', 'publish']);
  expect(waits()).toEqual({ publications: 1, limit: { mostPerHour: 10, nextPostAtMs: allowedAtMs, waiting: 2 } });
  await pass(20 * MINUTE_MS - 1);
  expect(asked).toHaveLength(2);
  await pass(1);
  expect(asked.slice(2)).toEqual(['publish', 'post 3,2', 'publish']);
  expect(waits()).toEqual({ publications: 0, limit: null });

  // For an hour they may do so again: each publication has to hold all that waits.
  await pass(HOUR_MS - 1);
  asked.length = 0;
  await come(4, 5);
  expect(asked).toEqual(['post 5,4', 'publish']);
  await pass(1);
  await come(6, 7);
  expect(asked.slice(2)).toEqual(['post 7', 'publish', 'post 6', 'publish']);
});

test.each([
  [MINUTE_MS, ['post 3', 'publish', 'post 2', 'publish']],
  [MINUTE_MS + 1, ['post 3,2', 'publish']],
])('a publication that is to be tried again in %i ms is followed by %j', async (afterMs, followed) => {
  const { come, asked, pass, script } = await aPublishedChannel();
  script.changes.push(later(afterMs));
  await come(1);
  await come(2, 3);
  await pass(afterMs, afterMs);
  expect(asked.slice(3)).toEqual(followed);
});

test('where the bot may not publish, what waits is no matter of a limit, and goes on once it may', async () => {
  const { come, asked, waits, script, deliverer, idle } = await aPublishedChannel();
  script.changes.push(BLOCKED);
  await come(1);
  await come(2);
  expect(asked).toEqual(['post 1', 'publish']);
  expect(waits()).toEqual({ publications: 1, limit: null });
  expect(deliverer.status().blockedChannels).toBe(1);
  deliverer.retry(CHANNEL);
  await idle();
  expect(asked.slice(2)).toEqual(['publish', 'post 2', 'publish']);
});

test('what is of use only so is published even after more than a day, by another life of the bot, too', async () => {
  const { come, asked, script, again, pass } = await aPublishedChannel();
  script.changes.push(later(10 * HOUR_MS));
  await come(1);
  await come(2);
  const next = await again();
  script.changes.push(later(20 * HOUR_MS));
  await next.kick();
  await pass(20 * HOUR_MS - 1, HOUR_MS);
  expect(asked).toEqual(['post 1', 'publish', 'publish']);
  await pass(4 * HOUR_MS, HOUR_MS);
  expect(asked.slice(3)).toEqual(['publish', 'post 2', 'publish']);
});

test('a post whose deal is over before it could be published is published no more, and the next one follows', async () => {
  const { come, asked, script, store, deliverer, book, kick } = await aPublishedChannel();
  script.changes.push(later(20 * MINUTE_MS));
  await come(1);
  await come(2);
  const over = { ...offer(1), isSoldOut: true };
  book.put([{ ...aKnownOffer(1), offer: over }]);
  await store.transact((changes) => deliverer.refresh(changes, [{ key: `offer:${over.id}`, item: over }]));
  await kick();
  expect(store.publications.size()).toBe(1);
  expect(asked).toEqual(['post 1', 'publish', 'post 2']);
});

test('what follows a post that stays unpublished for good does not wait for it', async () => {
  const { come, asked, script } = await aPublishedChannel();
  script.changes.push({ kind: 'refused', reason: 'invalid form body' });
  await come(1, 2);
  expect(asked).toEqual(['post 2', 'publish', 'post 1', 'publish']);
});

test('a channel whose posts are of use as they are again posts at once, whatever is still to be published there', async () => {
  const { come, asked, script, publishedOnly, kick } = await aPublishedChannel();
  script.changes.push(later(20 * MINUTE_MS));
  await come(1);
  await come(2, 3);
  publishedOnly.delete(CHANNEL);
  await kick();
  expect(asked).toEqual(['post 1', 'publish', 'post 2', 'post 3']);
});
