import { getEventListeners, once } from 'node:events';
import { Events } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { connect } from '../../src/discord/client.ts';
import { createLog } from '../../src/shared/log.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const FAILURES = 5;

async function aDiscord() {
  const { discord } = await startDiscord();
  const clock = new ManualClock();
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

/** A client whose first connection has lasted. Of those that it makes from then on, the first `closed` are closed at once. */
async function aClient(closed: number) {
  const { discord, clock, problems, logIn } = await aDiscord();
  const stopping = new AbortController();
  const client = await logIn(stopping.signal);
  onTestFinished(async () => {
    stopping.abort(new Error('The test is over.'));
    await client.destroy();
  });
  await clock.advance(60_000);
  let connections = 0;
  const close = () => discord.faults.closeGateway(4000);
  const end = discord.onUpdate((update) => {
    if (update.type !== 'bot' || update.bot === null) return;
    connections += 1;
    if (connections <= closed) close();
  });
  onTestFinished(end);
  return {
    discord,
    clock,
    problems,
    logIn,
    stopping,
    close,
    connections: () => connections,
    untilConnections: (number: number) => discord.waitFor(() => connections === number),
    /** Lets the wait before the next connection pass. */
    pass: async (waitMs: number) => {
      await clock.untilSleeping((ms) => ms === waitMs);
      await clock.advance(waitMs);
    },
  };
}

test('of connections that never last two are free, and the next ones wait twice as long each time, up to two minutes', async () => {
  const { clock, close, connections, problems } = await aClient(Infinity);
  close();
  // Fewer than 1,000 in a day, however long that goes on: more would use up the sessions of the day.
  for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 64, 120, 120].entries()) {
    await clock.untilSleeping((ms) => ms === seconds * 1_000);
    expect(connections()).toBe(2 + index);
    expect(problems.at(-1)).toContain('takes no connection that lasts');
    await clock.advance(seconds * 1_000);
  }
  // No connection is under way when the test ends.
  await clock.untilSleeping((ms) => ms === 120_000);
});

test.each([
  [59_999, 'waits'],
  [60_000, 'is free'],
])('after a connection that has lasted %i ms the next one %s', async (lastedMs, next) => {
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
  const { clock, close, connections, pass } = await aClient(Infinity);
  close();
  await clock.untilSleeping((ms) => ms === 1_000);
  clock.jump(3_600_000);
  await pass(1_000);
  await clock.untilSleeping((ms) => ms === 2_000);
  expect(connections()).toBe(3);
  clock.jump(-7_200_000);
  await pass(2_000);
  await clock.untilSleeping((ms) => ms === 4_000);
});

test.each([
  ['after a wait', 2],
  ['without one', 0],
])('no connection is begun for a client that is gone: %s', async (_, closed) => {
  const { clock, close, connections, logIn, stopping } = await aClient(closed);
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
  close();
  await resumed;
  expect(connections(), 'the client that is gone would have connected before the other').toBe(closed + 2);
});
