import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { type Clock, within } from '../shared/clock.ts';
import type { WriteProblem } from '../shared/errors.ts';
import type { Away, Dependency } from '../shared/reachability.ts';
import { MINUTE_MS } from '../shared/time.ts';

/** The facts that determine health. */
export interface HealthFacts {
  /** Whether each gateway connection is up; none before the first. */
  shards: readonly { shard: number; isUp: boolean }[];
  /** Why the state can't be written; null while it can. */
  stateProblem: WriteProblem | null;
  /** When a poll last succeeded, and since when polls have failed: epoch milliseconds. */
  lastPollMs: number | null;
  failingSinceMs: number | null;
  /** The reason of the last failure, in a sentence that may be shown to everybody. */
  failingBecause: string | null;
  /** Since when the application's owner has paused all posting: epoch milliseconds; null where that is not so. */
  pausedSinceMs: number | null;
  /** When a quota returns of which polling may spend nothing more: epoch milliseconds; null where there is none. */
  quotaResetsAtMs: number | null;
  /** Why the last backup failed, in a sentence; null where it didn't. */
  backupFailure: string | null;
  /**
   * When the oldest due delivery became due that neither a limit, a missing permission nor the owner holds back: epoch
   * milliseconds; null where there is none.
   */
  oldestDueAtMs: number | null;
  /** How many posts and edits Discord keeps answering with an error. */
  setAside: number;
  /** When something was last posted, or when the bot started: epoch milliseconds. */
  lastPostMs: number;
  /** Followed resources that have not been read for three times as long as planned, and when they last were. */
  unread: readonly { resource: string; readAtMs: number }[];
  /** Posts since the start. */
  announced: number;
}

/** The facts about a running bot that `/livez` and `/readyz` need. */
export interface BotFacts extends HealthFacts {
  /** Reads from the state, as a test. */
  readState(): Promise<unknown>;
  /** Rejects where another process may have taken over the state. */
  confirmLease(): Promise<void>;
}

/** The source of the routes' facts. */
export interface HealthSource {
  /** null while the bot is starting. */
  facts: () => BotFacts | null;
  /** Why Discord can't be reached or the commands can't be registered, in sentences. */
  problems: () => readonly string[];
  isStopping: () => boolean;
  /** Lists the dependencies that have not answered for 30 seconds. */
  away: () => readonly Away[];
  /** Whether the start waits for a database that can't be reached. */
  isWaitingForDatabase?: boolean;
  /** Whether another process holds the state, and this one waits to take over. */
  isStandingBy?: boolean;
  clock: Clock;
}

/** The body of `GET /healthz`. */
export interface Health {
  /** `degraded`: the process lives, and people miss something. */
  status: 'ok' | 'degraded' | 'standby' | 'starting' | 'unwell';
  gateway: 'connected' | 'disconnected';
  /** ISO 8601, or null before the first. */
  lastPoll: string | null;
  announced: number;
  /**
   * The problems in plain sentences; null where there are none. A pause of all posting, and a Discord that does not register
   * commands, leave the status "ok".
   */
  reason: string | null;
}

/** How long polls may fail before health does: a short outage of the catalog is not a problem of ours. */
const POLLS_MAY_FAIL_MS = 15 * MINUTE_MS;

/**
 * @param facts null while the bot is starting
 * @param problems sentences about Discord
 * @param absences sentences about what can't be reached
 */
function healthOf(
  facts: HealthFacts | null,
  nowMs: number,
  problems: readonly string[] = [],
  absences: readonly string[] = [],
): Health {
  if (!facts) {
    const reason = [STARTING, ...problems, ...absences].join(' ');
    return { status: 'starting', gateway: 'disconnected', lastPoll: null, announced: 0, reason };
  }
  const { shards, stateProblem, lastPollMs, announced, pausedSinceMs } = facts;
  const gatewayProblem = disconnection(shards);
  const state = stateProblem && UNWRITABLE[stateProblem];
  const ills = [state, gatewayProblem, failureOf(facts, nowMs), ...absences].filter((ill) => ill !== null);
  const lacks = lacksOf(facts, nowMs);
  const reasons = [...ills, ...lacks, ...(pausedSinceMs === null ? [] : [pausedSince(pausedSinceMs)]), ...problems];
  return {
    status: ills.length > 0 ? 'unwell' : lacks.length > 0 ? 'degraded' : 'ok',
    gateway: gatewayProblem === null ? 'connected' : 'disconnected',
    lastPoll: lastPollMs === null ? null : new Date(lastPollMs).toISOString(),
    announced,
    reason: reasons.length === 0 ? null : reasons.join(' '),
  };
}

