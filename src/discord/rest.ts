import { type Client, DefaultRestOptions, RateLimitError, RESTEvents, type RESTOptions, Status } from 'discord.js';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { type Clock, systemClock } from '../shared/clock.ts';
import { MINUTE_MS } from '../shared/time.ts';

/** Resolves where a request may be sent now. */
export type MayLeave = (withinMs?: number) => Promise<void>;

/**
 * How old the answer may be by which a request leaves that has waited for its turn, here or in the client's own queue:
 * milliseconds. A few requests share one.
 */
const CONFIRMED_WITHIN_MS = 100;
/** How old an answer may be until the next one is asked for, while the line moves on: milliseconds. */
const ASKED_AHEAD_MS = 20;
/**
 * How long Discord may take for an answer: milliseconds. Whatever else is to be done in the channel waits for as long, and
 * what remains unanswered can be seen there.
 */
export const ANSWERED_WITHIN_MS = 10_000;
/** The longest wait in the client's own queues: longer waits would block the requests behind. */
const LONGEST_QUEUED_MS = MINUTE_MS;
/** `…/channels/1/messages/2` and `…/guilds/1/scheduled-events`: edits, deletions, publications, pins and entries of Events lists. */
const UPKEEP = /\/(channels\/\d+\/messages\/(pins\/)?\d+(\/crosspost)?|guilds\/\d+\/scheduled-events(\/\d+)?)$/;
/**
 * `POST …/interactions/1/token/callback`, of which Discord takes one for each interaction, and `…/users/@me/channels`, which
 * opens the same channel again.
 */
const REPEATABLE_POST = /\/(interactions\/\d+\/[^/]+\/callback|users\/@me\/channels)(\?|$)/;
/**
 * Interaction responses do not count toward the bot's global rate limit.
 * @see https://discord.com/developers/docs/interactions/receiving-and-responding#endpoints
 */
const ANSWER = /\/(interactions|webhooks)\/\d+\//;

interface RestSettings {
  /** The global rate limit: how many requests Discord allows the bot in any second. */
  requestsPerSecond: number;
  /**
   * Called right before each request is sent, interaction responses included; where it rejects, the request is not sent. A
   * request that may have waited in a line tells how old the answer may be that it goes by: milliseconds.
   */
  mayLeave: MayLeave;
  /** Called on a 401 response, after which the client forgets its token. */
  onUnauthorized: () => void;
  /** As `ANSWERED_WITHIN_MS`. */
  answeredWithinMs?: number;
  /** Spaces the requests. The default is real time, as the rate limits of the underlying client are. */
  clock?: Pick<Clock, 'monotonicMs' | 'after'>;
}

/**
 * REST client options where the defaults do not suit: a rate limit of minutes or hours rejects at once, and so does each
 * one of edits, deletions, publications, pins and Events lists, because a wait in the client's queue would take the place of other work; what would
 * happen twice is sent only once, and requests under the global rate limit are spaced evenly. By default, the client sends 50 at once and
 * then none for 1,050 ms.
 */
export function createRestOptions({
  requestsPerSecond,
  mayLeave,
  onUnauthorized,
  answeredWithinMs = ANSWERED_WITHIN_MS,
  clock = systemClock,
}: RestSettings): Pick<RESTOptions, 'rejectOnRateLimit' | 'globalRequestsPerSecond' | 'timeout' | 'makeRequest'> {
  const pace = createRequestPace(requestsPerSecond, clock, mayLeave);
  return {
    rejectOnRateLimit: ({ retryAfter, method, url }) =>
      retryAfter > LONGEST_QUEUED_MS || (method !== 'GET' && UPKEEP.test(url)),
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    timeout: answeredWithinMs,

    // The client repeats requests that got a 5xx response, broke off or took too long. The caller of one that must not be
    // repeated gets an unknown outcome instead, and so does that of one that took too long, unless somebody waits for it.
    async makeRequest(url, given) {
      const isRepeatable = mayBeRepeated(url, given);
      const isAnswer = ANSWER.test(url);
      const init = given.body instanceof FormData ? await asBytes(given) : given;
      await (isAnswer ? mayLeave() : pace.turn(init.signal));
      const response = await request(url, init).catch((cause: unknown) => {
        const isEnded = !isRepeatable || (init.signal?.aborted === true && !isAnswer);
        throw isEnded && !(cause instanceof RateLimitError) ? new Error('Discord did not answer.', { cause }) : cause;
      });
      if (response.status === 401 && !isAnswer) onUnauthorized();
      if (!isRepeatable && response.status >= 500) throw new Error(`Discord answered with ${response.status}.`);
      return response;
    },
  };
}

