import { expect, test } from 'vitest';
import type { Announcement } from '../../src/deals/announcement.ts';
import { appearanceFrom } from '../../src/deals/appearance.ts';
import { DAY_MS } from '../../src/shared/time.ts';
import type { ResourceRecord } from '../../src/store/catalog-records.ts';
import type { Post } from '../../src/store/posts.ts';
import { openStore } from '../../src/store/store.ts';
import { openedRecords, openedState } from '../helpers/opened-state.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aKnownOffer, anEvent, anOffer, NOW_MS, newOfferOf, uuid } from '../helpers/things.ts';

test('what is known of a subject is known in its resource alone', async () => {
  const { state } = openedState();
  const { known } = await openedRecords(state);
  const record = { firstSeenMs: 1, lastSeenMs: 2, face: 'f' };
  await state.commit((changes) => {
    known.save(changes, 'events', new Map([['a', record]]));
    known.save(changes, 'polls', new Map([['b', record]]));
  });
  expect(await known.among('events', ['b', 'a', 'c'])).toEqual(new Map([['a', record]]));
  expect(await known.among('polls', ['a', 'b'])).toEqual(new Map([['b', record]]));
});

test('a subject is forgotten after 90 days without a sight, not before', async () => {
  const { state } = openedState();
  const { known } = await openedRecords(state);
  const seen = (lastSeenMs: number) => ({ firstSeenMs: 1, lastSeenMs, face: '' });
  const records = new Map([
    ['old', seen(NOW_MS - 1)],
    ['young', seen(NOW_MS)],
  ]);
  await state.commit((changes) => known.save(changes, 'events', records));
  await (await openedRecords(state)).sweep(NOW_MS + 90 * DAY_MS);
  expect([...(await known.among('events', ['old', 'young'])).keys()]).toEqual(['young']);
});

test('offers are kept by their id, many at once, and removed by it', async () => {
  const { state } = openedState();
  const { offers } = await openedRecords(state);
  const numbers = Array.from({ length: 2001 }, (_, index) => index);
  await state.commit((changes) => {
    for (const number of numbers) offers.set(changes, uuid(number), aKnownOffer(number));
  });
  await state.commit((changes) => {
    offers.set(changes, uuid(7), aKnownOffer(7, { title: 'Samovar' }));
    for (const number of [0, 9999]) offers.delete(changes, uuid(number));
  });
  const kept = await offers.all();
  expect(kept.map(({ offer }) => offer.id)).toEqual(numbers.slice(1).map(uuid));
  expect(kept[6]).toEqual(aKnownOffer(7, { title: 'Samovar' }));
});

test('the last listing of a product is forgotten 180 days after its end, not before', async () => {
  const { state } = openedState();
  const { products } = await openedRecords(state);
  const listing = (endedAtMs: number) => ({ offerId: uuid(1), salePrice: null, endedAtMs });
  const listings = new Map([
    ['old|', listing(NOW_MS - 1)],
    ['young|', listing(NOW_MS)],
  ]);
  await state.commit((changes) => {
    for (const [product, one] of listings) products.set(changes, product, one);
  });
  expect(await products.among(['young|', 'none|', 'old|'])).toEqual(listings);
  await (await openedRecords(state)).sweep(NOW_MS + 180 * DAY_MS);
  expect([...(await products.among(['old|', 'none|', 'young|'])).keys()]).toEqual(['young|']);
});

function aPost(deliveryId: string, announcement: Announcement): Post {
  return {
    deliveryId,
    guildId: '1',
    channelId: '10',
    messageChannelId: '10',
    messageId: `m${deliveryId}`,
    announcement,
    matches: [],
    mentionRoleIds: [],
    isPublished: false,
    look: appearanceFrom({}),
    alsoTells: [],
    face: null,
    postedAtMs: NOW_MS,
  };
}

