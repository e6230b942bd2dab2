import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { BOT_USER, IDS, LOCAL_TOKEN } from './seed.ts';
import { isRecord } from './validate/form.ts';

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voiceState: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

/**
 * After these a session is over and can't be resumed, whatever the code says of connecting again:
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const ENDING_CODES: readonly number[] = [4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014];
/** What no frame can carry: the other side sees it when a connection breaks. */
const ABNORMAL_CLOSURE = 1006;

const CLOSE = {
  unknownError: 4000,
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  rateLimited: 4008,
  invalidShard: 4010,
  invalidVersion: 4012,
  invalidIntents: 4013,
} as const;

const HEARTBEAT_INTERVAL_MS = 41_250;
/** https://discord.com/developers/docs/topics/gateway#sending-events and #rate-limiting */
const PAYLOAD_BYTES = 4096;
const SENDS = { number: 120, perMs: 60_000 } as const;
/** Bytes that wait for a client that reads nothing: then the connection is cut. */
const MOST_BUFFERED_BYTES = 256 << 20;
/** Events that are kept for a connection that comes back. */
const REPLAY_EVENTS = 1000;
const ALL_INTENTS = (1 << 29) - 1;

interface GatewayEvent {
  t: string;
  d: unknown;
  s: number;
}

interface Session {
  id: string;
  intents: number;
  sequence: number;
  /** The latest events, for a resume. */
  events: GatewayEvent[];
  socket: WebSocket | null;
}

export interface Gateway {
  /** Takes over the HTTP upgrade of a gateway connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends an event to every session that asked for one of `intents` (0: to all), or keeps it for its resume. */
  dispatch(type: string, data: unknown, intents?: number): void;
  /** Whether there is a bot that gets events now, or would after a resume. */
  hasSession(): boolean;
  isConnected(): boolean;
  closeAll(code: number, options?: { forget?: boolean }): void;
  /** Opcode 7. */
  reconnectAll(): void;
  /** Opcode 9. A session that is not resumable is forgotten. */
  invalidateAll(resumable: boolean): void;
  /** Lets go of every connection at once. */
  stop(): void;
}

interface Dependencies {
  clock: Clock;
  log: Log;
  /** `ws://…` of this server. */
  url: () => string;
  /** GUILD_CREATE, as it stands, of every server that the bot is in. */
  guildCreates: () => Iterable<{ id: string }>;
  members: () => { user: { id: string } }[];
  onConnected: (connected: boolean) => void;
}

