import { expect, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { sampled } from '../helpers/sampled.ts';

/** A poll a minute lasts all day. */
const ENOUGH = { CATALOG_PORTAL_QUOTA: '2500' };
const TICK_MS = 15_000;

/** A bot that follows one feed, for ten minutes. */
async function aRunningHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot(ENOUGH);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await live(house, app, 10);
  return { house, app, folder };
}

/** Lets minutes pass with cron's ticks. Resolves with how often the catalog was asked meanwhile. */
async function live(house: House, app: App, minutes: number): Promise<number> {
  const asked = () => house.logLines.filter((line) => line.includes('"polled"')).length;
  const before = asked();
  for (let passedMs = 0; passedMs < minutes * MINUTE_MS; passedMs += TICK_MS) {
    await house.clock.advance(TICK_MS);
    await app.tick();
    await app.settled();
  }
  return asked() - before;
}

const jumps = [-24, -3, 3, 24].map((hours) => [hours]);

test.each(sampled(jumps, 2))(
  'after a jump by %i hours the catalog is asked as often as before, and the health is true',
  async (hours) => {
    const { house, app, folder } = await aRunningHouse();
    const usual = await live(house, app, 10);
    expect(usual).toBe(10);
    house.clock.jump(hours * HOUR_MS);
    expect(await live(house, app, 1)).toBeGreaterThanOrEqual(1);
    folder.writeFeed('Home', [feedItem(2), feedItem(1)]);
    const later = await live(house, app, 10);
    expect(Math.abs(later - usual)).toBeLessThanOrEqual(1);
    expect(house.announcements('deals').map(textOf).join()).toContain('Kettle 2');
    const { status, lastPoll } = await house.health(app);
    expect(status).toBe('ok');
    expect(house.clock.now() - Date.parse(lastPoll ?? '')).toBeLessThanOrEqual(MINUTE_MS);
    expect(Date.parse(lastPoll ?? '')).toBeLessThanOrEqual(house.clock.now());
  },
);

test.each(sampled(jumps, 2))(
  'a bot that starts after a jump by %i hours asks within a minute, and goes on',
  async (hours) => {
    const { house, app, folder } = await aRunningHouse();
    await app.stop();
    house.clock.jump(hours * HOUR_MS);
    const restarted = await house.startBot(ENOUGH);
    expect(await live(house, restarted, 1)).toBeGreaterThanOrEqual(1);
    folder.writeFeed('Home', [feedItem(2), feedItem(1)]);
    expect(await live(house, restarted, 10)).toBeGreaterThanOrEqual(9);
    expect(house.announcements('deals').map(textOf).join()).toContain('Kettle 2');
    expect(await house.health(restarted)).toMatchObject({ status: 'ok' });
  },
);
