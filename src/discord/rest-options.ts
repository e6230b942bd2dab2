import { DefaultRestOptions, RateLimitError, type RESTOptions } from 'discord.js';
import { createRequestPace } from './request-pace.ts';

/** The longest wait in the client's own queues: longer waits would block the requests behind. */
const LONGEST_QUEUED_MS = 60_000;
/** `POST …/channels/1/threads`: a new forum post. */
const FORUM_POST = /\/channels\/\d+\/threads(\?|$)/;
/**
 * Interaction responses do not count toward the bot's global rate limit.
 * @see https://discord.com/developers/docs/interactions/receiving-and-responding#endpoints
 */
const ANSWER = /\/(interactions|webhooks)\/\d+\//;

/**
 * REST client options where the defaults do not suit: a rate limit of minutes or hours (publishing, edits of published
 * messages) rejects at once, a new forum post is tried only once, and requests under the global rate limit are spaced
 * evenly. By default, the client sends 50 at once and then none for 1,050 ms.
 * @param mayLeave called before each request, interaction responses included; where it rejects, the request is not sent
 * @param onUnauthorized called on a 401 response, after which the client forgets its token
 */
export function createRestOptions(
  mayLeave: () => Promise<void>,
  onUnauthorized: () => void,
): Pick<RESTOptions, 'rejectOnRateLimit' | 'globalRequestsPerSecond' | 'makeRequest'> {
  const pace = createRequestPace();
  return {
    rejectOnRateLimit: ({ retryAfter }) => retryAfter > LONGEST_QUEUED_MS,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,

    // The client retries requests that got a 5xx response or broke off. Messages have a nonce, which makes a retry
    // harmless; forum posts have none, so the caller gets an unknown outcome instead.
    async makeRequest(url, init) {
      const isAnswer = ANSWER.test(url);
      if (!isAnswer) await pace.turn(init.signal);
      await mayLeave();
      if (isAnswer) return request(url, init);
      const isForumPost = init.method === 'POST' && FORUM_POST.test(url);
      const response = await request(url, init).catch((cause: unknown) => {
        const isUnknown = isForumPost && !(cause instanceof RateLimitError);
        throw isUnknown ? new Error('The forum did not answer.', { cause }) : cause;
      });
      if (response.status === 401) onUnauthorized();
      if (isForumPost && response.status >= 500) throw new Error(`The forum answered with ${response.status}.`);
      return response;
    },
  };
}

/** Treats a rate limit without a duration as one minute: the client would otherwise retry at once, for ever. */
const request: RESTOptions['makeRequest'] = async (url, init) => {
  const response = await DefaultRestOptions.makeRequest(url, init);
  if (response.status !== 429 || Number(response.headers.get('retry-after')) > 0) return response;
  await response.arrayBuffer();
  throw new RateLimitError({
    url,
    method: init.method ?? 'GET',
    retryAfter: LONGEST_QUEUED_MS,
    timeToReset: LONGEST_QUEUED_MS,
    sublimitTimeout: 0,
    limit: 0,
    global: false,
    scope: 'user',
    hash: '',
    majorParameter: '',
    route: '',
  });
};
