import { expect, onTestFinished, test } from 'vitest';
import { createOfferDetector, sweepPrices } from '../../../src/announcements/detect/detect-offers.ts';
import { DoubtCounts } from '../../../src/catalog/doubt-counts.ts';
import { APART_MS } from '../../../src/deals/belief.ts';
import { type KnownOffer, productKey } from '../../../src/deals/known-offer.ts';
import type { Feed, Offer } from '../../../src/deals/offer.ts';
import { termsOf } from '../../../src/deals/terms.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer, anItem, anOffer, anOfferDetail, NOW_MS, uuid } from '../../helpers/things.ts';

const feedOf = (...offers: Offer[]): Feed => ({ marketingName: null, offers, isCutOff: false });

async function aDetector(known: readonly KnownOffer[] = [], items: ReadonlyMap<string, string[]> = new Map()) {
  const logged: { level: number }[] = [];
  const store = await openStore(temporaryState(), new ManualClock());
  onTestFinished(() => store.close());
  const book = createOfferBook([...known], (feed) => store.resources.get(`feed:${feed}`));
  await store.commit((changes) => {
    for (const one of known) store.offers.set(changes, one.offer.id, one);
  });
  const detector = createOfferDetector({
    store,
    book,
    doubtCounts: new DoubtCounts(new ManualClock()),
    items: () => items,
    log: createTestLog((line) => void logged.push(JSON.parse(line) as { level: number })),
  });
  async function answer(feed: Feed, nowMs = NOW_MS, isFirstSight = false) {
    const found = await detector.inFeed('feed:Home', { value: feed }, isFirstSight, nowMs);
    let saved: string[] = [];
    await store.commit((changes) => {
      found.save(changes);
      saved = [...changes.records.keys()].filter((key) => key.startsWith('offer:'));
    });
    return { ...found, saved };
  }
  const poll = (feed: string, polledAtMs: number) =>
    store.commit((changes) =>
      store.resources.set(changes, `feed:${feed}`, {
        firstSeenMs: polledAtMs,
        polledAtMs,
        isFollowed: true,
        isCutOff: false,
        marketingName: null,
      }),
    );
  return { store, book, detector, answer, poll, logged };
}

const subjects = (announcements: readonly { subject: string }[]) => announcements.map(({ subject }) => subject);

test('a new offer is news with its start; one that changes is shown anew, and states no start', async () => {
  const { answer } = await aDetector();
  const first = await answer(feedOf(anOffer(1)));
  expect(subjects(first.news.flatMap(({ announcements }) => announcements))).toEqual([uuid(1)]);
  expect(first.startedAtMs).toEqual([NOW_MS - HOUR_MS]);
  const cheaper = anOffer(1, { salePrice: { minimum: 10, maximum: 10 } });
  const second = await answer(feedOf(cheaper), NOW_MS + 1);
  expect(second.news.flatMap(({ announcements }) => announcements.map(({ kind }) => kind))).toEqual(['price-drop']);
  expect(second.startedAtMs).toEqual([]);
  expect(second.updates).toEqual([{ key: `offer:${uuid(1)}`, item: cheaper }]);
});

test('at first sight nothing is news, and all starts are learned', async () => {
  const { answer } = await aDetector();
  const { news, startedAtMs } = await answer(feedOf(anOffer(1), anOffer(2, { startDateMs: NOW_MS - 5 })), NOW_MS, true);
  expect([news, startedAtMs]).toEqual([[], [NOW_MS - HOUR_MS, NOW_MS - 5]]);
});

test('an offer that enters another feed is news there with its start, and its posts stay as they are', async () => {
  const { answer, detector } = await aDetector();
  await answer(feedOf(anOffer(1)));
  const found = await detector.inFeed('feed:Tools', { value: feedOf(anOffer(1)) }, false, NOW_MS + 1);
  expect(found.news.map(({ resources }) => resources)).toEqual([['feed:tools']]);
  expect(found.startedAtMs).toEqual([NOW_MS - HOUR_MS]);
  expect(found.updates).toEqual([]);
});

