import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Announcement } from '../../../src/bot/deals/announcement.ts';
import type { KnownOffer } from '../../../src/bot/deals/known-offer.ts';
import { openKnown } from '../../../src/bot/store/known.ts';
import { openOffers, openProducts } from '../../../src/bot/store/offers.ts';
import { openPosts, type Post } from '../../../src/bot/store/posts.ts';
import { openResources, type ResourceRecord } from '../../../src/bot/store/resources.ts';
import { sweep } from '../../../src/bot/store/rows.ts';
import { openSpending } from '../../../src/bot/store/spending.ts';
import { openStore } from '../../../src/bot/store/store.ts';
import { openBackend, type Table } from '../../../src/shared/storage/backend.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer, anEvent, anOffer, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

function open() {
  const backend = openBackend(temporaryState());
  onTestFinished(() => backend.close());
  return backend;
}

/** The keys of all rows, in the order in which they are listed. */
async function keysOf(table: Table<unknown>): Promise<string[]> {
  const rows: [string, unknown][] = await Readable.from(table.entries()).toArray();
  return rows.map(([key]) => key);
}

test('what is known of a subject is known in its resource alone', async () => {
  const known = openKnown(open());
  const record = { version: 2, firstSeenMs: 1, lastSeenMs: 2, face: 'f' } as const;
  await known.save('events', new Map([['a', record]]));
  await known.save('polls', new Map([['b', record]]));
  expect(await known.among('events', ['b', 'a', 'c'])).toEqual(new Map([['a', record]]));
  expect(await known.among('polls', ['a', 'b'])).toEqual(new Map([['b', record]]));
});

test('a subject is forgotten when it was last seen before the moment, and not when it was seen then', async () => {
  const backend = open();
  const known = openKnown(backend);
  const seen = (lastSeenMs: number) => ({ version: 2, firstSeenMs: 1, lastSeenMs, face: null }) as const;
  await known.save(
    'events',
    new Map([
      ['old', seen(NOW_MS - 1)],
      ['young', seen(NOW_MS)],
    ]),
  );
  await known.sweep(NOW_MS);
  expect(await keysOf(backend.table('known'))).toEqual(['events/young']);
});

test('offers are kept by their id, more than are written at a time, and removed by it', async () => {
  const offers = openOffers(open());
  const numbers = Array.from({ length: 2001 }, (_, index) => index);
  await offers.save(numbers.map((number) => aKnownOffer(number)));
  await offers.save([aKnownOffer(7, { title: 'Samovar' })]);
  await offers.remove([uuid(0), uuid(9999)]);
  const kept: KnownOffer[] = await Readable.from(offers.all()).toArray();
  expect(kept.map(({ offer }) => offer.id)).toEqual(numbers.slice(1).map(uuid));
  expect(kept[6]).toEqual(aKnownOffer(7, { title: 'Samovar' }));
});

test('the last listing of a product is forgotten when it ended before the moment, and not when it ended then', async () => {
  const products = openProducts(open());
  const listing = (endedAtMs: number) => ({ offerId: uuid(1), salePrice: null, endedAtMs });
  await products.save(
    new Map([
      ['old|', listing(NOW_MS - 1)],
      ['young|', listing(NOW_MS)],
    ]),
  );
  const young = { version: 1, ...listing(NOW_MS) };
  expect((await products.among(['young|', 'none|', 'old|'])).get('young|')).toEqual(young);
  await products.sweep(NOW_MS);
  expect(await products.among(['old|', 'none|', 'young|'])).toEqual(new Map([['young|', young]]));
});

function aPost(deliveryId: string, announcement: Announcement): Post {
  return {
    version: 1,
    deliveryId,
    guildId: '1',
    channelId: '10',
    messageChannelId: '10',
    messageId: `m${deliveryId}`,
    announcement,
    matches: [],
    mentionRoleIds: [],
    isPublished: false,
    face: null,
    postedAtMs: NOW_MS,
  };
}

test('posts are found by their thing, not by one whose name begins alike', async () => {
  const posts = openPosts(open());
  const [one, other, longer] = [
    aPost('a', newOfferOf(anOffer(1))),
    aPost('b', newOfferOf(anOffer(1))),
    aPost('c', { ...newOfferOf(anOffer(1)), subject: `${uuid(1)}0` }),
  ];
  const started: Announcement = { kind: 'event-started', subject: uuid(2), occurrence: '', item: anEvent(2) };
  const event = aPost('d', started);
  for (const post of [one, other, longer, event]) await posts.save(post);
  expect(await posts.of(`offer:${uuid(1)}`)).toEqual([one, other]);
  expect(await posts.get(`offer:${uuid(1)}`, 'b')).toEqual(other);
  expect(await posts.get(`offer:${uuid(1)}`, 'c')).toBeUndefined();
  expect(await posts.announcements('event')).toEqual([started]);
  await posts.forget(one);
  await posts.sweep(({ deliveryId }) => deliveryId === 'd');
  expect(await posts.of(`offer:${uuid(1)}`)).toEqual([other]);
  expect(await posts.of(`event:${uuid(2)}`)).toEqual([]);
  expect(await posts.of(`offer:${uuid(1)}0`)).toEqual([longer]);
});

test('resources are known in the next run too, those of the first version as followed and whole', async () => {
  const backend = open();
  const resources = await openResources(backend);
  const record: ResourceRecord = {
    version: 2,
    firstSeenMs: 1,
    polledAtMs: 2,
    isFollowed: false,
    isCutOff: true,
    marketingName: 'Home',
  };
  await resources.save('feed:home', record);
  expect(resources.get('feed:home')).toEqual(record);
  await backend.table('resources').set('events', { version: 1, firstSeenMs: 3, polledAtMs: 4 });
  const next = await openResources(backend);
  expect(next.keys()).toEqual(['events', 'feed:home']);
  expect(next.get('feed:home')).toEqual(record);
  expect(next.get('events')).toEqual({
    version: 1,
    firstSeenMs: 3,
    polledAtMs: 4,
    isFollowed: true,
    isCutOff: false,
    marketingName: null,
  });
  expect(next.get('polls')).toBeUndefined();
});

test('what is spent is kept for each interface, and null before', async () => {
  const spending = openSpending(open());
  const record = { day: '2026-10-06', spent: 3, tokens: 1.5, tokensAtMs: NOW_MS };
  expect(await spending.load('portal')).toBeNull();
  await spending.save('portal', record);
  expect(await spending.load('portal')).toEqual(record);
  expect(await spending.load('v2')).toBeNull();
});

test('a state is new until it is marked as set up, in the next run too', async () => {
  const url = temporaryState();
  for (const [run, isNew] of [true, true, false].entries()) {
    const store = await openStore(url);
    expect(store.isNew).toBe(isNew);
    if (run > 0) await store.markSetUp();
    await store.close();
  }
});

test.each([0, 1, 499, 500, 501, 1000])('of %i outdated rows among others all go, and nothing else', async (count) => {
  const table = open().table<number>('things');
  const rows = Array.from({ length: count + 3 }, (_, index) => [`k${String(index).padStart(4, '0')}`, index] as const);
  await table.setMany(rows);
  await sweep(table, (index) => index > 0 && index <= count);
  expect(await keysOf(table)).toEqual([rows[0], ...rows.slice(-2)].map((row) => row?.[0]));
});
