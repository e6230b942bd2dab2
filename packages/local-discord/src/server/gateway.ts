import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../clock.ts';
import type { ReachedBy } from './attachments.ts';
import {
  CLOSE,
  createEntrance,
  type Enter,
  type EntranceDependencies,
  isInShard,
  OP,
  type Session,
  send,
  type Way,
} from './gateway-session.ts';
import { isNamed, type NamedMember } from './members.ts';
import { IDS, LOCAL_TOKEN } from './seed.ts';
import { isRecord } from './validate/form.ts';

/**
 * Close codes that end a session for good, whether or not the code allows connecting again:
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const ENDING_CODES: readonly number[] = [4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014];
/** No frame carries this code: the other side reports it when a connection breaks. */
const ABNORMAL_CLOSURE = 1006;

/** They differ in nothing that is here. */
const VERSIONS: readonly string[] = ['9', '10'];

const HEARTBEAT_INTERVAL_MS = 41_250;
/** https://discord.com/developers/docs/topics/gateway#sending-events and #rate-limiting */
const PAYLOAD_BYTES = 4096;
const SENDS = { number: 120, perMs: 60_000 } as const;

export interface Gateway {
  /** Takes over the HTTP upgrade of a gateway connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Dispatches an event to every session of its server's shard with one of `intents` (0: to all). A session without a connection keeps it for
   * its resume.
   * @param lesser what those get that lack an intent
   */
  dispatch(type: string, data: unknown, intents?: number, lesser?: { lacking: number; data: unknown }): void;
  /** Whether a bot gets events now, or would get them after a resume. */
  hasSession(): boolean;
  isConnected(): boolean;
  closeAll(code: number, options?: { forget?: boolean }): void;
  /** Sends opcode 7 to every connection. */
  reconnectAll(): void;
  /** Sends opcode 9 to every connection. A session that is not resumable is deleted. */
  invalidateAll(resumable: boolean): void;
  /** Cuts every connection at once. */
  stop(): void;
}

interface Dependencies extends EntranceDependencies {
  clock: Clock;
  log: Logger;
  members: (guildId: string) => NamedMember[];
  reachedBy: ReachedBy;
}

/** The gateway: https://discord.com/developers/docs/topics/gateway, version 10, JSON without compression. */
export function createGateway({ clock, log, members, reachedBy, ...entering }: Dependencies): Gateway {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  const sessions = new Map<string, Session>();
  /**
   * Connections closed by this server: the client repeats the code, so the code says nothing about the client's intent.
   */
  const closedFromHere = new WeakSet<WebSocket>();
  const entrance = createEntrance(sessions, entering);
  const isConnected = () => [...sessions.values()].some((session) => session.socket !== null);

  function left(socket: WebSocket, session: Session, code: number): void {
    session.socket = null;
    // A client that closes with 1000 or 1001 ends its session.
    if (!closedFromHere.has(socket) && (code === 1000 || code === 1001)) sessions.delete(session.id);
    if (!isConnected()) entering.onConnected(false);
  }

  return {
    upgrade(request, socket, head) {
      const query = new URLSearchParams(targetOf(request).query);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        // The listener comes first: a frame that breaks the protocol fires "error", which without a listener ends the
        // process.
        webSocket.on('error', (error) => log.debug({ err: error }, 'A gateway connection broke'));
        if (!VERSIONS.includes(query.get('v') ?? '10'))
          return webSocket.close(CLOSE.invalidVersion, 'Invalid API version.');
        if ((query.get('encoding') ?? 'json') !== 'json') return webSocket.close(CLOSE.decodeError, 'Only JSON.');
        const reached = (text: string) => reachedBy(request.headers, text);
        converse(webSocket, { clock, log, members, left, way: { url: gatewayUrl(request), reached }, ...entrance });
      });
    },
    dispatch(type, data, intents = 0, lesser) {
      for (const session of sessions.values()) {
        const isWanted = intents === 0 || (session.intents & intents) !== 0;
        if (!isWanted || !isInShard(guildIdOf(type, data), session.shard)) continue;
        const isLacking = lesser !== undefined && (session.intents & lesser.lacking) === 0;
        session.dispatch(type, isLacking ? lesser.data : data);
      }
    },
    hasSession: () => sessions.size > 0,
    isConnected,
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
        // The connection stays open: the bot may resume or identify anew on it.
        session.socket = null;
      }
      if (!resumable) sessions.clear();
      entering.onConnected(false);
    },
    stop() {
      for (const socket of server.clients) socket.terminate();
      sessions.clear();
    },
  };
}

interface Conversation extends Pick<Dependencies, 'clock' | 'log' | 'members'> {
  way: Way;
  identify: Enter;
  resume: Enter;
  /** Called when the connection that carried the session is closed with that code. */
  left: (socket: WebSocket, session: Session, code: number) => void;
}

