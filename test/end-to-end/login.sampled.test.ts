import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { commandsWith } from '../../commands/index.ts';
import type { Fault } from '../../packages/local-discord/src/index.ts';
import type { App } from '../../src/app/app.ts';
import { DiscordRefusedError } from '../../src/shared/errors.ts';
import { openStore } from '../../src/store/store.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { sampled } from '../helpers/sampled.ts';
import { aSubscription } from '../helpers/things.ts';

type Requested = Parameters<Parameters<House['discord']['faults']['failNext']>[0]>[0];

const isGateway = ({ path }: Requested) => path === '/gateway/bot';
const isListing = ({ method, path }: Requested) => method === 'GET' && path.endsWith('/commands');
const isRegistration = ({ method, path }: Requested) => method === 'PUT' && path.endsWith('/commands');

/** discord.js asks four times at once where it is answered with a 5xx. */
const ATTEMPTS = 4;
/** discord.js waits so much longer than it is asked to. */
const REST_OFFSET_MS = 50;

/** A hiccup, how often the fault is needed for it, and how long the bot waits after it when login, and when registration, is hit. */
const HICCUPS: [string, Fault, number, number | null][] = [
  ['a reset', { kind: 'drop', accepted: false }, 1, null],
  ['a 500', { kind: 'error', status: 500, accepted: false }, ATTEMPTS, null],
  ['a 429 of 90 s', { kind: 'rate-limit', retryAfterMs: 90_000, scope: 'user' }, 1, 90_000 + REST_OFFSET_MS],
];

async function aWaitingHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content });
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  const channelId = house.discord.channel('deals').id;
  const guildId = house.discord.guildId;
  await store.subscriptions.save(aSubscription('home', { guildId, channelId, catchUp: 1 }));
  await store.close();
  return { house, folder };
}

/** Counts the requests that match. */
function counting(house: House, matches: (request: Requested) => boolean): () => number {
  let number = 0;
  house.discord.faults.use((request) => {
    if (matches(request)) number += 1;
    return undefined;
  });
  return () => number;
}

const warnings = ({ logLines }: House) =>
  logLines.map((line) => JSON.parse(line) as { level: number; msg: string }).filter(({ level }) => level === 40);

const untilBotIsThere = (house: House) =>
  new Promise<void>((resolve) => {
    const end = house.discord.onUpdate((update) => {
      if (update.type !== 'bot' || update.bot === null) return;
      end();
      resolve();
    });
  });

/** Resolves when the bot has posted in #deals. */
const untilPosted = (house: House) =>
  house.discord.waitFor(() => house.announcements('deals').at(-1), AbortSignal.timeout(20_000));

test.each(sampled(HICCUPS, 2))(
  'the login after %s: the address is there, health says why, and the bot goes on by itself',
  async (_, fault, times, askedMs) => {
    const { house } = await aWaitingHouse();
    const attempts = counting(house, isGateway);
    house.discord.faults.failNext(isGateway, fault, times);
    const app = await house.startBot();
    expect(await house.health(app)).toMatchObject({ status: 'starting', gateway: 'disconnected' });
    expect((await house.health(app)).reason).toContain('Logging in to Discord at ');
    expect(warnings(house)).toHaveLength(1);
    expect(attempts()).toBe(0);

    const waitMs = askedMs ?? 1_000;
    await house.clock.untilSleeping((ms) => ms === waitMs);
    await house.clock.advance(waitMs - 1);
    expect(attempts()).toBe(0);
    const there = untilBotIsThere(house);
    await house.clock.advance(1);
    await there;
    expect(textOf(await untilPosted(house))).toContain('Kettle 1');
    expect(attempts()).toBe(1);
  },
);

