import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../../src/bot/announcements/current-state.ts';
import { createDeliverer } from '../../../../src/bot/announcements/deliver/deliverer.ts';
import { enqueue } from '../../../../src/bot/announcements/outbox/enqueue.ts';
import type { Offer } from '../../../../src/bot/deals/offer.ts';
import type { Card } from '../../../../src/bot/discord/cards/parts.ts';
import type { Courier, PostOutcome } from '../../../../src/bot/discord/courier.ts';
import { translatorFor } from '../../../../src/bot/discord/i18n/translator.ts';
import { createOfferBook } from '../../../../src/bot/offers/offer-book.ts';
import { openStore } from '../../../../src/bot/store/store.ts';
import { createLog } from '../../../../src/shared/log.ts';
import { customIdsOf, expectTakenByDiscord } from '../../../helpers/discord-form.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';
import { temporaryState } from '../../../helpers/temporary-folder.ts';
import { anOffer, aSubscription, newOfferOf, uuid } from '../../../helpers/things.ts';

/** A deliverer on a real store, with a courier that answers as it is told and posts otherwise. */
async function aDeliverer() {
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const told: PostOutcome[] = [];
  const posted: string[] = [];
  const cards: Card[] = [];
  const courier: Courier = {
    async post({ channelId, deliveryId, card }) {
      cards.push(card);
      const place = { channelId, messageId: `m-${deliveryId}` };
      const outcome = told.shift() ?? { kind: 'sent', place };
      if (outcome.kind === 'sent') posted.push(`${channelId} ${deliveryId}`);
      return outcome;
    },
    edit: async () => ({ kind: 'done' }),
    remove: async () => ({ kind: 'done' }),
    publish: async () => ({ kind: 'done' }),
    findPosted: async () => ({ kind: 'found', posted: new Map(), repeated: new Set(), isCutOff: false }),
    sendDirectMessage: async () => undefined,
  };
  const deliverer = createDeliverer({
    store,
    courier,
    translatorOf: () => translatorFor('en-US'),
    currentState: new CurrentState(
      createOfferBook([], () => undefined),
      store,
    ),
    clock,
    log: createLog('silent'),
  });
  onTestFinished(() => deliverer.stop());
  const subscription = aSubscription('s');
  await store.subscriptions.save(subscription);
  return {
    store,
    clock,
    told,
    posted,
    cards,
    deliverer,
    add: (...offers: Offer[]) =>
      enqueue(
        store.deliveries,
        offers.map((offer) => ({ announcement: newOfferOf(offer), subscription, terms: [] })),
        clock.now(),
        false,
      ),
  };
}

test('what Discord takes from nobody is given up, and those behind it follow', async () => {
  const { add, told, deliverer, posted, store } = await aDeliverer();
  const second = (await add(anOffer(1, { startDateMs: 1 }), anOffer(2, { startDateMs: 2 })))[1];
  told.push({ kind: 'refused', reason: 'invalid form body' }, { kind: 'refused', reason: 'and the plain one too' });
  deliverer.kick();
  await deliverer.settled();
  expect(posted).toEqual([`10 ${second?.id}`]);
  expect(store.deliveries.channels()).toEqual([]);
  expect(deliverer.status().ended).toEqual({
    sinceStart: { posted: 1, over: 0, gone: 0, refused: 1 },
    postedToday: 1,
  });
});

test('what Discord refuses goes once more as a plain card, under the same id', async () => {
  const { add, told, deliverer, cards } = await aDeliverer();
  const [delivery] = await add(anOffer(1));
  told.push({ kind: 'refused', reason: 'invalid form body' });
  deliverer.kick();
  await deliverer.settled();
  expect(cards).toHaveLength(2);
  for (const card of cards) expectTakenByDiscord(card);
  expect(cards.map((card) => customIdsOf(card)[0])).toEqual([1, 2].map(() => `offer:${uuid(1)}:${delivery?.id}`));
  expect(JSON.stringify(cards[1]).length).toBeLessThan(JSON.stringify(cards[0]).length);
});

test('a card that cannot be made holds up nobody', async () => {
  const { add, deliverer, posted } = await aDeliverer();
  // An older version may have written such a record.
  const unreadable = anOffer(1, { title: undefined as unknown as string, startDateMs: 1 });
  const second = (await add(unreadable, anOffer(2, { startDateMs: 2 })))[1];
  deliverer.kick();
  await deliverer.settled();
  expect(posted).toEqual([`10 ${second?.id}`]);
});

test('what was over before it could be posted is not posted', async () => {
  const { add, deliverer, clock, posted, store } = await aDeliverer();
  await add(anOffer(1, { endDateMs: clock.now() + 1_000 }));
  await clock.advance(1_000);
  deliverer.kick();
  await deliverer.settled();
  expect(posted).toEqual([]);
  expect(store.deliveries.channels()).toEqual([]);
  expect(deliverer.status().ended.sinceStart.over).toBe(1);
});

test('the wait between two tries at a silent channel doubles, up to five minutes', async () => {
  const { add, told, deliverer, clock, posted } = await aDeliverer();
  await add(anOffer(1));
  const waits = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000);
  told.push(...waits.map(() => ({ kind: 'unknown', reason: 'silence' }) as const));
  deliverer.kick();
  for (const ms of waits) {
    await clock.untilSleeping((slept) => slept === ms);
    expect(posted).toEqual([]);
    await clock.advance(ms);
  }
  await deliverer.settled();
  expect(posted).toHaveLength(1);
  expect(deliverer.status().ended.sinceStart.posted).toBe(1);
});

test('a stop ends the waiting, and the delivery stays for the next run', async () => {
  const { add, told, deliverer, clock, store } = await aDeliverer();
  await add(anOffer(1));
  told.push({ kind: 'blocked', reason: 'cannot-post' });
  deliverer.kick();
  await clock.untilSleeping((ms) => ms === 60_000);
  await deliverer.stop();
  expect(store.deliveries.pending('10')).toHaveLength(1);
  expect(store.subscriptions.get('s')?.problem).toBe('cannot-post');
});
