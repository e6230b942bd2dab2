import { expect, test } from 'vitest';
import { createFreshest } from '../../../../src/bot/announcements/deliver/freshest.ts';
import { anOffer, NOW_MS, newOfferOf, uuid } from '../../../helpers/things.ts';

const KEPT_MS = 10 * 60_000;

test('what was told of a thing is kept until ten minutes later, then what is known of it counts', () => {
  const known = anOffer(1, { title: 'known' });
  const freshest = createFreshest((thing) => (thing === `offer:${uuid(1)}` ? known : undefined));
  const titleOf = (number: number) => (freshest.of(newOfferOf(anOffer(number))).item as { title: string }).title;
  freshest.note([{ thing: `offer:${uuid(1)}`, item: anOffer(1, { title: 'told' }) }], NOW_MS);
  freshest.note([{ thing: `offer:${uuid(2)}`, item: anOffer(2, { title: 'second' }) }], NOW_MS + KEPT_MS - 1);
  expect([titleOf(1), titleOf(2)]).toEqual(['told', 'second']);
  freshest.note([], NOW_MS + KEPT_MS);
  expect([titleOf(1), titleOf(2)]).toEqual(['known', 'second']);
});
