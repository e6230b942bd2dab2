import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connectionDelayMs, spaceConnections } from '../../src/discord/client.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

/** The strategy of the real client with one shard, which asks for its session before each connection. */
async function aShard() {
  const clock = new ManualClock();
  const stopping = new AbortController();
  let waits = 0;
  const manager = {
    options: { retrieveSessionInfo: (): unknown => null },
    fetchGatewayInformation: async () => ({}),
    getShardCount: async () => 1,
    emit: () => true,
  };
  const build = spaceConnections(clock, stopping.signal, () => {
    waits += 1;
  });
  const strategy = build(manager as never);
  await strategy.spawn([0]);

  /** Asks to connect; tells whether it may yet. */
  function ask(): { isLet: () => Promise<boolean> } {
    let isLet = false;
    void Promise.resolve(manager.options.retrieveSessionInfo.call(null, ...([0] as unknown as []))).then(() => {
      isLet = true;
    });
    return {
      async isLet() {
        for (let context = 0; context < 3; context += 1) await setImmediate();
        return isLet;
      },
    };
  }
  return { clock, stopping, strategy, ask, waits: () => waits };
}

test('two connections are free, the third and fourth in a row wait one and two seconds', async () => {
  const { clock, ask, waits } = await aShard();
  expect(await ask().isLet()).toBe(true);
  expect(await ask().isLet()).toBe(true);
  expect(waits()).toBe(0);
  for (const waitMs of [1_000, 2_000]) {
    const connection = ask();
    await clock.advance(waitMs - 1);
    expect(await connection.isLet()).toBe(false);
    await clock.advance(1);
    expect(await connection.isLet()).toBe(true);
  }
  expect(waits()).toBe(2);
});

test.each([
  [59_999, false],
  [60_000, true],
])('a connection that has lasted %i ms makes the next ones wait no more: %s', async (lastedMs, isFree) => {
  const { clock, ask } = await aShard();
  for (let connections = 0; connections < 2; connections += 1) expect(await ask().isLet()).toBe(true);
  await clock.advance(lastedMs);
  expect(await ask().isLet()).toBe(isFree);
});

test('a set clock neither shortens a wait nor makes one', async () => {
  const { clock, ask } = await aShard();
  for (let connections = 0; connections < 2; connections += 1) expect(await ask().isLet()).toBe(true);
  clock.jump(3_600_000);
  const connection = ask();
  expect(await connection.isLet()).toBe(false);
  clock.jump(-7_200_000);
  await clock.advance(1_000);
  expect(await connection.isLet()).toBe(true);
});

test('no connection is begun for a client that is gone, neither after a wait nor without one', async () => {
  const { clock, stopping, strategy, ask } = await aShard();
  for (let connections = 0; connections < 2; connections += 1) expect(await ask().isLet()).toBe(true);
  const waiting = ask();
  await waiting.isLet();
  stopping.abort(new Error('The test stops it.'));
  await clock.advance(1_000);
  expect(await waiting.isLet()).toBe(false);
  expect(await ask().isLet()).toBe(false);

  const other = await aShard();
  await other.strategy.destroy();
  expect(await other.ask().isLet()).toBe(false);
  await strategy.destroy();
});

test('however long connections do not last, fewer than 1,000 are begun in a day', () => {
  let [connections, ms] = [0, 0];
  for (; ms < 86_400_000; connections += 1) ms += connectionDelayMs(connections);
  expect(connections).toBeLessThan(750);
});
