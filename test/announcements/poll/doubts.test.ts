import { describe, expect, test } from 'vitest';
import { AGAIN_AFTER_MS, Doubts, MOST_SAVED } from '../../../src/announcements/poll/doubts.ts';
import { requestsForOffers } from '../../../src/announcements/poll/planner.ts';
import type { KnownOffer } from '../../../src/deals/known-offer.ts';
import type { OfferDetail } from '../../../src/deals/offer.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { aPoller } from '../../helpers/poller.ts';
import { aKnownOffer, anItem, anOffer, anOfferDetail, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';

/** A poller whose feed Home has shown kettle 1 sold out, twice, and has said once that it is back. */
async function aDoubtedRestock(detail: Partial<OfferDetail> | null | undefined) {
  const parts = await aPoller();
  const { put, look, clock, details, scarce } = parts;
  scarce();
  put([anOffer(1)]);
  await look();
  for (const isSoldOut of [true, true, false]) {
    put([anOffer(1, { isSoldOut })]);
    await clock.advance(MINUTE_MS);
    await look();
  }
  if (detail !== undefined) details.set(uuid(1), detail && anOfferDetail(1, detail));
  return parts;
}

describe('what one answer says alone', () => {
  test('is asked about at the next tick, and told when the offer itself says the same', async () => {
    const { poller, kinds, detailsAsked, book } = await aDoubtedRestock({ isSoldOut: false });
    expect(kinds()).toEqual([]);
    await poller.tick();
    expect(detailsAsked).toEqual([uuid(1)]);
    expect(kinds()).toEqual(['restocked']);
    expect(book.get(uuid(1))).toMatchObject({ overAtMs: null, offer: { isSoldOut: false } });
  });

  test('of what was sold out when it was new is told as new once the offer says that it can be bought, with its price drop', async () => {
    const { poller, put, look, clock, details, scarce, kinds } = await aPoller();
    scarce();
    await look();
    for (const [isSoldOut, price] of [
      [true, 80],
      [false, 50],
    ] as const) {
      put([anOffer(1, { isSoldOut, salePrice: { minimum: price, maximum: price } })]);
      await clock.advance(MINUTE_MS);
      await look();
    }
    details.set(uuid(1), anOfferDetail(1, { isSoldOut: false, items: [anItem(1, { salePrice: 50 })] }));
    expect(kinds()).toEqual([]);
    await poller.tick();
    await clock.advance(MINUTE_MS);
    await look();
    expect(kinds(), 'one post').toEqual(['new-offer']);
  });

  test('waits where the offer says what is believed, until three answers of the feed over ten minutes say otherwise', async () => {
    const { poller, kinds, look, clock, put } = await aDoubtedRestock({ isSoldOut: true });
    await poller.tick();
    for (let minute = 1; minute < 10; minute += 1) {
      await clock.advance(MINUTE_MS);
      await look();
      expect(kinds(), `after ${minute} min`).toEqual([]);
    }
    await clock.advance(MINUTE_MS);
    await look();
    expect(kinds()).toEqual(['restocked']);
    put([anOffer(1, { isSoldOut: true })]);
    await look();
    put([anOffer(1)]);
    for (let times = 0; times < 2; times += 1) {
      await clock.advance(MINUTE_MS);
      await look();
    }
    expect(kinds(), 'one story').toEqual(['restocked']);
  });

  test('is told as soon as the offer comes to say the same, which it is asked again after a minute', async () => {
    const { poller, kinds, clock, details, detailsAsked } = await aDoubtedRestock({ isSoldOut: true });
    await poller.tick();
    details.set(uuid(1), anOfferDetail(1, { isSoldOut: false }));
    await clock.advance(MINUTE_MS - 1);
    await poller.tick();
    expect(detailsAsked).toHaveLength(1);
    await clock.advance(1);
    await poller.tick();
    expect(detailsAsked).toHaveLength(2);
    expect(kinds()).toEqual(['restocked']);
  });

  test.each([
    ['an answer that fails', undefined],
    ['an offer that no longer exists', null],
  ])('waits for a second answer after %s', async (_, detail) => {
    const { poller, kinds, look, clock } = await aDoubtedRestock(detail);
    await poller.tick();
    expect(kinds()).toEqual([]);
    await clock.advance(MINUTE_MS);
    await look();
    expect(kinds()).toEqual(['restocked']);
  });

  test('is still in doubt after an answer in which just that can not be read', async () => {
    const { poller, kinds, lose } = await aDoubtedRestock({ isSoldOut: false });
    lose({ ids: [], nameless: 0, fields: new Map([[uuid(1), ['isSoldOut']]]) });
    await poller.tick();
    expect(kinds()).toEqual([]);
  });

  test('is not replaced by what only the offer itself says', async () => {
    const { poller, put, look, details, book, clock, scarce } = await aPoller();
    scarce();
    put([anOffer(1, { salePrice: { minimum: 20, maximum: 20 } })]);
    await look();
    put([anOffer(1, { salePrice: { minimum: 2, maximum: 2 } })]);
    await clock.advance(MINUTE_MS);
    await look();
    details.set(uuid(1), anOfferDetail(1, { items: [anItem(1, { salePrice: 7 })] }));
    await poller.tick();
    expect(book.get(uuid(1))?.offer.salePrice).toEqual({ minimum: 20, maximum: 20 });
    details.set(uuid(1), anOfferDetail(1, { items: [anItem(1, { salePrice: 2 })] }));
    await clock.advance(MINUTE_MS);
    await poller.tick();
    expect(book.get(uuid(1))?.offer.salePrice).toEqual({ minimum: 2, maximum: 2 });
  });
});

test('two feeds that disagree for more than ten minutes are settled by the offer itself', async () => {
  const { poller, store, put, look, details, detailsAsked, book, clock, scarce } = await aPoller();
  await store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed: 'Tools' } }));
  scarce();
  const costing = (dollars: number) => [anOffer(1, { salePrice: { minimum: dollars, maximum: dollars } })];
  for (const feed of ['Home', 'Tools', 'Home', 'Tools']) {
    put(costing(30), feed);
    await look(feed);
    await clock.advance(MINUTE_MS);
  }
  put(costing(25));
  await look();
  const disagreedMs = clock.now();
  details.set(uuid(1), anOfferDetail(1, { items: [anItem(1, { salePrice: 30 })] }));
  const price = () => book.get(uuid(1))?.offer.salePrice?.minimum;
  await clock.advance(10 * MINUTE_MS - (clock.now() - disagreedMs));
  await poller.tick();
  expect(detailsAsked).toEqual([]);
  expect(price()).toBe(25);
  await clock.advance(1);
  await poller.tick();
  expect(detailsAsked).toEqual([uuid(1)]);
  expect(price(), 'it may say what it was before').toBe(25);
  await clock.advance(10 * MINUTE_MS - 1);
  await poller.tick();
  expect(price()).toBe(25);
  await clock.advance(5 * MINUTE_MS);
  await poller.tick();
  expect(detailsAsked).toHaveLength(3);
  expect(price(), 'three answers over ten minutes').toBe(30);
});

