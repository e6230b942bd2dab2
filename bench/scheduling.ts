import Bottleneck from 'bottleneck';
import pThrottle from 'p-throttle';
import { LANES } from '../src/bot/catalog/catalog.ts';
import { Demand } from '../src/bot/catalog/demand.ts';
import { CatalogNetworkError } from '../src/bot/catalog/errors.ts';
import { Throttle } from '../src/bot/catalog/throttle/throttle.ts';
import { systemClock } from '../src/shared/clock.ts';
import { NO_SPENDING, UNLIMITED } from './limits.ts';
import { type Claim, formatCount, measure, ratioOf, type Section, spreadRows } from './measure.ts';

const CALLS = 100_000;
/** It takes three milliseconds for each, one after the other: for 100,000 five minutes. */
const BOTTLENECK_CALLS = 1_000;
const A_THOUSAND_A_MILLISECOND = { rate: 1e6, burst: 1000, quota: 1e9 };

const OURS = "the client's throttle, all wait in line";
const P_THROTTLE = 'p-throttle 8.1.1, all wait in line';
const OURS_FREE = "the client's throttle, nobody waits in line";
const P_THROTTLE_FREE = 'p-throttle 8.1.1, nobody waits in line';
const ONE_PROMISE = 'nothing but one promise that all wait for';
const BOTTLENECK = 'Bottleneck 2.19.5';

/** What each call does. Every contender answers each call with a promise of what this comes to. */
async function work(index: number): Promise<number> {
  return index;
}

async function askFor(calls: number, call: (index: number) => Promise<number>): Promise<void> {
  const results = await Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
  if (results.some((result, index) => result !== index)) throw new Error('A call got the result of another.');
}

/** Each call of ours is for somebody, in one of the lanes in turn. */
function demandOf(index: number): Demand {
  const demand = new Demand();
  demand.join(LANES[index % LANES.length] ?? 'background', Number.POSITIVE_INFINITY);
  return demand;
}

async function createThrottle(limits: typeof UNLIMITED): Promise<Throttle<number, number>> {
  const options = { name: 'portal', clock: systemClock, spending: NO_SPENDING, send: work } as const;
  const throttle = new Throttle({ ...options, ...limits });
  await throttle.load();
  return throttle;
}

