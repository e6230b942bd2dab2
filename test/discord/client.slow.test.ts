import { getEventListeners, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Events } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { connect } from '../../src/discord/client.ts';
import { createLog } from '../../src/shared/log.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { expectNothingUncaught } from '../helpers/raw-requests.ts';

const FAILURES = 5;
/** discord.js waits up to a minute for what Discord says next, by real time: a process that does nothing still goes on. */
const neverIdle = () => () => undefined;

async function aDiscord() {
  const { discord } = await startDiscord();
  const clock = new ManualClock(undefined, neverIdle);
  const problems: (string | null)[] = [];
  const logIn = (signal: AbortSignal) =>
    connect({
      token: discord.token,
      api: discord.api,
      requestsPerSecond: 50,
      clock,
      log: createLog('silent'),
      signal,
      onProblem: (problem) => problems.push(problem),
      onRefused: () => undefined,
    });
  return { discord, clock, problems, logIn };
}

test('attempts to log in that failed leave nothing on the signal that ends the bot', async () => {
  const { discord, clock, problems, logIn } = await aDiscord();
  const isGateway = ({ path }: { path: string }) => path === '/gateway/bot';
  discord.faults.failNext(isGateway, { kind: 'drop', accepted: false }, FAILURES);
  const { signal } = new AbortController();
  const connecting = logIn(signal);
  for (let failures = 0; failures < FAILURES; failures += 1) {
    const waitMs = 1_000 * 2 ** failures;
    await clock.untilSleeping((ms) => ms === waitMs);
    expect(getEventListeners(signal, 'abort'), 'the one of the wait').toHaveLength(1);
    await clock.advance(waitMs);
  }
  const client = await connecting;
  onTestFinished(() => client.destroy());
  expect(problems.filter((problem) => problem !== null)).toHaveLength(FAILURES);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

/**
 * A client whose first connection has lasted. Of those that it makes from then on, the first `closed` are closed at once.
 * @param canResume whether Discord keeps the sessions of what it closes; else each connection needs a new login
 */
async function aClient(closed: number, canResume = false) {
  const { discord, clock, problems, logIn } = await aDiscord();
  const stopping = new AbortController();
  const client = await logIn(stopping.signal);
  onTestFinished(async () => {
    stopping.abort(new Error('The test is over.'));
    await client.destroy();
  });
  await clock.advance(60_000);
  let connections = 0;
  let isUp = true;
  for (const event of [Events.ShardReady, Events.ShardResume] as const) {
    client.on(event, () => {
      isUp = true;
    });
  }
  const close = () => discord.faults.closeGateway(4000, { forget: !canResume });
  const end = discord.onUpdate((update) => {
    if (update.type !== 'bot' || update.bot === null) return;
    connections += 1;
    isUp = false;
    if (connections <= closed) close();
  });
  onTestFinished(end);
  return {
    discord,
    client,
    clock,
    problems,
    logIn,
    stopping,
    close,
    connections: () => connections,
    /** Resolves when so many connections were made, and the last one is up: discord.js can't be stopped before. */
    untilConnections: async (number: number) => {
      await discord.waitFor(() => connections === number);
      while (!isUp) await setImmediate();
    },
    /** Lets the wait before the next connection pass. */
    pass: async (waitMs: number) => {
      await clock.untilSleeping((ms) => ms === waitMs);
      await clock.advance(waitMs);
    },
  };
}

test('of sessions that never last two are free, and the next ones wait twice as long each time', async () => {
  const { clock, close, connections, problems } = await aClient(Infinity);
  close();
  // discord.js lets 5 s pass between two logins, so a test can't make many.
  for (const [index, seconds] of [1, 2].entries()) {
    await clock.untilSleeping((ms) => ms === seconds * 1_000);
    expect(connections()).toBe(2 + index);
    expect(problems.at(-1)).toContain('takes no connection that lasts');
    await clock.advance(seconds * 1_000);
  }
  // No connection is under way when the test ends.
  await clock.untilSleeping((ms) => ms === 4_000);
});

test('where no login comes about the next ones wait twice as long each time, up to two minutes', async () => {
  const { clock, discord, problems } = await aClient(Infinity);
  await discord.stop();
  // Fewer than 1,000 in a day, however long that goes on: more would use up the sessions of the day.
  for (const seconds of [1, 2, 4, 8, 16, 32, 64, 120, 120]) {
    await clock.untilSleeping((ms) => ms === seconds * 1_000);
    expect(problems.at(-1)).toContain('takes no connection that lasts');
    await clock.advance(seconds * 1_000);
  }
  await clock.untilSleeping((ms) => ms === 120_000);
});

test('a session that can be resumed is resumed at once, however often in a row its connection is closed', async () => {
  const { clock, close, untilConnections, problems } = await aClient(12, true);
  const startMs = clock.monotonicMs();
  close();
  await untilConnections(13);
  expect(clock.monotonicMs(), 'no time has passed').toBe(startMs);
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
});

test('connections that were resumed make the next login no later', async () => {
  const { clock, close, discord, untilConnections } = await aClient(5, true);
  close();
  await untilConnections(6);
  await clock.advance(1);
  discord.faults.closeGateway(4000, { forget: true });
  await untilConnections(7);
  expect(clock.monotonicMs()).toBe(60_001);
});

test.each([
  [59_999, 'waits'],
  [60_000, 'is free'],
])('after a session that has lasted %i ms the next login %s', async (lastedMs, next) => {
  const { clock, close, connections, untilConnections } = await aClient(1);
  close();
  await untilConnections(2);
  await clock.advance(lastedMs);
  close();
  if (next === 'waits') {
    await clock.untilSleeping((ms) => ms === 1_000);
    expect(connections()).toBe(2);
    await clock.advance(1_000);
  }
  await untilConnections(3);
});

test('a set clock neither shortens a wait nor makes one', async () => {
  const { clock, discord, pass } = await aClient(Infinity);
  await discord.stop();
  await clock.untilSleeping((ms) => ms === 1_000);
  clock.jump(3_600_000);
  await pass(1_000);
  await clock.untilSleeping((ms) => ms === 2_000);
  clock.jump(-7_200_000);
  await pass(2_000);
  await clock.untilSleeping((ms) => ms === 4_000);
});

test.each([
  ['after a wait', 2],
  ['without one', 0],
])('no connection is begun for a client that is gone: %s', async (_, closed) => {
  const { clock, close, connections, discord, logIn, stopping } = await aClient(closed);
  if (closed > 0) {
    close();
    await clock.untilSleeping((ms) => ms === 1_000);
  }
  stopping.abort(new Error('The client is gone.'));
  const other = new AbortController();
  const client = await logIn(other.signal);
  onTestFinished(async () => {
    other.abort(new Error('The test is over.'));
    await client.destroy();
  });
  expect(connections()).toBe(closed + 1);
  await clock.advance(60_000);
  const resumed = once(client, Events.ShardResume);
  discord.faults.closeGateway(4000);
  await resumed;
  expect(connections(), 'the client that is gone would have connected before the other').toBe(closed + 2);
});

test('a client that is destroyed while it connects outlives the end of that connection', async () => {
  expectNothingUncaught();
  const { discord, client, stopping } = await aClient(0);
  const { port } = new URL(discord.url);
  await discord.stop();
  const gateway = createServer().listen(Number(port), '127.0.0.1');
  onTestFinished(() => void gateway.close());
  const [socket] = (await once(gateway, 'connection')) as [Socket];
  await once(socket, 'data');
  stopping.abort(new Error('The client is gone.'));
  await client.destroy();
  socket.resetAndDestroy();
  await once(socket, 'close');
  // Whatever the client makes of it comes after the reset has reached it.
  await setImmediate();
});
