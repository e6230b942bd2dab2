import { expect, test } from 'vitest';
import { APART_MS } from '../../src/deals/belief.ts';
import {
  type Before,
  changesOfFeed,
  changesOfTime,
  ENDING_SOON_MS,
  type FeedSighting,
} from '../../src/deals/change.ts';
import { type FeedPresence, type KnownOffer, priceKeys, shownOffer } from '../../src/deals/known-offer.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { LONGEST_UNSEEN_MS } from '../../src/deals/offer-record.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aKnownOffer, anOffer, NOW_MS, uuid } from '../helpers/things.ts';

const LATER_MS = NOW_MS + HOUR_MS;
const here: FeedPresence = { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: null, isOld: false };

/** An offer that is in all feeds all the time: where it alone is shown, an answer lacks not all that there was. */
const [company, shownCompany] = [aKnownOffer(999), anOffer(999)];

/** Looks at the feed Home an hour after the moment at which tests play. */
function look(known: KnownOffer[], offers: Offer[], changes: Partial<FeedSighting & Before> = {}) {
  const found = lookAlone([company, ...known], [shownCompany, ...offers], changes);
  const isMeant = (record: KnownOffer) => record.offer.id !== company.offer.id;
  const meant = found.changes.filter((change) => isMeant(change.known));
  return { ...found, records: found.records.filter(isMeant), changes: meant, kinds: meant.map(({ kind }) => kind) };
}

/** Looks at the feed Home where there is nothing else. */
function lookAlone(known: KnownOffer[], offers: Offer[], changes: Partial<FeedSighting & Before> = {}) {
  const before: Before = {
    get: (id) => known.find(({ offer }) => offer.id === id),
    all: () => known,
    listings: (key) => known.filter((record) => priceKeys(record).includes(key)),
    past: new Map(),
    archived: new Map(),
    items: new Map(),
    polledAtMs: () => null,
    isOld: () => false,
    isCurrent: () => true,
    ...changes,
  };
  return changesOfFeed(before, { feed: 'home', isCutOff: false, nowMs: LATER_MS, ...changes, offers });
}

/** The records after a look. */
function after(known: readonly KnownOffer[], { records }: { records: readonly KnownOffer[] }): KnownOffer[] {
  const changed = new Map([...known, ...records].map((record) => [record.offer.id, record]));
  return [...changed.values()];
}

/** Looks twice at an answer, far enough apart: the first time most of what it says is not believed yet. */
function lookTwice(known: KnownOffer[], offers: Offer[], changes: Partial<FeedSighting & Before> = {}) {
  const { nowMs = LATER_MS } = changes;
  return look(after(known, look(known, offers, { ...changes, nowMs: nowMs - APART_MS })), offers, changes);
}

const priced = (minimum: number) => ({ salePrice: { minimum, maximum: minimum } });

test('what nothing happened to is not written again', () => {
  expect(look([aKnownOffer(1)], [anOffer(1)])).toEqual({ changes: [], records: [], isDoubtful: false, kinds: [] });
});

test('an offer appears, and is no news where it was there before anybody asked', () => {
  const { changes, records } = look([], [anOffer(1)]);
  expect(changes).toEqual([{ kind: 'appeared', known: records[0], feeds: ['home'] }]);
  expect(records[0]).toMatchObject({ firstSeenMs: LATER_MS, overAtMs: null, feeds: { home: { isOld: false } } });
  const old = look([], [anOffer(1)], { isOld: () => true });
  expect(old.changes).toEqual([]);
  expect(old.records).toMatchObject([{ feeds: { home: { isOld: true } } }]);
});

test('an offer known from another feed enters this one', () => {
  const { changes, records } = look([aKnownOffer(1, {}, { feeds: { tools: here } })], [anOffer(1)]);
  expect(changes).toMatchObject([{ kind: 'entered', feeds: ['home'] }]);
  expect(Object.keys(records[0]?.feeds ?? {})).toEqual(['tools', 'home']);
});

test('what else happens to an offer that enters a feed concerns the feeds that had it', () => {
  const unpriced = aKnownOffer(1, { salePrice: null }, { feeds: { tools: here } });
  expect(look([unpriced], [anOffer(1, priced(10))]).changes).toMatchObject([
    { kind: 'entered', feeds: ['home'] },
    { kind: 'altered', feeds: ['tools'] },
  ]);
  const dearer = aKnownOffer(1, {}, { feeds: { tools: here } });
  expect(look([dearer], [anOffer(1, priced(10))]).kinds, 'no feed has changed its price').toEqual(['entered']);
});

test.each<[string, Partial<Offer>, Partial<Offer>, string[], string[]]>([
  ['costs less', {}, priced(15), ['price-dropped'], []],
  ['costs more', {}, priced(25), ['price-raised'], []],
  ['costs less where it is cheapest', { salePrice: { minimum: 20, maximum: 30 } }, priced(19), ['price-dropped'], []],
  ['costs less than a fifth', {}, priced(3.99), [], ['price-dropped']],
  ['costs more than five times as much', {}, priced(100.01), [], ['price-raised']],
  ['has no price any more', {}, { salePrice: null }, [], ['altered']],
  ['is sold out', {}, { isSoldOut: true }, ['sold-out'], []],
  ['can be bought again', { isSoldOut: true }, {}, [], ['restocked']],
  ['is back and cheaper', { isSoldOut: true }, priced(15), ['price-dropped'], ['price-dropped', 'restocked']],
  ['has ended', {}, { endDateMs: NOW_MS }, [], ['ended']],
  ['ends earlier', {}, { endDateMs: LATER_MS + 1 }, [], ['altered']],
  ['lasts longer', {}, { endDateMs: NOW_MS + 48 * HOUR_MS }, ['altered'], []],
  ['has another title', {}, { title: 'Samovar' }, [], ['altered']],
  ['is shown for another site', {}, { site: 'All' }, [], []],
])('an offer that %s', (_, before, now, once, twice) => {
  const known = [aKnownOffer(1, before)];
  expect(look(known, [anOffer(1, now)]).kinds, 'after one answer').toEqual(once);
  expect(lookTwice(known, [anOffer(1, now)]).kinds, 'after the next one').toEqual(twice);
  const odd = after(known, look(known, [anOffer(1, now)]));
  const undone = after(odd, lookTwice(odd, [anOffer(1, before)]));
  expect(undone[0]?.offer, 'after one odd answer').toEqual(known[0]?.offer);
});

