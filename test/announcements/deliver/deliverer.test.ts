import { expect, test } from 'vitest';
import { isFirstBlocked } from '../../helpers/back-offs.ts';
import { customIdsOf, expectTakenByDiscord } from '../../helpers/discord-form.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

async function aDeliverer() {
  const house = await aScriptedDeliverer();
  const run = await house.run();
  const subscription = await run.subscribe('s');
  return { ...house, ...run, add: (offer: ReturnType<typeof anOffer>) => run.enqueue(offer, subscription) };
}

test('what Discord takes from nobody and what is over is given up and counted, and those behind it follow', async () => {
  const { add, answers, kick, tries, store, clock, deliverer } = await aDeliverer();
  await add(anOffer(1));
  await add(anOffer(2, { endDateMs: clock.now() }));
  await add(anOffer(3));
  answers.push({ kind: 'refused', reason: 'invalid form body' }, { kind: 'refused', reason: 'and the plain one too' });
  await kick();
  expect(tries.map(({ text }) => /Kettle \d/.exec(text)?.[0])).toEqual(['Kettle 1', 'Kettle 1', 'Kettle 3']);
  expect(store.deliveries.channels()).toEqual([]);
  expect(deliverer.status().ended).toEqual({
    sinceStart: { posted: 1, over: 1, gone: 0, refused: 1 },
    postedToday: 1,
  });
});

test('what Discord refuses goes once more as a plain card, under the same id', async () => {
  const { add, answers, kick, tries } = await aDeliverer();
  await add(anOffer(1));
  answers.push({ kind: 'refused', reason: 'invalid form body' });
  await kick();
  const cards = tries.map(({ message: { card } }) => card);
  expect(cards).toHaveLength(2);
  for (const card of cards) expectTakenByDiscord(card);
  const customId = `offer:${uuid(1)}:${tries[0]?.deliveryId}`;
  expect(cards.map((card) => customIdsOf(card)[0])).toEqual([customId, customId]);
  expect(JSON.stringify(cards[1]).length).toBeLessThan(JSON.stringify(cards[0]).length);
});

test('the wait between two tries at a silent channel doubles, up to five minutes', async () => {
  const { add, answers, clock, deliverer, tries } = await aDeliverer();
  await add(anOffer(1));
  const waits = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000);
  answers.push(...waits.map(() => ({ kind: 'unknown', reason: 'silence' }) as const));
  deliverer.kick();
  for (const ms of waits) {
    await clock.untilSleeping((slept) => slept === ms);
    await clock.advance(ms);
  }
  await deliverer.settled();
  expect(tries).toHaveLength(waits.length + 1);
  expect(deliverer.status().ended.sinceStart.posted).toBe(1);
});

test('a stop ends the waiting, and the delivery stays for the next run', async () => {
  const { add, answers, clock, deliverer, store } = await aDeliverer();
  await add(anOffer(1));
  answers.push({ kind: 'blocked', reason: 'cannot-post' });
  deliverer.kick();
  await clock.untilSleeping(isFirstBlocked);
  await deliverer.stop();
  expect(store.deliveries.pending('10')).toHaveLength(1);
  expect(store.subscriptions.get('s')?.problem).toBe('cannot-post');
});
