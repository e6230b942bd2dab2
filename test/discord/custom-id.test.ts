import { expect, test } from 'vitest';
import { type Action, decodeAction, deliveryIdOf, encodeAction } from '../../src/discord/custom-id.ts';
import { uuid } from '../helpers/things.ts';

const ACTIONS: Action[] = [
  { do: 'offer', offerId: uuid(1), deliveryId: 'd'.repeat(22) },
  { do: 'offer', offerId: uuid(1), deliveryId: null },
  { do: 'event', eventId: uuid(1), deliveryId: 'd'.repeat(22) },
  { do: 'dealcast', subject: 'abc_-9', deliveryId: 'd'.repeat(22) },
  { do: 'feed', feed: 'Home', page: 12 },
  { do: 'events', site: 'home', type: null, page: 2 },
  { do: 'events', site: null, type: 'DealOff', page: 1 },
];

test.each(ACTIONS)('$do comes back as it went out', (action) => {
  const customId = encodeAction(action);
  expect(customId.length).toBeLessThanOrEqual(100);
  expect(decodeAction(customId)).toEqual(action);
});

test.each([
  '',
  'offer',
  'offer:',
  'offer:../x',
  'feed:Home:0',
  'feed:Home:-1',
  'feed:Home:x',
  'events:::',
  'other:1',
  ':::',
])('%j is none of ours', (customId) => {
  expect(decodeAction(customId)).toBeNull();
  expect(deliveryIdOf(customId)).toBeNull();
});
