import { DefaultRestOptions, RateLimitError, type RESTOptions } from 'discord.js';
import { createRequestPace } from './request-pace.ts';

/** Longer than that nothing waits in the client's own queues, where it would hold up what comes behind it. */
const LONGEST_QUEUED_MS = 60_000;
/** `POST …/channels/1/threads`: a new post in a forum. */
const FORUM_POST = /\/channels\/\d+\/threads(\?|$)/;
/**
 * Answers to interactions do not count among the requests of the bot.
 * @see https://discord.com/developers/docs/interactions/receiving-and-responding#endpoints
 */
const ANSWER = /\/(interactions|webhooks)\/\d+\//;

/**
 * How the REST client behaves where its own ways don't suit: a limit of minutes or hours (publishing, edits of what is
 * published) is told to the caller at once, a new forum post is tried once only, and what all requests share of Discord's
 * limit is spread evenly. The client's own way is to send 50 at once and then none for 1,050 ms.
 * @param mayLeave asked before each request leaves, answers to interactions included: none does where it rejects
 * @param onUnauthorized called when a request is answered with 401, after which the client forgets its token
 */
export function createRestOptions(
  mayLeave: () => Promise<void>,
  onUnauthorized: () => void,
): Pick<RESTOptions, 'rejectOnRateLimit' | 'globalRequestsPerSecond' | 'makeRequest'> {
  const pace = createRequestPace();
  return {
    rejectOnRateLimit: ({ retryAfter }) => retryAfter > LONGEST_QUEUED_MS,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,

    // The client repeats what was answered with 5xx or broke off. A message has a nonce, which makes that harmless; a forum
    // post has none, so whoever asked for it is told that its outcome is unknown.
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

/** A limit that does not say how long it lasts is one of a minute: the client would ask again at once, and for ever. */
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
