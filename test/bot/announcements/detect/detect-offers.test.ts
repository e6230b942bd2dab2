import { expect, onTestFinished, test } from 'vitest';
import { createOfferDetector } from '../../../../src/bot/announcements/detect/detect-offers.ts';
import { type KnownOffer, productKey } from '../../../../src/bot/deals/known-offer.ts';
import type { Feed, Offer } from '../../../../src/bot/deals/offer.ts';
import { createOfferBook } from '../../../../src/bot/offers/offer-book.ts';
import { openStore } from '../../../../src/bot/store/store.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';
import { temporaryState } from '../../../helpers/temporary-folder.ts';
import { aKnownOffer, anOffer, HOUR_MS, NOW_MS, uuid } from '../../../helpers/things.ts';

const DAY_MS = 24 * HOUR_MS;
const feedOf = (...offers: Offer[]): Feed => ({ marketingName: null, offers, isCutOff: false });

async function aDetector(known: readonly KnownOffer[] = []) {
  const store = await openStore(temporaryState(), new ManualClock());
  onTestFinished(() => store.close());
  const book = createOfferBook([...known], (feed) => store.resources.get(`feed:${feed}`));
  await store.offers.save([...known]);
  const detector = createOfferDetector({ store, book });
  async function answer(feed: Feed, nowMs = NOW_MS, isFirstSight = false) {
    const found = await detector.inFeed('feed:Home', { value: feed }, isFirstSight, nowMs);
    await found.commit();
    return found;
  }
  const poll = (feed: string, polledAtMs: number) =>
    store.resources.save(`feed:${feed}`, {
      version: 2,
      firstSeenMs: polledAtMs,
      polledAtMs,
      isFollowed: true,
      isCutOff: false,
      marketingName: null,
    });
  return { store, book, detector, answer, poll };
}

const subjects = (announcements: readonly { subject: string }[]) => announcements.map(({ subject }) => subject);

test('a new offer is news with its start; one that changes is shown anew, and states no start', async () => {
  const { answer } = await aDetector();
  const first = await answer(feedOf(anOffer(1)));
  expect(subjects(first.news.map(({ announcement }) => announcement))).toEqual([uuid(1)]);
  expect(first.startedAtMs).toEqual([NOW_MS - HOUR_MS]);
  const cheaper = anOffer(1, { salePrice: { minimum: 10, maximum: 10 } });
  const second = await answer(feedOf(cheaper), NOW_MS + 1);
  expect(second.news.map(({ announcement }) => announcement.kind)).toEqual(['price-drop']);
  expect(second.startedAtMs).toEqual([]);
  expect(second.updates).toEqual([{ key: `offer:${uuid(1)}`, item: cheaper }]);
});

test('at first sight nothing is news, and all starts are learned', async () => {
  const { answer } = await aDetector();
  const { news, startedAtMs } = await answer(feedOf(anOffer(1), anOffer(2, { startDateMs: NOW_MS - 5 })), NOW_MS, true);
  expect([news, startedAtMs]).toEqual([[], [NOW_MS - HOUR_MS, NOW_MS - 5]]);
});

test('an answer that was processed already changes nothing, and says nothing of doubt', async () => {
  const { answer } = await aDetector();
  const feed = feedOf(anOffer(1));
  expect((await answer(feed)).isDoubtful).toBe(false);
  const again = await answer(feed, NOW_MS + 1);
  expect([again.isDoubtful, again.news, again.updates, again.offers]).toEqual([null, [], [], []]);
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
  await ended.commit();
  expect([...(await store.products.among([key, productKey(anOffer(2))])).keys()]).toEqual([key]);
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
  const stored: string[] = [];
  for await (const { offer } of store.offers.all()) stored.push(offer.id);
  expect(stored.toSorted()).toEqual([2, 3].map(uuid));
});
