import { expect, onTestFinished, test } from 'vitest';
import { createPoster } from '../../src/announcements/poster.ts';
import type { Answer, Catalog } from '../../src/catalog/catalog.ts';
import type { Feed, Offer } from '../../src/deals/offer.ts';
import { StoreError } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { anOffer, aSubscription, uuid } from '../helpers/things.ts';

/** A poster on a real store, whose next write of one kind can be made to fail, as a full disk would make it. */
async function aPoster() {
  const store = await openStore(temporaryState());
  onTestFinished(() => store.close());
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const offers: Offer[] = [];
  let failing: 'outbox' | 'known' | 'resource' | null = null;
  const failAt = async (what: typeof failing, write: () => Promise<unknown>) => {
    if (failing === what) {
      failing = null;
      throw new StoreError('The disk is full.');
    }
    return write();
  };
  const faulty: Store = {
    ...store,
    deliveries: {
      ...store.deliveries,
      add: (deliveries) =>
        failAt('outbox', () => store.deliveries.add(deliveries)) as ReturnType<typeof store.deliveries.add>,
    },
    known: {
      ...store.known,
      add: (...record) => failAt('known', () => store.known.add(...record)) as Promise<void>,
    },
    resources: {
      ...store.resources,
      save: (...record) => failAt('resource', () => store.resources.save(...record)) as Promise<void>,
      forget: async (resource) => {
        await beforeForgetting();
        await store.resources.forget(resource);
      },
    },
  };
  let isStale = false;
  let beforeForgetting = async () => {};
  const answer = (): Answer<Feed> => ({
    value: { marketingName: null, offers: [...offers], isCutOff: false },
    fetchedAtMs: clock.now(),
    isStale,
    malformed: 0,
  });
  const quota = { limit: 1000, spent: 0, resetsAtMs: clock.now() + 3_600_000 };
  const catalog = { feeds: { get: async () => answer() }, quota: () => ({ v2: quota, portal: quota }) };
  const poster = createPoster({
    catalog: catalog as unknown as Catalog,
    offers: createOfferBook(catalog),
    store: faulty,
    deliverer: { kick: () => {}, refresh: async () => {} },
    minIntervalMs: 60_000,
    clock,
    log: createLog('silent'),
    signal: new AbortController().signal,
  });
  await store.subscriptions.save(aSubscription('s'));
  return {
    poster,
    store,
    clock,
    offers,
    failNext: (what: NonNullable<typeof failing>) => {
      failing = what;
    },
    meanwhile: (what: typeof beforeForgetting) => {
      beforeForgetting = what;
    },
    answerStale: (stale: boolean) => {
      isStale = stale;
    },
    subjects: () => store.deliveries.pending('10').map(({ announcement }) => announcement.subject),
  };
}

test.each(['outbox', 'known', 'resource'] as const)(
  'cut off at the write of the %s, a poll is made up for: nothing lost, nothing twice',
  async (place) => {
    const { poster, offers, failNext, subjects } = await aPoster();
    await poster.poll('feed:Home', 'announcement');
    offers.push(anOffer(1));
    failNext(place);
    await expect(poster.poll('feed:Home', 'announcement')).rejects.toThrow(StoreError);
    await poster.poll('feed:Home', 'announcement');
    await poster.poll('feed:Home', 'announcement');
    expect(subjects()).toEqual([uuid(1)]);
  },
);

test.each(['known', 'resource'] as const)('cut off at the write of the %s, a first sight stays one', async (place) => {
  const { poster, offers, failNext, subjects } = await aPoster();
  offers.push(anOffer(1));
  failNext(place);
  await expect(poster.poll('feed:Home', 'announcement')).rejects.toThrow(StoreError);
  await poster.poll('feed:Home', 'announcement');
  expect(subjects()).toEqual([]);
});

test('a tick polls what is due, and no sooner', async () => {
  const { poster, offers, clock, subjects } = await aPoster();
  await poster.tick();
  offers.push(anOffer(1));
  await clock.advance(30_000);
  await poster.tick();
  expect(subjects()).toEqual([]);
  await clock.advance(30_000);
  await poster.tick();
  expect(subjects()).toEqual([uuid(1)]);
  expect(poster.status()).toEqual({ lastPollMs: clock.now(), failingSinceMs: null });
});

test('a tick survives a failing poll and says since when', async () => {
  const { poster, offers, clock, failNext, subjects } = await aPoster();
  await poster.tick();
  offers.push(anOffer(1));
  await clock.advance(60_000);
  const failedAtMs = clock.now();
  failNext('outbox');
  await poster.tick();
  expect(poster.status().failingSinceMs).toBe(failedAtMs);
  await clock.advance(60_000);
  await poster.tick();
  expect(subjects()).toEqual([uuid(1)]);
  expect(poster.status().failingSinceMs).toBeNull();
});

test('a stale answer tells nothing new, and the next fresh one makes up for it', async () => {
  const { poster, offers, clock, answerStale, subjects } = await aPoster();
  await poster.tick();
  offers.push(anOffer(1));
  answerStale(true);
  await clock.advance(60_000);
  await poster.tick();
  expect(subjects()).toEqual([]);
  expect(poster.status().failingSinceMs).toBe(clock.now());
  answerStale(false);
  await clock.advance(60_000);
  await poster.tick();
  expect(subjects()).toEqual([uuid(1)]);
});

test('whoever subscribes again while a resource is being forgotten misses nothing that comes after', async () => {
  const { poster, store, offers, clock, meanwhile, subjects } = await aPoster();
  await poster.tick();
  await store.subscriptions.remove('s');
  const polled: Promise<unknown>[] = [];
  meanwhile(async () => {
    await store.subscriptions.save(aSubscription('again'));
    polled.push(poster.poll('feed:Home', 'interactive'));
    // As long as a write takes on a slow disk.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  });
  await poster.tick();
  await Promise.all(polled);
  offers.push(anOffer(1));
  await clock.advance(60_000);
  await poster.poll('feed:Home', 'announcement');
  expect(subjects()).toEqual([uuid(1)]);
});
