import { expect, test } from 'vitest';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { Audience } from '../../../src/announcements/match/match.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { EVENT_TYPES, isWanted, SITE_PREFIXES } from '../../../src/deals/event.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { createLog } from '../../../src/shared/log.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDealcast, anEvent, anOffer, aSubscription, NOW_MS, newOfferOf, newsOf } from '../../helpers/things.ts';

const kettle = newOfferOf(anOffer(1, { startDateMs: NOW_MS - 2 * HOUR_MS }));
const toaster = newOfferOf(anOffer(2, { title: 'Toaster', startDateMs: NOW_MS - HOUR_MS }));

function anAudience(...subscriptions: Subscription[]) {
  return new Audience({ all: () => subscriptions, onChange: () => undefined }, [], createLog('silent'));
}

/** The subscriptions that hear of something in the feed Home. */
async function whoHears(announcement: Announcement, ...subscriptions: Subscription[]): Promise<string[]> {
  const matches = await anAudience(...subscriptions).of([newsOf(announcement)], NOW_MS, { clock: systemClock });
  return matches.map(({ subscription }) => subscription.id).toSorted();
}

/** Whether a subscription hears of an event. */
async function isHeard(announcement: Announcement, subscription: Subscription): Promise<boolean> {
  return (
    (
      await anAudience(subscription).of([{ announcements: [announcement], resources: ['events'] }], NOW_MS, {
        clock: systemClock,
      })
    ).length > 0
  );
}

test('news reach who follows the feed, in whichever spelling, and does not rest', async () => {
  expect(
    await whoHears(
      kettle,
      aSubscription('a'),
      aSubscription('b', { source: { kind: 'feed', feed: 'HOME' } }),
      aSubscription('tools', { source: { kind: 'feed', feed: 'Tools' } }),
      aSubscription('paused', { pausedBy: 'person' }),
    ),
  ).toEqual(['a', 'b']);
});

test('a subscription hears of the kinds that it asked for', async () => {
  const item = anOffer(1);
  const ending: Announcement = { kind: 'ending-soon', subject: item.id, occurrence: '1', item };
  expect(
    await whoHears(ending, aSubscription('usual'), aSubscription('all', { kinds: [...KINDS_OF.feed.all] })),
  ).toEqual(['all']);
});

test.each([
  [20, 18, true],
  [20, 18.01, false],
  [20, 5, true],
  [29.9, 26.91, true],
])('of a price that falls from %d to %d, whoever asked for 10 percent hears: %s', async (before, now, isHeard) => {
  const item = anOffer(1, { salePrice: { minimum: now, maximum: now } });
  const drop: Announcement = {
    kind: 'price-drop',
    subject: item.id,
    occurrence: `${before}-${now}`,
    item,
    before: { minimum: before, maximum: before },
  };
  expect(await whoHears(drop, aSubscription('s', { priceDropPercent: 10 }))).toEqual(isHeard ? ['s'] : []);
});

test('events reach who asked for their type and site', async () => {
  const announcement: Announcement = {
    kind: 'event-started',
    subject: 'e',
    occurrence: '',
    item: anEvent(1, { type: 'Daily', site: 'home.example.com' }),
  };
  const events = (id: string, only: Partial<Extract<Subscription['source'], { kind: 'events' }>>) =>
    aSubscription(id, { kinds: ['event-started'], source: { kind: 'events', sites: [], types: [], ...only } });
  const audience = anAudience(
    events('all', {}),
    events('daily', { types: ['Daily'] }),
    events('ghost', { types: ['Ghost'] }),
    events('home', { sites: ['home'] }),
    events('wine', { types: ['Daily'], sites: ['wine'] }),
  );
  const matches = await audience.of([{ announcements: [announcement], resources: ['events'] }], NOW_MS, {
    clock: systemClock,
  });
  expect(matches.map(({ subscription }) => subscription.id).toSorted()).toEqual(['all', 'daily', 'home']);
});

test('a filter decides, and its terms tell why; one that can not be read lets nothing through', async () => {
  const audience = anAudience(
    aSubscription('toasters', { filter: 'toaster price:<50' }),
    aSubscription('dear', { filter: 'price:>50' }),
    aSubscription('broken', { filter: 'price:<' }),
  );
  const matches = await audience.of([newsOf(toaster)], NOW_MS, { clock: systemClock });
  expect(matches.map(({ subscription, terms }) => [subscription.id, terms.length])).toEqual([['toasters', 2]]);
});

test('a subscription that is changed, paused or removed is heeded at once', async () => {
  const store = await openStore(temporaryState());
  const audience = new Audience(store.subscriptions, [], createLog('silent'));
  const hears = async () => (await audience.of([newsOf(toaster)], NOW_MS, { clock: systemClock })).length;
  await store.subscriptions.save(aSubscription('s', { filter: 'kettle' }));
  expect(await hears()).toBe(0);
  await store.subscriptions.update('s', (subscription) => ({ ...subscription, filter: 'toaster' }));
  expect(await hears()).toBe(1);
  await store.subscriptions.update('s', (subscription) => ({ ...subscription, pausedBy: 'person' }));
  expect(await hears()).toBe(0);
  await store.subscriptions.save(aSubscription('s'));
  expect(await hears()).toBe(1);
  await store.subscriptions.remove('s');
  expect(await hears()).toBe(0);
  await store.close();
});

test('catching up takes the newest that the filter lets through, as many as are wished for', () => {
  const subscriptions = [
    aSubscription('one', { catchUp: 1 }),
    aSubscription('ten', { catchUp: 10 }),
    aSubscription('kettles', { catchUp: 1, filter: 'kettle' }),
  ];
  const matches = anAudience(...subscriptions).catchUps([kettle, toaster], subscriptions, NOW_MS);
  expect(matches.map(({ announcement, subscription }) => [subscription.id, announcement])).toEqual([
    ['one', toaster],
    ['ten', toaster],
    ['ten', kettle],
    ['kettles', kettle],
  ]);
});