test('an offer that no feed shows, and that no longer exists, has ended: nothing waits for it any more', async () => {
  const { poller, store, put, clear, look, details, clock, book, scarce } = await aPoller();
  scarce();
  await look();
  put([anOffer(1), anOffer(2)]);
  await clock.advance(MINUTE_MS);
  await look();
  expect(store.deliveries.pending('10')).toHaveLength(2);
  clear();
  put([anOffer(2)]);
  for (let times = 0; times < 2; times += 1) {
    await clock.advance(MINUTE_MS);
    await look();
  }
  const missingSinceMs = book.get(uuid(1))?.overAtMs;
  expect(missingSinceMs).toBe(clock.now());
  details.set(uuid(1), null);
  for (let minutes = 0; minutes < 15; minutes += 1) {
    await poller.tick();
    expect(book.get(uuid(1))?.offer.endDateMs).toBeGreaterThan(clock.now());
    await clock.advance(MINUTE_MS);
  }
  await poller.tick();
  expect(book.get(uuid(1))?.offer.endDateMs).toBe(missingSinceMs);
});

/** Kettles of which Home says once that they are back in stock. */
function restockedOnce(numbers: readonly number[], sinceMs = NOW_MS): KnownOffer[] {
  const dissents = { home: { isSoldOut: { says: false, sinceMs } } };
  return numbers.map((number) => aKnownOffer(number, { isSoldOut: true }, { dissents, overAtMs: NOW_MS }));
}

/** Kettles that Home has called a pot for an hour. */
function disagreed(numbers: readonly number[]): KnownOffer[] {
  const dissents = { home: { title: { says: 'Pot', sinceMs: NOW_MS - HOUR_MS, isOlder: true } } } as const;
  return numbers.map((number) => aKnownOffer(1_000 + number, {}, { dissents }));
}

const numbersUpTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('the requests for doubts', () => {
  const nobody = () => false;
  const many = restockedOnce(numbersUpTo(30));

  test('hold 25 offers, those first whose deliveries wait', () => {
    const doubts = new Doubts(new ManualClock());
    const isOwed = (id: string) => id === uuid(28) || id === uuid(30);
    const ids = doubts.next(many, isOwed, 50, NOW_MS);
    expect(ids).toHaveLength(25);
    expect(ids.slice(0, 3)).toEqual([uuid(28), uuid(30), uuid(1)]);
  });

  test('are spent on no offer that has ended, however many ends feeds tell of', () => {
    const dissents = {
      home: { endDateMs: { says: NOW_MS - 2 * HOUR_MS, sinceMs: NOW_MS - HOUR_MS, isOlder: true } },
    } as const;
    const ended = aKnownOffer(1, { endDateMs: NOW_MS - HOUR_MS }, { dissents, overAtMs: NOW_MS - HOUR_MS });
    expect(new Doubts(new ManualClock()).next([ended], nobody, 50, NOW_MS)).toEqual([]);
    const live = { ...ended, offer: { ...ended.offer, endDateMs: null }, overAtMs: null };
    expect(new Doubts(new ManualClock()).next([live], nobody, 50, NOW_MS)).toEqual([uuid(1)]);
  });

  test('come back to the same offer after a minute, after four, after fifteen, and so on at ever longer intervals', async () => {
    const clock = new ManualClock();
    const doubts = new Doubts(clock);
    const one = restockedOnce([1]);
    const ask = () => doubts.next(one, nobody, 20_000, NOW_MS).length;
    expect(ask()).toBe(1);
    expect(AGAIN_AFTER_MS.slice(0, 3)).toEqual([1, 3, 11].map((minutes) => minutes * MINUTE_MS));
    for (const afterMs of [...AGAIN_AFTER_MS, ...AGAIN_AFTER_MS.slice(-1)]) {
      await clock.advance(afterMs - 1);
      expect(ask(), `before ${afterMs} ms`).toBe(0);
      await clock.advance(1);
      expect(ask(), `after ${afterMs} ms`).toBe(1);
    }
  });

  test('begin anew when a feed says something new', async () => {
    const clock = new ManualClock();
    const doubts = new Doubts(clock);
    const ask = (sinceMs: number) => doubts.next(restockedOnce([1], sinceMs), nobody, 20_000, NOW_MS).length;
    for (const afterMs of AGAIN_AFTER_MS) {
      expect(ask(NOW_MS)).toBe(1);
      await clock.advance(afterMs);
    }
    expect(ask(NOW_MS)).toBe(1);
    expect(ask(NOW_MS)).toBe(0);
    expect(ask(NOW_MS + 1)).toBe(1);
    await clock.advance(MINUTE_MS);
    expect(ask(NOW_MS + 1)).toBe(1);
  });

  test('hold what is asked again later, too, where there is room, and that does not count', async () => {
    const clock = new ManualClock();
    const doubts = new Doubts(clock);
    const ask = (...numbers: number[]) => doubts.next(restockedOnce(numbers), nobody, 20_000, NOW_MS);
    expect(ask(1)).toEqual([uuid(1)]);
    await clock.advance(MINUTE_MS / 2);
    expect(ask(1, 2)).toEqual([uuid(2), uuid(1)]);
    await clock.advance(MINUTE_MS / 2);
    expect(ask(1, 2)).toEqual([uuid(1), uuid(2)]);
    await clock.advance(MINUTE_MS / 2);
    expect(ask(1)).toEqual([]);
  });

  test('are spread over the day: what is not spent is saved up to five', async () => {
    const clock = new ManualClock();
    const doubts = new Doubts(clock);
    let number = 0;
    const spend = () => {
      for (let spent = 0; ; spent += 1) {
        number += 1;
        if (doubts.next(restockedOnce([number]), nobody, 48, NOW_MS).length === 0) return spent;
      }
    };
    expect(spend(), 'at the start').toBe(MOST_SAVED);
    await clock.advance(30 * MINUTE_MS - 1);
    expect(spend()).toBe(0);
    await clock.advance(1);
    expect(spend()).toBe(1);
    await clock.advance(24 * HOUR_MS);
    expect(spend()).toBe(MOST_SAVED);
  });

  test('stay within their share of a day, whatever is in doubt for how long', async () => {
    const clock = new ManualClock();
    const doubts = new Doubts(clock);
    const perDay = 50;
    let requests = 0;
    const all = disagreed(numbersUpTo(100));
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      // Each time another offer, which stays in doubt all day.
      all.push(...restockedOnce([minute]));
      requests += Number(doubts.next(all, nobody, perDay, NOW_MS).length > 0);
      await clock.advance(5 * MINUTE_MS);
    }
    expect(requests).toBeGreaterThan(perDay / 2);
    expect(requests).toBeLessThanOrEqual(perDay + MOST_SAVED);
  });

  test('leave enough of them to what is new, however many offers feeds disagree about', async () => {
    const clock = new ManualClock();
    const doubts = new Doubts(clock);
    const lasting = disagreed(numbersUpTo(100));
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      doubts.next(lasting, nobody, 50, NOW_MS);
      await clock.advance(5 * MINUTE_MS);
    }
    for (let times = 0; times < 2; times += 1) {
      expect(doubts.next([...lasting, ...restockedOnce([600])], nobody, 50, NOW_MS)[0]).toBe(uuid(600));
      await clock.advance(MINUTE_MS);
    }
  });

  test.each([
    [0, 50],
    [899, 50],
    [900, 0],
  ])('are a share of what polling may spend of a day, none where it may spend none: %i spent, %i', (spent, perDay) => {
    expect(requestsForOffers({ limit: 1_000, spent })).toBe(perDay);
  });
});