test('an end that is near is news, and changes no post', async () => {
  const { answer, detector } = await aDetector();
  await answer(feedOf(anOffer(1, { endDateMs: NOW_MS + 4 * HOUR_MS })));
  const found = detector.byNow(NOW_MS + 2 * HOUR_MS);
  expect(found.news.flatMap(({ announcements }) => announcements.map(({ kind }) => kind))).toEqual(['ending-soon']);
  expect(found.updates).toEqual([]);
});

test('a field that an answer cannot be read in stays as it was', async () => {
  const { answer, detector, book, store } = await aDetector();
  await answer(feedOf(anOffer(1)));
  const odd = feedOf(anOffer(1, { photo: null }));
  const unreadable = { ids: [], nameless: 0, fields: new Map([[uuid(1), ['photo']]]) };
  for (const ms of [1, 2, 3]) {
    const found = await detector.inFeed('feed:Home', { value: { ...odd }, unreadable }, false, NOW_MS + ms);
    expect(found.updates).toEqual([]);
    await store.commit((changes) => found.save(changes));
  }
  expect(book.get(uuid(1))?.offer).toEqual(anOffer(1));
});

test.each([
  ['was cut off', true, undefined],
  ['went on beyond what is read', false, { ids: [], nameless: Number.POSITIVE_INFINITY }],
])('a list that %s does not say that anything is missing', async (_, isCutOff, unreadable) => {
  const { answer, detector, book, store } = await aDetector();
  await answer(feedOf(anOffer(1), anOffer(2)));
  for (const ms of [1, 2, 3]) {
    const value = { ...feedOf(anOffer(2)), isCutOff };
    const found = await detector.inFeed('feed:Home', { value, unreadable }, false, NOW_MS + ms);
    await store.commit((changes) => found.save(changes));
  }
  expect(book.get(uuid(1))?.overAtMs).toBeNull();
});

test.each([
  [DAY_MS, false],
  [DAY_MS + 1, true],
])(
  'an offer that its feed misses twice, in another one that was read %i ms before: is over: %s',
  async (agoMs, isOver) => {
    const feeds = Object.fromEntries(
      ['home', 'tools'].map((feed) => [
        feed,
        { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: null, isOld: false },
      ]),
    );
    const { answer, book, poll } = await aDetector([aKnownOffer(1, { endDateMs: null }, { feeds }), aKnownOffer(2)]);
    await poll('Tools', NOW_MS + APART_MS - agoMs);
    for (const ms of [0, APART_MS]) await answer(feedOf(anOffer(2)), NOW_MS + ms);
    expect(book.get(uuid(1))?.overAtMs).toBe(isOver ? NOW_MS + APART_MS : null);
  },
);

test('an answer reads the stored prices of what is new, cheaper or back alone', async () => {
  const { answer, store } = await aDetector();
  const [products, prices] = [store.products.among, store.prices.among];
  let read: string[] = [];
  store.products.among = (keys) => {
    read.push(...keys.map((key) => `product ${key}`));
    return products(keys);
  };
  store.prices.among = (keys) => {
    read.push(...keys.map((key) => `prices ${key}`));
    return prices(keys);
  };
  async function readFor(...offers: Offer[]) {
    read = [];
    await answer(feedOf(...offers));
    return read;
  }
  const cheaper = { salePrice: { minimum: 10, maximum: 10 } };
  expect(await readFor(anOffer(1), anOffer(2))).toEqual([
    'product kettle 1|',
    'product kettle 2|',
    'prices kettle 1|',
    'prices kettle 2|',
  ]);
  expect(await readFor(anOffer(1), anOffer(2))).toEqual([]);
  expect(await readFor(anOffer(1, cheaper), anOffer(2))).toEqual(['prices kettle 1|']);
  const sold = anOffer(2, { isSoldOut: true });
  await answer(feedOf(anOffer(1, cheaper), sold));
  expect(await readFor(anOffer(1, cheaper), sold)).toEqual([]);
  expect(await readFor(anOffer(1, cheaper), anOffer(2))).toEqual(['prices kettle 2|']);
});