test('posts are found by their thing, not by one whose name begins alike', async () => {
  const { state } = openedState();
  const { posts } = await openedRecords(state);
  const [one, other, longer] = [
    aPost('a', newOfferOf(anOffer(1))),
    aPost('b', newOfferOf(anOffer(1))),
    aPost('c', { ...newOfferOf(anOffer(1)), subject: `${uuid(1)}0` }),
  ];
  const started: Announcement = { kind: 'event-started', subject: uuid(2), occurrence: '', item: anEvent(2) };
  const event = { ...aPost('d', started), guildId: '2' };
  await state.commit((changes) => {
    for (const post of [one, other, longer, event]) posts.save(changes, post);
  });
  const [ofOne, ofLonger, ofEvent] = [`offer:${uuid(1)}`, `offer:${uuid(1)}0`, `event:${uuid(2)}`] as const;
  expect(await posts.about([ofEvent, ofOne])).toEqual(
    new Map<string, Post[]>([
      [ofEvent, [event]],
      [ofOne, [one, other]],
    ]),
  );
  expect(await posts.get(ofOne, 'b')).toEqual(other);
  expect(await posts.get(ofOne, 'c')).toBeUndefined();
  expect(await posts.announcements('event')).toEqual([started]);
  expect(await posts.inPlace('2')).toEqual([event]);
  await state.commit((changes) => posts.forget(changes, one));
  await posts.sweep(({ deliveryId }) => deliveryId === 'd');
  expect(await posts.about([ofOne, ofLonger, ofEvent])).toEqual(
    new Map([
      [ofOne, [other]],
      [ofLonger, [longer]],
    ]),
  );
});

test('resources are known in the next run too', async () => {
  const { url, state } = openedState();
  const { resources } = await openedRecords(state);
  const record: ResourceRecord = {
    firstSeenMs: 1,
    polledAtMs: 2,
    isFollowed: false,
    isCutOff: true,
    marketingName: 'Home',
  };
  await state.commit((changes) => {
    resources.set(changes, 'feed:home', record);
    expect(resources.get('feed:home')).toBeUndefined();
  });
  for (const run of [resources, (await openedRecords(openedState(url).state)).resources]) {
    expect(run.keys()).toEqual(['feed:home']);
    expect(run.get('feed:home')).toEqual(record);
    expect(run.get('polls')).toBeUndefined();
  }
});

test('what is spent is kept for each interface, and null before', async () => {
  const { spending } = await openedRecords(openedState().state);
  const record = { day: '2026-10-06', spent: 3, tokens: 1.5, tokensAtMs: NOW_MS };
  expect(await spending.load('portal')).toBeNull();
  await spending.save('portal', record);
  expect(await spending.load('portal')).toEqual(record);
  expect(await spending.load('v2')).toBeNull();
});

test('the newest message of a channel is the one with the highest id, and forgotten with the channel', async () => {
  const { url, state } = openedState();
  const { newestMessages: newest } = await openedRecords(state);
  const note = (messageId: string) => state.commit((changes) => newest.note(changes, '10', messageId));
  await Promise.all(['9', '10', '8', 'no id'].map(note));
  await state.commit((changes) => {
    newest.note(changes, '11', '5');
    newest.note(changes, '11', '4');
  });
  for (const run of [newest, (await openedRecords(openedState(url).state)).newestMessages]) {
    expect(['10', '11', '12'].map((channelId) => run.of(channelId))).toEqual(['10', '5', null]);
  }
  await Promise.all([note('11'), state.commit((changes) => newest.forget(changes, '10')), note('7')]);
  expect(newest.of('10')).toBe('7');
});

test('a pause of all posting has begun when it was begun first, and ends', async () => {
  const { url, state } = openedState();
  const { postingPause: pause } = await openedRecords(state);
  expect(pause.sinceMs()).toBeNull();
  await Promise.all([pause.begin(5), pause.begin(7)]);
  for (const run of [pause, (await openedRecords(openedState(url).state)).postingPause]) expect(run.sinceMs()).toBe(5);
  await pause.end();
  expect(pause.sinceMs()).toBeNull();
});

test('a state is new until it is marked as set up, in the next run too', async () => {
  const url = temporaryState();
  for (const [run, isNew] of [true, true, false].entries()) {
    const store = await openStore(url);
    expect(store.isNew).toBe(isNew);
    if (run > 0) await store.commit((changes) => store.markSetUp(changes));
    await store.close();
  }
});
