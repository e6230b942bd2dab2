import type { FastifyPluginAsync } from 'fastify';
import type { WriteTrouble } from '../../shared/storage/write-watch.ts';

/** What health is judged by. */
export interface HealthFacts {
  isGatewayConnected: boolean;
  /** Why the state can't be written; null while it can. */
  stateTrouble: WriteTrouble | null;
  /** When a poll last succeeded, and since when polls have failed: epoch milliseconds. */
  lastPollMs: number | null;
  failingSinceMs: number | null;
  /** Why the last one failed, in a sentence that everybody may read. */
  failingBecause: string | null;
  /** Posts since the start. */
  announced: number;
}

/** The body of `GET /healthz`. */
export interface Health {
  status: 'ok' | 'starting' | 'unwell';
  gateway: 'connected' | 'disconnected';
  /** ISO 8601, or null before the first. */
  lastPoll: string | null;
  announced: number;
  /** What is wrong, in plain sentences; null where nothing is. What a restart would not mend leaves the status "ok". */
  reason: string | null;
}

/** A catalog that is away for a moment is no illness of ours. */
const POLLS_MAY_FAIL_MS = 15 * 60_000;

/**
 * @param facts null while the bot is starting
 * @param problems sentences about Discord
 */
export function healthOf(facts: HealthFacts | null, nowMs: number, problems: readonly string[] = []): Health {
  if (!facts) {
    const reason = [STARTING, ...problems].join(' ');
    return { status: 'starting', gateway: 'disconnected', lastPoll: null, announced: 0, reason };
  }
  const { isGatewayConnected, stateTrouble, lastPollMs, announced } = facts;
  const ills = [
    stateTrouble && UNWRITABLE[stateTrouble],
    isGatewayConnected ? null : DISCONNECTED,
    failureOf(facts, nowMs),
  ].filter((ill) => ill !== null);
  const reasons = [...ills, ...problems];
  return {
    status: ills.length === 0 ? 'ok' : 'unwell',
    gateway: isGatewayConnected ? 'connected' : 'disconnected',
    lastPoll: lastPollMs === null ? null : new Date(lastPollMs).toISOString(),
    announced,
    reason: reasons.length === 0 ? null : reasons.join(' '),
  };
}

const UNWRITABLE: Readonly<Record<WriteTrouble, string>> = {
  'disk-full': 'The disk is full: nothing is posted until there is room for the state.',
  'disk-failed': 'The disk with the state fails: nothing is posted until the state can be written again.',
  'read-only': 'The state is read-only: nothing is posted until it can be written again.',
};
const STARTING = 'The bot is starting.';
const DISCONNECTED = 'The connection to Discord is down; it is being made again.';

function failureOf({ failingSinceMs, failingBecause }: HealthFacts, nowMs: number): string | null {
  if (failingSinceMs === null || nowMs - failingSinceMs < POLLS_MAY_FAIL_MS) return null;
  const since = `No look at the catalog has succeeded since ${new Date(failingSinceMs).toISOString()}.`;
  return failingBecause === null ? since : `${since} ${failingBecause}`;
}

/** `GET /healthz`: 200 when healthy, 503 otherwise, the same JSON either way. */
export function healthRoutes(health: () => Health): FastifyPluginAsync {
  return async (server) => {
    server.get('/healthz', async (_, reply) => {
      const body = health();
      return reply
        .code(body.status === 'ok' ? 200 : 503)
        .header('cache-control', 'no-store')
        .send(body);
    });
  };
}
