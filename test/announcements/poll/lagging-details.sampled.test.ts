import { describe, expect, test } from 'vitest';
import type { Offer, OfferDetail } from '../../../src/deals/offer.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import type { ManualClock } from '../../helpers/manual-clock.ts';
import { aPoller } from '../../helpers/poller.ts';
import { sampled, sampleSize } from '../../helpers/sampled.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anItem, anOffer, anOfferDetail, aSubscription, uuid } from '../../helpers/things.ts';

const SECOND_MS = 1_000;
/** The time between two ticks. */
const TICK_MS = 15 * SECOND_MS;
/** Long enough for the requests for doubts to be saved up. */
const CALM_MS = 4 * HOUR_MS;

type Changes = Partial<Offer>;
const costing = (dollars: number) => ({ minimum: dollars, maximum: dollars });

/** A shop with one kettle, whose feeds show it as it is, and which tells of itself how it was some time ago. */
async function aShop({ lagMs = 0, ...state }: { lagMs?: number; stateUrl?: string; clock?: ManualClock } = {}) {
  // No feed is read but by the test.
  const parts = await aPoller({ minIntervalMs: DAY_MS, ...state });
  const { clock, put, look, poller, details, kinds, book } = parts;
  const past: { fromMs: number; changes: Changes | null }[] = [];
  let isToldMs = lagMs;
  function detailNow(): OfferDetail | null {
    const { changes = null } = past.findLast(({ fromMs }) => fromMs <= clock.now() - isToldMs) ?? {};
    if (changes === null) return null;
    const { minimum = 20 } = changes.salePrice ?? {};
    return anOfferDetail(1, {
      title: anOffer(1, changes).title,
      isSoldOut: changes.isSoldOut ?? false,
      items: [anItem(1, { salePrice: minimum })],
    });
  }
  const tick = async () => {
    details.set(uuid(1), detailNow());
    await poller.tick();
  };
  return {
    ...parts,
    tick,
    /** From now on the kettle is so; null where there is none. */
    be: (changes: Changes | null) => void past.push({ fromMs: clock.now(), changes }),
    /** A feed shows the kettle so. */
    shows: async (changes: Changes, feed = 'Home') => {
      put([anOffer(1, changes)], feed);
      await look(feed);
    },
    lagBy: (ms: number) => {
      isToldMs = ms;
    },
    /** Lets time pass, with a tick every 15 s. */
    pass: async (ms: number, eachTick = async () => {}) => {
      for (const endMs = clock.now() + ms; clock.now() < endMs; ) {
        await clock.advance(TICK_MS);
        await eachTick();
        await tick();
      }
    },
    price: () => book.get(uuid(1))?.offer.salePrice?.minimum,
    told: (kind: string) => kinds().some((one) => one === kind),
  };
}

type Shop = Awaited<ReturnType<typeof aShop>>;

interface Deal {
  kind: string;
  /** How the kettle is before, one after the other, and as the deal. */
  before: readonly Changes[];
  after: Changes;
}

const DEALS: Readonly<Record<string, Deal>> = {
  'a restock': { kind: 'restocked', before: [{}, { isSoldOut: true }, { isSoldOut: true }], after: {} },
  'a drop of 85 %': {
    kind: 'price-drop',
    before: [{ salePrice: costing(100) }, { salePrice: costing(100) }],
    after: { salePrice: costing(15) },
  },
  'a new offer that was sold out at first': { kind: 'new-offer', before: [{ isSoldOut: true }], after: {} },
};

async function beBefore({ be, shows, clock, look, pass }: Shop, { before }: Deal): Promise<void> {
  await look();
  await pass(CALM_MS);
  for (const changes of before) {
    be(changes);
    await shows(changes);
    await clock.advance(MINUTE_MS);
  }
  // The last of it lasted for longer than any answer lags behind.
  await clock.advance(2 * HOUR_MS);
}

const LAGS_MS = { '4 s': 4 * SECOND_MS, '3 minutes': 3 * MINUTE_MS, 'an hour': HOUR_MS };
const RHYTHMS_MS = {
  'each minute': MINUTE_MS,
  'each 15 minutes': 15 * MINUTE_MS,
  'each 62 minutes': 62 * MINUTE_MS,
  'each 190 minutes': 190 * MINUTE_MS,
};
/** What the feed shows in three answers over ten minutes is believed, whatever the offer says of itself. */
const longestMs = (lagMs: number, rhythmMs: number) =>
  lagMs <= 4 * MINUTE_MS ? 5 * MINUTE_MS : Math.max(2 * rhythmMs, 11 * MINUTE_MS);

/** Each simulates eight hours, a tick every 15 s. */
const MOST_CASES = 3;
const CASES = Object.keys(DEALS).flatMap((deal) =>
  Object.entries(LAGS_MS).flatMap(([lag, lagMs]) =>
    Object.entries(RHYTHMS_MS).map(([rhythm, rhythmMs]) => ({ deal, lag, lagMs, rhythm, rhythmMs })),
  ),
);

