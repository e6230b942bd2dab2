import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FAULT_NAMES, type FaultSettings } from '../../packages/catalog-service/src/faults.ts';
import { createCatalogService, createSimulator } from '../../packages/catalog-service/src/index.ts';
import { Limiter } from '../../packages/catalog-service/src/limits.ts';
import { type Answer, type CallOptions, type Catalog, LANES, type Lane } from '../../src/catalog/catalog.ts';
import { CatalogError } from '../../src/catalog/errors.ts';
import { createHttp, type Http } from '../../src/catalog/http.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { DAY_MS } from '../../src/shared/time.ts';
import { createTestLog, PORTAL_KEY, V2_KEY } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { sampled } from '../helpers/sampled.ts';
import { createTestCatalog } from './create-test-catalog.ts';

type Rates = FaultSettings['rates'];
type FaultName = (typeof FAULT_NAMES)[number];
/** The outcome of a call: an answer and its kind, or an error and its code. */
type Outcome = string;

/** Tighter than any deployment has: the client meets them all the time. */
const LIMITS = { rate: 1, burst: 2, quota: 1000 };
const NOON = '2026-10-10T18:00:00Z';
const ROUNDS = 8;
const BETWEEN_ROUNDS_MS = 600_000;
const STEP_MS = 100;

/** The contents of the service at a moment that does not pass. */
const MOMENT = createSimulator({ seed: 'test', offers: 300, pace: 'store' }).at(
  Date.parse(NOON),
  'http://pictures.example.com',
);

function held(things: readonly object[], field: string): unknown[] {
  return things.map((thing) => (thing as Record<string, unknown>)[field]);
}

const OFFER_IDS = held(MOMENT.feed('Home').items.slice(0, 12), 'OfferId').map(String);
const EVENT_IDS = held(MOMENT.events(), 'Id').map(String);
const EVENT_OFFER_ID = String(OFFER_IDS.find((id) => MOMENT.eventOffer(id)));

interface PayloadByKind {
  answer: Answer<unknown>;
  /** The field that identifies its entities. */
  ids: readonly unknown[];
}

interface Call {
  ask: (catalog: Catalog, options: CallOptions) => Promise<PayloadByKind>;
  expected: readonly unknown[];
}

/** Every endpoint of the client. */
const CALLS: readonly Call[] = [
  {
    async ask(catalog, options) {
      const answer = await catalog.feeds.get('Home', options);
      return { answer, ids: answer.value.offers.map(({ id }) => id) };
    },
    expected: held(MOMENT.feed('Home').items, 'OfferId'),
  },
  ...OFFER_IDS.map((id) => ({
    async ask(catalog: Catalog, options: CallOptions) {
      const answer = await catalog.offers.get(id, options);
      return { answer, ids: [answer.value?.id] };
    },
    expected: [id],
  })),
  {
    async ask(catalog, options) {
      const answer = await catalog.events.list(options);
      return { answer, ids: answer.value.map(({ id }) => id) };
    },
    expected: EVENT_IDS,
  },
  {
    async ask(catalog, options) {
      const answer = await catalog.events.get(String(EVENT_IDS[0]), options);
      return { answer, ids: [answer.value?.id] };
    },
    expected: EVENT_IDS.slice(0, 1),
  },
  {
    async ask(catalog, options) {
      const answer = await catalog.events.offer(EVENT_OFFER_ID, options);
      return { answer, ids: [answer.value?.id] };
    },
    expected: [EVENT_OFFER_ID],
  },
  {
    async ask(catalog, options) {
      const answer = await catalog.dealcasts.list(options);
      return { answer, ids: answer.value.map(({ title }) => title) };
    },
    expected: held(MOMENT.dealcasts(), 'Title'),
  },
  {
    async ask(catalog, options) {
      const answer = await catalog.polls.list(options);
      return { answer, ids: answer.value.map(({ discussionUrl }) => discussionUrl) };
    },
    expected: held(MOMENT.polls(), 'DiscussionUrl'),
  },
  {
    async ask(catalog, options) {
      const answer = await catalog.monkeychats.list(options);
      // These have no fields that could be broken: whatever comes is kept.
      return { answer, ids: answer.value.map(({ raw }) => raw['Title']).filter((title) => typeof title === 'string') };
    },
    expected: held(MOMENT.monkeychats(), 'Title'),
  },
];

