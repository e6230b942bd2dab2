import { expect } from 'vitest';
import type { Log } from '../../src/shared/log.ts';
import { aCatalogFolder } from './catalog-folder.ts';
import { aHouse } from './house.ts';
import { createTestLog } from './keys.ts';
import { ManualClock } from './manual-clock.ts';
import { temporaryPostgres } from './postgres.ts';

/** Each has a client of its own that logs in. */
export const WITHIN_MS = 60_000;
/** How often a process looks whether the lease is free, and at shards of which it was not notified. */
export const LOOK_MS = 250;
export const UNNOTIFIED_MS = 2_000;

/**
 * Two processes with two of four shards each. The server of these tests is in a shard of the one that does not lead, so
 * what that receives has to come to the one that does.
 */
export async function aShardedHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content, discord: { shards: 4, moreServers: 8 } });
  const environment = { STATE_URL: temporaryPostgres(), METRICS_PORT: '0' };
  const isInFirstHalf = Number(BigInt(house.discord.guildId) >> 22n) % 4 < 2;
  const [otherShards, ownShards] = isInFirstHalf ? ['2-3/4', '0-1/4'] : ['0-1/4', '2-3/4'];
  const create = (SHARDS: string, clock: ManualClock, log?: Log) =>
    house.createBot({ ...environment, SHARDS }, { isStandby: true, clock, ...(log && { log }) });

  const leader = create(otherShards, house.clock);
  const leading = leader.start();
  await logged(house.logLines, 'holding shards');
  const lines: string[] = [];
  const log = createTestLog((line) => lines.push(line));
  const standing = { clock: new ManualClock(), lines, create: () => create(ownShards, standing.clock, log) };
  const other = standing.create();
  const waiting = other.start();
  waiting.catch(() => undefined);
  await leading;
  await logged(lines, 'standing by');
  return { folder, house, environment, leader, other, waiting, standing };
}

export async function logged(lines: readonly string[], text: string, times = 1): Promise<void> {
  const found = () => lines.filter((line) => line.includes(text)).length;
  await expect.poll(found, { timeout: WITHIN_MS, interval: 20 }).toBeGreaterThanOrEqual(times);
}

/** Lets a process look for a lease that is free until it has taken it. */
export async function untilLeading(starting: Promise<unknown>, clock: ManualClock): Promise<void> {
  let isLeading = false;
  void starting.then(() => {
    isLeading = true;
  });
  while (!isLeading) {
    await Promise.race([starting, clock.untilSleeping((ms) => ms === LOOK_MS)]);
    if (!isLeading) await clock.advance(LOOK_MS);
  }
}
