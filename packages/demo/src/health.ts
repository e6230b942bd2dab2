import type { FastifyPluginAsync } from 'fastify';

/** The time in which a running bot answers, in milliseconds. */
const ANSWERS_WITHIN_MS = 5_000;

/** A browser takes the answer for nothing else, and runs nothing in it. */
const SAFE = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'" };

/** The answer in place of a bot that does not run. */
const AWAY = {
  '/livez': { code: 200, body: { status: 'ok', reasons: [] } },
  '/readyz': { code: 503, body: { status: 'unwell', reasons: ['The bot is starting.'] } },
  '/healthz': {
    code: 503,
    body: { status: 'starting', gateway: 'disconnected', lastPoll: null, announced: 0, reason: 'The bot is starting.' },
  },
} as const;

/**
 * Serves the bot's health checks on the page's port.
 * @param address that of the bot's own health checks; null while it does not run
 */
export function botHealth(address: () => string | null): FastifyPluginAsync {
  return async (app) => {
    for (const [path, away] of Object.entries(AWAY)) {
      app.get(path, async (_request, reply) => {
        const answer = await ask(address(), path);
        return reply
          .code(answer?.status ?? away.code)
          .headers({ 'cache-control': 'no-store', ...SAFE })
          .send(answer ? await answer.json() : away.body);
      });
    }
  };
}

/** Resolves with null where the bot is gone. */
async function ask(address: string | null, path: string): Promise<Response | null> {
  if (address === null) return null;
  return fetch(`${address}${path}`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }).catch(() => null);
}