/** Sends hello on a connection and answers its payloads. */
function converse(socket: WebSocket, { clock, log, members, way, identify, resume, left }: Conversation): void {
  let last: Session | undefined;
  /** The session of this connection, unless the session was ended or has moved to another connection. */
  const attached = () => (last?.socket === socket ? last : undefined);
  let window = { sends: 0, sinceMs: clock.monotonicMs() };
  send(socket, { op: OP.hello, d: { heartbeat_interval: HEARTBEAT_INTERVAL_MS } });

  const authenticate = (data: unknown, enter: Enter) => {
    if (attached()) return socket.close(CLOSE.alreadyAuthenticated, 'Already authenticated.');
    const given = isRecord(data) ? data : {};
    // discord.js sends the bare token, other libraries send it with "Bot " before it.
    if (![LOCAL_TOKEN, `Bot ${LOCAL_TOKEN}`].some((token) => token === given['token'])) {
      return socket.close(CLOSE.authenticationFailed, 'Authentication failed.');
    }
    last = enter(socket, given, way);
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
    if (op === OP.requestMembers) return sendMembers(session, d, members);
    if (op === OP.requestSoundboardSounds) return sendSounds(session, d);
    if (op !== OP.presence && op !== OP.voiceState) socket.close(CLOSE.unknownOpcode, 'Unknown opcode.');
  };

  socket.on('message', (raw) => {
    try {
      receive(raw);
    } catch (error) {
      // An error that a listener throws would reach the process and end it.
      log.error({ err: error }, 'A gateway payload could not be handled');
      socket.close(CLOSE.unknownError, 'Unknown error.');
    }
  });
  socket.on('close', (code) => {
    const session = attached();
    if (session) left(socket, session, code);
  });
}

/** https://discord.com/developers/docs/events/gateway-events#request-guild-members */
function sendMembers(session: Session, asked: unknown, membersOf: Dependencies['members']): void {
  const guildId = isRecord(asked) && typeof asked['guild_id'] === 'string' ? asked['guild_id'] : IDS.guild;
  const members = membersOf(guildId);
  const { query = '', limit = 0, user_ids: userIds = [] } = isRecord(asked) ? asked : {};
  const wanted = [userIds].flat().filter((id) => typeof id === 'string');
  const named = members.filter((member) => isNamed(member, String(query)));
  const found =
    wanted.length > 0
      ? members.filter(({ user }) => wanted.includes(user.id))
      : named.slice(0, Number(limit) > 0 ? Number(limit) : named.length);
  session.dispatch('GUILD_MEMBERS_CHUNK', {
    guild_id: guildId,
    members: found,
    chunk_index: 0,
    chunk_count: 1,
    not_found: wanted.filter((id) => !found.some(({ user }) => user.id === id)),
    ...(isRecord(asked) && asked['nonce'] !== undefined && { nonce: asked['nonce'] }),
  });
}

/** No server here has sounds: https://discord.com/developers/docs/events/gateway-events#request-soundboard-sounds */
function sendSounds(session: Session, asked: unknown): void {
  const guildIds = isRecord(asked) ? [asked['guild_ids'] ?? []].flat() : [];
  for (const guildId of guildIds) session.dispatch('SOUNDBOARD_SOUNDS', { guild_id: guildId, soundboard_sounds: [] });
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

/**
 * Attaches the gateway to an HTTP server below `path`. Other upgrades, and those that `isAllowed` refuses, are cut off.
 */
export function serveGateway(
  http: Server,
  path: string,
  gateway: Gateway,
  isAllowed: (request: IncomingMessage) => boolean,
): void {
  http.on('upgrade', (request, socket, head) => {
    // The HTTP server no longer listens to the socket, and a reset without a listener would end the process.
    socket.on('error', () => socket.destroy());
    if (targetOf(request).path.replace(/\/$/, '') === path && isAllowed(request)) {
      gateway.upgrade(request, socket, head);
      return;
    }
    socket.once('finish', () => socket.destroy());
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
  });
}

/**
 * The gateway's URL at the host that a request came to: a server that listens on all addresses doesn't know by which of
 * them others reach it. Requests whose Host is no address or name of this server are refused before.
 */
export function gatewayUrl({ headers: { host = '' } }: Pick<IncomingMessage, 'headers'>): string {
  return `ws://${new URL(`http://${host}`).host}/gateway`;
}

/** Splits a request's target into path and query. `new URL` would throw on some targets that a program can send. */
function targetOf({ url = '' }: IncomingMessage): { path: string; query: string } {
  const [path = '', query = ''] = url.split('?', 2);
  return { path, query };
}

/** The server that an event is about; null for an event of none. */
function guildIdOf(type: string, data: unknown): string | null {
  const { id, guild_id: guildId } = data as { id?: string; guild_id?: string };
  if (guildId !== undefined) return guildId;
  return /^GUILD_(CREATE|UPDATE|DELETE)$/.test(type) ? (id ?? null) : null;
}