/** How long nothing may be posted while an announcement is due: that normally takes seconds. */
const POSTS_MAY_WAIT_MS = 30_000;

/** For how long nothing has been posted although an announcement is due: milliseconds; 0 where none is. */
export function stalledForMs(
  { oldestDueAtMs, lastPostMs }: Pick<HealthFacts, 'oldestDueAtMs' | 'lastPostMs'>,
  nowMs: number,
): number {
  return oldestDueAtMs === null ? 0 : Math.max(0, nowMs - Math.max(oldestDueAtMs, lastPostMs));
}

/** What people miss although the process lives, in sentences. */
function lacksOf(facts: HealthFacts, nowMs: number): string[] {
  const { quotaResetsAtMs, backupFailure, oldestDueAtMs, setAside, unread } = facts;
  const at = (ms: number) => new Date(ms).toISOString();
  return [
    quotaResetsAtMs === null
      ? null
      : `Today's requests to the catalog are used up: nothing new is found until ${at(quotaResetsAtMs)}.`,
    oldestDueAtMs === null || stalledForMs(facts, nowMs) < POSTS_MAY_WAIT_MS
      ? null
      : `An announcement has been waiting since ${at(oldestDueAtMs)}.`,
    setAside === 0
      ? null
      : `Discord keeps answering with an error for ${setAside} ${setAside === 1 ? 'message' : 'messages'}; the log names them.`,
    ...unread.map(({ resource, readAtMs }) => `${resource} has not been read since ${at(readAtMs)}.`),
    backupFailure === null ? null : `Backups fail: ${backupFailure}`,
  ].filter((lack) => lack !== null);
}

const UNWRITABLE: Readonly<Record<WriteProblem, string>> = {
  'disk-full': 'The disk is full. Nothing new is posted until there is free space.',
  'disk-failed': 'The disk is failing. Nothing new is posted until the state can be written again.',
  'read-only': 'The state is read-only. Nothing new is posted until it can be written again.',
  unreachable: "The database can't be reached. Nothing new is posted until it can.",
};
/** Beginnings of sentences, before the moment since which it is so. */
const NOT_ANSWERING: Readonly<Record<Dependency, string>> = {
  discord: 'Discord has not answered since',
  catalog: 'The catalog has not answered since',
  database: 'The state has taken longer than a second for each answer since',
};
const pausedSince = (ms: number) => `The owner has paused all posting since ${new Date(ms).toISOString()}.`;
const STANDING_BY = 'Another process has the state. This one takes over when that stops.';
const STARTING = 'The bot is starting.';
const DISCONNECTED = 'Disconnected from Discord. Reconnecting.';

/** Which gateway connections are down, in a sentence; null where none is. */
function disconnection(shards: HealthFacts['shards']): string | null {
  const down = shards.filter(({ isUp }) => !isUp).map(({ shard }) => shard);
  if (down.length === shards.length) return DISCONNECTED;
  if (down.length === 0) return null;
  return `Disconnected from Discord: shard ${down.join(', ')} of ${shards.length}. Reconnecting.`;
}

function failureOf({ failingSinceMs, failingBecause }: HealthFacts, nowMs: number): string | null {
  if (failingSinceMs === null || nowMs - failingSinceMs < POLLS_MAY_FAIL_MS) return null;
  const since = `No catalog check has succeeded since ${new Date(failingSinceMs).toISOString()}.`;
  return failingBecause === null ? since : `${since} ${failingBecause}`;
}

