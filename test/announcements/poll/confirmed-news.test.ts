import { expect, test } from 'vitest';
import { LONGEST_CONFIRMING_MS } from '../../../src/announcements/poll/asking.ts';
import { MOST_SAVED_FOR_NEWS } from '../../../src/announcements/poll/doubts.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aPoller } from '../../helpers/poller.ts';
import { anItem, anOffer, anOfferDetail, aSubscription, uuid } from '../../helpers/things.ts';

const costing = (dollars: number) => ({ salePrice: { minimum: dollars, maximum: dollars }, endDateMs: null });

/** A kettle that has cost $300 for days, and that costs $200 from the next answer on. */
async function aDrop() {
  const parts = await aPoller();
  const { put, look, clock, details, enqueued, currentState, book } = parts;
  put([anOffer(1, costing(300))]);
  for (let hour = 0; hour < 5 * 24; hour += 1) {
    await look();
    await clock.advance(HOUR_MS);
  }
  put([anOffer(1, costing(200))]);
  details.set(uuid(1), anOfferDetail(1, { isSoldOut: false, items: [anItem(1, { salePrice: 200 })] }));
  return {
    ...parts,
    fates: () => enqueued().map((announcement) => currentState.fateOf(announcement, clock.now())),
    hasClaims: () => book.get(uuid(1))?.offer.observed !== undefined,
  };
}

test('a drop is held while the offer itself is asked, and is posted with its claims', async () => {
  const { look, beforeDetails, detailsAsked, fates, hasClaims } = await aDrop();
  beforeDetails(async () => expect([fates(), hasClaims()]).toEqual([['held'], false]));
  await look();
  expect(detailsAsked).toEqual([uuid(1)]);
  expect([fates(), hasClaims()]).toEqual([['live'], true]);
});

test('what it takes to have the offer is told with that, stays while feeds are read, and goes by its latest answer', async () => {
  const { look, poller, details, book, currentState, enqueued, clock } = await aDrop();
  const terms = () => {
    const [announcement] = enqueued();
    const { item } = announcement ? currentState.of(announcement) : {};
    return item && 'terms' in item ? item.terms : undefined;
  };
  const limited = (limit: number) =>
    anOfferDetail(1, { isSoldOut: false, purchaseLimit: limit, items: [anItem(1, { salePrice: 200 })] });
  expect(terms()).toBeUndefined();
  details.set(uuid(1), limited(3));
  await look();
  expect(terms()).toEqual({ shipping: null, notToStates: [], notToPOBoxes: false, limit: 3, variants: 1 });
  await clock.advance(HOUR_MS);
  await look();
  expect(terms()).toMatchObject({ limit: 3 });
  details.set(uuid(1), limited(2));
  await poller.ask(uuid(1), () => undefined);
  expect(terms()).toMatchObject({ limit: 2 });
  expect(book.get(uuid(1))?.terms).toMatchObject({ limit: 2 });
});

test.each<[string, Parameters<typeof anOfferDetail>[1] | null | undefined]>([
  ['fails', undefined],
  ['knows no such offer', null],
  ['shows the price before', { isSoldOut: false, items: [anItem(1, { salePrice: 300 })] }],
])('where the answer %s, it is posted without claims', async (_, detail) => {
  const { look, details, fates, hasClaims } = await aDrop();
  details.delete(uuid(1));
  if (detail !== undefined) details.set(uuid(1), detail && anOfferDetail(1, detail));
  await look();
  expect([fates(), hasClaims()]).toEqual([['live'], false]);
});

test('where no answer comes, it is posted after ten seconds', async () => {
  const { look, beforeDetails, fates, clock, kicks } = await aDrop();
  beforeDetails(() => new Promise(() => undefined));
  const looking = look();
  await clock.untilSleeping((ms) => ms === LONGEST_CONFIRMING_MS);
  expect(fates()).toEqual(['held']);
  const before = kicks();
  await clock.advance(LONGEST_CONFIRMING_MS);
  await looking;
  expect([fates(), kicks() - before]).toEqual([['live'], 1]);
});

test('a person who asks does not wait for it', async () => {
  const { poller, detailsAsked, fates } = await aDrop();
  await poller.poll('feed:Home', 'interactive');
  expect([detailsAsked, fates()]).toEqual([[], ['live']]);
});

test('what waits for the end of quiet hours is not asked about: the next answer confirms it', async () => {
  const { store, look, detailsAsked, enqueued } = await aDrop();
  const quiet = { fromMinute: 0, toMinute: 23 * 60 + 59 };
  await store.subscriptions.save(
    aSubscription('s', { timing: { ...aSubscription('s').timing, timeZone: 'UTC', quiet } }),
  );
  await look();
  expect(enqueued()).toHaveLength(1);
  expect(detailsAsked).toEqual([]);
});

test('where the requests for news are spent, or none is left for polling, it is posted at once', async () => {
  const { put, look, clock, details, detailsAsked, quota, fates } = await aDrop();
  for (let drop = 0; drop <= MOST_SAVED_FOR_NEWS; drop += 1) {
    const price = Math.round(20_000 * 0.85 ** drop) / 100;
    put([anOffer(1, costing(price))]);
    details.set(uuid(1), anOfferDetail(1, { isSoldOut: false, items: [anItem(1, { salePrice: price })] }));
    await look();
    await clock.advance(MINUTE_MS);
  }
  expect(detailsAsked).toHaveLength(MOST_SAVED_FOR_NEWS);
  expect(fates().at(-1)).toBe('live');
  await clock.advance(12 * HOUR_MS);
  quota.spent = 1_000;
  put([anOffer(1, costing(2))]);
  await look();
  expect(detailsAsked).toHaveLength(MOST_SAVED_FOR_NEWS);
});