/** Both sides on one clock, which passes only while neither has anything to do. */
async function setUp(given: Rates) {
  const rates = { ...given };
  const clock = new ManualClock(NOON);
  let inFlight = 0;
  let heldBack = 0;
  const serviceClock: Clock = {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after: (ms, ring) => clock.after(ms, ring),
    async sleep(ms, signal) {
      heldBack += 1;
      try {
        await clock.sleep(ms, signal);
      } finally {
        heldBack -= 1;
      }
    },
  };
  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [V2_KEY, PORTAL_KEY],
    clock: serviceClock,
    log: createTestLog(),
    content: { at: () => MOMENT },
    limits: LIMITS,
    faults: { seed: 'faults', rates },
  });
  onTestFinished(() => service.stop());
  const limiter = new Limiter(LIMITS);
  const wire = createHttp();
  const http: Http = {
    send(request, signal) {
      // A request that is one too many ends the test: what this throws is no CatalogError.
      limiter.admit('x-api-key' in request.headers ? 'portal' : 'v2', clock.now());
      inFlight += 1;
      return wire.send(request, signal).finally(() => {
        inFlight -= 1;
      });
    },
    close: () => wire.close(),
  };
  const { catalog } = createTestCatalog(await service.start(), { clock, http, v2: LIMITS, portal: LIMITS });

  /** Lets the time pass until the calls have ended. */
  async function settle<T>(calls: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    calls.then(end, end);
    while (!isOver) {
      await setImmediate();
      if (inFlight === heldBack) await clock.advance(STEP_MS);
    }
    return calls;
  }

  async function outcomeOf({ ask, expected }: Call, lane: Lane): Promise<Outcome> {
    try {
      const { answer, ids } = await ask(catalog, { lane, maxAgeMs: 0 });
      const told = new Set(ids.filter((id) => id !== undefined));
      expect([...told].filter((id) => !expected.includes(id))).toEqual([]);
      expect(answer.fetchedAtMs).toBeLessThanOrEqual(clock.now());
      if (answer.isStale) return 'stale';
      if (answer.malformed > 0) return 'incomplete';
      return told.size === new Set(expected).size ? 'fresh' : 'less';
    } catch (error) {
      if (!(error instanceof CatalogError)) throw error;
      return error.code;
    }
  }

  return {
    clock,
    catalog,
    /** Asks every endpoint anew, in one lane. */
    round: (lane: Lane) => settle(Promise.all(CALLS.map((call) => outcomeOf(call, lane)))),
    endFaults: () => {
      for (const name of FAULT_NAMES) delete rates[name];
    },
  };
}

const FAILING: readonly Outcome[] = ['fresh', 'stale', 'CATALOG_HTTP', 'CATALOG_NETWORK', 'CATALOG_TIMEOUT'];

/** The outcomes that calls may have while a fault is on. Where there is more than one, more than one has to be seen. */
const OUTCOMES: Record<FaultName | 'all', readonly Outcome[]> = {
  latency: ['fresh'],
  rate: ['fresh', 'stale', 'CATALOG_RATE_LIMITED', 'CATALOG_TIMEOUT'],
  quota: ['fresh', 'stale', 'CATALOG_QUOTA_SPENT', 'CATALOG_RATE_LIMITED'],
  500: FAILING,
  504: FAILING,
  truncated: ['fresh', 'stale', 'CATALOG_SCHEMA'],
  'content-type': ['fresh'],
  html: FAILING,
  drip: ['fresh'],
  reset: FAILING,
  duplicate: ['fresh'],
  // An offer that is asked for together with others and comes broken is none; a broken monkeychat has no title to be told by.
  malformed: ['fresh', 'incomplete', 'less', 'stale', 'CATALOG_SCHEMA'],
  missing: ['fresh', 'less'],
  empty: ['fresh', 'less'],
  all: [...FAILING, 'incomplete', 'less', 'CATALOG_RATE_LIMITED', 'CATALOG_QUOTA_SPENT', 'CATALOG_SCHEMA'],
};

const CASES: [name: keyof typeof OUTCOMES, rates: Rates][] = [
  ...FAULT_NAMES.map((name): [FaultName, Rates] => [name, { [name]: 0.6 }]),
  ['all', Object.fromEntries(FAULT_NAMES.map((name) => [name, 0.07]))],
];

describe('with the service at fault', () => {
  it.each(sampled(CASES, 5))(
    '(%s) every call ends with an answer or a CatalogError, nothing good is lost, nothing overdrawn',
    async (name, rates) => {
      const { clock, catalog, round, endFaults } = await setUp(rates);
      const seen = new Set<Outcome>();
      for (let number = 0; number < ROUNDS; number += 1) {
        for (const outcome of await round(LANES[number % LANES.length] ?? 'background')) seen.add(outcome);
        const { v2, portal } = catalog.quota();
        const isClosed = v2.spent === v2.limit || portal.spent === portal.limit;
        await clock.advance(isClosed ? portal.resetsAtMs - clock.now() : BETWEEN_ROUNDS_MS);
      }
      const allowed = OUTCOMES[name];
      expect([...seen].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
      expect(seen.size).toBeGreaterThanOrEqual(Math.min(2, allowed.length));

      endFaults();
      await clock.advance(DAY_MS);
      expect(new Set(await round('interactive'))).toEqual(new Set(['fresh']));
    },
  );
});
