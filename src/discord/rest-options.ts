import { DefaultRestOptions, type RESTOptions } from 'discord.js';
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
 * One request. A limit that does not say for how long it lasts is an error: the client would ask again at once, for as long
 * as it lasts.
 */
const send: RESTOptions['makeRequest'] = async (url, init) => {
  const response = await DefaultRestOptions.makeRequest(url, init);
  const isTold = Number(response.headers.get('retry-after')) > 0;
  if (response.status === 429 && !isTold) throw new Error('Discord limits requests without a time to wait.');
  return response;
};

/**
 * How the REST client behaves where its own ways don't suit: a limit of minutes or hours (publishing, edits of what is
 * published) is told to the caller at once, a new forum post is tried once only, and what all requests share of Discord's
 * limit is spread evenly. The client's own way is to send 50 at once and then none for 1,050 ms.
 */
export function createRestOptions(): Pick<
  RESTOptions,
  'rejectOnRateLimit' | 'globalRequestsPerSecond' | 'makeRequest'
> {
  const pace = createRequestPace();
  return {
    rejectOnRateLimit: ({ retryAfter }) => retryAfter > LONGEST_QUEUED_MS,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,

    // The client repeats what was answered with 5xx or broke off. A message has a nonce, which makes that harmless; a forum
    // post has none, so whoever asked for it is told that its outcome is unknown.
    async makeRequest(url, init) {
      if (ANSWER.test(url)) return send(url, init);
      await pace.turn(init.signal);
      if (init.method !== 'POST' || !FORUM_POST.test(url)) return send(url, init);
      const response = await send(url, init).catch((cause: unknown) => {
        throw new Error('The forum did not answer.', { cause });
      });
      if (response.status >= 500) throw new Error(`The forum answered with ${response.status}.`);
      return response;
    },
  };
}