test('prices are remembered with their times', () => {
  const once = look([aKnownOffer(1)], [anOffer(1, priced(15))]).records;
  const price = {
    atMs: LATER_MS,
    ...priced(15),
    drop: { storyMs: LATER_MS, times: 0, before: priced(20).salePrice, beforeForMs: HOUR_MS },
  };
  expect(once[0]?.prices).toEqual([
    { atMs: NOW_MS, ...priced(20) },
    { ...price, isSeenOnce: true },
  ]);
  const twice = look(once, [anOffer(1, priced(15))], { nowMs: LATER_MS + 1 }).records;
  expect(twice[0]?.prices).toEqual([{ atMs: NOW_MS, ...priced(20) }, price]);
});

test.each<[string, Partial<Offer>, Partial<Offer>, boolean]>([
  ['a price', {}, priced(15), false],
  ['stock', {}, { isSoldOut: true }, false],
  ['another end', { endDateMs: LATER_MS + HOUR_MS }, { endDateMs: LATER_MS + 2 * HOUR_MS }, true],
  ['other categories', {}, { categories: ['PC'] }, true],
  ['a return from being over', { endDateMs: NOW_MS }, { endDateMs: null }, true],
])('what has no history is remembered as restated: %s', (_, was, is, isRestated) => {
  const known = [aKnownOffer(1, was, { overAtMs: was.endDateMs === NOW_MS ? NOW_MS : null })];
  const [record] = after(known, lookTwice(known, [anOffer(1, { ...was, ...is })]));
  expect(record?.offer).toMatchObject(is);
  // What one answer adds is believed at its time.
  const atMs = 'endDateMs' in is && is.endDateMs !== null ? LATER_MS - APART_MS : LATER_MS;
  expect(record?.restatedAtMs).toBe(isRestated ? atMs : undefined);
});

test('an offer that is missing is over when no feed holds it any more', () => {
  const [record] = lookTwice([aKnownOffer(1)], []).records;
  expect(record).toMatchObject({ overAtMs: LATER_MS, feeds: { home: { goneSinceMs: LATER_MS } } });
  expect(record && shownOffer(record).endDateMs).toBe(LATER_MS);

  const inBoth = aKnownOffer(1, {}, { feeds: { home: here, tools: here } });
  expect(lookTwice([inBoth], [])).toMatchObject({ kinds: [], records: [{ overAtMs: null }] });
  expect(lookTwice([inBoth], [], { isCurrent: (feed) => feed !== 'tools' }).kinds, 'Tools was read long ago').toEqual([
    'left',
  ]);
});

test('an offer that one answer lacks is not gone, and forgotten to have been missing once it is seen', () => {
  const once = look([aKnownOffer(1)], []);
  expect(once).toMatchObject({ kinds: [], records: [{ overAtMs: null, feeds: { home: { goneSinceMs: null } } }] });
  const back = look(once.records, [anOffer(1)]);
  expect(back).toMatchObject({ kinds: [], records: [{ overAtMs: null }] });
  expect(look(back.records, []).kinds).toEqual([]);
});

test('answers that were cut off are no second look, and do not end the wait for one', () => {
  const unseen = look([aKnownOffer(1)], [], { isCutOff: true }).records;
  const missed = look(unseen, []);
  expect(missed).toMatchObject({ kinds: [], records: [{ feeds: { home: { goneSinceMs: null } } }] });
  expect(look(missed.records, [], { isCutOff: true }).records).toEqual([]);
  expect(look(missed.records, [], { nowMs: LATER_MS + APART_MS }).kinds).toEqual(['left']);
});

test('what is over needs no second look when it leaves', () => {
  for (const offer of [{ isSoldOut: true }, { endDateMs: LATER_MS }]) {
    const { records, isDoubtful } = look([aKnownOffer(1, offer)], []);
    expect(records).toMatchObject([{ feeds: { home: { goneSinceMs: LATER_MS } } }]);
    expect(isDoubtful).toBe(false);
  }
});

test('what can not be read is as it was, in an answer that is cut off as well', () => {
  for (const isCutOff of [false, true]) {
    const unreadable = new Set([uuid(1)]);
    expect(look([aKnownOffer(1)], [], { unreadable, isCutOff })).toMatchObject({ changes: [], records: [] });
  }
});

test.each([
  [1, 3, false],
  [2, 5, true],
  [2, 6, false],
  [1, 1, true],
  [0, 0, false],
])('an answer that lacks %i of %i live offers is doubtful: %s', (missing, live, isDoubtful) => {
  const known = Array.from({ length: live }, (_, index) => aKnownOffer(index + 1));
  // Offers that are over or that another feed holds do not count.
  const others = [aKnownOffer(90, { isSoldOut: true }), aKnownOffer(91, {}, { feeds: { tools: here } })];
  const offers = known.slice(missing).map(({ offer }) => offer);
  const once = lookAlone([...known, ...others], offers);
  expect(once.isDoubtful).toBe(isDoubtful);
  const now = known.map((record) => once.records.find(({ offer }) => offer.id === record.offer.id) ?? record);
  expect(lookAlone(now, offers).isDoubtful, 'the second look settles it').toBe(false);
  expect(lookAlone([...known, ...others], offers, { isCutOff: true }).isDoubtful).toBe(false);
});

test('missing from an answer that was cut off is not gone, and is noted once', () => {
  const { kinds, records } = look([aKnownOffer(1)], [], { isCutOff: true });
  expect(kinds).toEqual([]);
  expect(records).toMatchObject([{ overAtMs: null, feeds: { home: { unseenSinceMs: LATER_MS, goneSinceMs: null } } }]);
  expect(look(records, [], { isCutOff: true }).records).toEqual([]);
  expect(look(records, [anOffer(1)]).records).toMatchObject([{ feeds: { home: { unseenSinceMs: null } } }]);
});

test('of what a cut off feed no longer shows, 20,000 are taken to be there; the longest unseen are over', () => {
  const unseen = Array.from({ length: 20_001 }, (_, index) =>
    aKnownOffer(index, {}, { feeds: { home: { ...here, unseenSinceMs: NOW_MS - index } } }),
  );
  const fewer = lookAlone(unseen.slice(1), [anOffer(30_000)], { isCutOff: true });
  expect(fewer.changes.map(({ kind }) => kind)).toEqual(['appeared']);
  const { changes } = lookAlone(unseen, [anOffer(30_000)], { isCutOff: true });
  expect(changes.map(({ kind, known }) => `${kind} ${known.offer.id}`)).toEqual([
    `left ${uuid(20_000)}`,
    `appeared ${uuid(30_000)}`,
  ]);
});

