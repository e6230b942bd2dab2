import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { candidatesIn } from '../../commands/known.ts';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aKnownOffer, NOW_MS } from '../helpers/things.ts';

const HOME = { kind: 'feed', feed: 'Home' } as const;

/** A feed of so many offers, and a clock that each look sets a millisecond ahead. */
async function aFeedOf(count: number) {
  const records = Array.from({ length: count }, (_, index) => aKnownOffer(index + 1));
  const answer = { polledAtMs: NOW_MS, isCutOff: false, marketingName: null };
  const offers = createOfferBook(records, (feed) => (feed === 'Home' ? answer : undefined));
  const store = await openStore(temporaryState());
  onTestFinished(() => store.close());
  let ms = 0;
  const clock = { ...systemClock, monotonicMs: () => (ms += 1) };
  return { offers, currentState: new CurrentState(offers, store), clock };
}

test('others have turns while what filters look at is made of a large feed, once until the feed changes', async () => {
  const services = await aFeedOf(100);
  let turns = 0;
  let isDone = false;
  const making = Promise.all([candidatesIn(HOME, services), candidatesIn(HOME, services)]).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  const [one, other] = await making;
  expect(one?.candidates).toHaveLength(100);
  expect(one?.readAtMs).toBe(NOW_MS);
  expect(other?.candidates).toBe(one?.candidates);
  // Each offer takes a millisecond by that clock, and a turn ends after five.
  expect(turns).toBeGreaterThanOrEqual(20);

  services.offers.put([aKnownOffer(101)]);
  expect((await candidatesIn(HOME, services))?.candidates).toHaveLength(101);
});

test('a feed that was never read has none', async () => {
  expect(await candidatesIn({ kind: 'feed', feed: 'Tools' }, await aFeedOf(1))).toBeNull();
});
