import { expect, test } from 'vitest';
import { isUntrue } from '../../../src/announcements/explain/truth.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { postsOf } from '../../helpers/records.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aKnownOffer, anOffer, uuid } from '../../helpers/things.ts';

const price = (minimum: number) => ({ salePrice: { minimum, maximum: minimum } });

/** A post about an offer of $20, and what is known of it since. */
async function aPost() {
  const { run, book, clock } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer, store } = await run();
  const offer = anOffer(1, { ...price(20), endDateMs: clock.now() + 60_000 });
  await enqueue(offer, await subscribe('s'));
  await kick();
  const [post] = await postsOf(store, `offer:${uuid(1)}`);
  if (!post) throw new Error('Nothing was posted.');
  return {
    card: () => deliverer.currentCard(post),
    /** Without the edit that a poll would queue. */
    learn: (changes: Partial<Offer>) => book.put([aKnownOffer(1, { ...offer, ...changes })]),
  };
}

test.each([
  ['nothing has changed', {}, false],
  ['the price has changed', price(15), true],
  ['it is sold out', { isSoldOut: true }, true],
])('a post whose record holds what was known, while %s, is outdated: %j → %s', async (_, changes, isOutdated) => {
  const { card, learn } = await aPost();
  learn(changes);
  expect(card().isOutdated).toBe(isOutdated);
});

test.each([
  ['**$20.00**', false],
  ['**20,00 $**', false],
  ['**$25.00**', true],
  ['', true],
])('a message that says "%s" of an offer of $20 is untrue: %s', async (text, isWrong) => {
  const { card } = await aPost();
  expect(isUntrue({ texts: ['Kettle', text] }, card())).toBe(isWrong);
});