test('an answer that was processed already changes nothing, and says nothing of doubt', async () => {
  const { answer } = await aDetector();
  const feed = feedOf(anOffer(1));
  expect((await answer(feed)).isDoubtful).toBe(false);
  const again = await answer(feed, NOW_MS + 1);
  expect([again.isDoubtful, again.news, again.updates, again.saved]).toEqual([null, [], [], []]);
  expect(subjects(again.live())).toEqual([uuid(1)]);
});

test('what catches up is told of the live offers of its feed only, over ones and those it misses left out', async () => {
  const { answer, detector } = await aDetector();
  const sold = anOffer(2, { isSoldOut: true });
  const found = await answer(feedOf(anOffer(1), sold, anOffer(3), anOffer(4), anOffer(5)));
  expect(subjects(found.live())).toEqual([1, 3, 4, 5].map(uuid));
  const missing = feedOf(anOffer(1), sold, anOffer(4), anOffer(5));
  await answer(missing, NOW_MS + 1);
  const last = detector.lastShown('feed:Home', NOW_MS + 1);
  expect(subjects(last.live()).toSorted()).toEqual([1, 4, 5].map(uuid));
  expect([last.isDoubtful, last.news, last.updates, last.startedAtMs]).toEqual([null, [], [], []]);
  expect(detector.lastShown('feed:Tools', NOW_MS + 1).live()).toEqual([]);
  // The end passes without an answer.
  expect(detector.lastShown('feed:Home', NOW_MS + 24 * HOUR_MS).live()).toEqual([]);
});

test('time alone ends offers, with nothing to catch up on, and their products are stored as they end', async () => {
  const { answer, detector, store } = await aDetector();
  await answer(feedOf(anOffer(1, { endDateMs: NOW_MS + HOUR_MS }), anOffer(2)));
  const key = productKey(anOffer(1));
  expect(await store.products.among([key, productKey(anOffer(2))])).toEqual(new Map());
  const ended = detector.byNow(NOW_MS + HOUR_MS);
  expect(ended.updates.map((update) => update.key)).toEqual([`offer:${uuid(1)}`]);
  expect([ended.live(), ended.startedAtMs]).toEqual([[], []]);
  await store.commit((changes) => ended.save(changes));
  const products = await store.products.among([key, productKey(anOffer(2))]);
  expect([...products].map(([product, { endedAtMs }]) => [product, endedAtMs])).toEqual([[key, NOW_MS + HOUR_MS]]);
  expect(detector.byNow(NOW_MS + HOUR_MS).updates).toEqual([]);
});

test('an ended offer is forgotten after eight days, unless a feed that was read in the last week still has it', async () => {
  const over = (number: number, overAtMs: number | null, isListed = false) =>
    aKnownOffer(
      number,
      {},
      {
        overAtMs,
        feeds: {
          home: {
            firstSeenMs: 0,
            unseenSinceMs: isListed ? null : overAtMs,
            goneSinceMs: isListed ? null : overAtMs,
            isOld: false,
          },
        },
      },
    );
  const limitMs = NOW_MS - 8 * DAY_MS;
  const known = [over(1, limitMs - 1), over(2, limitMs), over(3, null), over(4, limitMs - 1, true)];
  const { book, detector, poll, store } = await aDetector(known);
  const left = () => [...book.all()].map(({ offer }) => offer.id).toSorted();
  await poll('Home', NOW_MS - 7 * DAY_MS);
  await detector.sweep(NOW_MS);
  expect(left()).toEqual([2, 3, 4].map(uuid));
  await poll('Home', NOW_MS - 7 * DAY_MS - 1);
  await detector.sweep(NOW_MS);
  expect(left()).toEqual([2, 3].map(uuid));
  const stored = (await store.offers.all()).map(({ offer }) => offer.id);
  expect(stored.toSorted()).toEqual([2, 3].map(uuid));
});

