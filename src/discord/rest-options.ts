import { DefaultRestOptions, type RESTOptions } from 'discord.js';

/** Longer than that nothing waits in the client's own queues, where it would hold up what comes behind it. */
const LONGEST_QUEUED_MS = 60_000;
/** `POST …/channels/1/threads`: a new post in a forum. */
const FORUM_POST = /\/channels\/\d+\/threads$/;

/**
 * How the REST client behaves where its own ways don't suit: a limit of minutes or hours (publishing, edits of what is
 * published) is told to the caller at once, and a new forum post is tried once only.
 */
export const REST_OPTIONS: Pick<RESTOptions, 'rejectOnRateLimit' | 'makeRequest'> = {
  rejectOnRateLimit: ({ retryAfter }) => retryAfter > LONGEST_QUEUED_MS,

  // The client repeats what was answered with 5xx or broke off. A message has a nonce, which makes that harmless; a forum
  // post has none, so whoever asked for it is told that its outcome is unknown.
  async makeRequest(url, init) {
    if (init.method !== 'POST' || !FORUM_POST.test(new URL(url).pathname)) {
      return DefaultRestOptions.makeRequest(url, init);
    }
    const response = await DefaultRestOptions.makeRequest(url, init).catch((cause: unknown) => {
      throw new Error('The forum did not answer.', { cause });
    });
    if (response.status >= 500) throw new Error(`The forum answered with ${response.status}.`);
    return response;
  },
};
