import Bottleneck from 'bottleneck';
import pThrottle from 'p-throttle';
import { Agent } from 'undici';
import { LANES } from '../src/catalog/catalog.ts';
import { Demand } from '../src/catalog/demand.ts';
import { createCatalog } from '../src/catalog/index.ts';
import { parseFeed } from '../src/catalog/portal/feeds.ts';
import { type Lease, Throttle } from '../src/catalog/throttle/throttle.ts';
import { feedAnswer } from '../src/catalog-service/portal/feed-page.ts';
import { createSimulator } from '../src/catalog-service/simulator/simulator.ts';
import { systemClock } from '../src/clock.ts';
import { createLog } from '../src/log.ts';
import { KEY, NO_SPENDING, UNLIMITED } from './limits.ts';
import { elapsedMs, formatCount, measure, ratioOf, type Section, spreadOf, spreadRows } from './measure.ts';
import { startServer } from './servers.ts';

export async function benchClient(): Promise<Section[]> {
  return [await benchParse(), await benchCall(), await benchSchedule()];
}

async function benchParse(): Promise<Section> {
  const moment = createSimulator({ seed: 'bench', offers: 12_400, pace: 'store' }).at(
    systemClock.now(),
    'http://127.0.0.1',
  );
  const answer = feedAnswer(moment.feed('All'), undefined);
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const read = async () => (await parseFeed(JSON.parse(text))).value.offers;
  const offers = (await read()).length;
  const samples = await measure(
    [
      { name: 'parse, validate, map', run: () => elapsedMs(read) },
      { name: 'JSON.parse', run: () => elapsedMs(() => JSON.parse(text)) },
    ],
    { warmUp: 10, counted: 41 },
  );
  const ratio = ratioOf(samples, 'parse, validate, map', 'JSON.parse');
  return {
    title: 'Client: reading a feed',
    how: `\`npm run bench -- client\`. A feed of ${formatCount(offers)} offers (${formatCount(text.length)} characters), from its text to the offers that the bot works with; 41 rounds in turns after 10 to warm up.`,
    head: ['milliseconds', 'median', 'min', 'max'],
    rows: spreadRows(samples, (ms) => ms.toFixed(1)),
    claims: [
      {
        promise: 'At most 2.5 times `JSON.parse` of the same text',
        measured: `${ratio.median.toFixed(2)} times (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)})`,
        isKept: ratio.median <= 2.5,
      },
    ],
  };
}

async function benchCall(): Promise<Section> {
  const CALLS = 1_000;
  const server = await startServer('fastify-empty', '');
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: 10 });
  const limits = { ...UNLIMITED, url: server.origin, key: KEY };
  const catalog = createCatalog({
    v2: limits,
    portal: limits,
    clock: systemClock,
    log: createLog('silent'),
    spending: NO_SPENDING,
  });
  const bare = async () => {
    const { body } = await agent.request({
      origin: server.origin,
      path: `/2/polls.json?key=${KEY}`,
      method: 'GET',
      headers: { accept: 'application/json', 'accept-encoding': 'gzip, br' },
    });
    return JSON.parse(await body.text()) as unknown;
  };
  const throttled = () => catalog.polls.list({ lane: 'interactive', maxAgeMs: 0 });
  const medianOf = async (call: () => Promise<unknown>) => {
    const samples: number[] = [];
    for (let count = 0; count < CALLS; count += 1) samples.push((await elapsedMs(call)) * 1000);
    return spreadOf(samples).median;
  };
  try {
    const samples = await measure(
      [
        { name: 'a call of the client', run: () => medianOf(throttled) },
        { name: 'bare undici', run: () => medianOf(bare) },
      ],
      { warmUp: 4, counted: 15 },
    );
    const bareSamples = samples.get('bare undici') ?? [];
    const overhead = spreadOf(
      (samples.get('a call of the client') ?? []).map((us, round) => us - (bareSamples[round] ?? Number.NaN)),
    );
    return {
      title: 'Client: what a call costs',
      how: `\`npm run bench -- client\`. One call after the other over a connection that is kept alive, to a server in another process that answers \`[]\`. A call of the client passes cache, deadline, lanes, bucket, quota, circuit and validation. A round is the median of ${formatCount(CALLS)} calls; 15 rounds in turns after 4 to warm up.`,
      head: ['microseconds a call', 'median', 'min', 'max'],
      rows: spreadRows(samples, (us) => us.toFixed(0)),
      claims: [
        {
          promise: 'At most 100 µs more than bare undici, at the median',
          measured: `${overhead.median.toFixed(0)} µs (${overhead.min.toFixed(0)} to ${overhead.max.toFixed(0)})`,
          isKept: overhead.median <= 100,
          reason:
            "A profile of the client alone has no single cost: the AbortSignals and timers of the two deadlines (of the call and of the attempt) come first, then the collector and the body's stream.",
        },
      ],
    };
  } finally {
    await Promise.all([catalog.close(), agent.close()]);
    server.stop();
  }
}