const overFor = (number: number, days: number, offer: Partial<Offer> = {}) =>
  aKnownOffer(
    number,
    { endDateMs: null, ...offer },
    {
      prices: [{ atMs: NOW_MS - (days + 5) * DAY_MS, salePrice: { minimum: 30, maximum: 30 } }],
      overAtMs: NOW_MS - days * DAY_MS,
      feeds: {
        home: {
          firstSeenMs: 0,
          unseenSinceMs: NOW_MS - days * DAY_MS,
          goneSinceMs: NOW_MS - days * DAY_MS,
          isOld: false,
        },
      },
    },
  );

test('what nobody has read for a week is kept as it was seen last', async () => {
  const soldOutMs = NOW_MS - 9 * DAY_MS;
  const readMs = soldOutMs + HOUR_MS;
  const known = aKnownOffer(
    1,
    { endDateMs: null, isSoldOut: true },
    {
      prices: [{ atMs: soldOutMs - DAY_MS, salePrice: { minimum: 30, maximum: 30 } }],
      stock: [{ atMs: soldOutMs, isSoldOut: true }],
      soldOutAtMs: soldOutMs,
      overAtMs: soldOutMs,
      feeds: { home: { firstSeenMs: 0, unseenSinceMs: null, goneSinceMs: null, isOld: false } },
    },
  );
  const { detector, poll, store } = await aDetector([known]);
  await poll('Home', readMs);
  await detector.sweep(NOW_MS);
  const key = productKey(known.offer);
  expect((await store.prices.among([key])).get(key)).toEqual([
    { fromMs: soldOutMs - DAY_MS, untilMs: soldOutMs, price: { minimum: 30, maximum: 30 } },
    { fromMs: soldOutMs, untilMs: readMs, price: null },
  ]);
});

test('the prices of what is forgotten are kept, and told of when the product comes back', async () => {
  const { answer, detector, store, book } = await aDetector([overFor(1, 9)]);
  await detector.sweep(NOW_MS);
  expect(book.size).toBe(0);
  const run = { fromMs: NOW_MS - 14 * DAY_MS, untilMs: NOW_MS - 9 * DAY_MS, price: { minimum: 30, maximum: 30 } };
  expect(await store.prices.among(['kettle 1|'])).toEqual(new Map([['kettle 1|', [run]]]));
  await answer(feedOf(anOffer(5, { title: 'Kettle 1' })));
  expect(book.get(uuid(5))?.offer, 'one answer is not enough for a claim').not.toHaveProperty('observed');
  await answer(feedOf(anOffer(5, { title: 'Kettle 1' })), NOW_MS + 1);
  expect(book.get(uuid(5))?.offer.observed).toEqual({
    atMs: NOW_MS,
    sinceMs: run.fromMs,
    low: { price: 30, atMs: run.untilMs },
    lowestSinceMs: run.fromMs,
    // Nobody saw it for nine days.
    seenSinceMs: NOW_MS - DAY_MS,
    usual: 30,
    // It was watched for five days.
    usualUntilMs: NOW_MS + 5 * DAY_MS,
  });
});

test('a claim is news once two answers have shown the price, for those who were there when it began', async () => {
  const { answer, detector } = await aDetector([overFor(1, 9)]);
  await detector.sweep(NOW_MS);
  const relisted = () => feedOf(anOffer(5, { title: 'Kettle 1' }));
  const kindsOf = (found: Awaited<ReturnType<typeof answer>>) =>
    found.news.map(({ announcements, undecided, decided, sinceMs }) => ({
      kinds: announcements.map(({ kind }) => kind),
      undecided,
      decided,
      sinceMs,
    }));
  const none = { undecided: undefined, decided: undefined, sinceMs: undefined };
  expect(kindsOf(await answer(relisted()))).toEqual([{ ...none, kinds: ['new-offer'], undecided: ['observed'] }]);
  expect(kindsOf(await answer(relisted(), NOW_MS + 1))).toEqual([
    { ...none, kinds: ['new-offer'], decided: ['observed'], sinceMs: NOW_MS },
    { ...none, kinds: ['all-time-low'] },
  ]);
});

