import { expect, test } from 'vitest';
import { productKey } from '../../../src/deals/known-offer.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import { type Timing, USUAL_PACING_OF_PERSON } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { watches as FEATURE } from '../../../src/features/watches/index.ts';
import type { OfferAim } from '../../../src/features/watches/watch.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aPoller } from '../../helpers/poller.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anItem, anOffer, anOfferDetail, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';

const LETTERS = '50';
const dollars = (price: number) => ({ minimum: price, maximum: price });
const kettle = (number: number, price: number, changes: Partial<Offer> = {}) =>
  anOffer(number, { title: 'Kettle', endDateMs: null, salePrice: dollars(price), ...changes });
const KEY = productKey(kettle(1, 1));

function aWatch(aim: OfferAim = 'price', changes: Partial<Subscription> = {}): Subscription {
  return aSubscription(aim, {
    guildId: placeOfPerson('100'),
    channelId: LETTERS,
    kinds: ['watch-reached'],
    ...USUAL_PACING_OF_PERSON,
    watch: { aim, product: { key: KEY, title: 'Kettle', offerId: uuid(1) }, below: aim === 'price' ? 15 : null },
    ...changes,
  });
}

/** A poller of a feed with one kettle, which a person watches. */
async function watched(...watches: Subscription[]) {
  const stateUrl = temporaryState();
  const bot = await aPoller({ features: [FEATURE], stateUrl });
  bot.put([kettle(1, 20)]);
  await bot.look();
  for (const watch of watches) await bot.store.subscriptions.save(watch);
  return {
    ...bot,
    stateUrl,
    /** Shows the feed with these offers in two answers, so that they are believed. */
    show: async (...offers: Offer[]) => {
      bot.clear();
      bot.put(offers);
      for (let answers = 0; answers < 2; answers += 1) {
        await bot.clock.advance(MINUTE_MS);
        await bot.look();
      }
    },
    /** The ids of the offers that messages tell of. */
    letters: () => bot.enqueued(LETTERS).map(({ subject }) => subject),
    /** Ends what waits as a deliverer does that finds it to be over. */
    dropAll: async () => {
      const nowMs = bot.clock.now();
      const ending = { outcome: 'over', messageChannelId: null, messageId: null, endedAtMs: nowMs } as const;
      await bot.store.commit((changes) => {
        for (const delivery of bot.store.deliveries.pending(LETTERS))
          bot.store.deliveries.end(changes, delivery, ending);
      });
    },
  };
}

test('the message and that it is told are stored together, or neither is', async () => {
  const { show, look, failNext, store, letters } = await watched(aWatch());
  failNext();
  await expect(show(kettle(1, 14))).rejects.toThrow(StoreError);
  expect(store.subscriptions.get('price')?.watch?.reach).toBeUndefined();
  await look();
  expect(letters()).toEqual([uuid(1)]);
  expect(store.subscriptions.get('price')?.watch?.reach?.told).toMatchObject({ offerId: uuid(1), value: 14 });
});

test('what was told is not told again by the next process', async () => {
  const { show, store, stateUrl, clock } = await watched(aWatch());
  await show(kettle(1, 14));
  await store.close();
  const next = await aPoller({ features: [FEATURE], stateUrl, clock });
  next.put([kettle(1, 14)]);
  await next.look();
  await next.poller.tick();
  expect(next.enqueued(LETTERS)).toHaveLength(1);
});

test('an older copy of the watch finds the same message, whenever it does', async () => {
  const { show, store, letters, clock } = await watched(aWatch());
  await show(kettle(1, 14));
  const copy = aWatch();
  await clock.advance(HOUR_MS);
  await store.subscriptions.save(copy);
  await show(kettle(1, 14));
  expect(letters()).toHaveLength(1);
  const [older] = store.deliveries.pending(LETTERS);
  await show(kettle(1, 13));
  expect(letters(), 'a better price is another one, which stands for it').toHaveLength(1);
  expect(store.deliveries.pending(LETTERS)[0]?.id).not.toBe(older?.id);
});

test('a watch that was made or resumed without a look is looked at by the next tick', async () => {
  const { show, store, poller, letters } = await watched();
  await show(kettle(1, 14));
  await store.subscriptions.save(aWatch('price', { pausedBy: 'gone' }));
  await poller.tick();
  expect(letters(), 'paused').toEqual([]);
  await store.subscriptions.update('price', (watch) => ({ ...watch, pausedBy: null }));
  await poller.tick();
  expect(letters()).toEqual([uuid(1)]);
});

test('an end that comes near is told without a poll', async () => {
  const { show, clock, feeds, poller, letters } = await watched(aWatch('end'));
  await show(kettle(1, 20, { endDateMs: clock.now() + 4 * HOUR_MS }));
  feeds.delete('Home');
  await clock.advance(HOUR_MS - 1 - 2 * MINUTE_MS);
  await poller.tick();
  expect(letters()).toEqual([]);
  await clock.advance(1 + 2 * MINUTE_MS);
  await poller.tick();
  expect(letters()).toEqual([uuid(1)]);
});

