import { expect, onTestFinished, test } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { createLog } from '../../src/shared/log.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

async function start(stateUrl: string, clock: ManualClock): Promise<{ app: App; address: string }> {
  const app = createApp(parseConfig({ STATE_URL: stateUrl, PORT: '0' }), {
    clock,
    schedule: () => ({ stop: async () => undefined }),
    log: createLog('silent'),
    version: '0.0.0',
    pageDirectory: 'no page',
  });
  onTestFinished(() => app.stop());
  return { app, address: await app.start() };
}

function deals(app: App) {
  const discord = app.localDiscord();
  if (!discord) throw new Error('Local Discord is not running.');
  const channelId = discord.channel('deals').id;
  return { discord, announced: () => discord.messages(channelId).filter(({ author }) => author.bot === true) };
}

test('with nothing configured, offers and dealcasts arrive by themselves, and a second start goes on', async () => {
  const clock = new ManualClock();
  const state = temporaryState();
  const { app, address } = await start(state, clock);
  const { discord, announced } = deals(app);
  await discord.waitFor(() => announced().length >= 3);
  const text = JSON.stringify(announced().map(({ components }) => components));
  expect(text).toMatch(/New offer|Dealcast/);

  const health = await fetch(`${address}/healthz`);
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({
    status: 'ok',
    gateway: 'connected',
    lastPoll: new Date(clock.now()).toISOString(),
  });
  await app.stop();

  const again = await start(state, clock);
  const before = announcedIds(again.app);
  expect(before.length, 'the server and its messages are there again').toBeGreaterThanOrEqual(3);
  await again.app.tick();
  expect(announcedIds(again.app).slice(0, before.length)).toEqual(before);
});

function announcedIds(app: App): string[] {
  return deals(app)
    .announced()
    .map(({ id }) => id);
}

test('a bot that cannot start stops what it has started, and says why', async () => {
  const taken = await start(temporaryState(), new ManualClock());
  const port = new URL(taken.address).port;
  const app = createApp(parseConfig({ STATE_URL: temporaryState(), PORT: port }), {
    clock: new ManualClock(),
    schedule: () => ({ stop: async () => undefined }),
    log: createLog('silent'),
    version: '0.0.0',
    pageDirectory: 'no page',
  });
  await expect(app.start()).rejects.toThrow(
    `PORT ${port} on HOST 127.0.0.1 isn't available: something else listens there already.`,
  );
  expect(app.localDiscord()).toBeNull();
});