test('an offer that comes back under its id is live again, without being news', () => {
  const gone = lookTwice([aKnownOffer(1)], []).records;
  expect(after(gone, look(gone, [anOffer(1)])), 'one answer may be wrong').toMatchObject([{ overAtMs: LATER_MS }]);
  const { kinds, records } = lookTwice(gone, [anOffer(1)]);
  expect(kinds).toEqual(['altered']);
  expect(records).toMatchObject([{ overAtMs: null, feeds: { home: { goneSinceMs: null } } }]);
});

test.each<[string, KnownOffer[], Partial<Before>]>([
  ['has just left', [aKnownOffer(1, { title: 'Samovar' })], {}],
  ['was sold out', [aKnownOffer(1, { title: 'SAMOVAR!', isSoldOut: true })], {}],
  ['has ended', [aKnownOffer(1, { title: 'Samovar', endDateMs: NOW_MS })], {}],
  [
    'is long gone',
    [],
    { past: new Map([['samovar|', { offerId: uuid(1), salePrice: priced(20).salePrice, endedAtMs: NOW_MS }]]) },
  ],
])('a product whose last listing %s is relisted under another id', (_, known, before) => {
  const { records } = look(known, [anOffer(2, { title: 'Samovar' })], before);
  const record = records.find(({ offer }) => offer.id === uuid(2));
  expect(record?.before).toMatchObject({ offerId: uuid(1), salePrice: priced(20).salePrice });
});

test('a second listing beside a live one is a new offer', () => {
  const known = [aKnownOffer(1, { title: 'Samovar' })];
  const { records } = look(known, [anOffer(1, { title: 'Samovar' }), anOffer(2, { title: 'Samovar' })]);
  expect(records).toMatchObject([{ offer: { id: uuid(2) }, before: null }]);
});

test('time ends what has an end, and tells once before that it is near', () => {
  const endDateMs = NOW_MS + ENDING_SOON_MS + HOUR_MS;
  const known = aKnownOffer(1, { endDateMs });
  expect(changesOfTime([known], NOW_MS).changes).toEqual([]);
  const near = changesOfTime([known], LATER_MS);
  expect(near.changes).toMatchObject([{ kind: 'ending-soon', feeds: ['home'] }]);
  expect(changesOfTime(near.records, LATER_MS + 1).changes).toEqual([]);
  const over = changesOfTime(near.records, endDateMs);
  expect(over.changes).toMatchObject([{ kind: 'ended' }]);
  expect(changesOfTime(over.records, endDateMs + 1).changes).toEqual([]);
});

test('what appears shortly before its end is not told twice', () => {
  const { records } = look([], [anOffer(1, { endDateMs: LATER_MS + HOUR_MS })]);
  expect(changesOfTime(records, LATER_MS).changes).toEqual([]);
});

test.each<[keyof Offer, Partial<Offer>]>([
  ['subtitle', { subtitle: 'Steel' }],
  ['condition', { condition: 'New' }],
  ['salePrice', { salePrice: { minimum: 20, maximum: 30 } }],
])('an offer whose %s alone differs is altered at once: %j', (_, change) => {
  const { changes, records } = look([aKnownOffer(1)], [anOffer(1, change)]);
  expect(records).toMatchObject([{ offer: anOffer(1, change) }]);
  expect(changes).toEqual([{ kind: 'altered', known: records[0], feeds: ['home'] }]);
});

test.each<[keyof Offer, Partial<Offer>]>([
  ['title', { title: 'Samovar' }],
  ['photo', { photo: null }],
  ['url', { url: null }],
  ['forumUrl', { forumUrl: null }],
  ['startDateMs', { startDateMs: NOW_MS }],
  ['endDateMs', { endDateMs: null }],
  ['listPrice', { listPrice: { minimum: 39, maximum: 40 } }],
  ['isDealOff', { isDealOff: true }],
  ['isFeatured', { isFeatured: true }],
  ['isFulfilledByPartner', { isFulfilledByPartner: true }],
  ['isAvailableOnMobileAppOnly', { isAvailableOnMobileAppOnly: true }],
  ['categories', { categories: ['HOME'] }],
  ['categories', { categories: ['HOME', 'HOME/Bath'] }],
])('an offer whose %s alone differs is altered once two answers say so: %j', (_, change) => {
  const once = look([aKnownOffer(1)], [anOffer(1, change)]);
  expect([once.changes, once.records[0]?.offer]).toEqual([[], anOffer(1)]);
  const { changes, records } = look(once.records, [anOffer(1, change)]);
  expect(records).toMatchObject([{ offer: anOffer(1, change) }]);
  expect(changes).toEqual([{ kind: 'altered', known: records[0], feeds: ['home'] }]);
  const odd = look(once.records, [anOffer(1)]);
  expect([odd.changes, odd.records], 'one odd answer leaves nothing behind').toEqual([[], [aKnownOffer(1)]]);
});

test('an offer that is found with another site alone keeps the one with which it was known', () => {
  expect(look([aKnownOffer(1)], [anOffer(1, { site: 'All' })]).records).toEqual([]);
  const [record] = look([aKnownOffer(1, {}, { feeds: { tools: here } })], [anOffer(1, { site: 'All' })]).records;
  expect(record?.offer.site).toBe('Home');
});

test('a price that comes or goes is remembered, and is neither a drop nor a raise', () => {
  const none = { salePrice: null };
  const gone = lookTwice([aKnownOffer(1)], [anOffer(1, none)]);
  expect(gone.kinds).toEqual(['altered']);
  expect(gone.records[0]?.prices.map(({ salePrice }) => salePrice)).toEqual([priced(20).salePrice, null]);
  const back = look(gone.records, [anOffer(1, priced(20))]);
  expect(back.kinds).toEqual(['altered']);
  expect(back.records[0]?.prices).toHaveLength(3);
  const renamed = lookTwice([aKnownOffer(1, none)], [anOffer(1, { ...none, title: 'Samovar' })]);
  expect(renamed.records[0]?.prices).toHaveLength(1);
});

test('a price that comes back lower is a drop from the last one, and a first price is none', () => {
  const gone = lookTwice([aKnownOffer(1)], [anOffer(1, { salePrice: null })]).records;
  const before = priced(20).salePrice;
  expect(look(gone, [anOffer(1, priced(15))]).changes).toMatchObject([{ kind: 'price-dropped', before }]);
  expect(look([aKnownOffer(1, { salePrice: null })], [anOffer(1, priced(15))]).kinds).toEqual(['altered']);
});

