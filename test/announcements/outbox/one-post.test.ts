import { expect, test } from 'vitest';
import { onePostEach } from '../../../src/announcements/outbox/one-post.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { Delivery } from '../../../src/store/delivery.ts';
import { aDelivery, anOffer, NOW_MS } from '../../helpers/things.ts';

const KINDS = ['new-offer', 'relisted', 'restocked', 'price-drop', 'ending-soon'] as const;
const price = { minimum: 1, maximum: 1 };
const told = (kind: (typeof KINDS)[number], changes: Partial<Delivery> = {}): Delivery => {
  const item = anOffer(1);
  const beside = {
    'new-offer': {},
    relisted: { before: { offerId: 'o', salePrice: price, endedAtMs: 1 } },
    restocked: {},
    'price-drop': { before: price },
    'ending-soon': {},
  }[kind];
  const announcement = { kind, subject: item.id, occurrence: '', item, ...beside } as Announcement;
  return aDelivery(kind, { announcement, ...changes });
};

test('the most telling of what is found of a thing stands for all of it, whatever the order', () => {
  for (const found of [KINDS.map((kind) => told(kind)), KINDS.toReversed().map((kind) => told(kind))]) {
    for (const [index, kind] of KINDS.entries()) {
      const rest = found.filter(
        ({ announcement }) => !KINDS.slice(0, index).some((more) => more === announcement.kind),
      );
      const [post, ...more] = onePostEach(rest);
      expect(post?.announcement.kind).toBe(kind);
      expect(post?.alsoTells.toSorted()).toEqual(KINDS.slice(index + 1).toSorted());
      expect(more).toEqual([]);
    }
  }
});

test('of two of the same kind the one that was found first stands for both, and each subscription is named once', () => {
  const match = (subscriptionId: string, term: string) => ({ subscriptionId, terms: [term] });
  const one = told('price-drop', { id: 'a', matches: [match('s', 'ssd')], alsoTells: ['x'] });
  const other = told('price-drop', { id: 'b', matches: [match('t', 'tv'), match('s', 'tv')], alsoTells: ['y'] });
  const [post] = onePostEach([one, other]);
  expect(post).toEqual({ ...one, matches: [match('s', 'ssd'), match('t', 'tv')], alsoTells: ['x', 'b', 'y'] });
});

test('things and channels keep their own posts, and a post is due when the first of what it tells is', () => {
  const elsewhere = told('restocked', { id: 'elsewhere', channelId: '11' });
  const another = aDelivery('another');
  const digest = told('restocked', { dueAtMs: NOW_MS + 1, isDigest: true });
  const alone = told('price-drop');
  expect(onePostEach([digest, elsewhere, another, alone])).toEqual([
    { ...digest, dueAtMs: NOW_MS, isDigest: false, alsoTells: ['price-drop'] },
    elsewhere,
    another,
  ]);
  const [early] = onePostEach([told('restocked'), told('price-drop', { dueAtMs: NOW_MS + 1, isDigest: true })]);
  expect(early).toMatchObject({ id: 'restocked', dueAtMs: NOW_MS, isDigest: false });
});