/**
 * Whether a request that may have been carried out does no harm when it is sent again: of those that make something, a
 * message of which Discord takes each nonce once, and `REPEATABLE_POST`.
 * @see https://discord.com/developers/docs/resources/message#create-message
 */
function mayBeRepeated(url: string, { method, body }: Init): boolean {
  if (method !== 'POST' || REPEATABLE_POST.test(url)) return true;
  const json = body instanceof FormData ? body.get('payload_json') : body;
  return typeof json === 'string' && fieldsOf(json).enforce_nonce === true;
}

/** Corrects the header of a rate limit, which is all that the client reads. */
const request: RESTOptions['makeRequest'] = async (url, init) => {
  const response = await DefaultRestOptions.makeRequest(url, init);
  if (response.status !== 429) return response;
  const text = await response.text();
  const headers = new Headers(Object.fromEntries(response.headers));
  headers.set('retry-after', String(limitSeconds(headers.get('retry-after'), text)));
  return new Response(text, { status: 429, headers });
};

/** A rate limit without a duration: the client would otherwise retry at once, for ever. */
const UNTOLD_S = 60;
/** Discord limits edits of messages older than an hour to three in this time and channel, and may not say so. */
const OLD_EDITS_S = 6;

/**
 * How long a rate limit lasts: seconds. Where the channel's publications of an hour are used up, the header says 1 and the
 * body how long it takes.
 * @see https://github.com/discord/discord-api-docs/issues/6109
 */
function limitSeconds(header: string | null, body: string): number {
  const { code, retry_after: inBody } = fieldsOf(body);
  const longest = Math.max(...[Number(header), Number(inBody)].filter((seconds) => seconds > 0));
  if (longest > 0) return longest;
  return code === RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached ? OLD_EDITS_S : UNTOLD_S;
}

