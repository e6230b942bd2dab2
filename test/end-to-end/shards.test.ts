import { describe, expect, onTestFinished, test } from 'vitest';
import type { App } from '../../src/app.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../helpers/postgres.ts';

/** Each has a client of its own that logs in. */
const WITHIN_MS = 60_000;
/** How often a process looks whether the lease is free, and at shards of which it was not notified. */
const LOOK_MS = 250;
const UNNOTIFIED_MS = 2_000;

/** Two processes with two of four shards each; the server of these tests is in a shard of the one that does not lead. */
async function aShardedHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content, discord: { shards: 4, moreServers: 8 } });
  const stateUrl = temporaryPostgres();
  onTestFinished(async () => {
    await runPostgres(stateUrl, `DROP SCHEMA IF EXISTS ${gatewaySchema(stateUrl)} CASCADE`);
  });
  const isInFirstHalf = Number(BigInt(house.discord.guildId) >> 22n) % 4 < 2;
  const halves = isInFirstHalf ? ['2-3/4', '0-1/4'] : ['0-1/4', '2-3/4'];
  async function start(SHARDS: string | undefined, clock: ManualClock) {
    return house.startBot(
      { STATE_URL: stateUrl, SHARDS: SHARDS ?? '', METRICS_PORT: '0' },
      { isStandby: true, clock },
    );
  }
  const leading = start(halves[0], house.clock);
  await logged(house, 'holding shards');
  const otherClock = new ManualClock();
  const waiting = start(halves[1], otherClock);
  return { folder, house, stateUrl, leader: await leading, other: { clock: otherClock, starting: waiting }, start, halves };
}

const gatewaySchema = (stateUrl: string) => `${new URL(stateUrl).searchParams.get('schema')}_gateway`;

async function logged(house: House, text: string, times = 1): Promise<void> {
  const found = () => house.logLines.filter((line) => line.includes(text)).length;
  await expect.poll(found, { timeout: WITHIN_MS, interval: 20 }).toBeGreaterThanOrEqual(times);
}

async function announced(house: House, app: App): Promise<(string | undefined)[]> {
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
  return house.announcements('deals').map((message) => /### \[(.*?)\]/.exec(textOf(message))?.[1]);
}

describe.runIf(hasPostgres)('shards over several processes', () => {
  test('the one that leads answers what others receive, and announces in their servers', {
    timeout: WITHIN_MS,
  }, async () => {
    const { folder, house, leader } = await aShardedHouse();
    expect(textOf(await house.asAda('deals', '/subscription add feed feed:Home'))).toContain('Home');
    await leader.tick();
    folder.writeFeed('Home', [feedItem(1)]);
    expect(await announced(house, leader)).toEqual(['Kettle 1']);
    expect((await house.health(leader)).gateway).toBe('connected');
    const answers = house.discord.messages(house.discord.channel('deals').id).filter((one) => one.interaction_metadata);
    expect(answers.length, 'each command is answered once').toBeLessThanOrEqual(1);
  });
});
void LOOK_MS; void UNNOTIFIED_MS;
