import { Events, GatewayIntentBits, REST } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { sendBytes } from '../../../test/helpers/raw-requests.ts';
import { IDS, type LocalDiscord } from '../src/server/local-discord.ts';
import { LOCAL_TOKEN } from '../src/server/seed.ts';
import { call, deferred, loginClient, restOf, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages` as const;

test('a dropped connection is resumed, and what happened meanwhile arrives', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord, [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages]);
  const resumed = deferred<number>();
  const arrived: string[] = [];
  client.on(Events.MessageCreate, ({ content }) => arrived.push(content));
  client.once(Events.ShardResume, (_id, replayed) => resumed.resolve(replayed));

  const gone = deferred<void>();
  discord.onUpdate((update) => update.type === 'bot' && update.bot === null && gone.resolve());
  discord.faults.closeGateway(4000);
  await gone.promise;
  await call(discord, 'POST', MESSAGES, { content: 'Meanwhile' });

  expect(await resumed.promise).toBeGreaterThan(0);
  expect(arrived).toEqual(['Meanwhile']);
});

/** A bare connection, past HELLO. */
async function connect(discord: LocalDiscord, query = '?v=10&encoding=json', headers: Record<string, string> = {}) {
  const { body } = await call(discord, 'GET', '/gateway/bot');
  const socket = new WebSocket(`${String(body['url'])}/${query}`, { headers });
  onTestFinished(() => socket.terminate());
  const closed = new Promise<number>((resolve) => {
    socket.once('close', resolve);
  });
  const hello = new Promise<unknown>((resolve, reject) => {
    socket.once('message', (raw: Buffer) => resolve(JSON.parse(raw.toString())));
    socket.once('error', reject);
  });
  return { socket, closed, hello, send: (payload: unknown) => socket.send(JSON.stringify(payload)) };
}

/** The next payload. */
function next(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve) => {
    socket.once('message', (raw: Buffer) => resolve(JSON.parse(raw.toString())));
  });
}

test.for([
  ['an unknown token', { op: 2, d: { token: 'another', intents: 1, properties: {} } }, 4004],
  ['unknown intents', { op: 2, d: { token: LOCAL_TOKEN, intents: 2 ** 40, properties: {} } }, 4013],
  ['a wrong shard', { op: 2, d: { token: LOCAL_TOKEN, intents: 1, properties: {}, shard: [2, 1] } }, 4010],
  ['a payload before the identify', { op: 3, d: {} }, 4003],
  ['too large a payload', { op: 1, d: 'x'.repeat(4096) }, 4002],
] as const)('%s closes the connection', async ([, payload, code]) => {
  const { discord } = await startDiscord();
  const { closed, hello, send } = await connect(discord);
  expect(await hello).toMatchObject({ op: 10, d: { heartbeat_interval: 41_250 } });
  send(payload);
  expect(await closed).toBe(code);
});

test('another version is refused', async () => {
  const { discord } = await startDiscord();
  const { closed } = await connect(discord, '?v=8&encoding=json');
  expect(await closed).toBe(4012);
});

test('more than 120 sends in a minute close the connection', async () => {
  const { discord } = await startDiscord();
  const { closed, hello, send } = await connect(discord);
  await hello;
  for (let number = 1; number <= 121; number += 1) send({ op: 1, d: null });
  expect(await closed).toBe(4008);
});

test('a heartbeat is acknowledged', async () => {
  const { discord } = await startDiscord();
  const { socket, hello, send } = await connect(discord);
  await hello;
  const answer = next(socket);
  send({ op: 1, d: null });
  expect(await answer).toMatchObject({ op: 11 });
});

test('a bot elsewhere is told the host that it came to', async () => {
  const { discord } = await startDiscord({ host: '0.0.0.0' });
  const host = '192.0.2.7:8080';
  const answer = await sendBytes(
    discord.url,
    `GET /api/v10/gateway/bot HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bot ${discord.token}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toContain(`"url":"ws://${host}/gateway"`);
  const { socket, hello, send } = await connect(discord, undefined, { host });
  await hello;
  const ready = next(socket);
  send({ op: 2, d: { token: discord.token, intents: 1, properties: {} } });
  expect(await ready).toMatchObject({ t: 'READY', d: { resume_gateway_url: `ws://${host}/gateway` } });
});