/** The fields of a JSON object; none where the text is no such object. */
function fieldsOf(text: string): { code?: unknown; retry_after?: unknown; enforce_nonce?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

type Init = Parameters<RESTOptions['makeRequest']>[1];

/** Where two versions of undici are loaded, the one that sends need not know the other's forms. */
async function asBytes(init: Init): Promise<Init> {
  const form = new Response(init.body as FormData);
  const type = form.headers.get('content-type') ?? '';
  return {
    ...init,
    body: Buffer.from(await form.arrayBuffer()),
    headers: { ...(init.headers as Record<string, string>), 'content-type': type },
  };
}

/**
 * The sliding window that holds at most as many requests as Discord allows in a second: a second, plus a margin for
 * differences in how long requests take to arrive. Discord's seconds may begin at any moment.
 * @see https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
 */
const WINDOW_MS = 1_035;
/** The share of a window's requests that leave without spacing, so that light traffic does not wait. */
const AT_ONCE = 0.5;

/** The most delay of a busy machine that is made up for: ten requests that leave at once. */
const MOST_BEHIND_MS = 200;

/** Spaces requests evenly, so that no second of Discord's rate limit holds too many. */
interface RequestPace {
  /**
   * Resolves when the next request may leave, in the order of calls; rejects with the signal's reason, or with that for
   * which none may leave.
   */
  turn(signal: AbortSignal | null | undefined): Promise<void>;
}

/** The requests so far. All times are milliseconds on one clock. */
interface Departures {
  perSecond: number;
  /** When the latest requests left, oldest first. */
  turns: readonly number[];
  /** The scheduled time of the last request in even spacing, so that a late request delays no other. */
  placeMs: number;
}

/** When the next request may leave. */
function nextTurn(departures: Departures, nowMs: number): number {
  const { perSecond, turns, placeMs } = departures;
  const isCalm = (turns.at(-Math.ceil(perSecond * AT_ONCE)) ?? -Infinity) <= nowMs - WINDOW_MS;
  return Math.max(nowMs, windowEnd(departures), isCalm ? -Infinity : placeMs + WINDOW_MS / perSecond);
}

/** The scheduled time of a request that leaves now. */
function nextPlace(departures: Departures, nowMs: number): number {
  const { perSecond, placeMs } = departures;
  return Math.max(placeMs + WINDOW_MS / perSecond, windowEnd(departures), nowMs - MOST_BEHIND_MS);
}

/** When a full window ends; -Infinity where it is not full. */
function windowEnd({ perSecond, turns }: Departures): number {
  return (turns.at(-perSecond) ?? -Infinity) + WINDOW_MS;
}

/** A request that waits for its turn. */
interface Waiting {
  leave: () => void;
  refuse: (error: unknown) => void;
}

/** @param mayLeave asked when a request's turn has come: while it answers, the line stands, so that none is sent in a heap */
function createRequestPace(
  perSecond: number,
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  mayLeave: MayLeave,
): RequestPace {
  const turns: number[] = [];
  const line = new Set<Waiting>();
  let placeMs = -Infinity;
  let isMoving = false;

  function letFirstLeave(): void {
    const [first] = line;
    if (!first) return;
    const nowMs = clock.monotonicMs();
    placeMs = nextPlace({ perSecond, turns, placeMs }, nowMs);
    turns.push(nowMs);
    if (turns.length > perSecond) turns.shift();
    first.leave();
  }

  async function move(): Promise<void> {
    if (isMoving) return;
    isMoving = true;
    while (line.size > 0) {
      const nowMs = clock.monotonicMs();
      const ms = nextTurn({ perSecond, turns, placeMs }, nowMs) - nowMs;
      if (ms > 0) {
        // A state that is far away answers meanwhile: a turn that passes while the line stands is lost. A refusal comes again below.
        void mayLeave(ASKED_AHEAD_MS).catch(() => undefined);
        await new Promise<void>((resolve) => void clock.after(Math.ceil(ms), resolve));
      } else await mayLeave(CONFIRMED_WITHIN_MS).then(letFirstLeave, refuseAll);
    }
    isMoving = false;
  }

  function refuseAll(error: unknown): void {
    for (const { refuse } of line) refuse(error);
  }

  return {
    turn: (signal) =>
      new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted();
        const outOfLine = () => {
          line.delete(waiting);
          signal?.removeEventListener('abort', giveUp);
        };
        const waiting: Waiting = {
          leave() {
            outOfLine();
            resolve();
          },
          refuse(error) {
            outOfLine();
            reject(error as Error);
          },
        };
        const giveUp = () => waiting.refuse(signal?.reason);
        signal?.addEventListener('abort', giveUp, { once: true });
        line.add(waiting);
        void move();
      }),
  };
}

export interface RestObserver {
  /** Called for each response of Discord, to retries too. */
  onResponse: (status: number) => void;
  /** Called for each 429 response, by scope: `user` (this bot on this route), `shared` or `global`. */
  onRateLimit: (scope: string) => void;
}

const SCOPES = ['user', 'shared', 'global'];

/** Reports Discord's responses to the client's requests. */
export function observeRest(client: Client, { onResponse, onRateLimit }: RestObserver): void {
  client.rest.on(RESTEvents.Response, (_, { status, headers }) => {
    onResponse(status);
    if (status !== 429) return;
    const scope = headers.get('x-ratelimit-scope') ?? '';
    onRateLimit(SCOPES.includes(scope) ? scope : 'user');
  });
}

/** Counts the requests that Discord answers well from now on, whatever they are for. */
export function countSuccesses(client: Client): () => number {
  let successes = 0;
  client.rest.on(RESTEvents.Response, (_, { ok }) => {
    if (ok) successes += 1;
  });
  return () => successes;
}

/** Whether each gateway connection is up, by shard number. */
export function shardsUp(client: Client): { shard: number; isUp: boolean }[] {
  return [...client.ws.shards.values()].map(({ id, status }) => ({ shard: id, isUp: status === Status.Ready }));
}
