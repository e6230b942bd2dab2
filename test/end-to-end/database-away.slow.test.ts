import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { PROBE_EVERY_MS } from '../../src/store/table/failures.ts';
import { COMPARE_EVERY_MS } from '../../src/store/table/standby.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { hasPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { type Passage, startTcpProxy } from '../helpers/tcp-proxy.ts';

const AWAY_FOR_MS = 120_000;
const WITHIN_MS = 180_000;
/** The longest pause between two tries to connect. */
const PAUSE_MS = 2_000;

/**
 * Starts a bot on a new state whose database vanishes with the bot's `messages`-th message to it, and is back after two
 * minutes. Resolves with false where its start needs fewer messages.
 */
async function startWithout(
  house: House,
  messages: number,
  passage: Passage,
  more: { isStandby?: boolean },
): Promise<boolean> {
  const proxy = await startTcpProxy(temporaryPostgres());
  onTestFinished(() => proxy.close());
  const vanished = proxy.setAfter(messages, passage).then(() => true);
  const network = new ManualClock();
  let isOver = false;
  const starting = house.startBot({ STATE_URL: proxy.url }, { networkClock: network, ...more }).finally(() => {
    isOver = true;
  });
  if ((await Promise.race([starting, vanished])) !== true) {
    void proxy.setAfter(Number.POSITIVE_INFINITY, passage);
    await (await starting).stop();
    return false;
  }

  for (let passedMs = 0; passedMs < AWAY_FOR_MS && !isOver; passedMs += PAUSE_MS) await network.advance(PAUSE_MS);
  proxy.set('open');
  while (!isOver) {
    await Promise.race([starting, network.untilSleeping((ms) => ms <= PAUSE_MS)]);
    if (!isOver) await network.advance(PAUSE_MS);
  }
  const app = await starting;
  // Every 5 s it is tried whether the state can be written again, and every 10 s whether the database answers in time.
  await house.clock.advance(PROBE_EVERY_MS);
  await network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  await network.advance(COMPARE_EVERY_MS);
  await expect.poll(async () => (await house.health(app)).status, { message: `message ${messages}` }).toBe('ok');
  await app.stop();
  return true;
}

test.runIf(hasPostgres).each([
  ['closed', 1, {}],
  ['silent', 5, {}],
  ['closed', 5, { isStandby: true }],
] as const)(
  'at whichever step of a start the database vanishes (%s, each of %i, %j), the start waits for it and goes on',
  { timeout: WITHIN_MS },
  async (passage, each, more) => {
    const folder = aCatalogFolder();
    folder.writeFeed('Home', []);
    const house = await aHouse({ content: () => folder.content });
    let messages = 1;
    while (await startWithout(house, messages, passage, more)) messages += each;
    expect(messages).toBeGreaterThan(10);
  },
);

async function untilStarted(app: App): Promise<void> {
  while (app.health().status === 'starting') await setImmediate();
}

/** The way to the database, in each direction. */
const SLOW_MS = 1_600;

test.runIf(hasPostgres)(
  'by a way of 1.6 s in each direction to its database, a bot starts, says that it is slow, and posts',
  async () => {
    const folder = aCatalogFolder();
    folder.writeFeed('Home', [feedItem(1)]);
    const house = await aHouse({ content: () => folder.content });
    const { clock } = house;
    const proxy = await startTcpProxy(temporaryPostgres(), '127.0.0.1', clock);
    onTestFinished(() => proxy.close());
    const first = await house.startBot({ STATE_URL: proxy.url });
    await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
    await house.tick(first);
    await first.stop();

    proxy.delay(SLOW_MS);
    /** Lets the time pass that the database takes, and the pauses between connections where one took too long. */
    async function through<T>(work: Promise<T>): Promise<T> {
      let isOver = false;
      const ending = work.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await Promise.race([ending, clock.untilSleeping((ms) => ms <= SLOW_MS)]);
        if (!isOver) await clock.advance(SLOW_MS);
      }
      return ending;
    }
    const app = await through(house.startBot({ STATE_URL: proxy.url }, { networkClock: clock }));
    await through(untilStarted(app));
    expect((await house.health(app)).reason).toContain('The state has taken longer than a second for each answer');
    folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
    await clock.advance(120_000);
    await through(app.tick());
    await through(app.settled());
    expect(house.announcements('deals').map((message) => textOf(message))).toEqual([
      expect.stringContaining('Kettle 2'),
    ]);
    await through(app.stop());
  },
);