/** The gateway: https://discord.com/developers/docs/topics/gateway, version 10, JSON without compression. */
export function createGateway({ clock, log, url, guildCreates, members, onConnected }: Dependencies): Gateway {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  const sessions = new Map<string, Session>();
  /** The other side repeats the code that it was closed with. */
  const closedFromHere = new WeakSet<WebSocket>();

  function dispatchTo(session: Session, type: string, data: unknown): void {
    session.sequence += 1;
    const event = { t: type, d: data, s: session.sequence };
    session.events.push(event);
    if (session.events.length > REPLAY_EVENTS) session.events.shift();
    if (session.socket) send(session.socket, { op: OP.dispatch, ...event });
  }

  function connected(): boolean {
    return [...sessions.values()].some((session) => session.socket !== null);
  }

  function attach(session: Session, socket: WebSocket): void {
    session.socket?.close(1000);
    session.socket = socket;
    onConnected(true);
  }

  function identify(socket: WebSocket, data: Record<string, unknown>): Session | undefined {
    const intents = data['intents'];
    const [index, count]: unknown[] = Array.isArray(data['shard']) ? data['shard'] : [0, 1];
    if (!isWhole(intents) || intents < 0 || intents > ALL_INTENTS) {
      socket.close(CLOSE.invalidIntents, 'Invalid intent(s).');
      return undefined;
    }
    if (!isWhole(index) || !isWhole(count) || index < 0 || index >= count) {
      socket.close(CLOSE.invalidShard, 'Invalid shard.');
      return undefined;
    }
    // Whoever begins anew does not come back for what it left, for instance when it was killed.
    for (const left of sessions.values()) if (!left.socket) sessions.delete(left.id);
    const id = randomBytes(16).toString('hex');
    const session: Session = { id, intents, sequence: 0, events: [], socket: null };
    sessions.set(id, session);
    attach(session, socket);
    // Which shard a guild belongs to: https://discord.com/developers/docs/topics/gateway#sharding
    const guilds = [...guildCreates()].filter((guild) => Number((BigInt(guild.id) >> 22n) % BigInt(count)) === index);
    dispatchTo(session, 'READY', {
      v: 10,
      user: { ...BOT_USER, verified: true, mfa_enabled: false, email: null },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: id,
      session_type: 'normal',
      resume_gateway_url: url(),
      shard: [index, count],
      application: { id: IDS.application, flags: 0 },
      private_channels: [],
      relationships: [],
      user_settings: {},
      presences: [],
      guild_join_requests: [],
      geo_ordered_rtc_regions: [],
    });
    for (const guild of guilds) dispatchTo(session, 'GUILD_CREATE', guild);
    return session;
  }

  function resume(socket: WebSocket, data: Record<string, unknown>): Session | undefined {
    const { session_id: id, seq: seen } = data;
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    const oldest = session?.events[0]?.s ?? 1;
    if (!session || !isWhole(seen) || seen + 1 < oldest) {
      send(socket, { op: OP.invalidSession, d: false });
      return undefined;
    }
    if (seen > session.sequence) {
      socket.close(CLOSE.invalidSequence, 'Invalid seq.');
      return undefined;
    }
    attach(session, socket);
    for (const event of session.events) if (event.s > seen) send(socket, { op: OP.dispatch, ...event });
    dispatchTo(session, 'RESUMED', {});
    return session;
  }

  function handle(socket: WebSocket): void {
    let last: Session | undefined;
    /** Whose connection this is, unless that session was ended or has moved on. */
    const attached = () => (last?.socket === socket ? last : undefined);
    let window = { sends: 0, sinceMs: clock.monotonicMs() };
    send(socket, { op: OP.hello, d: { heartbeat_interval: HEARTBEAT_INTERVAL_MS } });

    const authenticate = (data: unknown, enter: typeof identify) => {
      if (attached()) return socket.close(CLOSE.alreadyAuthenticated, 'Already authenticated.');
      const given = isRecord(data) ? data : {};
      // discord.js sends the bare token, other libraries the one with "Bot ".
      if (![LOCAL_TOKEN, `Bot ${LOCAL_TOKEN}`].some((token) => token === given['token'])) {
        return socket.close(CLOSE.authenticationFailed, 'Authentication failed.');
      }
      last = enter(socket, given);
    };

    const receive = (raw: RawData) => {
      if (clock.monotonicMs() - window.sinceMs >= SENDS.perMs) window = { sends: 0, sinceMs: clock.monotonicMs() };
      window.sends += 1;
      if (window.sends > SENDS.number) return socket.close(CLOSE.rateLimited, 'Rate limited.');
      const payload = decode(raw);
      if (!payload) return socket.close(CLOSE.decodeError, 'Error while decoding payload.');
      const { op, d } = payload;
      if (op === OP.heartbeat) return send(socket, { op: OP.heartbeatAck });
      if (op === OP.identify) return authenticate(d, identify);
      if (op === OP.resume) return authenticate(d, resume);
      const session = attached();
      if (!session) return socket.close(CLOSE.notAuthenticated, 'Not authenticated.');
      if (op === OP.requestMembers) return sendMembers(session, d);
      if (op !== OP.presence && op !== OP.voiceState) socket.close(CLOSE.unknownOpcode, 'Unknown opcode.');
    };

    socket.on('message', (raw) => {
      try {
        receive(raw);
      } catch (error) {
        // An event emitter passes what its listener throws on to the process.
        log.error({ err: error }, 'A gateway payload could not be handled');
        socket.close(CLOSE.unknownError, 'Unknown error.');
      }
    });
    socket.on('close', (code) => {
      const session = attached();
      if (!session) return;
      session.socket = null;
      // A client that closes with 1000 or 1001 gives its session up.
      if (!closedFromHere.has(socket) && (code === 1000 || code === 1001)) sessions.delete(session.id);
      if (!connected()) onConnected(false);
    });
  }

  /** https://discord.com/developers/docs/events/gateway-events#request-guild-members */
  function sendMembers(session: Session, asked: unknown): void {
    const wanted = isRecord(asked) ? [asked['user_ids'] ?? []].flat().filter((id) => typeof id === 'string') : [];
    const found = wanted.length > 0 ? members().filter(({ user }) => wanted.includes(user.id)) : members();
    dispatchTo(session, 'GUILD_MEMBERS_CHUNK', {
      guild_id: IDS.guild,
      members: found,
      chunk_index: 0,
      chunk_count: 1,
      not_found: wanted.filter((id) => !found.some(({ user }) => user.id === id)),
      ...(isRecord(asked) && asked['nonce'] !== undefined && { nonce: asked['nonce'] }),
    });
  }

  return {
    upgrade(request, socket, head) {
      const query = new URLSearchParams(targetOf(request).query);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        // First of all: a frame that breaks the protocol is an event "error", which without a listener ends the process.
        webSocket.on('error', (error) => log.debug({ err: error }, 'A gateway connection broke'));
        if ((query.get('v') ?? '10') !== '10') return webSocket.close(CLOSE.invalidVersion, 'Invalid API version.');
        if ((query.get('encoding') ?? 'json') !== 'json') return webSocket.close(CLOSE.decodeError, 'Only JSON.');
        handle(webSocket);
      });
    },
    dispatch(type, data, intents = 0) {
      for (const session of sessions.values()) {
        if (intents === 0 || (session.intents & intents) !== 0) dispatchTo(session, type, data);
      }
    },
    hasSession: () => sessions.size > 0,
    isConnected: connected,
    closeAll(code, options = {}) {
      if (options.forget || ENDING_CODES.includes(code)) sessions.clear();
      for (const socket of server.clients) {
        closedFromHere.add(socket);
        if (code === ABNORMAL_CLOSURE) socket.terminate();
        else socket.close(code);
      }
    },
    reconnectAll() {
      for (const { socket } of sessions.values()) if (socket) send(socket, { op: OP.reconnect });
    },
    invalidateAll(resumable) {
      for (const session of sessions.values()) {
        if (session.socket) send(session.socket, { op: OP.invalidSession, d: resumable });
        // The connection stays, and whoever wants to may resume or begin anew on it.
        session.socket = null;
      }
      if (!resumable) sessions.clear();
      onConnected(false);
    },
    stop() {
      for (const socket of server.clients) socket.terminate();
      sessions.clear();
    },
  };
}

