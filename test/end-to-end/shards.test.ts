import { describe, expect, test } from 'vitest';
import type { App } from '../../src/app.ts';
import { DiscordRefusedError } from '../../src/shared/errors.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { hasPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { aShardedHouse, logged, UNNOTIFIED_MS, untilLeading, WITHIN_MS } from '../helpers/sharded-house.ts';

/** Polls once and resolves with the titles of all posts in a channel. */
async function announced(house: House, app: App, clock = house.clock): Promise<(string | undefined)[]> {
  await clock.advance(120_000);
  await app.tick();
  await app.settled();
  return house.announcements('deals').map((message) => /### \[(.*?)\]/.exec(textOf(message))?.[1]);
}

describe.runIf(hasPostgres)('shards over several processes', () => {
  test('the one that leads answers what the others receive, announces in their servers, and sees what changes there', {
    timeout: WITHIN_MS,
  }, async () => {
    const { folder, house, leader } = await aShardedHouse();
    expect(textOf(await house.asAda('deals', '/subscription add feed feed:Home'))).toContain('Home');
    await leader.tick();
    folder.writeFeed('Home', [feedItem(1)]);
    expect(await announced(house, leader)).toEqual(['Kettle 1']);
    expect((await house.health(leader)).gateway).toBe('connected');
    house.discord.createChannel('later', 'text');
    expect(textOf(await house.asAda('deals', '/subscription add feed feed:Home channel:#later'))).toContain(
      `<#${house.discord.channel('later').id}>`,
    );
    // Each of the two once.
    await logged(house.logLines, '"command":"subscription add feed"', 2);
    expect(house.logLines.filter((line) => line.includes('"command":"subscription add feed"'))).toHaveLength(2);
  });

  test('the one that takes over announces in every server, also where no process receives anything', {
    timeout: WITHIN_MS,
  }, async () => {
    const { folder, house, leader, other, waiting, standing } = await aShardedHouse();
    await house.asAda('deals', '/subscription add feed feed:Home');
    await leader.tick();
    await leader.stop();
    await untilLeading(waiting, standing.clock);
    folder.writeFeed('Home', [feedItem(1)]);
    expect(await announced(house, other, standing.clock)).toEqual(['Kettle 1']);
    await standing.clock.advance(UNNOTIFIED_MS);
    await expect
      .poll(() => other.health().reason, { timeout: WITHIN_MS })
      .toMatch(/^Disconnected from Discord: shard \d, \d of 4\. Reconnecting\./);
    expect(textOf(await house.asAda('deals', '/help'))).toContain('</feed:');
  });

  test('where a process is gone, the others go on; when it is back, its servers are answered again', {
    timeout: WITHIN_MS,
  }, async () => {
    const { folder, house, leader, other, standing } = await aShardedHouse();
    await house.asAda('deals', '/subscription add feed feed:Home');
    await leader.tick();
    await other.stop();
    folder.writeFeed('Home', [feedItem(1)]);
    expect(await announced(house, leader)).toEqual(['Kettle 1']);
    const isConnected = async () => {
      await house.clock.advance(UNNOTIFIED_MS);
      await standing.clock.advance(UNNOTIFIED_MS);
      return leader.health().gateway;
    };
    await expect.poll(isConnected, { timeout: WITHIN_MS }).toBe('disconnected');
    standing
      .create()
      .start()
      .catch(() => undefined);
    await expect.poll(isConnected, { timeout: WITHIN_MS }).toBe('connected');
    expect(textOf(await house.asAda('deals', '/help'))).toContain('</feed:');
  });

  test('a token that Discord refuses, and a connection that it closes for good, end the process', {
    timeout: WITHIN_MS,
  }, async () => {
    const folder = aCatalogFolder();
    const house = await aHouse({ content: () => folder.content, discord: { shards: 2 } });
    const environment = { STATE_URL: temporaryPostgres(), SHARDS: '0-1/2' };
    const refused = house.createBot({ ...environment, DISCORD_TOKEN: 'not.a.token' }, { isStandby: true });
    refused.start().catch(() => undefined);
    await expect(refused.failed).resolves.toMatchObject({ message: expect.stringContaining('rejected DISCORD_TOKEN') });
    await refused.stop();

    const app = house.createBot(environment, { isStandby: true });
    const starting = app.start();
    await untilConnected(house);
    await starting;
    house.discord.faults.closeGateway(4004);
    await expect(app.failed).resolves.toBeInstanceOf(DiscordRefusedError);
  });

  test('a Discord that is away at the start is tried again', { timeout: WITHIN_MS }, async () => {
    const folder = aCatalogFolder();
    const house = await aHouse({ content: () => folder.content });
    let isAway = true;
    house.discord.faults.use(({ path }) =>
      isAway && path === '/gateway/bot' ? { kind: 'drop', accepted: false } : undefined,
    );
    const app = house.createBot({ STATE_URL: temporaryPostgres(), SHARDS: '0/1' }, { isStandby: true });
    const starting = app.start();
    await logged(house.logLines, 'Connecting the shards failed: the connection broke');
    isAway = false;
    await untilConnected(house);
    await starting;
    expect(app.health()).toMatchObject({ status: 'ok', reason: null });
  });
});

/** Lets pauses between tries, and waits for a turn, pass. */
async function untilConnected(house: House): Promise<void> {
  await expect
    .poll(
      async () => {
        await house.clock.advance(1_000);
        return house.logLines.some((line) => line.includes('slash commands registered'));
      },
      { timeout: WITHIN_MS, interval: 20 },
    )
    .toBe(true);
}
