import { hash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type BotFacts, currentHealth, type HealthFacts, type HealthSource } from '../../src/app/health.ts';
import { REQUEST_TIMEOUT_MS } from '../../src/app/http.ts';
import { createOpsServer } from '../../src/app/server.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import {
  expectNothingUncaught,
  HOSTILE_TARGETS,
  randomRequests,
  requestTimeoutOf,
  sendAndReset,
  sendBytes,
} from '../helpers/raw-requests.ts';
import { NOW_MS } from '../helpers/things.ts';

const well: HealthFacts = {
  quotaResetsAtMs: null,
  backupFailure: null,
  oldestDueAtMs: null,
  setAside: 0,
  lastPostMs: NOW_MS - 2 * HOUR_MS,
  unread: [],
  shards: [{ shard: 0, isUp: true }],
  pausedSinceMs: null,
  stateProblem: null,
  lastPollMs: NOW_MS,
  failingSinceMs: null,
  failingBecause: null,
  announced: 3,
};

const failing = { ...well, failingSinceMs: NOW_MS - HOUR_MS, failingBecause: 'It took too long.' };
const SINCE = new Date(NOW_MS - HOUR_MS).toISOString();

test.each([
  ['starting', null, 'starting', 'The bot is starting. Discord is away.'],
  ['well', well, 'ok', null],
  [
    'paused by the owner',
    { ...well, pausedSinceMs: NOW_MS - HOUR_MS },
    'ok',
    `The owner has paused all posting since ${SINCE}.`,
  ],
  ...(
    [
      [
        { quotaResetsAtMs: NOW_MS - HOUR_MS },
        `Today's requests to the catalog are used up: nothing new is found until ${SINCE}.`,
      ],
      [{ backupFailure: 'No room.' }, 'Backups fail: No room.'],
      [{ unread: [{ resource: 'Home', readAtMs: NOW_MS - HOUR_MS }] }, `Home has not been read since ${SINCE}.`],
      [
        { oldestDueAtMs: NOW_MS - 30_000 },
        `An announcement has been waiting since ${new Date(NOW_MS - 30_000).toISOString()}.`,
      ],
    ] as const
  ).map(([lack, reason]): [string, HealthFacts, string, string] => [
    `degraded: ${Object.keys(lack).join()}`,
    { ...well, ...lack },
    'degraded',
    reason,
  ]),
  ['due for less than 30 s', { ...well, oldestDueAtMs: NOW_MS - 29_999 }, 'ok', null],
  [
    'due for long, and others are posted',
    { ...well, oldestDueAtMs: NOW_MS - HOUR_MS, lastPostMs: NOW_MS - 29_999 },
    'ok',
    null,
  ],
  ['due for long, and just started', { ...well, oldestDueAtMs: NOW_MS - HOUR_MS, lastPostMs: NOW_MS }, 'ok', null],
  ['before the first poll', { ...well, lastPollMs: null }, 'ok', null],
  [
    'without a gateway',
    { ...well, shards: [{ shard: 0, isUp: false }] },
    'unwell',
    'Disconnected from Discord. Reconnecting.',
  ],
  [
    'without some of its gateway connections',
    { ...well, shards: [0, 1, 2].map((shard) => ({ shard, isUp: shard === 0 })) },
    'unwell',
    'Disconnected from Discord: shard 1, 2 of 3. Reconnecting.',
  ],
  ['polls have just begun to fail', { ...failing, failingSinceMs: NOW_MS - 60_000 }, 'ok', null],
  ['polls fail for long', failing, 'unwell', `No catalog check has succeeded since ${SINCE}. It took too long.`],
  [
    'the disk is full',
    { ...well, stateProblem: 'disk-full' as const },
    'unwell',
    'The disk is full. Nothing new is posted until there is free space.',
  ],
  [
    'both',
    { ...failing, shards: [{ shard: 0, isUp: false }], failingBecause: null },
    'unwell',
    `Disconnected from Discord. Reconnecting. No catalog check has succeeded since ${SINCE}.`,
  ],
])('%s', (_, facts, status, reason) => {
  expect(currentHealth(sourceOf(() => facts))).toMatchObject({ status, reason });
});

interface TestSource extends HealthSource {
  clock: ManualClock;
}

const runs = { oldestDueAtMs: null, readState: async () => undefined, confirmLease: async () => undefined };