test('a price that drops or rises is told with the one before, to the feeds that hold it', () => {
  const known = aKnownOffer(1, {}, { feeds: { home: here, tools: here, gone: { ...here, goneSinceMs: NOW_MS } } });
  const before = priced(20).salePrice;
  const feeds = ['home', 'tools'];
  expect(look([known], [anOffer(1, priced(19))]).changes).toMatchObject([{ kind: 'price-dropped', before, feeds }]);
  expect(look([known], [anOffer(1, priced(21))]).changes).toMatchObject([{ kind: 'price-raised', before, feeds }]);
  const dearer = { salePrice: { minimum: 20, maximum: 21 } };
  expect(look([known], [anOffer(1, dearer)]).changes).toMatchObject([{ kind: 'altered', feeds }]);
});

test('of the prices the last 50 are kept, and the last 20 times of being sold out and back', () => {
  const atMs = (index: number) => NOW_MS + index;
  const prices = Array.from({ length: 50 }, (_, index) => ({ atMs: atMs(index), ...priced(70 - index) }));
  const stock = Array.from({ length: 20 }, (_, index) => ({ atMs: atMs(index), isSoldOut: index % 2 === 0 }));
  const known = aKnownOffer(1, priced(21), { prices: prices.slice(1), stock: stock.slice(1) });
  const [full] = look([known], [anOffer(1, { ...priced(5), isSoldOut: true })]).records;
  const last = { atMs: LATER_MS, isSeenOnce: true } as const;
  const drop = { storyMs: LATER_MS, times: 0, before: priced(21).salePrice, beforeForMs: HOUR_MS - 49 };
  expect(full?.prices).toEqual([...prices.slice(1), { ...last, ...priced(5), drop }]);
  expect(full?.stock).toEqual([...stock.slice(1), { ...last, isSoldOut: true }]);
  const over = look([{ ...known, prices, stock }], [anOffer(1, { ...priced(5), isSoldOut: true })]).records[0];
  expect([over?.prices, over?.stock]).toEqual([full?.prices, full?.stock]);
});

test('that an offer is sold out is known from the moment on at which it was found so, until it is back', () => {
  const [record] = look([aKnownOffer(1)], [anOffer(1, { isSoldOut: true })]).records;
  const soldOut = { soldOutAtMs: LATER_MS, overAtMs: LATER_MS, stock: [{ atMs: LATER_MS, isSoldOut: true }] };
  expect(record).toMatchObject(soldOut);
  expect(record?.stock, 'one answer alone said so').toMatchObject([{ isSeenOnce: true }]);
  const still = anOffer(1, { isSoldOut: true, subtitle: 'Steel' });
  const again = record ? look([record], [still], { nowMs: LATER_MS + 1 }) : undefined;
  expect(again?.records).toMatchObject([soldOut]);
  expect(again?.records[0]?.stock).toEqual(soldOut.stock);
  expect(again?.kinds).toEqual(['altered']);
  const here = anOffer(1, { subtitle: 'Steel' });
  const once = look(again?.records ?? [], [here], { nowMs: LATER_MS + 2 });
  expect([once.changes, once.records]).toMatchObject([[], [soldOut]]);
  const back = look(once.records, [here], { nowMs: LATER_MS + 3 });
  expect(back.changes).toMatchObject([{ kind: 'restocked', storyMs: LATER_MS, feeds: ['home'] }]);
  expect(back.records).toMatchObject([{ soldOutAtMs: null, overAtMs: null }]);
  expect(back.records[0]?.stock).toEqual([
    ...soldOut.stock,
    { atMs: LATER_MS + 3, isSoldOut: false, storyMs: LATER_MS },
  ]);
});

test('what one answer alone called sold out is no news when it can be bought again', () => {
  const odd = look([aKnownOffer(1)], [anOffer(1, { isSoldOut: true })]);
  const { kinds, records } = lookTwice(odd.records, [anOffer(1)]);
  expect(kinds).toEqual(['altered']);
  expect(records).toMatchObject([{ soldOutAtMs: null, overAtMs: null }]);
});

test('an offer that appears sold out, or after its end, is over from the beginning', () => {
  const soldOut = look([], [anOffer(1, { isSoldOut: true })]);
  expect(soldOut.kinds).toEqual(['appeared']);
  expect(soldOut.records).toMatchObject([
    { soldOutAtMs: LATER_MS, overAtMs: LATER_MS, stock: [{ atMs: LATER_MS, isSoldOut: true }] },
  ]);
  expect(look([], [anOffer(1, { endDateMs: LATER_MS })]).records).toMatchObject([
    { soldOutAtMs: null, overAtMs: LATER_MS },
  ]);
  const [live] = look([], [anOffer(1, { endDateMs: LATER_MS + 1 })]).records;
  expect(live).toMatchObject({ soldOutAtMs: null, overAtMs: null, before: null });
  expect(live).not.toHaveProperty('stock');
});

test('when an offer was found to be over stays as it was found first', () => {
  const over = aKnownOffer(1, { endDateMs: NOW_MS }, { overAtMs: NOW_MS });
  expect(look([over], [anOffer(1, { endDateMs: NOW_MS })]).records).toEqual([]);
  expect(lookTwice([over], [anOffer(1, { endDateMs: NOW_MS, title: 'Samovar' })])).toMatchObject({
    kinds: ['altered'],
    records: [{ overAtMs: NOW_MS }],
  });
  const missing = look([over], []);
  expect(missing.records).toMatchObject([{ overAtMs: NOW_MS, feeds: { home: { goneSinceMs: LATER_MS } } }]);
  expect(missing.changes).toEqual([]);
});

test('an offer that is missing has left the feeds that held it', () => {
  const missed = look([aKnownOffer(1)], []);
  expect(missed.changes, 'one answer may be wrong').toEqual([]);
  const soon = look(missed.records, [], { nowMs: LATER_MS + APART_MS - 1 });
  expect(soon.changes, 'so may two that are close together').toEqual([]);
  const { changes, records } = look(after(missed.records, soon), [], { nowMs: LATER_MS + APART_MS });
  expect(changes).toEqual([{ kind: 'left', known: records[0], feeds: ['home'] }]);
  expect(look(records, []).records, 'gone is gone once').toEqual([]);
  expect(look([aKnownOffer(1, {}, { feeds: { tools: here } })], []).records, 'never in this feed').toEqual([]);
});

