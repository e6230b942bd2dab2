import { Limiter } from '../packages/catalog-service/src/limits.ts';
import { Refusal } from '../packages/catalog-service/src/refusal.ts';
import type { Lane, SpendingStore } from '../src/catalog/catalog.ts';
import { Demand } from '../src/catalog/demand.ts';
import { CatalogQuotaSpentError } from '../src/catalog/errors.ts';
import { Throttle } from '../src/catalog/throttle/throttle.ts';
import { ManualClock } from '../test/helpers/manual-clock.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';
import { KEY } from './limits.ts';
import { formatCount, type Section } from './measure.ts';

const LIMITS = { rate: 1, burst: 10, quota: 1000 };
const DAYS = 3;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Decides when a client's request leaves; resolves with a function to call once it is answered. */
type Take = (demand: Demand) => Promise<() => void>;

interface Outcome {
  name: string;
  asked: number;
  admitted: number[];
  rateRefusals: number;
  quotaRefusals: number;
}

/** The requests of a bot with a few busy servers: (who, how often on average, how many at once at most). */
const HABITS: readonly { lane: Lane; everyMs: number; atOnce: number }[] = [
  // Feeds, events and dealcasts that are watched, and the details of what is new in them.
  { lane: 'announcement', everyMs: 3 * MINUTE_MS, atOnce: 2 },
  // Lists that are kept fresh.
  { lane: 'background', everyMs: 10 * MINUTE_MS, atOnce: 12 },
  // People, who come in crowds.
  { lane: 'interactive', everyMs: 6 * MINUTE_MS, atOnce: 4 },
];

/** Lives through the days with one way to take turns, against the service's own limiter. */
async function live(name: string, clock: ManualClock, take: Take): Promise<Outcome> {
  const random = seededRandom(20261121);
  const limiter = new Limiter(LIMITS);
  const startMs = clock.now();
  const outcome: Outcome = {
    name,
    asked: 0,
    admitted: Array.from({ length: DAYS }, () => 0),
    rateRefusals: 0,
    quotaRefusals: 0,
  };

  /** The way to the catalog or back: mostly short, sometimes not. */
  const travel = () => clock.sleep(random() < 0.05 ? random() * 3_000 : 20 + random() * 200);

  async function call(lane: Lane): Promise<void> {
    outcome.asked += 1;
    const demand = new Demand();
    demand.join(lane, clock.monotonicMs() + 120_000);
    try {
      const answered = await take(demand);
      await travel();
      const day = Math.floor((clock.now() - startMs) / DAY_MS);
      limiter.admit(KEY, clock.now());
      if (day < DAYS) outcome.admitted[day] = (outcome.admitted[day] ?? 0) + 1;
      await travel();
      answered();
    } catch (error) {
      if (error instanceof Refusal) count(error);
      else if (!(error instanceof CatalogQuotaSpentError)) throw error;
    }
  }

  function count(refusal: Refusal): void {
    if (JSON.stringify(refusal.body).includes('Limit Exceeded')) outcome.quotaRefusals += 1;
    else outcome.rateRefusals += 1;
  }

  async function keep({ lane, everyMs, atOnce }: (typeof HABITS)[number]): Promise<void> {
    const calls: Promise<void>[] = [];
    for (;;) {
      await clock.sleep(random() * 2 * everyMs);
      if (clock.now() >= startMs + DAYS * DAY_MS) break;
      const crowd = Math.ceil(random() * atOnce);
      for (let one = 0; one < crowd; one += 1) calls.push(call(lane));
    }
    await Promise.all(calls);
  }

  const all = Promise.all(HABITS.map(keep));
  await clock.advance(DAYS * DAY_MS + 30 * MINUTE_MS);
  await all;
  return outcome;
}

function liveThrottled(): Promise<Outcome> {
  const clock = new ManualClock('2026-11-21T00:00:00Z');
  const spending: SpendingStore = { load: async () => null, save: async () => undefined };
  const throttle = new Throttle({ name: 'portal', ...LIMITS, clock, spending });
  const leave: Take = (demand) =>
    new Promise((left, reject) => {
      throttle.schedule(demand, () => new Promise<void>(left)).catch(reject);
    });
  return live("the client's throttle", clock, leave);
}

/** The usual bucket, which spends a token when a request leaves: it shows that the days do ask for more than there is. */
function livePlain(): Promise<Outcome> {
  const clock = new ManualClock('2026-11-21T00:00:00Z');
  let freeAtMs = clock.now() - LIMITS.burst * 1000;
  return live('a plain token bucket', clock, async () => {
    const nowMs = clock.now();
    freeAtMs = Math.max(freeAtMs, nowMs - LIMITS.burst * 1000) + 1000;
    if (freeAtMs > nowMs) await clock.sleep(freeAtMs - nowMs);
    return () => undefined;
  });
}

export async function benchDay(): Promise<Section[]> {
  const ours = await liveThrottled();
  const outcomes = [ours, await livePlain()];
  const most = Math.max(...ours.admitted);
  const least = Math.min(...ours.admitted);
  return [
    {
      title: `Client: ${DAYS} days against the service's own limiter`,
      how: `\`npm run bench -- day\`. On a simulated clock, the same every time: ${LIMITS.rate} request a second, ${LIMITS.burst} at once, ${formatCount(LIMITS.quota)} a day. Announcements, background work and people ask for more than a day has; the way to the catalog and back takes 20 to 220 ms each, one time in twenty up to 3 s.`,
      head: ['requests', 'asked', 'rate 429', 'quota 429', ...ours.admitted.map((_, day) => `let in, day ${day + 1}`)],
      rows: outcomes.map(({ name, asked, rateRefusals, quotaRefusals, admitted }) => [
        name,
        ...[asked, rateRefusals, quotaRefusals, ...admitted].map(formatCount),
      ]),
      claims: [
        { promise: 'No rate 429', measured: String(ours.rateRefusals), isKept: ours.rateRefusals === 0 },
        {
          promise: 'Never above the quota',
          measured: `at most ${formatCount(most)} of ${formatCount(LIMITS.quota)} in a day, and ${ours.quotaRefusals} quota 429`,
          isKept: most <= LIMITS.quota && ours.quotaRefusals === 0,
        },
        {
          promise: 'At least 99 % of the quota usable',
          measured: `${((least / LIMITS.quota) * 100).toFixed(1)} % on the day with the least`,
          isKept: least >= 0.99 * LIMITS.quota,
        },
      ],
    },
  ];
}