test('a message that was dropped while its deal was over is told when that is back, in the same story too', async () => {
  const { show, letters, dropAll } = await watched(aWatch());
  await show(kettle(1, 14));
  await show(kettle(1, 16));
  await dropAll();
  await show(kettle(1, 14));
  expect(letters()).toEqual([uuid(1)]);
  await show(kettle(1, 16));
  await show(kettle(1, 14));
  expect(letters(), 'one that waits still is').toHaveLength(1);
});

test('where the listing that waits to be told is over, another one that is within reach is told', async () => {
  const quiet: Timing = { ...USUAL_PACING_OF_PERSON.timing, quiet: { fromMinute: 0, toMinute: 1439 } };
  const { show, letters } = await watched(aWatch('price', { timing: quiet }));
  await show(kettle(1, 13), kettle(2, 14));
  expect(letters()).toEqual([uuid(1)]);
  await show(kettle(1, 13, { isSoldOut: true }), kettle(2, 14));
  expect(letters()).toEqual([uuid(2)]);
  await show(kettle(1, 13), kettle(2, 14));
  expect(letters()).toEqual([uuid(1)]);
});

test('of messages of one watch that wait, the last stands for the others; one that is for another watch, too, stays', async () => {
  const { show, store } = await watched(aWatch('price'), aWatch('stock'));
  const waiting = () =>
    store.deliveries.pending(LETTERS).map(({ matches }) => matches.map((one) => one.subscriptionId));
  await show(kettle(1, 20, { isSoldOut: true }));
  await show(kettle(1, 14));
  expect(waiting()).toEqual([['stock', 'price']]);
  await show(kettle(1, 13));
  await show(kettle(1, 12));
  expect(waiting()).toEqual([['stock', 'price'], ['price']]);
  expect(store.deliveries.pending(LETTERS)[1]?.announcement.occurrence).toBe('price-price-12-3');
});

test('where a posted listing is over, another one that is no cheaper tells nothing', async () => {
  const { show, letters, store } = await watched(aWatch());
  await show(kettle(1, 13), kettle(2, 14));
  const posted = { outcome: 'posted', messageChannelId: LETTERS, messageId: '9', endedAtMs: NOW_MS } as const;
  await store.commit((changes) => {
    for (const delivery of store.deliveries.pending(LETTERS)) store.deliveries.end(changes, delivery, posted);
  });
  await show(kettle(1, 13, { isSoldOut: true }), kettle(2, 14));
  expect(letters()).toEqual([]);
});

test('what is told of one offer is one message: that it is in stock stands for the others', async () => {
  const { show, store } = await watched(aWatch('price'), aWatch('stock'), aWatch('end'));
  await show(kettle(1, 20, { isSoldOut: true }));
  await show(kettle(1, 14, { endDateMs: NOW_MS + 2 * HOUR_MS }));
  const [letter, ...others] = store.deliveries.pending(LETTERS);
  expect(others).toEqual([]);
  expect(letter?.announcement).toMatchObject({ kind: 'watch-reached', wish: { aim: 'stock' } });
  expect(letter?.matches.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(['end', 'price', 'stock']);
});

test('a watch under the former name of an offer tells what is so under the new one', async () => {
  const { show, letters, store } = await watched(aWatch(), aWatch('stock'));
  await show(kettle(1, 20, { isSoldOut: true }));
  await show(kettle(1, 14, { title: 'Steel kettle' }));
  expect(letters()).toEqual([uuid(1)]);
  expect(store.subscriptions.get('price')?.watch).toMatchObject({
    product: { title: 'Steel kettle' },
    reach: { told: { offerId: uuid(1) }, endedAtMs: null },
  });
  await show(kettle(1, 14, { title: 'Steel kettle', subtitle: 'New' }));
  expect(letters()).toHaveLength(1);
});

test('a watch that stays behind when one of two listings is renamed has lost that one', async () => {
  const { show, store, poller } = await watched({ ...aWatch(), id: 'behind' });
  await show(kettle(1, 20), kettle(2, 14));
  await show(kettle(1, 20), kettle(2, 14, { title: 'Steel kettle' }));
  await poller.tick();
  const { watch } = store.subscriptions.get('behind') ?? {};
  expect(watch?.product?.title).toBe('Kettle');
  expect(watch?.reach?.endedAtMs).not.toBeNull();
});

test('a watch follows its product to another title by its ASIN, once that is told, and to its prices there', async () => {
  const { show, letters, store, details } = await watched(aWatch());
  const terms = { items: [{ ...anItem(1), asin: 'B00TEST123' }], isOfferLiveNow: true };
  for (const [number, title] of [
    [1, 'Kettle'],
    [2, 'Steel kettle'],
  ] as const)
    details.set(uuid(number), anOfferDetail(number, { ...terms, title }));
  await store.subscriptions.save(aSubscription('s', { filter: 'ships:HI' }));
  await show(kettle(1, 19));
  expect(store.subscriptions.get('price')?.watch?.product?.asinKey).toBeDefined();
  await show();
  await show(kettle(2, 14, { title: 'Steel kettle' }));
  expect(letters()).toEqual([uuid(2)]);
});