test('an offer that is missing is gone with the next answer, also after a clock was set back', () => {
  const missed = look([aKnownOffer(1)], []);
  expect(look(missed.records, [], { nowMs: LATER_MS - 24 * HOUR_MS }).kinds).toEqual(['left']);
});

test('an offer that a cut-off answer left out is gone since the second whole answer that comes without it', () => {
  const unseen = look([aKnownOffer(1)], [], { isCutOff: true }).records;
  const missed = look(unseen, [], { nowMs: LATER_MS + 1 });
  expect(missed.kinds).toEqual([]);
  const nowMs = LATER_MS + 1 + APART_MS;
  const { kinds, records } = look(missed.records, [], { nowMs });
  expect(kinds).toEqual(['left']);
  expect(records).toMatchObject([
    { overAtMs: nowMs, feeds: { home: { unseenSinceMs: LATER_MS, goneSinceMs: nowMs } } },
  ]);
});

test('a cut-off answer leaves an offer in the feed, whether or not the feed has been read lately', () => {
  expect(look([aKnownOffer(1)], [], { isCutOff: true, isCurrent: () => false }).records).toMatchObject([
    { overAtMs: null },
  ]);
});

test('when a feed first had an offer, and whether it was old there, stay as they were', () => {
  const was = { ...here, firstSeenMs: 5, goneSinceMs: NOW_MS, unseenSinceMs: NOW_MS, isOld: true };
  const back = [aKnownOffer(1, {}, { feeds: { home: was } })];
  const { kinds, records } = lookTwice(back, [anOffer(1, { title: 'Samovar' })]);
  expect(kinds).toEqual(['altered']);
  expect(records[0]?.feeds).toEqual({ home: { ...here, firstSeenMs: 5, isOld: true } });
  const old = look([aKnownOffer(1, {}, { feeds: { tools: here } })], [anOffer(1)], { isOld: () => true });
  expect(old.kinds).toEqual([]);
  expect(old.records[0]?.feeds['home']).toEqual({ ...here, firstSeenMs: LATER_MS, isOld: true });
});

const listed = (endedAtMs: number, number: number) => ({
  offerId: uuid(number),
  salePrice: priced(number).salePrice,
  endedAtMs,
});

test.each<[string, Partial<KnownOffer>[], ReturnType<typeof listed> | null, ReturnType<typeof listed> | null]>([
  ['the last of several', [{ overAtMs: 5 }, { overAtMs: 7 }, { overAtMs: 6 }], null, listed(7, 2)],
  ['a known one that ended after one that is known no more', [{ overAtMs: 5 }], listed(4, 9), listed(5, 1)],
  ['one that is known no more, where that ended last', [{ overAtMs: 5 }], listed(6, 9), listed(6, 9)],
  ['none, where the same id is all that is known', [], listed(6, 0), null],
  ['none, where one of several is still live', [{ overAtMs: 5 }, {}], listed(6, 9), null],
  [
    'one that this feed has dropped, though another feed is thought to hold it',
    [{ feeds: { home: { ...here, goneSinceMs: NOW_MS }, tools: here } }],
    null,
    listed(LATER_MS, 1),
  ],
  ['none, where it has left another feed', [{ feeds: { home: here, tools: { ...here, goneSinceMs: 5 } } }], null, null],
])('a product comes back after %s', (_, changes, past, expected) => {
  const title = 'Samovar';
  const known = changes.map((change, index) => aKnownOffer(index + 1, { title, ...priced(index + 1) }, change));
  const held = known.filter(({ feeds, overAtMs }) => overAtMs === null && feeds['home']?.goneSinceMs === null);
  const offers = [...held.map(({ offer }) => offer), anOffer(0, { title })];
  const { records } = look(known, offers, { past: new Map(past ? [['samovar|', past]] : []) });
  expect(records.find(({ offer }) => offer.id === uuid(0))?.before).toEqual(expected);
});

test('that an end is near is told from three hours before it on, for each end once', () => {
  const endDateMs = NOW_MS + ENDING_SOON_MS;
  const known = aKnownOffer(1, { endDateMs });
  expect(ENDING_SOON_MS).toBe(3 * HOUR_MS);
  expect(changesOfTime([known], NOW_MS - 1).changes).toEqual([]);
  const { changes, records } = changesOfTime([known], NOW_MS);
  expect(changes).toEqual([{ kind: 'ending-soon', known: records[0], feeds: ['home'] }]);
  expect(records).toEqual([{ ...known, endingSoonToldMs: endDateMs }]);
  const longer = records.map((record) => ({ ...record, offer: { ...record.offer, endDateMs: endDateMs + 1 } }));
  expect(changesOfTime(longer, NOW_MS).records).toEqual([]);
  expect(changesOfTime(longer, NOW_MS + 1).changes).toMatchObject([{ kind: 'ending-soon' }]);
});

test('time ends an offer at its end, not what has none or is over', () => {
  const known = aKnownOffer(1, { endDateMs: NOW_MS }, { endingSoonToldMs: NOW_MS });
  expect(changesOfTime([known], NOW_MS - 1).records).toEqual([]);
  const { changes, records } = changesOfTime([known], NOW_MS);
  expect(records).toEqual([{ ...known, overAtMs: NOW_MS }]);
  expect(changes).toEqual([{ kind: 'ended', known: records[0], feeds: ['home'] }]);
  expect(changesOfTime([aKnownOffer(1, { endDateMs: null })], NOW_MS).records).toEqual([]);
  const soldOut = aKnownOffer(1, { endDateMs: NOW_MS + 1, isSoldOut: true });
  expect(changesOfTime([soldOut], NOW_MS).records).toEqual([]);
});

test('what appears three hours before its end or later is not told again that it is near', () => {
  for (const [leftMs, told] of [
    [ENDING_SOON_MS + 1, null],
    [ENDING_SOON_MS, LATER_MS + ENDING_SOON_MS],
  ] as const) {
    const { records } = look([], [anOffer(1, { endDateMs: LATER_MS + leftMs })]);
    expect(records).toMatchObject([{ endingSoonToldMs: told }]);
  }
  expect(look([], [anOffer(1, { endDateMs: null })]).records).toMatchObject([{ endingSoonToldMs: null }]);
});

const FEED_READ_MS = LATER_MS - 600_000;
const run = (fromMs: number, untilMs: number, price: number) => ({ fromMs, untilMs, price: priced(price).salePrice });