test('a claim about a price drop is news for those who were there when the price was', async () => {
  const { answer } = await aDetector([overFor(1, 9)]);
  const listed = (dollars: number) => feedOf(anOffer(1, { salePrice: { minimum: dollars, maximum: dollars } }));
  await answer(listed(40));
  await answer(listed(40), NOW_MS + 1);
  await answer(listed(25), NOW_MS + 2);
  const { news } = await answer(listed(25), NOW_MS + 3);
  expect(news.map(({ decided, sinceMs }) => [decided, sinceMs])).toContainEqual([['observed'], NOW_MS + 2]);
});

test('a price that an offer itself confirms is compared with the prices of what is forgotten', async () => {
  const { answer, detector, store, book } = await aDetector([overFor(1, 9)]);
  await detector.sweep(NOW_MS);
  const listed = (dollars: number) =>
    feedOf(anOffer(5, { title: 'Kettle 1', salePrice: { minimum: dollars, maximum: dollars } }));
  await answer(listed(200));
  await answer(listed(200), NOW_MS + 1);
  await answer(listed(35), NOW_MS + 2);
  const [item] = anOfferDetail(5).items;
  if (!item) throw new Error('no item');
  const detail = anOfferDetail(5, { title: 'Kettle 1', items: [{ ...item, salePrice: 35 }], isOfferLiveNow: true });
  const settled = await detector.asked(
    new Map([[uuid(5), { detail, unreadable: new Set<string>() }]]),
    NOW_MS + 2 + APART_MS,
  );
  expect([settled.live(), settled.startedAtMs, settled.isDoubtful]).toEqual([[], [], null]);
  await store.commit((changes) => settled.save(changes));
  expect(book.get(uuid(5))?.offer).toMatchObject({ salePrice: { minimum: 35 }, observed: { low: { price: 30 } } });
});

test('a price far below that a feed and the offer itself show at the same moment, and then no more, is no low', async () => {
  const { answer, detector, store, book } = await aDetector();
  const listed = (dollars: number) =>
    feedOf(anOffer(5, { endDateMs: null, salePrice: { minimum: dollars, maximum: dollars } }));
  await answer(listed(30));
  await answer(listed(30), NOW_MS + APART_MS);
  const oddMs = NOW_MS + 2 * APART_MS;
  await answer(listed(3), oddMs);
  const [item] = anOfferDetail(5).items;
  if (!item) throw new Error('no item');
  const detail = anOfferDetail(5, { items: [{ ...item, salePrice: 3 }], isOfferLiveNow: true });
  const asked = new Map([[uuid(5), { detail, unreadable: new Set<string>() }]]);
  const settled = await detector.asked(asked, oddMs + 1);
  await store.commit((changes) => settled.save(changes));
  expect(book.get(uuid(5))?.offer.salePrice?.minimum).toBe(30);
  await answer(listed(30), oddMs + APART_MS);
  await answer(listed(21), oddMs + 2 * APART_MS);
  await answer(listed(21), oddMs + 3 * APART_MS);
  expect(book.get(uuid(5))?.prices.map(({ salePrice }) => salePrice?.minimum)).toEqual([30, 21]);
});

