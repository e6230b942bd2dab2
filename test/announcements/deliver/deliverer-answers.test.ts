import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { anOffer, NOW_MS } from '../../helpers/things.ts';
import { anUpkeep, keyOf } from '../../helpers/upkeep.ts';

const CHANNEL = '10';

test('how many posts wait to be published, until when, and why: nothing where none waits or one is due', async () => {
  const { post, publish, script, deliverer, pass, kick, asked } = await anUpkeep();
  await post(1);
  expect(deliverer.publishingOf(CHANNEL)).toBeNull();
  script.changes.push({ kind: 'later', reason: 'rate limit', afterMs: MINUTE_MS });
  await publish(['m1', 'm2']);
  const waits = { waiting: 2, nextAtMs: NOW_MS + MINUTE_MS, because: 'limit' };
  expect(deliverer.publishingOf(CHANNEL)).toEqual(waits);
  await pass(MINUTE_MS - 1);
  expect(deliverer.publishingOf(CHANNEL)).toEqual(waits);
  await pass(1);
  await kick();
  expect([deliverer.publishingOf(CHANNEL), asked.length]).toEqual([null, 3]);
});

test('a post that may show anything is edited although it seems to be up to date', async () => {
  const { post, store, deliverer, kick, asked } = await anUpkeep();
  const made = await post(1);
  if (!made) throw new Error('There is no post.');
  await store.transact(async (changes) => deliverer.correct(changes, made));
  expect((await store.posts.get(keyOf(1), 'd1'))?.face).toBeNull();
  await kick();
  expect(asked).toEqual([expect.stringMatching(/^edit 10\/m1: /)]);
  expect(await store.posts.get(keyOf(1), 'd1')).toEqual(made);
});

test('a channel in which the bot may post again is tried at once', async () => {
  const { tries, answers, deliverer, idle, enqueue, subscribe, kick } = await anUpkeep();
  const subscription = await subscribe('t');
  answers.push({ kind: 'blocked', reason: 'cannot-post' });
  await enqueue(anOffer(3), subscription);
  await kick();
  expect(tries).toHaveLength(1);
  deliverer.retry(CHANNEL);
  await idle();
  expect(tries).toHaveLength(2);
});
