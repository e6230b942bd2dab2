import { Events, GatewayIntentBits } from 'discord.js';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  expectNothingUncaught,
  HOSTILE_TARGETS,
  openSocket,
  randomRequests,
  requestTimeoutOf,
  sendAndReset,
  sendBytes,
  UPGRADE,
  WEBSOCKET_KEY,
} from '../../../test/helpers/raw-requests.ts';
import { seededRandom } from '../../../test/helpers/seeded-random.ts';
import { IDS, type LocalDiscord } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

/** A started local Discord; the test fails when it throws outside of every boundary. */
async function start(): Promise<LocalDiscord> {
  expectNothingUncaught();
  const { discord } = await startDiscord();
  return discord;
}

async function expectAnswers(discord: LocalDiscord): Promise<void> {
  const { status } = await fetch(`${discord.url}/page/state`);
  expect(status).toBe(200);
}

test('no upgrade, whatever its target and whatever its site, stops it', async () => {
  const discord = await start();
  for (const target of HOSTILE_TARGETS) {
    for (const headers of ['', 'Origin: http://evil.example\r\n']) {
      const answer = await sendBytes(
        discord.url,
        `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}${UPGRADE}${WEBSOCKET_KEY}\r\n`,
      );
      expect(answer, target).toMatch(/^HTTP\/1\.1 (4\d\d|101) /);
    }
  }
  await expectAnswers(discord);
});

test('a refused upgrade that is reset does not stop it', async () => {
  const discord = await start();
  for (const headers of ['', 'Origin: http://evil.example\r\n', 'Host: [\r\n']) {
    await sendAndReset(discord.url, `GET /gateway HTTP/1.1\r\nHost: x\r\n${headers}${UPGRADE}${WEBSOCKET_KEY}\r\n`);
  }
  await sendAndReset(discord.url, `GET /elsewhere HTTP/1.1\r\nHost: 127.0.0.1\r\n${UPGRADE}${WEBSOCKET_KEY}\r\n`);
  await sendAndReset(discord.url, `GET /gateway HTTP/1.1\r\nHost: 127.0.0.1\r\n${UPGRADE}\r\n`);
  await expectAnswers(discord);
});

test('a refused upgrade is closed, even when the other side keeps its half open', async () => {
  const discord = await start();
  const socket = openSocket(discord.url);
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  socket.resume();
  socket.write(`GET /elsewhere HTTP/1.1\r\nHost: 127.0.0.1\r\n${UPGRADE}${WEBSOCKET_KEY}\r\n`);
  await closed;
});

/** A gateway connection as bytes, past the handshake. */
function openGateway(discord: LocalDiscord, query = '?v=10&encoding=json') {
  const socket = openSocket(discord.url);
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  const ready = new Promise<void>((resolve) => {
    socket.once('data', () => resolve());
  });
  socket.write(`GET /gateway/${query} HTTP/1.1\r\nHost: 127.0.0.1\r\n${UPGRADE}${WEBSOCKET_KEY}\r\n`);
  return { socket, closed, ready };
}

/** A masked frame of a client; the mask is zeros. */
function frame(opcode: number, payload: Buffer, isFinal = true): Buffer {
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]), payload]);
}

const text = (payload: string) => frame(1, Buffer.from(payload));

