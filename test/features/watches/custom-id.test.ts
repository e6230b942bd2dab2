import { expect, test } from 'vitest';
import type { FeatureAction } from '../../../src/discord/action-table.ts';
import { decodeAnyAction, encodeAction, encodeMarked } from '../../../src/discord/custom-id.ts';
import { act, actOnMyData, MY_DATA_TABLE, TABLE } from '../../../src/features/watches/actions.ts';
import { uuid } from '../../helpers/things.ts';

const ONE = uuid(1);
const TABLES = [TABLE, MY_DATA_TABLE];

/** Buttons stay in channels for years, so an action keeps the id that it once had. */
const ACTIONS: [customId: string, action: FeatureAction][] = [
  [`watch:${ONE}`, act({ do: 'watch', offerId: ONE })],
  [`watch-event:${ONE}`, act({ do: 'watch-event', eventId: ONE })],
  [`watch-for:${ONE}:price`, act({ do: 'watch-for', offerId: ONE, aim: 'price', below: null })],
  [`watch-for:${ONE}:price:49.99`, act({ do: 'watch-for', offerId: ONE, aim: 'price', below: 49.99 })],
  ['watch-feed:Home', act({ do: 'watch-feed', feed: 'Home', filter: '' })],
  ['watch-feed:Home:a:b <5', act({ do: 'watch-feed', feed: 'Home', filter: 'a:b <5' })],
  ['watches:99999', act({ do: 'watches', page: 99_999 })],
  [`unwatch:${ONE}`, act({ do: 'unwatch', watchId: ONE })],
  ['watch-retry', act({ do: 'watch-retry' })],
  ['my-data-delete', actOnMyData({ do: 'my-data-delete' })],
];

test.each(ACTIONS)('%s keeps its id, and comes back as it went out', (customId, action) => {
  expect(encodeAction(action)).toBe(customId);
  expect(decodeAnyAction(customId, TABLES)).toEqual(action);
  const marked = encodeMarked('previous', action);
  expect(marked.length).toBeLessThanOrEqual(100);
  expect(decodeAnyAction(marked, TABLES)).toEqual(action);
});

test.each<[string, FeatureAction]>([
  [`watch-for:${ONE}:price:0.00`, act({ do: 'watch-for', offerId: ONE, aim: 'price', below: null })],
  [`watch-for:${ONE}:stock:free`, act({ do: 'watch-for', offerId: ONE, aim: 'stock', below: null })],
])('%s, as it was posted once, still works', (customId, action) => {
  expect(decodeAnyAction(customId, TABLES)).toEqual(action);
});

test.each([
  'watch:',
  'watch:../x',
  'watch-event:',
  'watch-for:x:new',
  'watch-for:x:',
  'watch-for:../x:price',
  'watch-feed:',
  'watches:0',
  'unwatch:',
])('%j is none of ours', (customId) => {
  expect(decodeAnyAction(customId, TABLES)).toBeNull();
});