test('a new price carries what was observed before: earlier listings, other live ones, its own', () => {
  const archived = new Map([['kettle 1|', [run(NOW_MS - 9 * 24 * HOUR_MS, NOW_MS - 5 * 24 * HOUR_MS, 30)]]]);
  const [once] = look([], [anOffer(1)], { archived }).records;
  expect(once?.offer.observed, 'one answer is not enough for a claim').toBeUndefined();
  const [appeared] = lookTwice([], [anOffer(1)], { archived }).records;
  expect(appeared?.offer.observed).toMatchObject({ sinceMs: NOW_MS - 9 * 24 * HOUR_MS, usual: 30, low: { price: 30 } });
  expect(appeared?.prices.at(-1)?.observed).toEqual(appeared?.offer.observed);
  const [cheaper] = lookTwice([aKnownOffer(1)], [anOffer(1, priced(10))], { archived }).records;
  expect(cheaper?.offer.observed).toMatchObject({
    low: { price: 20, atMs: LATER_MS - APART_MS },
    lowestSinceMs: NOW_MS - 9 * 24 * HOUR_MS,
  });
  const before = { atMs: NOW_MS - 4 * 24 * HOUR_MS, ...priced(12) };
  const twin = aKnownOffer(2, { title: 'Kettle 1', ...priced(12) }, { prices: [before] });
  const second = lookTwice([twin], [twin.offer, anOffer(1)]).records.find(({ offer }) => offer.id === uuid(1));
  expect(second?.offer.observed).toMatchObject({ low: { price: 12 }, lowestSinceMs: null });
});

test('a product that is split in two leaves its prices to both, and two that are merged leave theirs to the one', () => {
  const day = (days: number) => NOW_MS + days * 24 * HOUR_MS;
  const over = (number: number, itemIds: string[], atMs: number, price: number) =>
    aKnownOffer(number, priced(price), {
      itemIds,
      firstSeenMs: atMs,
      prices: [{ atMs, ...priced(price) }],
      feeds: { home: { ...here, goneSinceMs: atMs + HOUR_MS, unseenSinceMs: atMs + HOUR_MS } },
      overAtMs: atMs + HOUR_MS,
    });
  const lows = (known: KnownOffer[], itemsOf: [number, string[]][]) =>
    lookTwice(
      known,
      itemsOf.map(([number]) => anOffer(number)),
      { items: new Map(itemsOf.map(([number, items]) => [uuid(number), items])) },
    ).records.map(({ offer }) => offer.observed?.low.price);
  expect(
    lows(
      [over(1, ['red', 'blue'], day(-9), 30)],
      [
        [2, ['red']],
        [3, ['blue']],
        [4, ['green']],
      ],
    ),
  ).toEqual([30, 30, undefined]);
  expect(lows([over(1, ['red'], day(-9), 30), over(2, ['blue'], day(-8), 25)], [[3, ['red', 'blue']]])).toEqual([25]);
});

test('no item is taken to have cost what another of its offer cost', () => {
  const range = { salePrice: { minimum: 20, maximum: 30 } };
  const known = aKnownOffer(1, range, { itemIds: ['red', 'blue'], firstSeenMs: 0, prices: [{ atMs: 0, ...range }] });
  const items = new Map([[uuid(2), ['red']]]);
  const { records } = lookTwice([known], [anOffer(1, range), anOffer(2)], { items });
  expect(records.map(({ offer }) => offer.id)).toEqual([uuid(2)]);
  expect(records[0]?.offer).not.toHaveProperty('observed');
});

test('an item counts once where its offer has kept its name', () => {
  const past = [run(NOW_MS - 9 * 24 * HOUR_MS, NOW_MS - 5 * 24 * HOUR_MS, 30)];
  const archived = new Map([
    ['kettle 1|', past],
    ['item:red', past],
  ]);
  const [named] = lookTwice([], [anOffer(1)], { archived }).records;
  const [both] = lookTwice([], [anOffer(1)], { archived, items: new Map([[uuid(1), ['red']]]) }).records;
  expect(named?.offer.observed).toMatchObject({ low: { price: 30 } });
  expect(both?.offer.observed).toEqual(named?.offer.observed);
});

test('where only something else changes, what was observed stays', () => {
  const archived = new Map([['kettle 1|', [run(0, 9, 30)]]]);
  const [known] = lookTwice([], [anOffer(1)], { archived }).records;
  if (!known?.offer.observed) throw new Error('nothing was observed');
  const [altered] = look([known], [anOffer(1, { subtitle: 'red' })], { nowMs: LATER_MS + HOUR_MS }).records;
  expect(altered?.offer.subtitle).toBe('red');
  expect(altered?.offer.observed).toEqual(known.offer.observed);
});

test('an offer without a price, or of a product never seen before, carries nothing', () => {
  const archived = new Map([['kettle 1|', [run(0, 9, 30)]]]);
  const unpriced = lookTwice([], [anOffer(1, { salePrice: null })], { archived });
  expect(unpriced.records[0]?.offer).not.toHaveProperty('observed');
  expect(lookTwice([], [anOffer(1)]).records[0]?.offer).not.toHaveProperty('observed');
});

test.each([
  [LONGEST_UNSEEN_MS, undefined],
  [LONGEST_UNSEEN_MS + 1, [{ fromMs: LATER_MS - LONGEST_UNSEEN_MS - 1, untilMs: LATER_MS }]],
])('an offer that is seen again after %i ms has a gap: %j', (afterMs, gaps) => {
  const { changes, records } = look([aKnownOffer(1)], [anOffer(1)], { polledAtMs: () => LATER_MS - afterMs });
  expect(records[0]?.gaps).toEqual(gaps);
  expect(records).toHaveLength(gaps ? 1 : 0);
  expect(changes).toEqual([]);
});

test('an offer that another feed showed meanwhile has no gap, nor has one that a future poll knows', () => {
  const known = aKnownOffer(1, {}, { feeds: { home: here, tools: here } });
  const polledAtMs = (feed: string) => (feed === 'home' ? 0 : FEED_READ_MS);
  expect(look([known], [anOffer(1)], { polledAtMs }).records).toEqual([]);
  expect(look([known], [anOffer(1)], { polledAtMs: () => LATER_MS + 99 * HOUR_MS }).records).toEqual([]);
});

