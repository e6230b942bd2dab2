import { once } from 'node:events';
import { Agent, createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { LocalDiscord } from '../packages/local-discord/src/index.ts';
import { CHANNEL } from '../packages/local-discord/src/index.ts';
import { guildCreate } from '../packages/local-discord/src/server/gateway-events.ts';
import { IDS, newChannel, role } from '../packages/local-discord/src/server/seed.ts';
import { World } from '../packages/local-discord/src/server/world.ts';

/** Numbers of channels and roles in each of the servers, the role @everyone included. */
export const CHANNELS = 30;
export const ROLES = 20;

/** Earlier than every id of local Discord. Discord derives a server's shard from the milliseconds of its id. */
const FIRST_MS = 200_000_000_000;
const idOf = (server: number, thing: number) => String((BigInt(FIRST_MS + server) << 22n) + BigInt(thing));

/** @param server counted from 0 */
export const guildIdOf = (server: number) => idOf(server, 0);
/** @param channel counted from 0 */
export const channelIdOf = (server: number, channel: number) => idOf(server, ROLES + channel);

export interface CrowdedDiscord {
  /** The value for discord.js's option `rest.api`. */
  api: string;
  stop(): void;
}

interface Ready {
  t: string | null;
  s: number;
  d: { guilds: { id: string; unavailable: boolean }[]; shard: [index: number, count: number] };
}

/**
 * Puts a proxy before local Discord, whose gateway tells a bot of so many more servers, in which nobody does anything.
 * The servers are made while they are sent, so that their number is not limited by the memory of this process.
 */
export async function startCrowdedDiscord(discord: LocalDiscord, servers: number): Promise<CrowdedDiscord> {
  const { hostname, port } = new URL(discord.url);
  const agent = new Agent({ keepAlive: true });
  // Local Discord names its gateway by the header `host`, so the bot connects to this proxy's.
  const http = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const forwarded = sendRequest({ hostname, port, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  // The bot is told local Discord's time, which is longer than that of an HTTP server.
  http.keepAliveTimeout = 0;
  const gateway = new WebSocketServer({ server: http });
  gateway.on('connection', (bot, { url: path = '' }) => {
    const behind = new WebSocket(`ws://${hostname}:${port}${path}`);
    let isReady = false;
    behind.on('message', (raw) => {
      const ready = isReady || !Buffer.isBuffer(raw) ? null : (JSON.parse(raw.toString()) as Ready);
      if (ready?.t !== 'READY') return bot.send(raw, { binary: false });
      isReady = true;
      void tellOfServers(bot, ready, servers);
    });
    bot.on('message', (raw) => behind.send(raw, { binary: false }));
    bot.on('close', () => behind.terminate());
    behind.on('close', () => bot.terminate());
    // "close" follows; without a listener, an error would end the process.
    for (const socket of [bot, behind]) socket.on('error', () => undefined);
  });
  http.listen(0, hostname);
  await once(http, 'listening');
  return {
    api: `http://${hostname}:${(http.address() as AddressInfo).port}/api`,
    stop() {
      for (const socket of gateway.clients) socket.terminate();
      http.close();
      http.closeAllConnections();
      agent.destroy();
    },
  };
}

/** Sends the event READY with the servers of its shard, then each of them. */
async function tellOfServers(bot: WebSocket, ready: Ready, servers: number): Promise<void> {
  const [shard, shards] = ready.d.shard;
  const own = Array.from({ length: servers }, (_, server) => server).filter(
    (server) => (FIRST_MS + server) % shards === shard,
  );
  ready.d.guilds.push(...own.map((server) => ({ id: guildIdOf(server), unavailable: true })));
  bot.send(JSON.stringify(ready));
  const template = guildCreate(new World());
  for (const server of own) {
    const event = { op: 0, t: 'GUILD_CREATE', s: ready.s, d: guildOf(server, template) };
    // The next one waits until this one is sent: a bot that reads slowly fills no memory here.
    await new Promise<void>((resolve) => bot.send(JSON.stringify(event), () => resolve()));
  }
}

function guildOf(server: number, template: ReturnType<typeof guildCreate>): object {
  const id = guildIdOf(server);
  return {
    ...template,
    id,
    name: `Server ${server + 1}`,
    // The role @everyone has the server's id.
    roles: Array.from({ length: ROLES }, (_, index) => role(idOf(server, index), `Role ${index}`, index, 0n)),
    members: template.members
      .filter(({ user }) => user.id === IDS.application)
      .map((member) => ({ ...member, roles: [] })),
    channels: Array.from({ length: CHANNELS }, (_, position) => ({
      ...newChannel({
        id: channelIdOf(server, position),
        type: CHANNEL.text,
        name: `channel-${position + 1}`,
        position,
      }),
      guild_id: id,
    })),
    threads: [],
  };
}
