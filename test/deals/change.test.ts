import { expect, test } from 'vitest';
import {
  type Before,
  changesOfFeed,
  changesOfTime,
  ENDING_SOON_MS,
  type FeedSighting,
} from '../../src/deals/change.ts';
import { type FeedPresence, type KnownOffer, productKey, shownOffer } from '../../src/deals/known-offer.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { aKnownOffer, anOffer, HOUR_MS, NOW_MS, uuid } from '../helpers/things.ts';

const LATER_MS = NOW_MS + HOUR_MS;
const here: FeedPresence = { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: null, isOld: false };

/** Looks at the feed Home an hour after the moment at which tests play. */
function look(known: KnownOffer[], offers: Offer[], changes: Partial<FeedSighting & Before> = {}) {
  const before: Before = {
    get: (id) => known.find(({ offer }) => offer.id === id),
    all: () => known,
    listings: (product) => known.filter(({ offer }) => productKey(offer) === product),
    past: new Map(),
    isOld: () => false,
    isCurrent: () => true,
    ...changes,
  };
  const sighting = { feed: 'home', isCutOff: false, nowMs: LATER_MS, ...changes, offers };
  const found = changesOfFeed(before, sighting);
  return { ...found, kinds: found.changes.map(({ kind }) => kind) };
}

/** Looks twice at an answer: the first time nothing that is missing counts as gone. */
function lookTwice(known: KnownOffer[], offers: Offer[], changes: Partial<FeedSighting & Before> = {}) {
  const once = new Map(look(known, offers, changes).records.map((record) => [record.offer.id, record]));
  const now = known.map((record) => once.get(record.offer.id) ?? record);
  return look(now, offers, changes);
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
  const { changes } = look([aKnownOffer(1, {}, { feeds: { tools: here } })], [anOffer(1, priced(10))]);
  expect(changes).toMatchObject([
    { kind: 'entered', feeds: ['home'] },
    { kind: 'price-dropped', feeds: ['tools'] },
  ]);
});

test.each<[string, Partial<Offer>, Partial<Offer>, string[]]>([
  ['costs less', {}, priced(15), ['price-dropped']],
  ['costs more', {}, priced(25), ['price-raised']],
  ['costs less where it is cheapest', { salePrice: { minimum: 20, maximum: 30 } }, priced(19), ['price-dropped']],
  ['has no price any more', {}, { salePrice: null }, ['altered']],
  ['is sold out', {}, { isSoldOut: true }, ['sold-out']],
  ['can be bought again', { isSoldOut: true }, {}, ['restocked']],
  ['is back and cheaper', { isSoldOut: true }, priced(15), ['price-dropped', 'restocked']],
  ['has ended', {}, { endDateMs: NOW_MS }, ['ended']],
  ['lasts longer', {}, { endDateMs: NOW_MS + 48 * HOUR_MS }, ['altered']],
  ['has another title', {}, { title: 'Samovar' }, ['altered']],
  ['is shown for another site', {}, { site: 'All' }, []],
])('an offer that %s', (_, before, after, kinds) => {
  expect(look([aKnownOffer(1, before)], [anOffer(1, after)]).kinds).toEqual(kinds);
});

test('prices are remembered with their times', () => {
  const [record] = look([aKnownOffer(1)], [anOffer(1, priced(15))]).records;
  expect(record?.prices).toEqual([
    { atMs: NOW_MS, salePrice: priced(20).salePrice },
    { atMs: LATER_MS, salePrice: priced(15).salePrice },
  ]);
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
  expect(look(missed.records, []).kinds).toEqual(['left']);
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
  // What is over, and what is held elsewhere, counts for nothing.
  const others = [aKnownOffer(90, { isSoldOut: true }), aKnownOffer(91, {}, { feeds: { tools: here } })];
  const offers = known.slice(missing).map(({ offer }) => offer);
  const once = look([...known, ...others], offers);
  expect(once.isDoubtful).toBe(isDoubtful);
  const now = known.map((record) => once.records.find(({ offer }) => offer.id === record.offer.id) ?? record);
  expect(look(now, offers).isDoubtful, 'the second look settles it').toBe(false);
  expect(look([...known, ...others], offers, { isCutOff: true }).isDoubtful).toBe(false);
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
  expect(look(unseen.slice(1), [anOffer(30_000)], { isCutOff: true }).kinds).toEqual(['appeared']);
  const { changes } = look(unseen, [anOffer(30_000)], { isCutOff: true });
  expect(changes.map(({ kind, known }) => `${kind} ${known.offer.id}`)).toEqual([
    `left ${uuid(20_000)}`,
    `appeared ${uuid(30_000)}`,
  ]);
});

test('an offer that comes back under its id is live again, without being news', () => {
  const gone = lookTwice([aKnownOffer(1)], []).records;
  const { kinds, records } = look(gone, [anOffer(1)]);
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