const OURS = "the client's throttle, all wait in line";
const OURS_AWAITED = 'the same, each from an async function that waits for it';
const P_THROTTLE = 'p-throttle 8.1.1, all wait in line';
const OURS_FREE = "the client's throttle, nobody waits";
const P_THROTTLE_FREE = 'p-throttle 8.1.1, nobody waits';
const BOTTLENECK = 'Bottleneck 2.19.5, nobody waits';

async function benchSchedule(): Promise<Section> {
  const CALLS = 100_000;
  /** It runs two timers a call, one after the other: 100,000 calls take it four minutes. */
  const BOTTLENECK_CALLS = 500;
  const A_THOUSAND_A_MILLISECOND = { rate: 1e6, burst: 1000, quota: 1e9 };
  const work = async () => undefined;
  const all = (calls: number, call: (index: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
  const wanted = (index: number) => {
    const demand = new Demand();
    demand.join(LANES[index % LANES.length] ?? 'background', Number.POSITIVE_INFINITY);
    return demand;
  };
  const ours = async (limits: typeof UNLIMITED, call: (throttle: Throttle, demand: Demand) => Promise<void>) => {
    const throttle = new Throttle({ name: 'portal', ...limits, clock: systemClock, spending: NO_SPENDING });
    await throttle.load();
    await all(CALLS, (index) => call(throttle, wanted(index)));
  };
  // p-throttle is given the work alone, without a function around each call: so is ours.
  const workAndRelease = (lease: Lease) => work().then(lease.release);
  const plainly = (throttle: Throttle, demand: Demand) => throttle.take(demand).then(workAndRelease);
  const awaited = async (throttle: Throttle, demand: Demand) => {
    const lease = await throttle.take(demand);
    await work();
    lease.release();
  };
  const contender = (name: string, calls: number, schedule: () => Promise<unknown>) => ({
    name,
    run: async () => (await cpuMicroseconds(schedule)) / calls,
  });
  const samples = await measure(
    [
      contender(OURS, CALLS, () => ours(A_THOUSAND_A_MILLISECOND, plainly)),
      contender(OURS_AWAITED, CALLS, () => ours(A_THOUSAND_A_MILLISECOND, awaited)),
      contender(P_THROTTLE, CALLS, () => all(CALLS, pThrottle({ limit: 1000, interval: 1 })(work))),
      contender(OURS_FREE, CALLS, () => ours(UNLIMITED, plainly)),
      contender(P_THROTTLE_FREE, CALLS, () => all(CALLS, pThrottle({ limit: UNLIMITED.rate, interval: 1000 })(work))),
      contender(BOTTLENECK, BOTTLENECK_CALLS, () => {
        const limiter = new Bottleneck();
        return all(BOTTLENECK_CALLS, () => limiter.schedule(work));
      }),
    ],
    { warmUp: 2, counted: 9 },
  );
  const claimAgainst = (ourName: string, peer: string, reason: string) => {
    const ratio = ratioOf(samples, ourName, peer);
    return {
      promise: `Costs less than ${peer}`,
      measured: `${ratio.median.toFixed(3)} times (${ratio.min.toFixed(3)} to ${ratio.max.toFixed(3)})`,
      isKept: ratio.median < 1,
      reason,
    };
  };
  return {
    title: 'Client: scheduling 100,000 calls',
    how: `\`npm run bench -- client\`. 100,000 calls asked for at once, until all are done, under a limit of 1,000 a millisecond (all wait in line) or one that nothing reaches (nobody waits). Bottleneck gets ${BOTTLENECK_CALLS} calls, as it takes milliseconds for each. 9 rounds in turns after 2 to warm up. Processor time, the garbage collector's included, since the limits' own waits cost nothing.`,
    head: ['processor time a call, µs', 'median', 'min', 'max'],
    rows: spreadRows(samples, (us) => us.toFixed(2)),
    claims: [
      claimAgainst(
        OURS,
        P_THROTTLE,
        'Profiles of each alone: the collector takes 62 % of ours and 57 % of theirs, and no function more than 4 % of ours (the clock, entering, the turn of the day). A call of ours keeps a demand (lane, deadline, who else wants it), a place that can be left from anywhere, and a promise; theirs keeps a timer. An async function around each call keeps more than the throttle itself does.',
      ),
      claimAgainst(
        OURS_FREE,
        P_THROTTLE_FREE,
        'Below its limit p-throttle calls straight through and keeps nothing; ours saves what it spends before anybody goes on, so everybody waits for that. Profiles of each alone: the collector takes 52 % of ours and 61 % of theirs, no function of ours more than 5 % (the clock, joining, releasing).',
      ),
      claimAgainst(OURS_FREE, BOTTLENECK, ''),
    ],
  };
}

/** Processor time that `work` takes. */
async function cpuMicroseconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
