import { expect, test } from 'vitest';
import {
  type Action,
  decodeAction,
  deliveryIdOf,
  encodeAction,
  encodeMarked,
  filterRoom,
  SEARCH_ROOM,
} from '../../../src/bot/discord/custom-id.ts';
import { uuid } from '../../helpers/things.ts';

const ACTIONS: Action[] = [
  { do: 'offer', offerId: uuid(1), deliveryId: 'd'.repeat(22) },
  { do: 'offer', offerId: uuid(1), deliveryId: null },
  { do: 'event', eventId: uuid(1), deliveryId: 'd'.repeat(22) },
  { do: 'dealcast', subject: 'abc_-9', deliveryId: 'd'.repeat(22) },
  { do: 'poll', subject: 'abc_-9', deliveryId: 'd'.repeat(22) },
  { do: 'monkeychat', subject: 'abc_-9', deliveryId: null },
  { do: 'event-page', eventId: uuid(1), page: 99_999 },
  { do: 'offer-section', offerId: uuid(1), section: 'story', part: 3 },
  { do: 'feed', feed: 'Home', page: 12, order: 'newest', filter: '' },
  { do: 'feed', feed: 'Home', page: 12, order: 'discount', filter: '' },
  { do: 'feed', feed: 'Home', page: 12, order: 'newest', filter: 'brand:lg > 3' },
  { do: 'feed', feed: 'Home', page: 99_999, order: 'discount', filter: 'ä'.repeat(filterRoom('Home')) },
  { do: 'search', page: 2, query: 'kettle: copper > tin', order: 'relevance', filter: '' },
  { do: 'search', page: 2, query: 'kettle: 5', order: 'price', filter: 'price:<50 off:>=40' },
  { do: 'search', page: 99_999, query: 'k', order: 'relevance', filter: 'f'.repeat(SEARCH_ROOM - 1) },
  { do: 'search', page: 99_999, query: 'ä'.repeat(SEARCH_ROOM), order: 'discount', filter: '' },
  { do: 'search-more', query: 'ä'.repeat(SEARCH_ROOM), order: 'relevance', filter: '' },
  { do: 'look', step: 'change', subscriptionId: null },
  { do: 'look', step: 'reset', subscriptionId: 'a-b' },
  { do: 'search', page: 99_999, query: 'ä'.repeat(SEARCH_ROOM), order: 'relevance', filter: '' },
  { do: 'dealcasts', page: 1 },
  { do: 'polls', page: 2 },
  { do: 'monkeychats', page: 3 },
  { do: 'subscribe', feed: 'Home' },
  { do: 'preview', subscriptionId: uuid(1), page: 99_999 },
  { do: 'subscriptions', page: 4 },
  { do: 'subscription', step: 'filter-again', subscriptionId: uuid(1) },
  { do: 'status', of: 'server' },
  { do: 'status', of: 'bot' },
  { do: 'why', offerId: uuid(1), subscriptionId: uuid(2) },
  { do: 'post-now', offerId: uuid(1), subscriptionId: uuid(2) },
  { do: 'help', topic: 'commands' },
  { do: 'subscription', step: 'undo-remove', subscriptionId: uuid(1) },
  { do: 'duplicate-tagged', subscriptionId: uuid(1), channelId: '1'.repeat(20) },
  { do: 'add', source: 'monkeychats' },
  { do: 'watch', offerId: uuid(1) },
  { do: 'watch-event', eventId: uuid(1) },
  { do: 'watch-for', offerId: uuid(1), aim: 'price' },
  { do: 'watch-feed', feed: 'Home' },
  { do: 'watches', page: 99_999 },
  { do: 'unwatch', watchId: uuid(1) },
  { do: 'watch-retry' },
  { do: 'my-data-delete' },
  { do: 'events', site: 'home', type: null, page: 2 },
  { do: 'events', site: null, type: 'DealOff', page: 1 },
];

test.each(ACTIONS)('$do comes back as it went out', (action) => {
  const customId = encodeAction(action);
  const marked = encodeMarked('previous', action);
  expect(marked.length).toBeLessThanOrEqual(100);
  expect(decodeAction(marked)).toEqual(action);
  expect(customId.length).toBeLessThanOrEqual(100);
  expect(decodeAction(customId)).toEqual(action);
});

test.each<[string, Action]>([
  ['feed:Home:2', { do: 'feed', feed: 'Home', page: 2, order: 'newest', filter: '' }],
  ['search:2:kettle: 5', { do: 'search', page: 2, query: 'kettle: 5', order: 'relevance', filter: '' }],
  // Queries could once be longer.
  [`next>search:2:${'x'.repeat(78)}`, { do: 'search', page: 2, query: 'x'.repeat(78), order: 'relevance', filter: '' }],
  [`offer:${uuid(1)}:`, { do: 'offer', offerId: uuid(1), deliveryId: null }],
  ['status', { do: 'status', of: 'server' }],
  ['events:::4', { do: 'events', site: null, type: null, page: 4 }],
])('%s, as it was posted once, still works', (customId, action) => {
  expect(decodeAction(customId)).toEqual(action);
});

test.each([
  '',
  'menu:jump',
  'polls:0',
  'search:1:',
  'search:0:kettle',
  'find:0:price:6:kettle',
  'find:1:rhyme:6:kettle',
  'find:1:price:0:kettle',
  'find:1:price:7:kettle',
  'find:1:price:x:kettle',
  'find:1:price:6:',
  'more:price:7:kettle',
  'look:burn:',
  'look:open:../x',
  'subscribe:',
  'subscription:',
  'help:',
  'help:me',
  'post-now:x',
  'why:x:../y',
  'subscription:open',
  'subscription:burn:x',
  'subscription:open:../x',
  'duplicate-tagged:x',
  'duplicate-tagged:x:<#1>',
  'add',
  'add:feeds',
  'watch:',
  'watch:../x',
  'watch-event:',
  'watch-for:x:new',
  'watch-for:x:',
  'watch-for:../x:price',
  'watch-feed:',
  'watches:0',
  'unwatch:',
  'event-page:x:0',
  'event-page:../x:1',
  'offer-section:x:cellar:1',
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