function sourceOf(facts: () => HealthFacts | null, bot: Partial<BotFacts> = {}, isStopping = false): TestSource {
  const clock = new ManualClock(new Date(NOW_MS).toISOString());
  const all = () => {
    const some = facts();
    return some && { ...runs, ...some, ...bot };
  };
  const problems = () => (facts() ? [] : ['Discord is away.']);
  return { facts: all, problems, isStopping: () => isStopping, away: () => [], clock };
}

/** A server of this source. Returns what gets the status and the JSON at a path. */
async function served(source: HealthSource) {
  const server = createOpsServer({ host: '127.0.0.1', port: 0, source });
  onTestFinished(() => server.stop());
  const address = await server.start();
  return async (path: string) => {
    const response = await fetch(`${address}${path}`);
    return [response.status, await response.json()] as const;
  };
}

/** The answer of a probe that gives these reasons. */
const probed = (reasons: readonly string[]) =>
  reasons.length === 0 ? [200, { status: 'ok', reasons }] : [503, { status: 'unwell', reasons }];

test.each<[string, HealthFacts | null, Partial<BotFacts>, boolean, string[]]>([
  ['well', well, {}, false, []],
  ['starting', null, {}, false, ['The bot is starting.', 'Discord is away.']],
  ['stopping', well, {}, true, ['Dealbell is stopping.']],
  [
    'without a gateway',
    { ...well, shards: [{ shard: 0, isUp: false }] },
    {},
    false,
    ['Disconnected from Discord. Reconnecting.'],
  ],
  [
    'without some of its gateway connections',
    { ...well, shards: [0, 1].map((shard) => ({ shard, isUp: shard === 0 })) },
    {},
    false,
    [],
  ],
  [
    'on a full disk',
    { ...well, stateProblem: 'disk-full' },
    {},
    false,
    ['The disk is full. Nothing new is posted until there is free space.'],
  ],
  ['with failing polls', failing, {}, false, []],
  ['with a young backlog', well, { oldestDueAtMs: NOW_MS - 60_000 }, false, []],
  [
    'with an old backlog',
    well,
    { oldestDueAtMs: NOW_MS - HOUR_MS },
    false,
    [`An announcement has been waiting since ${SINCE}.`],
  ],
  [
    'without the lease',
    well,
    { confirmLease: () => Promise.reject(new Error('lost')) },
    false,
    ['This process may have lost its hold on the state.'],
  ],
])('readiness %s', async (_, facts, bot, isStopping, reasons) => {
  const ask = await served(sourceOf(() => facts, bot, isStopping));
  expect(await ask('/readyz')).toEqual(probed(reasons));
});

test.each<[string, HealthFacts | null, Partial<BotFacts>, string[]]>([
  ['starting', null, {}, []],
  ['well', well, {}, []],
  ['without its state', well, { readState: () => Promise.reject(new Error('no')) }, ["The state can't be read."]],
])('liveness %s', async (_, facts, bot, reasons) => {
  expect(await (await served(sourceOf(() => facts, bot)))('/livez')).toEqual(probed(reasons));
});

test.each([
  ['/livez', 'readState', 3_000, "The state can't be read."],
  ['/readyz', 'confirmLease', 1_500, 'This process may have lost its hold on the state.'],
] as const)('%s waits for what hangs no longer than an orchestrator does', async (path, what, mostMs, reason) => {
  const asked = new EventEmitter();
  const hang = () => {
    asked.emit(what);
    return new Promise<void>(() => undefined);
  };
  const source = sourceOf(() => well, { [what]: hang });
  const ask = await served(source);
  const answer = ask(path);
  await once(asked, what);
  await source.clock.advance(mostMs);
  expect(await answer).toEqual(probed([reason]));
});

test('the server answers 200 when healthy and 503 otherwise', async () => {
  let facts: HealthFacts | null = null;
  const server = createOpsServer({ host: '127.0.0.1', port: 0, source: sourceOf(() => facts) });
  onTestFinished(() => server.stop());
  const address = await server.start();
  expect((await fetch(`${address}/healthz`)).status).toBe(503);
  facts = well;
  const response = await fetch(`${address}/healthz`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ok',
    gateway: 'connected',
    lastPoll: new Date(NOW_MS).toISOString(),
    announced: 3,
    reason: null,
  });
  expect(await (await fetch(address)).text()).toContain('Dealbell');
  facts = { ...failing, failingBecause: 'It said <b>no</b>.' };
  expect(await (await fetch(address)).text()).toContain('It said &lt;b&gt;no&lt;/b&gt;.');
});