test('a gap that could not be stored whole is replaced', () => {
  const began = { fromMs: 5, untilMs: 9 };
  const known = aKnownOffer(1, {}, { gaps: [began] });
  expect(look([known], [anOffer(1)], { polledAtMs: () => 5 }).records[0]?.gaps).toEqual([
    { fromMs: 5, untilMs: LATER_MS },
  ]);
});

test('an offer that the feed lacks after a long time has a gap, and so has one that comes back under its id', () => {
  const [missed] = look([aKnownOffer(1)], [], { polledAtMs: () => 5 }).records;
  expect(missed?.gaps).toEqual([{ fromMs: 5, untilMs: LATER_MS }]);
  const gone = { ...here, unseenSinceMs: 7, goneSinceMs: 8 };
  const back = aKnownOffer(1, {}, { feeds: { home: gone }, overAtMs: 8 });
  const { records } = look([back], [anOffer(1)], { polledAtMs: () => FEED_READ_MS });
  expect(records[0]?.gaps).toEqual([{ fromMs: 7, untilMs: LATER_MS }]);
});

/** Looks at one answer after the other, a second apart. */
function lookAtAll(
  known: KnownOffer[],
  answers: readonly (Partial<Omit<FeedSighting, 'offers'> & Before> & { offers: Offer[] })[],
) {
  let records = known;
  return answers.map(({ offers, ...changes }, index) => {
    const found = look(records, offers, { nowMs: LATER_MS + index * APART_MS, ...changes });
    records = after(records, found);
    return { ...found, known: records };
  });
}

const ARCHIVED = new Map([['kettle 1|', [run(NOW_MS - 9 * 24 * HOUR_MS, NOW_MS - 5 * 24 * HOUR_MS, 30)]]]);

test.each<[string, KnownOffer[], Partial<Offer>[], string[][]]>([
  ['appears', [], [priced(20), priced(20)], [['appeared'], ['appeared', 'price-confirmed']]],
  [
    'gets cheaper',
    [aKnownOffer(1)],
    [priced(15), priced(15)],
    [['price-dropped'], ['price-dropped', 'price-confirmed']],
  ],
  ['gets dearer', [aKnownOffer(1)], [priced(25), priced(25)], [['price-raised'], ['price-confirmed']]],
  ['gets a lot cheaper', [aKnownOffer(1)], [priced(1), priced(1)], [[], ['price-dropped', 'price-confirmed']]],
  [
    'is back after it got cheaper',
    [aKnownOffer(1, { isSoldOut: true })],
    [{ isSoldOut: true, ...priced(15) }, { isSoldOut: true, ...priced(15) }, priced(15), priced(15)],
    [['price-dropped'], ['price-dropped', 'price-confirmed'], [], ['price-dropped', 'price-confirmed', 'restocked']],
  ],
])('claims about the price of an offer that %s are made once two answers have shown it', (_, known, offers, kinds) => {
  const looks = lookAtAll(
    known,
    offers.map((offer) => ({ offers: [anOffer(1, offer)], archived: ARCHIVED })),
  );
  expect(looks.map((found) => found.kinds)).toEqual(kinds);
  const told = looks.flatMap(({ changes }) => changes).filter(({ kind }) => kind === 'price-confirmed');
  expect(told.every((change) => change.known.offer.observed !== undefined)).toBe(true);
});

test('what filters ask about claims waits for the second answer, and is then told to them alone', () => {
  const looks = lookAtAll(
    [aKnownOffer(1)],
    [priced(15), priced(15)].map((offer) => ({ offers: [anOffer(1, offer)], archived: ARCHIVED })),
  );
  const [once, twice] = looks.map(({ changes }) => changes[0]);
  expect(once).toMatchObject({ kind: 'price-dropped', undecided: ['observed'] });
  expect(once?.decided).toBeUndefined();
  expect(twice).toMatchObject({ kind: 'price-dropped', decided: ['observed'] });
  expect(twice?.undecided).toBeUndefined();
});

test('a claim that was stored is the same claim, though it is another object', () => {
  const [known] = lookTwice([], [anOffer(1)], { archived: ARCHIVED }).records;
  const stored = JSON.parse(JSON.stringify(known)) as KnownOffer;
  const { kinds, records } = look([stored], [anOffer(1, { photo: null })]);
  expect([kinds, records.length], 'a word that waits for another is no change').toEqual([[], 1]);
});

test('two feeds that disagree for long overturn nothing, and nothing is written for it', () => {
  const [home, tools] = [anOffer(1), anOffer(1, priced(25))];
  const known = [aKnownOffer(1, {}, { feeds: { home: here, tools: here } })];
  const looks = lookAtAll(known, [
    { feed: 'tools', offers: [tools] },
    { feed: 'home', offers: [home] },
    { feed: 'tools', offers: [tools] },
    { feed: 'home', offers: [home] },
    { feed: 'tools', offers: [tools] },
  ]);
  expect(looks.map(({ kinds }) => kinds)).toEqual([['price-raised'], [], [], [], []]);
  expect(looks.map(({ records }) => records.length)).toEqual([1, 0, 1, 0, 0]);
  const [agreed] = look(looks.at(-1)?.known ?? [], [tools], { feed: 'home', nowMs: LATER_MS + 9000 }).records;
  expect(agreed?.dissents).toBeUndefined();
});

test('another feed seconds what one answer said', () => {
  const feeds = { home: here, tools: here };
  const renamed = anOffer(1, { title: 'Samovar' });
  const looks = lookAtAll(
    [aKnownOffer(1, {}, { feeds })],
    [
      { feed: 'home', offers: [renamed] },
      { feed: 'tools', offers: [renamed] },
    ],
  );
  expect(looks.map(({ kinds }) => kinds)).toEqual([[], ['altered']]);
  expect(looks[1]?.known[0]).not.toHaveProperty('dissents');
});

const GONE = { ...here, unseenSinceMs: NOW_MS, goneSinceMs: NOW_MS };
const goneOffer = () => aKnownOffer(1, {}, { feeds: { home: GONE }, overAtMs: NOW_MS });

test('what is back at another price is told with the second answer that shows it', () => {
  const answer = { offers: [anOffer(1, priced(15))] };
  const looks = lookAtAll([goneOffer()], [answer, answer]);
  expect(looks[0]?.changes).toEqual([]);
  expect(looks[0]?.known[0]?.offer, 'one answer may be wrong').toEqual(anOffer(1));
  expect(looks[1]?.changes).toMatchObject([{ kind: 'price-dropped', feeds: ['home'] }]);
  expect(looks[1]?.known[0]).toMatchObject({ overAtMs: null, offer: priced(15) });
});

