import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { connect } from '../../src/discord/client.ts';
import { createLog } from '../../src/shared/log.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const FAILURES = 5;

test('attempts to log in that failed leave nothing on the signal that ends the bot', async () => {
  const { discord } = await startDiscord();
  const isGateway = ({ path }: { path: string }) => path === '/gateway/bot';
  discord.faults.failNext(isGateway, { kind: 'drop', accepted: false }, FAILURES);
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const problems: (string | null)[] = [];
  const connecting = connect({
    token: discord.token,
    api: discord.api,
    clock,
    log: createLog('silent'),
    signal,
    onProblem: (problem) => problems.push(problem),
    onRefused: () => undefined,
  });
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