test.each(sampled(CASES, MOST_CASES))(
  '$deal is told in time where the offer itself is $lag behind its feed, which is read $rhythm',
  async ({ deal, lagMs, rhythmMs }) => {
    const one = DEALS[deal] as Deal;
    const shop = await aShop({ lagMs });
    const { be, shows, clock, tick, pass, told, kinds } = shop;
    await beBefore(shop, one);
    be(one.after);
    const startMs = clock.now();
    let readMs = startMs;
    await shows(one.after);
    await tick();
    const readIfDue = async () => {
      if (clock.now() - readMs < rhythmMs) return;
      readMs = clock.now();
      await shows(one.after);
    };
    const endMs = startMs + longestMs(lagMs, rhythmMs);
    while (!told(one.kind) && clock.now() < endMs) await pass(TICK_MS, readIfDue);
    expect(kinds()).toContain(one.kind);
    await pass(4 * HOUR_MS, readIfDue);
    expect(kinds().filter((kind) => kind === one.kind)).toHaveLength(1);
  },
);

test('a restart in between loses nothing of what a feed has said against the offer itself', async () => {
  const stateUrl = temporaryState();
  const restock = DEALS['a restock'] as Deal;
  const before = await aShop({ lagMs: HOUR_MS, stateUrl });
  await beBefore(before, restock);
  before.be({});
  for (let minute = 0; minute < 5; minute += 1) {
    await before.shows({});
    await before.tick();
    await before.clock.advance(MINUTE_MS);
  }
  expect(before.told('restocked')).toBe(false);
  await before.store.close();
  const after = await aShop({ lagMs: HOUR_MS, stateUrl, clock: before.clock });
  after.be({ isSoldOut: true });
  for (let minute = 5; minute <= 10; minute += 1) {
    expect(after.told('restocked'), `after ${minute} minutes`).toBe(false);
    await after.shows({});
    await after.tick();
    await after.clock.advance(MINUTE_MS);
  }
  expect(after.told('restocked')).toBe(true);
});

describe('what an offer says of itself, and was so before,', () => {
  /** Home has made the kettle cheaper, and Tools shows the old price for a long time: the offer is asked. */
  async function aLaggingFeed(lagMs: number) {
    const shop = await aShop({ lagMs });
    const { store, look, pass, be, shows, clock } = shop;
    await store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed: 'Tools' } }));
    shop.clear('Tools');
    for (const feed of ['Home', 'Tools']) await look(feed);
    await pass(CALM_MS);
    be({ salePrice: costing(30) });
    for (const feed of ['Home', 'Tools', 'Home', 'Tools']) {
      await shows({ salePrice: costing(30) }, feed);
      await clock.advance(MINUTE_MS);
    }
    be({ salePrice: costing(25) });
    const read = async () => {
      await shows({ salePrice: costing(25) });
      await shows({ salePrice: costing(30) }, 'Tools');
    };
    await read();
    return { ...shop, read };
  }

  test.each([0, 12 * MINUTE_MS])('takes no drop back at once: %i ms behind', async (lagMs) => {
    const { pass, read, price, kinds } = await aLaggingFeed(lagMs);
    const prices = new Set<number | undefined>();
    await pass(sampleSize(120, 30) * MINUTE_MS, async () => {
      await read();
      prices.add(price());
    });
    expect([...prices]).toEqual([25]);
    expect(kinds().filter((kind) => kind === 'price-drop')).toHaveLength(1);
  });

  test('is believed once it has said so in three answers over ten minutes, and nothing flaps from then on', async () => {
    const { pass, read, price, kinds, be, detailsAsked } = await aLaggingFeed(0);
    be({ salePrice: costing(30) });
    const prices: (number | undefined)[] = [];
    await pass(sampleSize(4, 1) * HOUR_MS, async () => {
      await read();
      if (prices.at(-1) !== price()) prices.push(price());
    });
    expect(prices).toEqual([25, 30]);
    expect(detailsAsked.length).toBeGreaterThan(3);
    expect(kinds().filter((kind) => kind === 'price-drop')).toHaveLength(1);
  });

  test('ends nothing that waits for an offer that no feed shows, unless it says so for long', async () => {
    const { be, shows, look, pass, clear, clock, currentState, enqueued, lagBy } = await aShop();
    await look();
    await pass(CALM_MS);
    be({});
    await shows({});
    const [waiting] = enqueued();
    if (!waiting) throw new Error('Nothing waits.');
    clear();
    lagBy(5 * MINUTE_MS);
    for (let times = 0; times < 2; times += 1) {
      await clock.advance(MINUTE_MS);
      await look();
    }
    const fate = () => currentState.fateOf(waiting, clock.now());
    expect(fate()).toBe('held');
    await pass(30 * MINUTE_MS);
    expect(fate(), 'it was not there yet for the offer itself').toBe('held');
    be(null);
    await pass(4 * HOUR_MS);
    expect(fate(), 'it is gone').toBe('over');
  });
});

test('a feed that repeats what is older overturns nothing, however long the offer itself denies it', async () => {
  const { store, look, pass, be, shows, clock, kinds, book, clear } = await aShop();
  await store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed: 'Tools' } }));
  clear('Tools');
  for (const feed of ['Home', 'Tools']) await look(feed);
  await pass(CALM_MS);
  be({});
  for (const feed of ['Home', 'Tools', 'Home', 'Tools']) {
    await shows({}, feed);
    await clock.advance(MINUTE_MS);
  }
  be({ isSoldOut: true });
  await pass(sampleSize(6, 1) * HOUR_MS, async () => {
    await shows({ isSoldOut: true });
    await shows({}, 'Tools');
  });
  expect(book.get(uuid(1))?.offer.isSoldOut).toBe(true);
  expect([...kinds(), ...kinds('11')]).not.toContain('restocked');
});