const HOSTILE_FRAMES: [string, Buffer][] = [
  ['binary', frame(2, Buffer.from([0xff, 0xfe, 0]))],
  ['of bad UTF-8', frame(1, Buffer.from([0xc3, 0x28]))],
  ['of an unknown kind', frame(3, Buffer.alloc(0))],
  ['that continues nothing', frame(0, Buffer.from('x'))],
  ['of control that is fragmented', frame(9, Buffer.from('x'), false)],
  ['with reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
  ['without a mask', Buffer.from([0x81, 1, 0x78])],
  ['of 2^63 bytes', Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ['that closes with a wrong code', frame(8, Buffer.from([0, 1]))],
  ['that closes with half a code', frame(8, Buffer.from([3]))],
  ['of no JSON', text('{')],
  ['of nothing', text('')],
  ['nested', text('['.repeat(4000))],
  ['without a kind', text('{"op":{"toString":1}}')],
  ['with a token that is no text', text('{"op":2,"d":{"token":{"toString":1,"valueOf":1},"intents":1}}')],
  ['with a token of lists', text(`{"op":2,"d":{"token":${'['.repeat(1500)}${']'.repeat(1500)}}}`)],
  ['with half a shard', text('{"op":2,"d":{"token":"local.discord","intents":1,"shard":[0,1.5]}}')],
  ['with endless shards', text('{"op":2,"d":{"token":"local.discord","intents":1,"shard":[0,1e999]}}')],
  ['with half an intent', text('{"op":2,"d":{"token":"local.discord","intents":0.5}}')],
  [
    'with a shard that is no number',
    text('{"op":2,"d":{"token":"local.discord","intents":1,"shard":[{"valueOf":1,"toString":1},1]}}'),
  ],
  [
    'that resumes no text',
    text('{"op":6,"d":{"token":"local.discord","session_id":{"toString":1,"valueOf":1},"seq":0}}'),
  ],
  [
    'that resumes from no number',
    text('{"op":6,"d":{"token":"local.discord","session_id":"x","seq":{"toString":1,"valueOf":1}}}'),
  ],
];

test.each(HOSTILE_FRAMES)('a frame %s closes its connection alone', async (_, bytes) => {
  const discord = await start();
  for (const query of ['?v=10&encoding=json', '?v=9', '?encoding=etf']) {
    const { socket, closed, ready } = openGateway(discord, query);
    await ready;
    socket.end(bytes);
    await closed;
  }
  await expectAnswers(discord);
});

test('members asked for by what is no id are not found', async () => {
  const discord = await start();
  const socket = new WebSocket(`${discord.url.replace('http', 'ws')}/gateway/?v=10&encoding=json`);
  const payloads: { op: number; t: string | null }[] = [];
  const send = (payload: unknown) => socket.send(JSON.stringify(payload));
  const chunk = new Promise<void>((resolve, reject) => {
    socket.on('close', () => reject(new Error('The connection was closed.')));
    socket.on('message', (raw: Buffer) => {
      const payload = JSON.parse(raw.toString());
      payloads.push(payload);
      if (payload.op === 10) send({ op: 2, d: { token: discord.token, intents: 1, properties: {} } });
      if (payload.t === 'READY') send({ op: 8, d: { guild_id: '1', user_ids: [{ toString: 1, valueOf: 1 }, 'x'] } });
      if (payload.t === 'GUILD_MEMBERS_CHUNK') resolve();
    });
  });
  await chunk;
  socket.removeAllListeners('close');
  socket.terminate();
  await expectAnswers(discord);
});

test('requests and frames of chance stop nobody', async () => {
  const discord = await start();
  const client = await loginClient(discord);
  const requests = randomRequests(20_261_122, 400);
  for (let at = 0; at < requests.length; at += 20) {
    await Promise.all(requests.slice(at, at + 20).map((bytes) => sendBytes(discord.url, bytes)));
  }
  const random = seededRandom(7);
  for (let round = 0; round < 60; round += 1) {
    const { socket, closed, ready } = openGateway(discord);
    await ready;
    const bytes = Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256)));
    socket.write(random() < 0.5 ? bytes : frame(Math.floor(random() * 16), bytes, random() < 0.8));
    if (random() < 0.5) socket.resetAndDestroy();
    else socket.end();
    await closed;
  }
  await expectAnswers(discord);
  expect(client.isReady()).toBe(true);
});

test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '['])(
  'a page whose name, %j, was pointed here is refused',
  async (host) => {
    const discord = await start();
    for (const target of ['/page/state', '/page/updates', '/', '/api/v10/gateway']) {
      const answer = await sendBytes(
        discord.url,
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    }
    const upgrade = await sendBytes(
      discord.url,
      `GET /gateway HTTP/1.1\r\nHost: ${host}\r\n${UPGRADE}${WEBSOCKET_KEY}\r\n`,
    );
    expect(upgrade).toMatch(/^HTTP\/1\.1 404 /);
  },
);

test('a request that comes byte by byte is not waited for as long as its nonce is remembered', async () => {
  const discord = await start();
  expect(await requestTimeoutOf(discord.url)).toBe(60_000);
});

test('where connections break, what is half sent is not carried out, and the gateway stays', async () => {
  const discord = await start();
  const client = await loginClient(discord, [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages]);
  const arrived = new Promise<string>((resolve) => {
    client.once(Events.MessageCreate, ({ content }) => resolve(content));
  });
  const messages = `/channels/${IDS.deals}/messages` as const;
  const body = JSON.stringify({ content: 'Half' });
  const socket = openSocket(discord.url);
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  const begun = new Promise<void>((resolve) => {
    discord.faults.use(() => {
      resolve();
      return undefined;
    });
  });
  socket.write(
    `POST /api/v10${messages} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bot ${discord.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 4)}`,
  );
  await begun;

  discord.faults.breakConnections();
  socket.write(body.slice(4));
  await closed;
  await call(discord, 'POST', messages, { content: 'Whole' });
  expect(await arrived).toBe('Whole');
  expect(discord.messages(IDS.deals).map(({ content }) => content)).toEqual(['Whole']);
});