test('a name that an offer itself confirms is that of a product whose prices are kept', async () => {
  const { answer, detector, store, book } = await aDetector([overFor(1, 9)]);
  await detector.sweep(NOW_MS);
  await answer(feedOf(anOffer(5, { title: 'Samovar' })));
  await answer(feedOf(anOffer(5, { title: 'Samovar' })), NOW_MS + 1);
  await answer(feedOf(anOffer(5, { title: 'Kettle 1' })), NOW_MS + 2);
  const detail = anOfferDetail(5, { title: 'Kettle 1' });
  const settled = await detector.asked(new Map([[uuid(5), { detail, unreadable: new Set<string>() }]]), NOW_MS + 3);
  await store.commit((changes) => settled.save(changes));
  expect(book.get(uuid(5))?.offer).toMatchObject({ title: 'Kettle 1', observed: { low: { price: 30 } } });
});

test('an offer that tells its ASIN is compared with the prices of the product under a title that is forgotten', async () => {
  const terms = { ...termsOf({ items: [], shippingMethods: [] }), asin: 'B00TEST123' };
  const { answer, detector, store, book } = await aDetector([{ ...overFor(1, 9, { title: 'Acme Kettle' }), terms }]);
  await detector.sweep(NOW_MS);
  const title = 'Steel kettle by Acme';
  const listed = feedOf(anOffer(5, { title, salePrice: { minimum: 40, maximum: 40 } }));
  for (const ms of [0, APART_MS]) await answer(listed, NOW_MS + ms);
  expect(book.get(uuid(5))?.offer).not.toHaveProperty('observed');
  const items = [{ ...anItem(5, { salePrice: 40 }), asin: terms.asin }];
  const detail = anOfferDetail(5, { title, items, isOfferLiveNow: true });
  const asked = new Map([[uuid(5), { detail, unreadable: new Set<string>() }]]);
  const settled = await detector.asked(asked, NOW_MS + 2 * APART_MS);
  await store.commit((changes) => settled.save(changes));
  expect(book.get(uuid(5))?.offer).toMatchObject({ observed: { low: { price: 30 } } });
});

test('what an offer says of itself that was forgotten meanwhile changes nothing', async () => {
  const { detector, book } = await aDetector();
  const answers = new Map([[uuid(5), { detail: anOfferDetail(5), unreadable: new Set<string>() }]]);
  const { news, updates } = await detector.asked(answers, NOW_MS);
  expect([news, updates, book.size]).toEqual([[], [], 0]);
});

test('an offer that can be bought for the first time is compared with the prices of what is forgotten', async () => {
  const { answer, detector, book } = await aDetector([overFor(1, 9)]);
  await detector.sweep(NOW_MS);
  const relisted = (isSoldOut: boolean) => feedOf(anOffer(5, { title: 'Kettle 1', isSoldOut }));
  for (const [ms, isSoldOut] of [true, true, false, false].entries()) await answer(relisted(isSoldOut), NOW_MS + ms);
  expect(book.get(uuid(5))?.offer).toMatchObject({ isSoldOut: false, observed: { low: { price: 30 } } });
});

test('a price that comes with an odd title is compared with the prices of the title that is believed', async () => {
  const { answer, detector, book } = await aDetector([overFor(1, 9)]);
  await detector.sweep(NOW_MS);
  const listed = (dollars: number, title = 'Kettle 1') =>
    feedOf(anOffer(5, { title, salePrice: { minimum: dollars, maximum: dollars } }));
  const answers = [listed(40), listed(40), listed(35, 'Kettle 1 (copy)'), listed(35)];
  for (const [ms, feed] of answers.entries()) await answer(feed, NOW_MS + ms);
  expect(book.get(uuid(5))?.offer).toMatchObject({ title: 'Kettle 1', observed: { low: { price: 30 } } });
});