export function currentHealth(source: HealthSource): Health {
  const { facts, problems, clock, isStandingBy, isWaitingForDatabase } = source;
  const absences = absencesOf(source);
  if (isStandingBy && !isWaitingForDatabase) {
    const status = absences.length === 0 ? 'standby' : 'unwell';
    const reason = [STANDING_BY, ...absences].join(' ');
    return { status, gateway: 'disconnected', lastPoll: null, announced: 0, reason };
  }
  return healthOf(facts(), clock.now(), problems(), absences);
}

/** What can't be reached, in sentences. */
function absencesOf({ away, isWaitingForDatabase }: HealthSource): string[] {
  const absences = away().map(
    ({ dependency, sinceMs }) => `${NOT_ANSWERING[dependency]} ${new Date(sinceMs).toISOString()}.`,
  );
  return isWaitingForDatabase ? [UNWRITABLE.unreachable, ...absences] : absences;
}

/** The time in which a working state answers. */
const ANSWERS_WITHIN_MS = 3_000;
/** The time in which the lease is confirmed, or else counts as doubtful: an orchestrator waits for no longer than 2 s. */
const CONFIRMED_WITHIN_MS = 1_500;
/**
 * How long a delivery may be overdue. Due deliveries are normally posted in seconds; one that waits longer is stuck.
 */
const BACKLOG_MAY_WAIT_MS = 30 * MINUTE_MS;

/**
 * Why the process should be restarted, in sentences. The event loop needs no check: that it answers proves that it
 * runs.
 */
async function livenessProblems({ facts, clock }: HealthSource): Promise<string[]> {
  const bot = facts();
  // A restart brings no database back.
  if (!bot || bot.stateProblem === 'unreachable') return [];
  const isAnswering = await isDoneWithin(clock, ANSWERS_WITHIN_MS, bot.readState());
  return isAnswering ? [] : ["The state can't be read."];
}

const isDoneWithin = (clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> =>
  within(clock, ms, work).then(
    () => true,
    () => false,
  );

/**
 * Why nothing can be posted now, in sentences. A process that stands by counts as ready, because an orchestrator ends
 * the process that posts only once the new one is ready.
 */
async function readinessProblems(source: HealthSource): Promise<string[]> {
  const { facts, problems, isStopping, isStandingBy, clock } = source;
  const absences = absencesOf(source);
  if (isStopping()) return ['Dealbell is stopping.'];
  if (isStandingBy) return absences;
  const bot = facts();
  if (!bot) return [STARTING, ...problems(), ...absences];
  const holdsLease = await isDoneWithin(clock, CONFIRMED_WITHIN_MS, bot.confirmLease());
  const { stateProblem, shards, oldestDueAtMs } = bot;
  const isBehind = oldestDueAtMs !== null && clock.now() - oldestDueAtMs > BACKLOG_MAY_WAIT_MS;
  return [
    stateProblem === null ? null : UNWRITABLE[stateProblem],
    // No post goes through a gateway connection, so a bot with several may post while some are down.
    shards.some(({ isUp }) => isUp) ? null : DISCONNECTED,
    holdsLease ? null : 'This process may have lost its hold on the state.',
    isBehind ? `An announcement has been waiting since ${new Date(oldestDueAtMs).toISOString()}.` : null,
    ...absences,
  ].filter((problem) => problem !== null);
}

/**
 * `/livez` (should the bot be restarted?), `/readyz` (does it post?), `/healthz` (are Discord, the state and the catalog
 * well?): 200 when healthy and 503 otherwise, the same JSON either way.
 */
export function healthRoutes(source: HealthSource): FastifyPluginAsync {
  const send = (reply: FastifyReply, isWell: boolean, body: unknown) =>
    reply
      .code(isWell ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(body);
  const sendProblems = (reply: FastifyReply, reasons: string[]) =>
    send(reply, reasons.length === 0, { status: reasons.length === 0 ? 'ok' : 'unwell', reasons });
  return async (server) => {
    server.get('/livez', async (_, reply) => sendProblems(reply, await livenessProblems(source)));
    server.get('/readyz', async (_, reply) => sendProblems(reply, await readinessProblems(source)));
    server.get('/healthz', async (_, reply) => {
      const body = currentHealth(source);
      return send(reply, body.status !== 'unwell' && body.status !== 'starting', body);
    });
  };
}