test('what keeps failing in the same way is said once, and less and less often tried', async () => {
  const { house } = await aWaitingHouse();
  let attempts = 0;
  house.discord.faults.use((request) => {
    if (!isGateway(request)) return undefined;
    attempts += 1;
    return { kind: 'drop', accepted: false };
  });
  const app = await house.startBot();
  for (const waitMs of [1_000, 2_000, 4_000]) {
    await house.clock.untilSleeping((ms) => ms === waitMs);
    await house.clock.advance(waitMs);
  }
  await house.clock.untilSleeping((ms) => ms === 8_000);
  expect(attempts).toBe(4);
  expect(warnings(house).map(({ msg }) => msg)).toEqual([
    `Logging in to Discord at ${house.discord.api} failed: the connection broke. Dealbell keeps trying.`,
  ]);
  // Nothing of it holds up a stop.
  await app.stop();
});

test.each([
  ['nothing listens', 'http://127.0.0.1:9/api', 'the connection was refused'],
  ['its name is not known', 'http://discord.invalid/api', 'DNS'],
])('a Discord of which %s is named, and a stop is taken at once', async (_, api, reason) => {
  const { house } = await aWaitingHouse();
  const app = await house.startBot({ DISCORD_API: api });
  const health = await house.health(app);
  expect(health).toMatchObject({ status: 'starting', gateway: 'disconnected' });
  expect(health.reason).toContain(api);
  expect(health.reason).toContain(reason);
  await app.stop();
});

test('a Discord that never answers holds up the address for ten seconds', async () => {
  const { house } = await aWaitingHouse();
  house.discord.faults.use((request) => (isGateway(request) ? { kind: 'latency', ms: 3_600_000 } : undefined));
  let app: App | null = null;
  const asked = house.clock.untilSleeping((ms) => ms === 3_600_000);
  const starting = house.startBot().then((started) => {
    app = started;
  });
  await asked;
  await house.clock.advance(9_999);
  expect(app).toBeNull();
  await house.clock.advance(1);
  await starting;
  expect(await house.health(app as unknown as App)).toMatchObject({
    status: 'starting',
    reason: 'The bot is starting.',
  });
});

const REGISTERING = HICCUPS.flatMap(([what, fault, , askedMs]) => [
  [`the list of commands after ${what}`, isListing, fault, askedMs] as const,
  [`their registration after ${what}`, isRegistration, fault, askedMs] as const,
]);

test.each(sampled(REGISTERING, 3))(
  '%s: announcing starts without, and it is tried again',
  async (_, matches, fault, askedMs) => {
    const { house } = await aWaitingHouse();
    // How often discord.js tries at once depends on how much of the request had left when the connection broke.
    let isBroken = true;
    let puts = 0;
    house.discord.faults.use((request) => {
      if (isBroken) return matches(request) ? fault : undefined;
      if (isRegistration(request)) puts += 1;
      return undefined;
    });
    const app = await house.startBot();
    expect(textOf(await untilPosted(house))).toContain('Kettle 1');
    // Commands are registered beside announcing, so the post may come before the failure is known.
    await expect
      .poll(async () => (await house.health(app)).reason, { timeout: 20_000, interval: 20 })
      .toContain('Registering the slash commands failed: ');
    expect(await house.health(app)).toMatchObject({ status: 'ok', gateway: 'connected' });
    expect(warnings(house)).toHaveLength(1);

    isBroken = false;
    const waitMs = askedMs ?? 10_000;
    await house.clock.advance(waitMs - 1);
    expect(puts).toBe(0);
    await house.clock.advance(1);
    await expect.poll(async () => (await house.health(app)).reason, { timeout: 20_000, interval: 20 }).toBeNull();
    expect(puts).toBe(1);
    expect(textOf(await house.asBen('deals', '/feed feed:Home'))).toContain('Kettle 1');
  },
);

