import { expect, onTestFinished, test } from 'vitest';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { KnownOffer } from '../../../src/deals/known-offer.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import type { Timing } from '../../../src/deals/settings.ts';
import type { FindOutcome } from '../../../src/discord/courier.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { retryMs } from '../../helpers/back-offs.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aDelivery, aKnownOffer, anOffer, uuid } from '../../helpers/things.ts';

const CHANNEL = '10';
const UNKNOWN = { kind: 'unknown', reason: 'silence' } as const;
const HOURLY: Timing = { mode: 'hourly', dailyAtMinute: 0, timeZone: 'UTC', quiet: null };
const NEVER_ENDS = { endDateMs: null };

const foundAt = (id: string, messageId: string): FindOutcome => ({
  kind: 'found',
  posted: new Map([[id, { channelId: CHANNEL, messageId }]]),
  messages: [],
  isCutOff: false,
});

/** A run with a subscription in channel 10, whose offers a test can take out of their feed and put back. */
async function aRun() {
  const house = await aScriptedDeliverer();
  const run = await house.run();
  onTestFinished(() => run.deliverer.stop());
  const { book, clock, tries } = house;
  const { store } = run;
  const know = (number: number, offer: Partial<Offer> = {}, changes: Partial<KnownOffer> = {}) =>
    book.put([aKnownOffer(number, { ...NEVER_ENDS, ...offer }, changes)]);
  return {
    ...house,
    ...run,
    know,
    subscription: await run.subscribe('s'),
    /** Two answers of its only feed have lacked the offer. */
    miss: (number: number, offer: Partial<Offer> = {}) => know(number, offer, { overAtMs: clock.now() }),
    titles: () => tries.map(({ text }) => /Kettle \d/.exec(text)?.[0]),
    idOf: (number: number) =>
      store.deliveries.pending(CHANNEL).find(({ announcement: { subject } }) => subject === uuid(number))?.id ?? '',
    endOf: async (id: string) => (await store.deliveries.ended(id))?.outcome,
    owe: async (id: string, announcement: Announcement) => {
      const delivery = aDelivery(id, { announcement });
      await store.transact((changes) => store.deliveries.add(changes, [delivery], (all) => [...all]));
    },
  };
}

test('what is missing waits on, costs no post, holds up nothing else, and is posted when it is back', async () => {
  const { subscribe, enqueue, kick, know, miss, titles, script, deliverer, pass } = await aRun();
  const subscription = await subscribe('s', { mostPerHour: 2 });
  for (const number of [1, 2, 3]) await enqueue(anOffer(number, NEVER_ENDS), subscription);
  for (const number of [1, 2]) miss(number);
  await kick();
  expect([titles(), deliverer.limitOf(CHANNEL)]).toEqual([['Kettle 3'], null]);
  expect(deliverer.status()).toMatchObject({ pending: 2, oldestDueAtMs: null });
  await pass(2 * HOUR_MS);
  expect([titles(), script.reads]).toEqual([['Kettle 3'], 1]);
  know(2);
  await kick();
  expect(titles()).toEqual(['Kettle 3', 'Kettle 2']);
  expect(deliverer.status()).toMatchObject({ pending: 1 });
});

test('a channel in which all is missing is not even read', async () => {
  const { enqueue, subscription, kick, miss, script, pass } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  miss(1);
  await kick();
  await pass(HOUR_MS);
  expect(script.reads).toBe(0);
});

test.each([
  ['its end has passed', { endDateMs: 0 }, {}],
  ['two answers have shown that it is sold out', { isSoldOut: true }, {}],
  ['its end has passed and one answer has shown that it is sold out', { endDateMs: 0, isSoldOut: true }, ['isSoldOut']],
] as const)('what waits is over for good where %s', async (_, offer, seenOnce) => {
  const { enqueue, subscription, kick, know, idOf, endOf, tries } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  const id = idOf(1);
  know(1, offer, { overAtMs: 1, ...(Array.isArray(seenOnce) && { seenOnce }) });
  await kick();
  expect([tries, await endOf(id)]).toEqual([[], 'over']);
});

test('what only one answer has shown to be sold out waits on, and is posted where another shows it in stock', async () => {
  const { enqueue, subscription, kick, know, titles, store } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  know(1, { isSoldOut: true }, { seenOnce: ['isSoldOut'] });
  await kick();
  expect([titles(), store.deliveries.pending(CHANNEL).length]).toEqual([[], 1]);
  know(1);
  await kick();
  expect(titles()).toEqual(['Kettle 1']);
});

test('what is missing is over once its record is forgotten', async () => {
  const { enqueue, subscription, kick, miss, book, idOf, endOf, tries } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  const id = idOf(1);
  miss(1);
  await kick();
  book.remove([uuid(1)]);
  await kick();
  expect([tries, await endOf(id)]).toEqual([[], 'over']);
});

test('a drop is over when the price has risen again, missing or not, and waits on while it is missing at that price', async () => {
  const { owe, kick, know, miss, tries, endOf, deliverer } = await aRun();
  const dollars = (amount: number) => ({ minimum: amount, maximum: amount });
  for (const number of [1, 2, 3]) {
    const item = anOffer(number, { ...NEVER_ENDS, salePrice: dollars(20) });
    await owe(`drop ${number}`, {
      kind: 'price-drop',
      subject: item.id,
      occurrence: '30-20',
      item,
      before: dollars(30),
    });
  }
  know(1, { salePrice: dollars(30) });
  miss(2, { salePrice: dollars(30) });
  miss(3, { salePrice: dollars(20) });
  await kick();
  expect([tries, await endOf('drop 1'), await endOf('drop 2'), deliverer.status().pending]).toEqual([
    [],
    'over',
    'over',
    1,
  ]);
});