function send(socket: WebSocket, payload: { op: number; d?: unknown; t?: string; s?: number }): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > MOST_BUFFERED_BYTES) socket.terminate();
  else socket.send(JSON.stringify({ d: null, s: null, t: null, ...payload }));
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function decode(raw: RawData): { op: number; d: unknown } | undefined {
  const bytes = Buffer.isBuffer(raw) ? raw : Array.isArray(raw) ? Buffer.concat(raw) : Buffer.from(raw);
  if (bytes.byteLength > PAYLOAD_BYTES) return undefined;
  try {
    const payload: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(payload) && typeof payload['op'] === 'number' ? { op: payload['op'], d: payload['d'] } : undefined;
  } catch {
    return undefined;
  }
}

/** Attaches the gateway to an HTTP server below `path`; other upgrades, and those `isAllowed` refuses, are cut off. */
export function serveGateway(
  http: Server,
  path: string,
  gateway: Gateway,
  isAllowed: (request: IncomingMessage) => boolean,
): void {
  http.on('upgrade', (request, socket, head) => {
    // The HTTP server has let go of the socket: nobody else listens, and a reset would end the process.
    socket.on('error', () => socket.destroy());
    if (targetOf(request).path.replace(/\/$/, '') === path && isAllowed(request)) {
      gateway.upgrade(request, socket, head);
      return;
    }
    socket.once('finish', () => socket.destroy());
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
  });
}

/** A request's target in its two parts. It is no address: `new URL` throws on what any program can send here. */
function targetOf({ url = '' }: IncomingMessage): { path: string; query: string } {
  const [path = '', query = ''] = url.split('?', 2);
  return { path, query };
}