test('a product that is renamed but keeps its item has the prices of both names', async () => {
  const items = new Map([[uuid(5), ['item-1']]]);
  const { answer, detector, store, book } = await aDetector([{ ...overFor(1, 9), itemIds: ['item-1'] }], items);
  await detector.sweep(NOW_MS);
  await answer(feedOf(anOffer(5, { title: 'Samovar' })));
  await answer(feedOf(anOffer(5, { title: 'Samovar' })), NOW_MS + 1);
  expect(book.get(uuid(5))).toMatchObject({ itemIds: ['item-1'], offer: { observed: { low: { price: 30 } } } });
  const found = await store.prices.among(['kettle 1|', 'item:item-1', 'samovar|']);
  expect([...found.keys()]).toEqual(['kettle 1|', 'item:item-1']);
  expect(found.get('item:item-1')).toEqual(found.get('kettle 1|'));
});

test('an offer that is known already learns its items once, from the first event that has it', async () => {
  const items = new Map<string, string[]>();
  const { answer, book } = await aDetector([aKnownOffer(1), aKnownOffer(2)], items);
  const poll = async () => (await answer(feedOf(anOffer(1), anOffer(2)))).saved;
  expect(await poll()).toEqual([]);
  items.set(uuid(1), ['item-1']);
  expect(await poll()).toEqual([`offer:${uuid(1)}`]);
  items.set(uuid(1), ['item-2']);
  expect(await poll()).toEqual([]);
  expect(book.get(uuid(1))?.itemIds).toEqual(['item-1']);
});

test('a forgetting that could not be stored keeps each run once', async () => {
  const { detector, store, book } = await aDetector([overFor(1, 9)]);
  const { transact } = store;
  store.transact = (decide) =>
    transact(async (changes) => {
      await decide(changes);
      throw new StoreError('cut off');
    });
  await detector.sweep(NOW_MS);
  expect(book.size).toBe(1);
  store.transact = transact;
  await detector.sweep(NOW_MS + 1);
  expect(book.size).toBe(0);
  expect((await store.prices.among(['kettle 1|'])).get('kettle 1|')).toHaveLength(1);
});

test('where prices cannot be read or kept, offers are news all the same, and nothing is forgotten', async () => {
  const { answer, detector, store, book, logged } = await aDetector([overFor(1, 9)]);
  const broken = () => Promise.reject(new StoreError('broken'));
  store.prices.among = broken;
  store.prices.add = broken;
  const relisted = () => feedOf(anOffer(5, { title: 'Kettle 1' }));
  const answers = [await answer(relisted()), await answer(relisted(), NOW_MS + 1)];
  // No low: what can't be read may have been cheaper.
  const announced = answers.flatMap(({ news }) => news).flatMap(({ announcements }) => announcements);
  expect(announced.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([`relisted ${uuid(5)}`]);
  const told = logged.length;
  expect(new Set(logged.map(({ level }) => level))).toEqual(new Set([50]));
  await detector.sweep(NOW_MS);
  expect(book.get(uuid(1))).toBeDefined();
  expect(logged.slice(told)).toMatchObject([{ level: 50 }]);
});

test('observed prices are remembered for two years, leap days included, and forgotten on Sundays', async () => {
  const { detector, store } = await aDetector();
  const price = { minimum: 30, maximum: 30 };
  const sundayMs = NOW_MS - 2 * DAY_MS;
  expect([new Date(NOW_MS).getUTCDay(), new Date(sundayMs).getUTCDay()]).toEqual([2, 0]);
  const limitMs = sundayMs - 732 * DAY_MS;
  await store.transact((changes) =>
    store.prices.add(
      changes,
      new Map([
        ['old|', [{ fromMs: 0, untilMs: limitMs - 1, price }]],
        ['young|', [{ fromMs: 0, untilMs: limitMs, price }]],
      ]),
    ),
  );
  const left = async () => [...(await store.prices.among(['old|', 'young|'])).keys()];
  await detector.sweep(NOW_MS);
  await sweepPrices(store.prices, NOW_MS);
  expect(await left()).toEqual(['old|', 'young|']);
  await sweepPrices(store.prices, sundayMs);
  expect(await left()).toEqual(['young|']);
});
