import { expect, onTestFinished, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { StateInUseError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { openStore } from '../../src/store/store.ts';
import { GONE_AFTER_MS, HEARTBEAT_MS, LOOK_MS } from '../../src/store/table/lease.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { lookFor, lookUntilOver } from '../helpers/lease-looks.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

async function aSubscribedHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  house.discord.createChannel('offers', 'forum');
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.asAda('deals', '/subscription add feed feed:Home channel:#offers');
  return { folder, house, app };
}

async function lookAgain(clock: ManualClock, app: App): Promise<void> {
  await clock.advance(120_000);
  await app.tick();
  await app.settled();
}

/** A process that takes over what a bot holds that stands still, and does nothing with it. */
async function takeOver(stateUrl: string): Promise<void> {
  const clock = new ManualClock();
  const taking = openStore(stateUrl, clock, {
    dealbell: '0.0.0',
    clock,
    log: createLog('silent'),
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  await lookFor(clock, GONE_AFTER_MS, taking);
  const taken = await taking;
  onTestFinished(() => taken.close());
}

/** The posts in the channel and in the forum. */
async function posted(house: House): Promise<{ channel: (string | undefined)[]; forum: string[] }> {
  const { discord } = house;
  const response = await fetch(`${discord.api}/v10/guilds/${discord.guildId}/threads/active`, {
    headers: { authorization: `Bot ${discord.token}` },
  });
  const { threads } = (await response.json()) as { threads: { name: string }[] };
  return {
    channel: house.announcements('deals').map((message) => /### \[(.*?)\]/.exec(textOf(message))?.[1]),
    forum: threads.map(({ name }) => name),
  };
}

test('a second bot on the same state begins nothing, and says who has it', async () => {
  const { house, app } = await aSubscribedHouse();
  const clock = new ManualClock();
  let requests = 0;
  house.discord.faults.use(() => {
    requests += 1;
    return undefined;
  });
  const second = house.startBot({}, { clock }).catch((error: unknown) => error);
  await lookFor(clock, LOOK_MS, second);
  await house.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  await house.clock.advance(HEARTBEAT_MS);
  // The first one has written that it lives, and the second one looks until it sees that.
  await house.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  const refused = await lookUntilOver(clock, second);
  expect(refused).toBeInstanceOf(StateInUseError);
  expect(refused).toMatchObject({ message: expect.stringContaining(`process ${process.pid} on `) });
  expect(clock.monotonicMs()).toBeLessThan(GONE_AFTER_MS);
  expect(requests, 'nothing was asked of Discord').toBe(0);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('Home');
  await app.stop();
  await house.startBot();
});

test('a bot that stood still while another took its state over posts, asks and answers nothing when it wakes', async () => {
  const { folder, house, app } = await aSubscribedHouse();
  await app.stop();
  const asleep = new ManualClock();
  const first = await house.startBot({}, { clock: asleep });
  await lookAgain(asleep, first);

  const awake = new ManualClock(new Date(asleep.now()).toISOString());
  const taking = house.startBot({}, { clock: awake });
  await lookFor(awake, GONE_AFTER_MS, taking);
  const second = await taking;
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await lookAgain(awake, second);
  expect(await posted(house)).toMatchObject({ channel: ['Kettle 1', 'Kettle 2'] });

  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3)]);
  await asleep.advance(20_000);
  await lookAgain(asleep, first);
  expect((await posted(house)).channel).toEqual(['Kettle 1', 'Kettle 2']);
  expect(String(await first.failed)).toContain('has taken over this state, so this process is stopping');
  await first.stop();

  await lookAgain(awake, second);
  const { channel, forum } = await posted(house);
  expect(channel).toEqual(['Kettle 1', 'Kettle 2', 'Kettle 3']);
  expect(forum.toSorted()).toEqual(['Kettle 1', 'Kettle 2', 'Kettle 3']);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('Home');
});

test.each([
  ['the monotonic one of its clocks', async (clock: ManualClock) => clock.jump(60_000)],
  ['both of its clocks, but for a tenth of a second,', (clock: ManualClock) => clock.advance(100)],
])('where %s stood still while another took over, what waited for its turn is not sent', async (_, wake) => {
  const { folder, house, app } = await aSubscribedHouse();
  await app.stop();
  const asleep = new ManualClock();
  const first = await house.startBot({}, { clock: asleep });
  await lookAgain(asleep, first);

  let [isAwake, hasWaited] = [false, 0];
  const asked: string[] = [];
  house.discord.faults.use(({ method, path }) => {
    if (isAwake) asked.push(`${method} ${path}`);
    if (method !== 'POST') return undefined;
    hasWaited += 1;
    return { kind: 'rate-limit', retryAfterMs: 1_000, scope: 'user' };
  });
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await asleep.advance(120_000);
  await first.tick();
  await expect.poll(() => hasWaited).toBeGreaterThanOrEqual(2);

  await takeOver(house.environment['STATE_URL'] ?? '');
  isAwake = true;
  await wake(asleep);
  expect(String(await first.failed)).toContain('has taken over this state, so this process is stopping');
  await first.stop();
  expect(asked).toEqual([]);
});