/** Processor time that `schedule` takes for a call: microseconds. */
async function cpuOf(calls: number, schedule: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await schedule();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

export async function benchScheduling(): Promise<Section> {
  const contender = (name: string, calls: number, schedule: () => Promise<void>) => ({
    name,
    run: () => cpuOf(calls, schedule),
  });
  const ours = async (limits: typeof UNLIMITED) => {
    const throttle = await createThrottle(limits);
    await askFor(CALLS, (index) => throttle.schedule(demandOf(index), index));
  };
  const samples = await measure(
    [
      contender(OURS, CALLS, () => ours(A_THOUSAND_A_MILLISECOND)),
      contender(P_THROTTLE, CALLS, () => askFor(CALLS, pThrottle({ limit: 1000, interval: 1 })(work))),
      contender(OURS_FREE, CALLS, () => ours(UNLIMITED)),
      contender(P_THROTTLE_FREE, CALLS, () =>
        askFor(CALLS, pThrottle({ limit: UNLIMITED.rate, interval: 1000 })(work)),
      ),
      contender(ONE_PROMISE, CALLS, () => {
        const saved = Promise.resolve();
        return askFor(CALLS, (index) => saved.then(() => work(index)));
      }),
      contender(BOTTLENECK, BOTTLENECK_CALLS, async () => {
        // 1,000 a millisecond, in the shortest interval that it takes.
        const many = 250_000;
        const limiter = new Bottleneck({
          reservoir: many,
          reservoirRefreshAmount: many,
          reservoirRefreshInterval: 250,
        });
        await askFor(BOTTLENECK_CALLS, (index) => limiter.schedule(work, index));
        await limiter.disconnect();
      }),
    ],
    { warmUp: 2, counted: 9 },
  );
  const claimAgainst = (ourName: string, peer: string, reason: string): Claim => {
    const ratio = ratioOf(samples, ourName, peer);
    return {
      promise: `Costs less than ${peer}`,
      measured: `${ratio.median.toFixed(3)} times (${ratio.min.toFixed(3)} to ${ratio.max.toFixed(3)})`,
      isKept: ratio.median < 1,
      reason,
    };
  };
  const floor = ratioOf(samples, ONE_PROMISE, P_THROTTLE_FREE);
  return {
    title: `Client: scheduling ${formatCount(CALLS)} calls`,
    how: `\`npm run bench -- client\`. ${formatCount(CALLS)} calls asked for at once, each answered with a promise of its own result, until all are done. All are called as their documents say: one function for all calls, and an argument for each; ours is told for whom each call is as well. In line: 1,000 a millisecond. Nobody waits: a limit that nothing reaches. Bottleneck gets ${formatCount(BOTTLENECK_CALLS)} calls a round at the same rate, which it doesn't reach: it takes 3 ms for each, and for more of them as much for each. 9 rounds in turns after 2 to warm up. Processor time, the garbage collector's included, since the limits' own waits cost nothing.`,
    head: ['processor time a call, µs', 'median', 'min', 'max'],
    rows: spreadRows(samples, (us) => us.toFixed(2)),
    claims: [
      claimAgainst(
        OURS,
        P_THROTTLE,
        'Profiles of each alone: the collector takes two thirds of either, and no function of ours more than 3 % (the clock, entering, the pump).',
      ),
      claimAgainst(
        OURS_FREE,
        P_THROTTLE_FREE,
        `Below its limit p-throttle calls straight through and keeps nothing, while ours saves what it spends before anybody leaves, so that all ${formatCount(CALLS)} wait for that at once. One promise that all wait for, and no throttle at all, is ${floor.median.toFixed(2)} times p-throttle already. A profile of ours alone: the collector takes two thirds, no function more than 4 %.`,
      ),
      claimAgainst(OURS, BOTTLENECK, ''),
      claimAgainst(OURS_FREE, BOTTLENECK, ''),
    ],
  };
}

/** Bytes of heap that each of many calls keeps while it waits in line. `start` asks for them, `end` sends them away. */
async function bytesOf(calls: number, start: (index: number) => Promise<number>, end: () => unknown): Promise<number> {
  await settledHeap();
  const before = await settledHeap();
  const waiting = Array.from({ length: calls }, (_, index) => start(index));
  const after = await settledHeap();
  const ended = Promise.allSettled(waiting);
  await end();
  await ended;
  return (after - before) / calls;
}

/** The heap in use when nothing has anything to do. */
async function settledHeap(): Promise<number> {
  await systemClock.sleep(500);
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

export async function benchWaiting(): Promise<Section> {
  const one = { rate: 1e-6, burst: 1, quota: 1e9 };
  const throttle = await createThrottle(one);
  const stop = new AbortController();
  const throttled = pThrottle({ limit: 1, interval: 10_000, signal: stop.signal })(work);
  const limiter = new Bottleneck({ reservoir: 0 });
  const rows: [name: string, bytes: number][] = [
    [
      "the client's throttle, with what each is for",
      await bytesOf(
        CALLS,
        (index) => throttle.schedule(demandOf(index), index),
        () => throttle.close(new CatalogNetworkError('Closed.')),
      ),
    ],
    ['p-throttle 8.1.1', await bytesOf(CALLS, throttled, () => stop.abort())],
    [
      'Bottleneck 2.19.5',
      await bytesOf(
        CALLS,
        (index) => limiter.schedule(work, index),
        () => limiter.stop({ dropWaitingJobs: true }),
      ),
    ],
  ];
  const [[, bytes], ...peers] = rows as [(typeof rows)[number], ...typeof rows];
  return {
    title: `Client: ${formatCount(CALLS)} calls that wait in line`,
    how: '`npm run bench -- client`. Heap in use after the garbage was collected, with all calls waiting, less that without any: once for each.',
    head: ['', 'bytes a call'],
    rows: rows.map(([name, each]) => [name, formatCount(each)]),
    claims: [
      {
        promise: 'A call that waits keeps less than with either of the others',
        measured: `${formatCount(bytes)} bytes`,
        isKept: peers.every(([, each]) => bytes < each),
      },
    ],
  };
}
