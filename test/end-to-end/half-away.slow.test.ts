import { expect, onTestFinished, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { StateHandedOverError } from '../../src/shared/errors.ts';
import { COMPARE_EVERY_MS } from '../../src/store/table/standby.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { lookUntilOver } from '../helpers/lease-looks.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { hasPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

const BACKENDS = [
  ['sqlite', temporaryState] as const,
  ...(hasPostgres ? [['postgres', temporaryPostgres] as const] : []),
];

async function aProxy(url: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy(url);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Lets a process ask once more, 10 s after the last time; what does not answer in `lateMs` counts as away. */
async function ask(network: ManualClock, lateMs = 0): Promise<void> {
  await network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  await network.advance(COMPARE_EVERY_MS);
  if (lateMs > 0) {
    await network.untilSleeping((ms) => ms === lateMs);
    await network.advance(lateMs);
  }
  await network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
}

async function statusOf(house: House, app: App, path: string): Promise<[number, string]> {
  const response = await fetch(house.addressOf(app) + path);
  return [response.status, await response.text()];
}

test.each(
  BACKENDS.flatMap(([backend, aStateUrl]) =>
    (['Discord', 'The catalog'] as const).map((away) => [backend, away, aStateUrl] as const),
  ),
)(
  'on %s, where only the leader can’t reach one half (%s), it says so after 30 s, and another one leads and posts',
  async (_, away, aStateUrl) => {
    const folder = aCatalogFolder();
    folder.writeFeed('Home', []);
    const house = await aHouse({ content: () => folder.content });
    const stateUrl = aStateUrl();
    const proxy = await aProxy(away === 'Discord' ? house.discord.api : house.catalogUrl);
    const [network, clock] = [new ManualClock(), new ManualClock()];
    const others =
      away === 'Discord' ? { DISCORD_API: proxy.url } : { CATALOG_PORTAL_URL: proxy.url.replace(/\/$/, '') };
    const leader = await house.startBot({ STATE_URL: stateUrl, ...others }, { networkClock: network });
    await house.asAda('deals', '/subscription add feed feed:Home');
    const waiting = { clock, networkClock: new ManualClock(), isStandby: true };
    const starting = house.startBot({ STATE_URL: stateUrl }, waiting);
    starting.catch(() => undefined);
    for (let times = 0; times < 2; times += 1) for (const one of [waiting.networkClock, network]) await ask(one);
    expect((await statusOf(house, leader, '/readyz'))[0]).toBe(200);

    proxy.set('silent');
    let ended: Error | null = null;
    void leader.failed.then((error) => {
      ended = error;
    });
    await ask(waiting.networkClock);
    await ask(network, 5_000);
    expect((await statusOf(house, leader, '/readyz'))[0], 'after 15 s').toBe(200);
    await ask(waiting.networkClock);
    await network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
    await network.advance(COMPARE_EVERY_MS);
    await network.untilSleeping((ms) => ms === 5_000);
    await network.advance(4_999);
    expect(ended).toBeNull();
    const failed = leader.failed;
    await network.advance(1);
    expect(await failed).toBeInstanceOf(StateHandedOverError);
    for (const path of ['/readyz', '/healthz']) {
      expect(await statusOf(house, leader, path), path).toEqual([503, expect.any(String)]);
    }
    expect((await house.health(leader)).reason).toContain(`${away} has not answered since`);
    const stopping = leader.stop();
    if (away === 'Discord') {
      // Discord does not say goodbye: it is waited for no longer than a stop may take.
      await network.untilSleeping((ms) => ms === 1_000);
      await network.advance(1_000);
    }
    await stopping;

    const next = await lookUntilOver(clock, starting);
    folder.writeFeed('Home', [feedItem(1)]);
    await clock.advance(120_000);
    await next.tick();
    await next.settled();
    expect(house.announcements('deals').map((message) => textOf(message))).toEqual([
      expect.stringContaining('Kettle 1'),
    ]);
    expect((await house.health(next)).status).toBe('ok');
  },
);

test.runIf(hasPostgres)(
  'a leader by whose way the database is slow says so, and hands over to one by whose way it is fast',
  async () => {
    const folder = aCatalogFolder();
    folder.writeFeed('Home', []);
    const house = await aHouse({ content: () => folder.content });
    const stateUrl = temporaryPostgres();
    const proxy = await aProxy(stateUrl);
    const [network, clock, ofStandby] = [new ManualClock(), new ManualClock(), new ManualClock()];
    const leader = await house.startBot({ STATE_URL: proxy.url }, { networkClock: network });
    const starting = house.startBot({ STATE_URL: stateUrl }, { clock, networkClock: ofStandby, isStandby: true });
    starting.catch(() => undefined);
    for (let times = 0; times < 2; times += 1) for (const one of [ofStandby, network]) await ask(one);
    // Longer than it takes to advance the clock that it is measured by.
    proxy.delay(200);
    for (let times = 0; times < 3; times += 1) {
      await ask(ofStandby);
      await ask(network, 1_000);
    }
    expect(await leader.failed).toBeInstanceOf(StateHandedOverError);
    expect((await house.health(leader)).reason).toContain('The state has taken longer than a second for each answer');
    expect(house.logLines.some((line) => line.includes('"part":"database","msg":"no answer in time'))).toBe(true);
    await leader.stop();
    const next = await lookUntilOver(clock, starting);
    expect((await house.health(next)).status).toBe('ok');
  },
);

test('without a process that stands by, nothing changes hands, and what is away is told until it is back', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const proxy = await aProxy(house.discord.api);
  const network = new ManualClock();
  const app = await house.startBot({ DISCORD_API: proxy.url, METRICS_PORT: '0' }, { networkClock: network });
  const metrics = async () => {
    const { address } = JSON.parse(house.logLines.find((line) => line.includes('serving metrics')) ?? '{}') as {
      address: string;
    };
    return [
      ...(await (await fetch(address)).text()).matchAll(/^dealbell_dependency_up\{dependency="(\w+)"\} 1$/gm),
    ].map(([, dependency]) => dependency);
  };
  await ask(network);
  expect(await metrics()).toEqual(['discord', 'catalog', 'database']);
  proxy.set('silent');
  for (let times = 0; times < 4; times += 1) await ask(network, 5_000);
  expect(await metrics()).not.toContain('discord');
  const [status, text] = await statusOf(house, app, '/readyz');
  expect([status, text]).toEqual([503, expect.stringContaining('Discord has not answered since')]);
  proxy.set('open');
  await ask(network);
  expect(await statusOf(house, app, '/readyz')).toEqual([200, expect.any(String)]);
  expect(await metrics()).toEqual(['discord', 'catalog', 'database']);
});
