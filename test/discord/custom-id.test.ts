import { expect, test } from 'vitest';
import {
  type Action,
  decodeAction,
  deliveryIdOf,
  encodeAction,
  encodeMarked,
  filterRoom,
  SEARCH_ROOM,
} from '../../src/discord/custom-id.ts';
import { uuid } from '../helpers/things.ts';

const DELIVERY = 'd'.repeat(22);
const LONG = 'ä'.repeat(SEARCH_ROOM);
const FILTER = 'ä'.repeat(filterRoom('Home'));
/** An offer, an event, a subscription, … */
const ONE = uuid(1);

/** Buttons stay in channels for years, so an action keeps the id that it once had. */
const ACTIONS: [customId: string, action: Action][] = [
  [`offer:${ONE}:${DELIVERY}`, { do: 'offer', offerId: ONE, deliveryId: DELIVERY }],
  [`offer:${ONE}:`, { do: 'offer', offerId: ONE, deliveryId: null }],
  [`event:${ONE}:${DELIVERY}`, { do: 'event', eventId: ONE, deliveryId: DELIVERY }],
  [`dealcast:abc_-9:${DELIVERY}`, { do: 'dealcast', subject: 'abc_-9', deliveryId: DELIVERY }],
  [`poll:abc_-9:${DELIVERY}`, { do: 'poll', subject: 'abc_-9', deliveryId: DELIVERY }],
  ['monkeychat:abc_-9:', { do: 'monkeychat', subject: 'abc_-9', deliveryId: null }],
  [`roll-up:${DELIVERY}:1`, { do: 'roll-up', deliveryId: DELIVERY, page: 1 }],
  [`roll-up-page:${ONE}:99999`, { do: 'roll-up-page', rollUpId: ONE, page: 99_999 }],
  [`offer-section:${ONE}:story:3`, { do: 'offer-section', offerId: ONE, section: 'story', part: 3, openedFrom: null }],
  [
    `offer-section:${ONE}:features:99999:${DELIVERY}`,
    { do: 'offer-section', offerId: ONE, section: 'features', part: 99_999, openedFrom: DELIVERY },
  ],
  ['feed:Home:12', { do: 'feed', feed: 'Home', page: 12, order: 'newest', filter: '' }],
  ['feed:Home:12:discount:', { do: 'feed', feed: 'Home', page: 12, order: 'discount', filter: '' }],
  ['feed:Home:12:newest:brand:lg > 3', { do: 'feed', feed: 'Home', page: 12, order: 'newest', filter: 'brand:lg > 3' }],
  [`feed:Home:99999:discount:${FILTER}`, { do: 'feed', feed: 'Home', page: 99_999, order: 'discount', filter: FILTER }],
  [`event-page:${ONE}:99999`, { do: 'event-page', eventId: ONE, page: 99_999 }],
  ['search:2:a: b > c', { do: 'search', page: 2, query: 'a: b > c', order: 'relevance', filter: '' }],
  [`search:99999:${LONG}`, { do: 'search', page: 99_999, query: LONG, order: 'relevance', filter: '' }],
  ['find:2:price:4:a: 5off:>=40', { do: 'search', page: 2, query: 'a: 5', order: 'price', filter: 'off:>=40' }],
  ['find:2:relevance:1:kx', { do: 'search', page: 2, query: 'k', order: 'relevance', filter: 'x' }],
  [`find:99999:discount:67:${LONG}`, { do: 'search', page: 99_999, query: LONG, order: 'discount', filter: '' }],
  [`more:relevance:67:${LONG}`, { do: 'search-more', query: LONG, order: 'relevance', filter: '' }],
  ['more:price:4:a: 5off:>=40', { do: 'search-more', query: 'a: 5', order: 'price', filter: 'off:>=40' }],
  ['events:home::2', { do: 'events', site: 'home', type: null, page: 2 }],
  ['events::DealOff:1', { do: 'events', site: null, type: 'DealOff', page: 1 }],
  ['events:::4', { do: 'events', site: null, type: null, page: 4 }],
  ['dealcasts:1', { do: 'dealcasts', page: 1 }],
  ['polls:2', { do: 'polls', page: 2 }],
  ['monkeychats:3', { do: 'monkeychats', page: 3 }],
  ['status', { do: 'status', of: 'server' }],
  ['status:bot', { do: 'status', of: 'bot' }],
  ['help:commands', { do: 'help', topic: 'commands' }],
  ['subscribe:Home', { do: 'subscribe', feed: 'Home', filter: '' }],
  ['subscribe:Home:ssd price:<50', { do: 'subscribe', feed: 'Home', filter: 'ssd price:<50' }],
  ['subscriptions:4', { do: 'subscriptions', page: 4 }],
  [`subscription:filter-again:${ONE}`, { do: 'subscription', step: 'filter-again', subscriptionId: ONE }],
  [`subscription:undo-remove:${ONE}`, { do: 'subscription', step: 'undo-remove', subscriptionId: ONE }],
  [
    `duplicate-tagged:${ONE}:${'1'.repeat(20)}`,
    { do: 'duplicate-tagged', subscriptionId: ONE, channelId: '1'.repeat(20) },
  ],
  ['add:monkeychats', { do: 'add', source: 'monkeychats' }],
];

test.each(ACTIONS)('%s keeps its id, and comes back as it went out', (customId, action) => {
  expect(encodeAction(action)).toBe(customId);
  expect(decodeAction(customId)).toEqual(action);
  const marked = encodeMarked('previous', action);
  expect(marked.length).toBeLessThanOrEqual(100);
  expect(decodeAction(marked)).toEqual(action);
});

test.each<[string, Action]>([
  // Queries could once be longer.
  [`next>search:2:${'x'.repeat(78)}`, { do: 'search', page: 2, query: 'x'.repeat(78), order: 'relevance', filter: '' }],
  // Orders, sites and types come and go.
  ['feed:Home:2:rhyme:x', { do: 'feed', feed: 'Home', page: 2, order: 'newest', filter: 'x' }],
  ['events:cellar:Flood:4', { do: 'events', site: null, type: null, page: 4 }],
  ['status:weather', { do: 'status', of: 'server' }],
  [`offer:${ONE}`, { do: 'offer', offerId: ONE, deliveryId: null }],
])('%s, as it was posted once, still works', (customId, action) => {
  expect(decodeAction(customId)).toEqual(action);
});

test.each([
  '',
  'menu:jump',
  'toString',
  '__proto__:x',
  'search-more:price:6:kettle',
  'roll-up:x:0',
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
