import { randomBytes } from 'node:crypto';
import type { APIUser } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import { asksForTooMuch, flagsOf, type PrivilegedIntent } from './privileged-intents.ts';
import { IDS } from './seed.ts';

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
export const OP = {
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
  requestSoundboardSounds: 31,
} as const;

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
export const CLOSE = {
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
  disallowedIntents: 4014,
} as const;

/** Most bytes that may wait for a client that reads nothing; beyond them the connection is cut. */
const MOST_BUFFERED_BYTES = 256 << 20;
/** Number of events kept for a connection that resumes. */
const REPLAY_EVENTS = 1000;
const ALL_INTENTS = (1 << 29) - 1;

interface GatewayEvent {
  t: string;
  d: unknown;
  s: number;
}

/** The part of the servers whose events a session gets. */
export interface Shard {
  index: number;
  count: number;
}

/**
 * Whether a server's events go to a shard; those of no server, as of direct messages, go to the first one.
 * @see https://discord.com/developers/docs/events/gateway#sharding
 */
export function isInShard(guildId: string | null, { index, count }: Shard): boolean {
  return guildId === null ? index === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;
}

/**
 * A gateway session, begun by an identify. It outlives a broken connection and keeps its latest events for a resume.
 */
export class Session {
  readonly id = randomBytes(16).toString('hex');
  readonly intents: number;
  readonly shard: Shard;
  socket: WebSocket | null = null;
  /** As of the connection. */
  reached: Way['reached'] = (text) => text;
  #sequence = 0;
  readonly #events: GatewayEvent[] = [];

  constructor(intents: number, shard: Shard) {
    this.intents = intents;
    this.shard = shard;
  }

  get sequence(): number {
    return this.#sequence;
  }

  dispatch(type: string, data: unknown): void {
    this.#sequence += 1;
    const event = { t: type, d: data, s: this.#sequence };
    this.#events.push(event);
    if (this.#events.length > REPLAY_EVENTS) this.#events.shift();
    if (this.socket) send(this.socket, { op: OP.dispatch, ...event }, this.reached);
  }

  /** Whether every event after number `seen` is still kept, so that a client that has seen it can resume. */
  reachesBackTo(seen: number): boolean {
    return seen + 1 >= (this.#events[0]?.s ?? 1);
  }

  replayAfter(seen: number, socket: WebSocket): void {
    for (const event of this.#events) {
      if (event.s > seen) send(socket, { op: OP.dispatch, ...event }, this.reached);
    }
  }
}

export interface EntranceDependencies {
  /** The data of GUILD_CREATE for every server that the bot is in. */
  guildCreates: () => Iterable<{ id: string }>;
  onConnected: (connected: boolean) => void;
  bot: APIUser;
  /** The application has these; a client that asks for another is refused. */
  privilegedIntents: readonly PrivilegedIntent[];
}

/** How a connection came to this server. */
export interface Way {
  /** The `ws://…` URL. */
  url: string;
  /** Makes the files that a text names reachable in the same way. */
  reached: (text: string) => string;
}

/** Begins or resumes a session on a connection. Returns undefined if it refused, after telling the connection why. */
export type Enter = (socket: WebSocket, data: Record<string, unknown>, way: Way) => Session | undefined;

/** Identify and resume: https://discord.com/developers/docs/events/gateway-events#identify */
export function createEntrance(
  sessions: Map<string, Session>,
  { guildCreates, onConnected, bot, privilegedIntents }: EntranceDependencies,
): { identify: Enter; resume: Enter } {
  function attach(session: Session, socket: WebSocket, { reached }: Way): void {
    session.socket?.close(1000);
    session.socket = socket;
    session.reached = reached;
    onConnected(true);
  }

  return {
    identify(socket, { intents, shard }, way) {
      const [index, count]: unknown[] = Array.isArray(shard) ? shard : [0, 1];
      if (!isWhole(intents) || intents < 0 || intents > ALL_INTENTS) {
        socket.close(CLOSE.invalidIntents, 'Invalid intent(s).');
        return undefined;
      }
      if (asksForTooMuch(intents, privilegedIntents)) {
        socket.close(CLOSE.disallowedIntents, 'Disallowed intent(s).');
        return undefined;
      }
      if (!isWhole(index) || !isWhole(count) || index < 0 || index >= count) {
        socket.close(CLOSE.invalidShard, 'Invalid shard.');
        return undefined;
      }
      // A client that identifies anew will not resume its sessions without a connection, for instance after it was
      // killed.
      for (const left of sessions.values()) {
        const isAnother = left.shard.count === count && left.shard.index !== index;
        if (!left.socket && !isAnother) sessions.delete(left.id);
      }
      const session = new Session(intents, { index, count });
      sessions.set(session.id, session);
      attach(session, socket, way);
      const guilds = [...guildCreates()].filter(({ id }) => isInShard(id, session.shard));
      session.dispatch('READY', {
        v: 10,
        user: { ...bot, verified: true, mfa_enabled: false, email: null },
        guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
        session_id: session.id,
        session_type: 'normal',
        resume_gateway_url: way.url,
        shard: [index, count],
        application: { id: IDS.application, flags: flagsOf(privilegedIntents) },
        private_channels: [],
        relationships: [],
        user_settings: {},
        presences: [],
        guild_join_requests: [],
        geo_ordered_rtc_regions: [],
      });
      for (const guild of guilds) session.dispatch('GUILD_CREATE', guild);
      return session;
    },

    resume(socket, { session_id: id, seq: seen }, way) {
      const session = typeof id === 'string' ? sessions.get(id) : undefined;
      if (!session || !isWhole(seen) || !session.reachesBackTo(seen)) {
        send(socket, { op: OP.invalidSession, d: false });
        return undefined;
      }
      if (seen > session.sequence) {
        socket.close(CLOSE.invalidSequence, 'Invalid seq.');
        return undefined;
      }
      attach(session, socket, way);
      session.replayAfter(seen, socket);
      session.dispatch('RESUMED', {});
      return session;
    },
  };
}

/** @param reached as in `Way`, for a payload that may name files */
export function send(
  socket: WebSocket,
  payload: { op: number; d?: unknown; t?: string; s?: number },
  reached: Way['reached'] = (text) => text,
): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > MOST_BUFFERED_BYTES) socket.terminate();
  else socket.send(reached(JSON.stringify({ d: null, s: null, t: null, ...payload })));
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
