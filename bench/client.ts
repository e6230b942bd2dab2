import { Agent } from 'undici';
import { createSimulator } from '../packages/catalog-service/src/index.ts';
import { feedAnswer } from '../packages/catalog-service/src/portal/feed-page.ts';
import { createCatalog } from '../src/catalog/index.ts';
import { parseFeed } from '../src/catalog/portal/feeds.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { KEY, NO_SPENDING, UNLIMITED } from './limits.ts';
import { elapsedMs, formatCount, measure, ratioOf, type Section, spreadOf, spreadRows } from './measure.ts';
import { startServer } from './servers.ts';

export async function benchClient(): Promise<Section[]> {
  return [await benchParse(), await benchCall()];
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
            'A profile of the client alone has no single cost: most is undici and the socket, as without the client.',
        },
      ],
    };
  } finally {
    await Promise.all([catalog.close(), agent.close()]);
    server.stop();
  }
}
