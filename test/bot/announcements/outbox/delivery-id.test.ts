import { expect, test } from 'vitest';
import { deliveryId } from '../../../../src/bot/announcements/outbox/delivery-id.ts';
import type { Announcement } from '../../../../src/bot/deals/announcement.ts';
import { anOffer, NOW_MS, newOfferOf, uuid } from '../../../helpers/things.ts';

const kettle = newOfferOf(anOffer(1));
const toaster = newOfferOf(anOffer(2));

test('the id of a delivery is the same whenever it is computed, and fits a nonce', () => {
  expect(deliveryId('10', kettle)).toBe(deliveryId('10', newOfferOf(anOffer(1, { title: 'Another title' }))));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('11', kettle));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('10', toaster));
  expect(deliveryId('10', kettle)).toMatch(/^[\w-]{22}$/);
});

test('an offer is new in a channel once, as new or as relisted; what happens again has an id of its own', () => {
  const item = anOffer(1);
  const before = { offerId: uuid(9), salePrice: null, endedAtMs: NOW_MS };
  const relisted: Announcement = { kind: 'relisted', subject: item.id, occurrence: '', item, before };
  const ending = (occurrence: string): Announcement => ({ kind: 'ending-soon', subject: item.id, occurrence, item });
  expect(deliveryId('10', relisted)).toBe(deliveryId('10', newOfferOf(item)));
  expect(deliveryId('10', ending('1'))).not.toBe(deliveryId('10', ending('2')));
});

test('the id of a delivery tells the kinds apart, and what happens to a thing more than once', () => {
  const { subject } = kettle;
  const ids = (['new-offer', 'restocked', 'ending-soon', 'price-drop'] as const).flatMap((kind) =>
    ['', '1'].map((occurrence) => deliveryId('10', { kind, subject, occurrence })),
  );
  expect(new Set(ids).size).toBe(8);
});

test('the id of a delivery is what it was in every released version: the ledger knows it by that', () => {
  const subject = uuid(1);
  expect(deliveryId('10', { kind: 'new-offer', subject, occurrence: '' })).toBe('iujsViAN4Bk2Dk-9-i4_Bj');
  expect(deliveryId('10', { kind: 'price-drop', subject, occurrence: '40-20' })).toBe('bJHL0TnskXw9jVcj4-z-Bf');
});