test('who begins anew has left its earlier session', async () => {
  const { discord } = await startDiscord();
  const first = await connect(discord);
  await first.hello;
  const identify = { op: 2, d: { token: discord.token, intents: 1, properties: {} } };
  const ready = next(first.socket);
  first.send(identify);
  const { d } = (await ready) as { d: { session_id: string } };
  const gone = deferred<void>();
  discord.onUpdate((update) => update.type === 'bot' && update.bot === null && gone.resolve());
  first.socket.terminate();
  await gone.promise;
  await loginClient(discord);
  const second = await connect(discord);
  await second.hello;
  const answer = next(second.socket);
  second.send({ op: 6, d: { token: discord.token, session_id: d.session_id, seq: 1 } });
  expect(await answer).toMatchObject({ op: 9, d: false });
});

test('a session that is forgotten, or never was, cannot be resumed', async () => {
  const { discord } = await startDiscord();
  await loginClient(discord);
  discord.faults.closeGateway(4000, { forget: true });
  const { socket, hello, send } = await connect(discord);
  await hello;
  const answer = next(socket);
  send({ op: 6, d: { token: discord.token, session_id: 'gone', seq: 1 } });
  expect(await answer).toMatchObject({ op: 9, d: false });
});

test('a page of another site cannot connect', async () => {
  const { discord } = await startDiscord();
  const { hello } = await connect(discord, '?v=10', { origin: 'https://elsewhere.example' });
  await expect(hello).rejects.toThrow('404');
});

test('an accepted message whose answer is lost is not posted again', async () => {
  const { discord } = await startDiscord();
  const rest = new REST({ api: discord.api }).setToken(discord.token);
  discord.faults.failNext(({ method }) => method === 'POST', { kind: 'error', status: 502, accepted: true }, 2);
  const body = { content: 'A', nonce: '1', enforce_nonce: true };
  const message = await rest.post(MESSAGES, { body });
  expect(message).toMatchObject({ content: 'A' });
  expect(discord.messages(IDS.deals)).toHaveLength(1);
  await rest.post(MESSAGES, { body: { content: 'B' } });
  expect(discord.messages(IDS.deals)).toHaveLength(2);
});

test('faults come before or after a request, as a hook decides', async () => {
  const { discord } = await startDiscord();
  const rest = restOf(discord);
  const send = () => rest.post(MESSAGES, { body: { content: 'A' } });
  discord.faults.use(() => ({ kind: 'error', status: 503, accepted: false }));
  await expect(send()).rejects.toMatchObject({ status: 503 });
  expect(discord.messages(IDS.deals)).toHaveLength(0);

  discord.faults.use(({ path }) => (path === MESSAGES ? { kind: 'drop', accepted: true } : undefined));
  await expect(send()).rejects.toThrow();
  expect(discord.messages(IDS.deals)).toHaveLength(1);
  discord.faults.use(() => ({ kind: 'drop', accepted: false }));
  await expect(send()).rejects.toThrow();
  expect(discord.messages(IDS.deals)).toHaveLength(1);

  discord.faults.use(() => ({ kind: 'rate-limit', retryAfterMs: 2500, scope: 'shared' }));
  const refused = await call(discord, 'POST', MESSAGES, { content: 'A' });
  expect(refused).toMatchObject({ status: 429, body: { retry_after: 2.5, global: false } });
  expect(refused.headers.get('x-ratelimit-scope')).toBe('shared');
  discord.faults.use(null);
  await send();
  expect(discord.messages(IDS.deals)).toHaveLength(2);
});

test('a bot can be among many servers', async () => {
  const { discord } = await startDiscord({ moreServers: 3 });
  const client = await loginClient(discord);
  expect(client.guilds.cache.map(({ name }) => name).toSorted()).toEqual([
    'Bargain Corner',
    'Server 1',
    'Server 2',
    'Server 3',
  ]);
  expect(client.channels.cache.size).toBe(3 + 3 * 25);
});

test('an application without a privileged intent is told so, as Discord tells a bot that forgot the switch', async () => {
  const { discord } = await startDiscord({ privilegedIntents: ['messageContent'] });
  await expect(loginClient(discord, [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers])).rejects.toThrow(
    'Used disallowed intents',
  );
  await expect(loginClient(discord, [GatewayIntentBits.GuildPresences])).rejects.toThrow('Used disallowed intents');
  const client = await loginClient(discord, [GatewayIntentBits.Guilds, GatewayIntentBits.MessageContent]);
  expect(client.application.flags.toArray()).toEqual(['GatewayMessageContentLimited']);
  expect(await call(discord, 'GET', '/applications/@me')).toMatchObject({ body: { flags: 1 << 19 } });
  expect(await call(discord, 'GET', `/guilds/${IDS.guild}/members?limit=5`)).toMatchObject({
    status: 403,
    body: { code: 50_001 },
  });
});