test('nothing that is served runs code in a browser, or is taken for another type', async () => {
  const server = createOpsServer({ host: '127.0.0.1', port: 0, source: sourceOf(() => well) });
  onTestFinished(() => server.stop());
  const address = await server.start();
  for (const path of ['/', '/healthz', '/livez', '/nowhere']) {
    const { headers } = await fetch(address + path);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('content-security-policy'), path).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+='; /);
  }
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(await (await fetch(address)).text()) ?? [];
  const policy = (await fetch(address)).headers.get('content-security-policy');
  expect(policy).toContain(hash('sha256', style, 'base64'));
});

test('hostile requests do not stop the server', async () => {
  expectNothingUncaught();
  const server = createOpsServer({ host: '127.0.0.1', port: 0, source: sourceOf(() => well) });
  onTestFinished(() => server.stop());
  const address = await server.start();
  for (const target of HOSTILE_TARGETS) {
    await sendAndReset(address, `GET ${target} HTTP/1.1\r\nHost: [\r\n\r\n`);
    await sendBytes(address, `GET ${target} HTTP/1.1\r\nHost: [\r\n\r\n`);
  }
  const requests = randomRequests(20_261_124, 300);
  for (let at = 0; at < requests.length; at += 20) {
    await Promise.all(requests.slice(at, at + 20).map((bytes) => sendBytes(address, bytes)));
  }
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
});

test('a request that comes byte by byte is not waited for for ever', async () => {
  const server = createOpsServer({ host: '127.0.0.1', port: 0, source: sourceOf(() => well) });
  onTestFinished(() => server.stop());
  expect(await requestTimeoutOf(await server.start())).toBe(REQUEST_TIMEOUT_MS);
});

test('a process that stands by is alive and ready, and says what it waits for', async () => {
  const source = { ...sourceOf(() => null), isStandingBy: true };
  const server = createOpsServer({ host: '127.0.0.1', port: 0, source });
  onTestFinished(() => server.stop());
  const address = await server.start();
  for (const path of ['/livez', '/readyz', '/healthz']) expect((await fetch(address + path)).status, path).toBe(200);
  expect(await (await fetch(`${address}/healthz`)).json()).toMatchObject({
    status: 'standby',
    reason: 'Another process has the state. This one takes over when that stops.',
  });
});

test('no restart brings a database back: a process that can’t reach it is alive, and not ready', async () => {
  const facts = { ...well, stateProblem: 'unreachable' as const };
  const source = sourceOf(() => facts, { readState: () => Promise.reject(new Error('away')) });
  const ask = await served(source);
  expect(await ask('/livez')).toEqual(probed([]));
  expect(await ask('/readyz')).toEqual(probed(["The database can't be reached. Nothing new is posted until it can."]));
});

const AWAY = [{ dependency: 'discord', sinceMs: NOW_MS - HOUR_MS }] as const;

test.each([
  ['discord', 'Discord has not answered since'],
  ['catalog', 'The catalog has not answered since'],
  ['database', 'The state has taken longer than a second for each answer since'],
] as const)('without %s, it is neither ready nor well, and both say so', async (dependency, sentence) => {
  const source = { ...sourceOf(() => well), away: () => [{ dependency, sinceMs: NOW_MS - HOUR_MS }] };
  const ask = await served(source);
  expect(await ask('/readyz')).toEqual(probed([`${sentence} ${SINCE}.`]));
  expect(currentHealth(source)).toMatchObject({ status: 'unwell', reason: `${sentence} ${SINCE}.` });
  expect(await ask('/livez'), 'a restart brings nothing back').toEqual(probed([]));
});

test('a process that stands by without Discord is alive, and could not take over', async () => {
  const source = { ...sourceOf(() => null), isStandingBy: true, away: () => AWAY };
  const ask = await served(source);
  expect(await ask('/livez')).toEqual(probed([]));
  expect(await ask('/readyz')).toEqual(probed([`Discord has not answered since ${SINCE}.`]));
  expect(currentHealth(source)).toMatchObject({ status: 'unwell' });
});

test('a start that waits for its database says so', async () => {
  const source = { ...sourceOf(() => null), problems: () => [], isWaitingForDatabase: true };
  const unreachable = "The database can't be reached. Nothing new is posted until it can.";
  const ask = await served(source);
  expect(await ask('/livez')).toEqual(probed([]));
  expect(await ask('/readyz')).toEqual(probed(['The bot is starting.', unreachable]));
  expect(currentHealth(source)).toMatchObject({
    status: 'starting',
    reason: `The bot is starting. ${unreachable}`,
  });
});