test('what two feeds show again is back, whichever was first', () => {
  const known = aKnownOffer(1, {}, { feeds: { home: GONE, tools: GONE }, overAtMs: NOW_MS });
  const looks = lookAtAll(
    [known],
    [
      { feed: 'tools', offers: [anOffer(1)] },
      { feed: 'home', offers: [anOffer(1)] },
    ],
  );
  expect(looks.map(({ known: [record] }) => record?.overAtMs)).toEqual([NOW_MS, null]);
});

test('what is back in stock with two feeds, each of which had dropped it, is news in both', () => {
  const soldOutMs = NOW_MS - HOUR_MS;
  const stock = [{ atMs: soldOutMs, isSoldOut: true }];
  const feeds = { home: GONE, tools: GONE };
  const known = aKnownOffer(1, { isSoldOut: true }, { feeds, stock, soldOutAtMs: soldOutMs, overAtMs: soldOutMs });
  const looks = lookAtAll(
    [known],
    [
      { feed: 'tools', offers: [anOffer(1)] },
      { feed: 'home', offers: [anOffer(1)] },
      { feed: 'tools', offers: [anOffer(1)] },
    ],
  );
  const told = looks.flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'restocked'));
  expect(told.map((change) => change.feeds.toSorted())).toEqual([['home', 'tools']]);
});

test.each<[string, Partial<FeedSighting>, boolean]>([
  ['lacks it', {}, false],
  ['could not read it', { unreadable: new Set([uuid(1)]) }, true],
  ['was cut off', { isCutOff: true }, true],
])('what was back in one answer is gone with the next one where that %s: %j', (_, next, isBack) => {
  const answer = { offers: [anOffer(1, { title: 'Samovar' })] };
  const [, , last] = lookAtAll([goneOffer()], [answer, { ...next, offers: [] }, answer]);
  expect(last?.known[0]?.overAtMs === null).toBe(isBack);
  expect(last?.known[0]?.offer.title, 'two answers have said so').toBe('Samovar');
});

test('an item without an identity hides an offer that is missing, for two answers', () => {
  const empty = { offers: [], nameless: 1 };
  const looks = lookAtAll([aKnownOffer(1)], [empty, empty, empty, empty]);
  expect(looks.map(({ kinds }) => kinds)).toEqual([[], [], [], ['left']]);
  const two = lookAtAll([aKnownOffer(1), aKnownOffer(2)], [empty, empty]);
  expect(two.map(({ kinds }) => kinds)).toEqual([[], ['left']]);
  const seen = lookAtAll([aKnownOffer(1)], [empty, empty, { offers: [anOffer(1)] }, empty, empty, empty]);
  expect(seen.flatMap(({ kinds }) => kinds)).toEqual([]);
});

test('what could not be read of a new offer is believed as soon as it can', () => {
  const answer = (offer: Partial<Offer>, unreadable: string[] = []) => ({
    offers: [anOffer(1, offer)],
    unreadableFields: new Map([[uuid(1), unreadable]]),
  });
  const looks = lookAtAll(
    [],
    [answer({ categories: [] }, ['categories', 'isFeatured']), answer({ categories: ['TOOLS'], isFeatured: true })],
  );
  expect(looks.map(({ changes }) => changes)).toMatchObject([
    [{ kind: 'appeared', undecided: ['categories', 'isFeatured'] }],
    [{ kind: 'appeared', decided: ['categories', 'isFeatured'] }, { kind: 'altered' }],
  ]);
  expect(looks[1]?.known[0]?.offer).toMatchObject({ categories: ['TOOLS'], isFeatured: true });
  expect(looks[1]?.known[0]).not.toHaveProperty('arrival');
});

test('what could not be read of an offer that was there before anybody asked is believed as soon as a feed says it', () => {
  const unreadableFields = new Map([[uuid(1), ['isSoldOut']]]);
  const first = look([], [anOffer(1)], { isOld: () => true, unreadableFields });
  expect(first.changes).toEqual([]);
  const second = look(after([], first), [anOffer(1, { isSoldOut: true })], { feed: 'tools' });
  expect(second.records).toMatchObject([{ offer: { isSoldOut: true }, overAtMs: LATER_MS }]);
  expect(second.changes.every(({ known }) => known.overAtMs !== null)).toBe(true);
});

test('a new offer is decided with what there is once three answers have shown it', () => {
  const answer = { offers: [anOffer(1, { categories: [] })] };
  const looks = lookAtAll([], [answer, answer, answer, answer]);
  expect(looks.map(({ changes }) => changes)).toMatchObject([
    [{ kind: 'appeared', undecided: ['categories'] }],
    [],
    [{ kind: 'appeared', decided: ['categories'] }],
    [],
  ]);
});

test('a new offer that one answer calls sold out is decided when it can be bought again', () => {
  const whole = { offers: [anOffer(1)], archived: ARCHIVED };
  const odd = { offers: [anOffer(1, { isSoldOut: true })], archived: ARCHIVED };
  const looks = lookAtAll([], [whole, odd, whole, whole]);
  expect(looks.map(({ kinds }) => kinds)).toEqual([
    ['appeared'],
    ['price-confirmed', 'sold-out'],
    [],
    ['appeared', 'price-confirmed'],
  ]);
  expect(looks[3]?.changes[0]).toMatchObject({ decided: ['observed'] });
});

test.each<[string, Partial<Offer>]>([
  ['sold out', { isSoldOut: true }],
  ['after its end', { endDateMs: NOW_MS }],
])('a new offer that one answer shows %s appears once two show that it can be bought', (_, odd) => {
  const looks = lookAtAll(
    [],
    [odd, {}, {}].map((offer) => ({ offers: [anOffer(1, offer)] })),
  );
  expect(looks.map(({ kinds }) => kinds)).toEqual([['appeared'], [], ['appeared', 'altered']]);
  expect(looks.map(({ known }) => known[0]?.overAtMs === null)).toEqual([false, false, true]);
});

test('what can not be read of an offer stays as it is believed', () => {
  const fields = ['title', 'salePrice', 'isSoldOut', 'endDateMs', 'categories'];
  const hollow = anOffer(1, { title: '', salePrice: null, isSoldOut: true, endDateMs: null, categories: [] });
  const found = lookTwice([aKnownOffer(1)], [hollow], { unreadableFields: new Map([[uuid(1), fields]]) });
  expect([found.changes, found.records]).toEqual([[], []]);
});