test('a price that is known no more has not fallen', async () => {
  const item = anOffer(1, { salePrice: null });
  const drop: Announcement = {
    kind: 'price-drop',
    subject: item.id,
    occurrence: '',
    item,
    before: { minimum: 20, maximum: 20 },
  };
  expect(await whoHears(drop, aSubscription('s', { priceDropPercent: 1 }))).toEqual([]);
});

test.each<[Announcement, Subscription['source'], string]>([
  [
    { kind: 'event-started', subject: 'e', occurrence: '', item: anEvent(1, { title: 'Big day' }) },
    { kind: 'events', sites: [], types: [] },
    'big type:event',
  ],
  [
    { kind: 'new-dealcast', subject: 'd', occurrence: '', item: aDealcast(1, { title: 'Big cast' }) },
    { kind: 'dealcasts' },
    'big type:dealcast',
  ],
  [
    {
      kind: 'new-poll',
      subject: 'p',
      occurrence: '',
      item: { discussionUrl: null, site: null, questions: [{ text: 'How big?', responses: [] }] },
    },
    { kind: 'polls' },
    'big type:poll',
  ],
  [
    { kind: 'new-monkeychat', subject: 'm', occurrence: '', item: { raw: { said: 'Big words' } } },
    { kind: 'monkeychats' },
    'big type:monkeychat',
  ],
])('a filter sees of $kind what it is', async (announcement, source, filter) => {
  const kinds = [...KINDS_OF[source.kind].all];
  const audience = anAudience(
    aSubscription('s', { source, kinds, filter }),
    aSubscription('t', { source, kinds, filter: 'type:offer' }),
  );
  const matches = await audience.of([{ announcements: [announcement], resources: [source.kind as 'polls'] }], NOW_MS, {
    clock: systemClock,
  });
  expect(matches.map(({ subscription, terms }) => [subscription.id, terms[0]])).toEqual([['s', 'big']]);
});

test('catching up says which terms took a thing, and takes nothing by a filter that can not be read', () => {
  const subscriptions = [
    aSubscription('kettles', { catchUp: 10, filter: 'kettle price:<50' }),
    aSubscription('broken', { catchUp: 10, filter: 'price:<' }),
    aSubscription('paused', { catchUp: 10, pausedBy: 'person' }),
    aSubscription('none', { catchUp: 0 }),
  ];
  const matches = anAudience(...subscriptions).catchUps([toaster, kettle], subscriptions, NOW_MS);
  expect(matches.map(({ subscription, terms }) => [subscription.id, terms])).toEqual([
    ['kettles', ['kettle', 'price < 50']],
  ]);
});

test('a saved filter that can not be read is logged with the subscription, and the former one is not heeded', async () => {
  const store = await openStore(temporaryState());
  const lines: string[] = [];
  const audience = new Audience(
    store.subscriptions,
    [],
    createLog('info', { write: (line: string) => void lines.push(line) }),
  );
  await store.subscriptions.save(aSubscription('s', { filter: 'toaster' }));
  expect(await audience.of([newsOf(toaster)], NOW_MS, { clock: systemClock })).toHaveLength(1);
  await store.subscriptions.save(aSubscription('s', { filter: 'price:<' }));
  expect(await audience.of([newsOf(toaster)], NOW_MS, { clock: systemClock })).toEqual([]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      subscription: 's',
      filter: 'price:<',
      problem: { code: 'missing-value' },
    },
  ]);
  await store.close();
});

test('a record that makes no sense tells nothing, and the others hear all', async () => {
  const broken = [{ kinds: null }, { timing: undefined }, { filter: null }].map((changes, index) =>
    aSubscription(`broken ${index}`, changes as unknown as Partial<Subscription>),
  );
  expect(await whoHears(kettle, ...broken, aSubscription('a'))).toEqual(['a']);
});

test.each([
  ['home.example.com', 'Daily', true],
  ['Home.example.com', 'daily', true],
  ['HOME.EXAMPLE.COM', 'DAILY', true],
  ['Home', 'Daily', true],
  ['homes.example.com', 'Daily', false],
  ['www.example.com', 'Daily', false],
  [null, 'Daily', false],
  ['home.example.com', 'Ghost', false],
])('an event of %s and type %s is announced where /events shows it: %s', async (site, type, isTaken) => {
  const item = anEvent(1, { site, type });
  const announcement: Announcement = { kind: 'event-started', subject: item.id, occurrence: '', item };
  const source = { kind: 'events' as const, sites: ['home' as const, 'sport' as const], types: ['Daily' as const] };
  const subscription = aSubscription('a', { source, kinds: ['event-started'] });
  expect(await isHeard(announcement, subscription)).toBe(isTaken);
  expect(isWanted(item, { site: 'home', type: 'Daily' })).toBe(isTaken);
  const everything = { ...subscription, source: { ...source, sites: [], types: [] } };
  expect(await isHeard(announcement, everything)).toBe(true);
});

test('every site and type that can be subscribed to is announced, whatever its case', async () => {
  for (const site of SITE_PREFIXES) {
    for (const type of EVENT_TYPES) {
      const item = anEvent(1, { site: `${site.toUpperCase()}.Example.com`, type: type.toUpperCase() });
      const source = { kind: 'events' as const, sites: [site], types: [type] };
      const subscription = aSubscription('a', { source, kinds: ['event-started'] });
      expect(await isHeard({ kind: 'event-started', subject: item.id, occurrence: '', item }, subscription)).toBe(true);
    }
  }
});