test('when the day has no creation left, nothing ends: the commands that are there are answered', async () => {
  const { house } = await aWaitingHouse();
  const [first] = commandsWith([]);
  const registered = await fetch(`${house.discord.api}/v10/applications/${await ownId(house)}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${house.discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify([first?.data]),
  });
  expect(registered.status).toBe(200);
  house.discord.faults.failNext(isRegistration, { kind: 'refused', error: 'tooManyCommandCreations' }, 1_000);
  const app = await house.startBot();
  expect(textOf(await house.asBen('deals', '/feed feed:Home'))).toContain('Kettle 1');
  expect((await house.health(app)).status).toBe('ok');
  expect((await house.health(app)).reason).toContain('Registering the slash commands failed');
  // It does not say how long it lasts, and is not asked again at once. The client adds 50 ms to each limit.
  await house.clock.untilSleeping((ms) => ms === 60_050);
});

async function ownId({ discord }: House): Promise<string> {
  const response = await fetch(`${discord.api}/v10/applications/@me`, {
    headers: { authorization: `Bot ${discord.token}` },
  });
  return ((await response.json()) as { id: string }).id;
}

test('a token that Discord does not take is named, and not repeated', async () => {
  const { house } = await aWaitingHouse();
  const failure = await house.startBot({ DISCORD_TOKEN: 'not.taken' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DiscordRefusedError);
  expect(String(failure)).toContain('DISCORD_TOKEN');
  expect(String(failure)).not.toContain('not.taken');
});

test.each([
  [4004, 'DISCORD_TOKEN'],
  [4014, 'developer portal'],
])('a gateway that answers the first words with code %i ends the start', async (code, remedy) => {
  const { house } = await aWaitingHouse();
  const end = house.discord.onUpdate((update) => {
    if (update.type === 'bot' && update.bot !== null) house.discord.faults.closeGateway(code);
  });
  onTestFinished(end);
  const failure = await house.startBot().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DiscordRefusedError);
  expect(String(failure)).toContain(remedy);
});

test('a gateway that answers with an error of its proxy is tried again with back-off', async () => {
  const { house } = await aWaitingHouse();
  let upgrades = 0;
  const proxy = createServer((_, response) => {
    const { port } = proxy.address() as AddressInfo;
    const limit = { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit: limit }));
  });
  proxy.on('upgrade', (_, socket) => {
    upgrades += 1;
    socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n');
  });
  onTestFinished(() => {
    proxy.close();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const app = await house.startBot({ DISCORD_API: `http://127.0.0.1:${port}` });
  expect((await house.health(app)).reason).toContain('502');
  await house.clock.untilSleeping((ms) => ms === 1_000);
  expect(upgrades).toBe(1);
  await house.clock.advance(1_000);
  await house.clock.untilSleeping((ms) => ms === 2_000);
  expect(upgrades).toBe(2);
});

const isPost = ({ method, path }: Requested) => method === 'POST' && path.endsWith('/messages');

test('one request that is answered with 401 ends nothing: the token is looked at again', async () => {
  const { house } = await aWaitingHouse();
  house.discord.faults.failNext(isPost, { kind: 'refused', error: 'unauthorized' });
  const app = await house.startBot();
  await house.clock.untilSleeping((ms) => ms <= 60_000);
  await expect
    .poll(() => house.logLines.join(), { timeout: 20_000, interval: 20 })
    .toContain('although the token is valid');
  await house.clock.advance(300_000);
  expect(textOf(await untilPosted(house))).toContain('Kettle 1');
  expect(house.announcements('deals')).toHaveLength(1);
  await house.tick(app);
  expect(await house.health(app)).toMatchObject({ status: 'ok', reason: null });
});

test('a token that is taken back while the bot runs ends it', async () => {
  const { house } = await aWaitingHouse();
  house.discord.faults.use(({ path }) =>
    isGateway({ method: 'GET', path }) || path.endsWith('/commands')
      ? undefined
      : { kind: 'refused', error: 'unauthorized' },
  );
  const app = await house.startBot();
  const error = await app.failed;
  expect(error).toBeInstanceOf(DiscordRefusedError);
  expect(error.message).toContain('DISCORD_TOKEN');
});