test('a digest leaves out what is missing, which is posted when it is back', async () => {
  const { subscribe, enqueue, kick, know, miss, tries, titles, pass } = await aRun();
  const digest = await subscribe('s', { timing: HOURLY });
  for (const number of [1, 2, 3]) await enqueue(anOffer(number, NEVER_ENDS), digest);
  miss(1);
  await pass(HOUR_MS);
  await kick();
  expect(tries).toHaveLength(1);
  expect(tries[0]?.text).toMatch(/2 deals(.|\n)*Kettle [23](.|\n)*Kettle [23]/);
  expect(tries[0]?.text).not.toContain('Kettle 1');
  know(1);
  await kick();
  expect(titles().slice(1)).toEqual(['Kettle 1']);
});

test('a roll-up that is repeated keeps a member that is missing by now, and drops one that is over', async () => {
  const { enqueueLate, subscription, kick, know, miss, tries, answers, pass, idOf, endOf } = await aRun();
  await enqueueLate(
    [1, 2, 3].map((number) => anOffer(number, NEVER_ENDS)),
    subscription,
  );
  const ids = [1, 2, 3].map(idOf);
  answers.push(UNKNOWN);
  await kick();
  miss(1);
  know(2, { isSoldOut: true });
  await pass(retryMs());
  expect(tries.map(({ deliveryId }) => deliveryId)).toEqual([tries[0]?.deliveryId, tries[0]?.deliveryId]);
  expect(tries[1]?.text).toContain('Kettle 1');
  expect(tries[1]?.text).not.toContain('Kettle 2');
  expect(await Promise.all(ids.map(endOf))).toEqual(['posted', 'over', 'posted']);
});

test('what may have been posted and is missing by now is not repeated, but looked for, and recorded where it stands', async () => {
  const { enqueue, subscription, kick, miss, tries, answers, script, pass, idOf, endOf } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  const id = idOf(1);
  answers.push(UNKNOWN);
  await kick();
  miss(1);
  await pass(2 * MINUTE_MS - 1);
  expect([tries.length, script.reads]).toEqual([1, 1]);
  script.found = foundAt(id, '77');
  await pass(1);
  expect([tries.length, script.reads, await endOf(id)]).toEqual([1, 2, 'posted']);
});

test('what may have been posted, is missing and did not arrive is looked for once, and posted when it is back', async () => {
  const { enqueue, subscription, kick, know, miss, tries, answers, script, pass } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  answers.push(UNKNOWN);
  await kick();
  miss(1);
  await pass(HOUR_MS);
  expect([tries.length, script.reads]).toEqual([1, 2]);
  know(1);
  await kick();
  expect(tries).toHaveLength(2);
});

test('what was over before it could be posted is posted once when it is news again', async () => {
  const { enqueue, subscription, kick, know, titles, store } = await aRun();
  await store.postingPause.begin(1);
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  know(1, { isSoldOut: true });
  await store.postingPause.end();
  await kick();
  expect(titles()).toEqual([]);
  know(1);
  for (let times = 0; times < 2; times += 1) {
    await enqueue(anOffer(1, NEVER_ENDS), subscription);
    await kick();
  }
  expect(titles()).toEqual(['Kettle 1']);
});

test('an attempt that may have arrived is looked for before its delivery ends as over, and is made true', async () => {
  const { enqueue, subscription, kick, know, tries, answers, script, pass, idOf, endOf } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  const id = idOf(1);
  answers.push(UNKNOWN);
  await kick();
  know(1, { isSoldOut: true });
  await pass(retryMs());
  expect([tries.length, script.reads, await endOf(id)]).toEqual([1, 1, undefined]);
  script.found = foundAt(id, '77');
  await pass(2 * MINUTE_MS);
  expect([tries.length, script.reads, await endOf(id)]).toEqual([1, 2, 'posted']);
  expect(script.others).toEqual([expect.stringMatching(/^edit .*Sold out/s)]);
  know(1);
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  await kick();
  expect(tries).toHaveLength(1);
});

test('an attempt that has not arrived is over once it can’t any more, and no sooner', async () => {
  const { enqueue, subscription, kick, know, tries, answers, script, pass, idOf, endOf } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  const id = idOf(1);
  answers.push(UNKNOWN);
  await kick();
  know(1, { isSoldOut: true });
  await pass(2 * MINUTE_MS - 1);
  expect([tries.length, await endOf(id)]).toEqual([1, undefined]);
  await pass(1);
  expect([tries.length, script.reads, await endOf(id)]).toEqual([1, 2, 'over']);
});

test('a paused subscription’s missing offer is withdrawn', async () => {
  const { subscribe, enqueue, subscription, kick, miss, store, endOf, idOf } = await aRun();
  await enqueue(anOffer(1, NEVER_ENDS), subscription);
  const id = idOf(1);
  miss(1);
  await subscribe('s', { pausedBy: 'person' });
  await kick();
  expect([store.deliveries.isPending(id), await endOf(id)]).toEqual([false, undefined]);
});
