import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CurrentState } from '../src/announcements/current-state.ts';
import { Deliverer } from '../src/announcements/deliver/deliverer.ts';
import { newSubscription } from '../src/announcements/kinds/of-source.ts';
import { deliveriesOf, enqueue, type Match } from '../src/announcements/outbox/enqueue.ts';
import type { Timing } from '../src/deals/settings.ts';
import type { Subscription } from '../src/deals/subscription.ts';
import { translatorFor } from '../src/discord/i18n/translator.ts';
import { createOfferBook } from '../src/offers/offer-book.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { openStore } from '../src/store/store.ts';
import { anOffer, newOfferOf } from '../test/helpers/things.ts';
import { measure, type Section, spreadOf, spreadRows } from './measure.ts';

const SUBSCRIPTIONS = 500;
const OFFERS = 20;
const HELD = 2_000;
const ROUNDS = { warmUp: 3, counted: 20 };
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];

/** Digests and quiet hours in several time zones, each subscription with times of its own. */
function aSubscription(index: number, timing: Partial<Timing>): Subscription {
  return {
    ...newSubscription({
      id: `s${index}`,
      guildId: '1',
      channelId: `${index}`,
      source: { kind: 'feed', feed: 'Home' },
      createdBy: '100',
      createdAtMs: 0,
      catchUp: 0,
    }),
    timing: {
      mode: 'daily',
      dailyAtMinute: (index * 7) % 1440,
      timeZone: ZONES[index % ZONES.length] ?? 'UTC',
      quiet: { fromMinute: (index * 3) % 1440, toMinute: (index * 3 + 480) % 1440 },
      ...timing,
    },
  };
}

/** The cost of the times of many subscriptions: nothing else gets a turn meanwhile. */
export async function benchTiming(): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const store = await openStore(`sqlite://${join(folder, 'bot.sqlite')}`);
  try {
    const subscriptions = Array.from({ length: SUBSCRIPTIONS }, (_, index) => aSubscription(index, {}));
    const matches: Match[] = Array.from({ length: OFFERS }, (_, index) => newOfferOf(anOffer(index))).flatMap(
      (announcement) => subscriptions.map((subscription) => ({ announcement, subscription, terms: [] })),
    );
    const minute = Math.floor((Date.now() % 86_400_000) / 60_000);
    const quiet = { fromMinute: (minute + 1430) % 1440, toMinute: (minute + 120) % 1440 };
    const held = aSubscription(SUBSCRIPTIONS, { mode: 'at-once', timeZone: 'UTC', quiet });
    await store.subscriptions.save(held);
    const waiting = Array.from({ length: HELD }, (_, index) => ({
      announcement: newOfferOf(anOffer(index, { endDateMs: null })),
      subscription: held,
      terms: [],
    }));
    // The deliveries have been due since before the quiet hours, as after a time without permission.
    const sinceMs = Date.now() - 3_600_000;
    const occasion = { nowMs: sinceMs, isLate: true, clock: systemClock, signal: new AbortController().signal };
    await store.transact((changes) => enqueue(store, changes, waiting, occasion));
    const deliverer = new Deliverer({
      store,
      courier: {
        post: async () => ({ kind: 'unknown', reason: 'nothing may be posted in quiet hours' }),
        edit: async () => ({ kind: 'done' }),
        remove: async () => ({ kind: 'done' }),
        publish: async () => ({ kind: 'done' }),
        reply: async () => ({ kind: 'done' }),
        mayRing: () => true,
        mayPin: () => false,
        pin: async () => ({ kind: 'done' }),
        findPosted: async () => ({ kind: 'found', posted: new Map(), messages: [], isCutOff: false }),
        confirm: async () => ({ kind: 'done' }),
        hasNonces: () => true,
        sendDirectMessage: async () => undefined,
      },
      translatorOf: () => translatorFor('en-US'),
      currentState: new CurrentState(
        createOfferBook([], () => undefined),
        store,
      ),
      requestsPerSecond: 50,
      successes: () => 0,
      clock: systemClock,
      log: createLog('warn'),
    });
    const timed = (work: () => unknown) => () => {
      const startMs = performance.now();
      work();
      return performance.now() - startMs;
    };
    const [many, tick] = [
      `${SUBSCRIPTIONS} subscriptions × ${OFFERS} offers`,
      `a tick with ${HELD} held by quiet hours`,
    ];
    const samples = await measure(
      [
        { name: many, run: timed(() => deliveriesOf(matches, Date.now())) },
        { name: tick, run: timed(() => deliverer.kick()) },
      ],
      ROUNDS,
    );
    await deliverer.stop();
    const medianOf = (name: string) => spreadOf(samples.get(name) ?? []).median;
    const claimOf = (name: string, most: number) => ({
      promise: `${name}: at most ${most} ms`,
      measured: `${medianOf(name).toFixed(1)} ms at the median`,
      isKept: medianOf(name) <= most,
      reason: 'The machine was busy.',
    });
    return [
      {
        title: 'Times: what digests and quiet hours cost',
        how: `\`npm run bench -- timing\`. Every subscription has a daily digest and quiet hours of its own, in ${ZONES.length} time zones and a channel of its own. ${ROUNDS.counted} rounds after ${ROUNDS.warmUp} to warm up; nothing else gets a turn meanwhile.`,
        head: ['', 'median', 'min', 'max'],
        rows: spreadRows(samples, (ms) => `${ms.toFixed(2)} ms`),
        claims: [claimOf(many, 50), claimOf(tick, 5)],
      },
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
