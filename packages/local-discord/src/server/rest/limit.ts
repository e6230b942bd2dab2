import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LimitName, Taken } from '../rate-limits.ts';
import type { RestContext } from './context.ts';

/**
 * A hook that counts a request in the bucket `name` of its channel or server, reports the rest in headers and refuses
 * requests beyond the limit: https://discord.com/developers/docs/topics/rate-limits
 */
export function limited({ rateLimits }: RestContext, name: LimitName) {
  return async (
    request: FastifyRequest<{ Params: { channelId: string } | { guildId: string } }>,
    reply: FastifyReply,
  ) => {
    const { params } = request;
    const taken = rateLimits.take(name, 'channelId' in params ? params.channelId : params.guildId);
    setBucketHeaders(reply, name, taken);
    if (!taken.allowed) return refuse(reply, taken.resetAfterMs, 'user');
  };
}

/** A hook that does the same for all requests of the bot together. */
export function globallyLimited({ rateLimits }: RestContext) {
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    const taken = rateLimits.take('global', 'bot');
    if (!taken.allowed) return refuse(reply, taken.resetAfterMs, 'global');
  };
}

function setBucketHeaders(
  reply: FastifyReply,
  bucket: string,
  { limit, remaining, resetAtMs, resetAfterMs }: Taken,
): void {
  reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': (resetAtMs / 1000).toFixed(3),
    'x-ratelimit-reset-after': (resetAfterMs / 1000).toFixed(3),
    'x-ratelimit-bucket': Buffer.from(`local ${bucket}`).toString('hex').slice(-32),
  });
}

/** Answers 429 with Discord's headers and body for a rate limit. */
export function refuse(reply: FastifyReply, retryAfterMs: number, scope: 'user' | 'global' | 'shared'): FastifyReply {
  const seconds = retryAfterMs / 1000;
  reply.headers({ 'retry-after': Math.ceil(seconds), 'x-ratelimit-scope': scope });
  if (scope === 'global') reply.header('x-ratelimit-global', 'true');
  return reply
    .code(429)
    .send({ message: 'You are being rate limited.', retry_after: seconds, global: scope === 'global' });
}
