import type { FastifyPluginAsync } from 'fastify';

/** What health is judged by. */
export interface HealthFacts {
  isGatewayConnected: boolean;
  /** When a poll last succeeded, and since when polls have failed: epoch milliseconds. */
  lastPollMs: number | null;
  failingSinceMs: number | null;
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
}

/** A catalog that is away for a moment is no illness of ours. */
const POLLS_MAY_FAIL_MS = 15 * 60_000;

/** @param facts null while the bot is starting */
export function healthOf(facts: HealthFacts | null, nowMs: number): Health {
  if (!facts) return { status: 'starting', gateway: 'disconnected', lastPoll: null, announced: 0 };
  const { isGatewayConnected, lastPollMs, failingSinceMs, announced } = facts;
  const isPolling = failingSinceMs === null || nowMs - failingSinceMs < POLLS_MAY_FAIL_MS;
  return {
    status: isGatewayConnected && isPolling ? 'ok' : 'unwell',
    gateway: isGatewayConnected ? 'connected' : 'disconnected',
    lastPoll: lastPollMs === null ? null : new Date(lastPollMs).toISOString(),
    announced,
  };
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
