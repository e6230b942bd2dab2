import { expect, test } from 'vitest';
import { APART_MS } from '../../../src/deals/belief.ts';
import { LONGEST_MISSING_MS, MANY_OFFERS } from '../../../src/deals/feed-presence.ts';
import { aPoller } from '../../helpers/poller.ts';
import { anOffer, anOfferDetail, uuid } from '../../helpers/things.ts';

/** A feed that has shown so many offers, and has just left out the first `missing` of them. */
async function aFeedThatLacks(missing: number, live: number, says: (number: number) => boolean | undefined) {
  const parts = await aPoller();
  const { put, clear, look, clock, book, details } = parts;
  const numbers = Array.from({ length: live }, (_, index) => index + 1);
  const offers = numbers.map((number) => anOffer(number, { endDateMs: null }));
  put([anOffer(live + 1, { isSoldOut: true })]);
  await look();
  put(offers);
  await clock.advance(APART_MS);
  await look();
  for (const number of numbers) {
    const isLive = says(number);
    if (isLive !== undefined)
      details.set(uuid(number), isLive ? anOfferDetail(number, { isOfferLiveNow: true }) : null);
  }
  const lack = async () => {
    clear();
    put(offers.slice(missing));
    await look();
  };
  await lack();
  return {
    ...parts,
    offers,
    lack,
    /** The next answer lacks them again. */
    again: async () => {
      await clock.advance(APART_MS);
      await lack();
    },
    live: () => book.live('Home').length,
  };
}

test.each([
  [MANY_OFFERS / 2, MANY_OFFERS, true],
  [MANY_OFFERS / 2, MANY_OFFERS - 1, false],
  [MANY_OFFERS / 2 - 1, MANY_OFFERS, false],
  [1, 1, true],
  [1, 2, false],
])(
  'where %i of %i offers are missing at once, they are asked before they are over: %s',
  async (missing, all, isAsked) => {
    const { again, live, poller } = await aFeedThatLacks(missing, all, () => false);
    expect(live()).toBe(all);
    await again();
    expect(live()).toBe(isAsked ? all : all - missing);
    await poller.tick();
    expect(live()).toBe(all - missing);
  },
);

test('what is missing stays live where the offers say that they are, however often a feed repeats itself', async () => {
  const { again, poller, live, updates } = await aFeedThatLacks(3, 3, () => true);
  for (let times = 0; times < 9; times += 1) {
    await again();
    await poller.tick();
  }
  expect(live()).toBe(3);
  expect(updates).toEqual([]);
});

test('what waited is posted when the feed shows it again', async () => {
  const { again, poller, look, put, offers, currentState, enqueued, clock } = await aFeedThatLacks(3, 3, () => true);
  const fates = () => enqueued().map((announcement) => currentState.fateOf(announcement, clock.now()));
  for (let times = 0; times < 9; times += 1) {
    await again();
    await poller.tick();
  }
  expect(fates()).toEqual(['held', 'held', 'held']);
  put(offers);
  await look();
  expect(fates()).toEqual(['live', 'live', 'live']);
});

test('most of the offers that were asked speak for all that are missing, but not for those that deny it', async () => {
  const { again, poller, live, book, detailsAsked } = await aFeedThatLacks(100, 100, (number) => number <= 5);
  await again();
  await poller.tick();
  expect(new Set(detailsAsked).size).toBe(25);
  const deny = [1, 2, 3, 4, 5].map(uuid);
  expect(live()).toBe(5);
  expect(book.live('Home').map(({ offer }) => offer.id)).toEqual(deny);
});

test('where most say that they are live, the others end by what they say themselves', async () => {
  const { again, poller, live } = await aFeedThatLacks(25, 25, (number) => number > 12);
  await again();
  await poller.tick();
  expect(live()).toBe(13);
});

test('where nobody can ask, they are over once they have been missing for a day', async () => {
  const { lack, live, clock, poller } = await aFeedThatLacks(3, 3, () => undefined);
  await clock.advance(LONGEST_MISSING_MS - 1);
  await lack();
  await poller.tick();
  expect(live()).toBe(3);
  await clock.advance(1);
  await lack();
  expect(live()).toBe(0);
});
