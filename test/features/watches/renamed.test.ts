import { expect, onTestFinished, test } from 'vitest';
import { type KnownOffer, productKey } from '../../../src/deals/known-offer.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import { formerProduct, moveWatches } from '../../../src/features/watches/renamed.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer, anOffer, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';

const offering = (number: number, title: string, changes: Partial<KnownOffer> = {}) =>
  aKnownOffer(number, { title }, changes);

/** Offers, and watches of `Kettle` that were made on the offers of these numbers. */
async function watched(known: readonly KnownOffer[], ...offers: readonly number[]) {
  const store = await openStore(temporaryState(), new ManualClock());
  onTestFinished(() => store.close());
  await store.subscriptions.save(aSubscription('server'));
  for (const number of offers) {
    const product = { key: productKey(anOffer(number, { title: 'Kettle' })), title: 'Kettle', offerId: uuid(number) };
    const watch = { aim: 'price', product, below: 15 } as const;
    await store.subscriptions.save(aSubscription(`of ${number}`, { guildId: placeOfPerson('1'), watch }));
  }
  const book = createOfferBook([...known], () => undefined);
  return {
    rename: async (...records: readonly KnownOffer[]) => {
      await store.commit((changes) => moveWatches(changes, records, book, store.subscriptions, NOW_MS));
      book.put(records);
    },
    products: () => store.subscriptions.all().flatMap(({ watch }) => watch?.product ?? []),
  };
}

test('all watches of a renamed offer move to its new name, those of an earlier listing too', async () => {
  const { rename, products } = await watched([offering(1, 'Kettle'), offering(2, 'Teapot')], 1, 9);
  await rename(offering(1, 'Steel kettle'), offering(2, 'Teapot'));
  expect(products()).toEqual([
    { key: 'steel kettle|', title: 'Steel kettle', offerId: uuid(1) },
    { key: 'steel kettle|', title: 'Steel kettle', offerId: uuid(9) },
  ]);
});

test('where another live offer sells the product under its name, only the watches of the renamed one move', async () => {
  const over = offering(3, 'Kettle', { overAtMs: NOW_MS - 1 });
  const { rename, products } = await watched([offering(1, 'Kettle'), offering(2, 'Kettle'), over], 1, 2, 9);
  const titles = () => products().map(({ title }) => title);
  await rename(offering(1, 'Steel kettle'));
  expect(titles()).toEqual(['Steel kettle', 'Kettle', 'Kettle']);
  await rename(offering(2, 'Glass kettle'));
  expect(titles()).toEqual(['Steel kettle', 'Glass kettle', 'Glass kettle']);
});

test('offers of one product that are renamed together take their own watches each, and the first one all others', async () => {
  const { rename, products } = await watched([offering(1, 'Kettle'), offering(2, 'Kettle')], 2, 9);
  await rename(offering(1, 'Steel kettle'), offering(2, 'Glass kettle'));
  expect(products().map(({ title }) => title)).toEqual(['Glass kettle', 'Steel kettle']);
});

test('another condition is another product; a title that differs in case or marks is none, nor is a new offer', () => {
  const book = createOfferBook([offering(1, 'Kettle')], () => undefined);
  expect(formerProduct(aKnownOffer(1, { title: 'Kettle', condition: 'Used' }), book)).toBe('kettle|');
  expect(formerProduct(offering(1, 'KETTLE®'), book)).toBeNull();
  expect(formerProduct(offering(2, 'Kettle'), book)).toBeNull();
});
