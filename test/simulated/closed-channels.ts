import { HOUR_MS } from '../../src/shared/time.ts';
/** Channels where the bot may not post for a while, or never again; a person's messages among them. */
export interface ClosedChannels {
  /** The channel can be seen and not be written in, or not even be seen; or a person takes no new messages. */
  close(channelId: string, why: 'cannot-post' | 'cannot-see' | 'messages-closed'): void;
  open(channelId: string): void;
  delete(channelId: string): void;
  /** Why nothing can be done there now; null where it can. Each call counts as a request that was refused, of its kind. */
  refusal(channelId: string, kind: RequestKind): { kind: 'blocked' | 'gone'; reason: string } | null;
  isClosed(channelId: string): boolean;
  /** The bot has started again: it may find out anew what is closed. */
  restarted(): void;
  /**
   * The end of the last time that the channel was closed between two right times, with the time in which the bot finds
   * out; null where it was not. One that ended before counts where the bot was refused in it.
   */
  foundOpenByMs(channelId: string, fromMs: number, untilMs: number): number | null;
  /** A line for each channel that was asked too often while it was closed. */
  problems(): string[];
}

/** Posting, with looking for what was posted, and editing: each is tried again by itself. */
type RequestKind = 'post' | 'edit';

interface Closure {
  channelId: string;
  why: 'cannot-post' | 'cannot-see' | 'messages-closed' | 'deleted';
  fromMs: number;
  untilMs: number;
  /** The number of runs that the bot had meanwhile. */
  lives: number;
  requests: Record<RequestKind, number>;
}

/** The bot checks by itself once in this time whether a closed channel is open again, or whether a person's messages are. */
const FOUND_OPEN_WITHIN_MS = { channel: HOUR_MS, person: 24 * HOUR_MS } as const;
/** Requests until a closed channel is asked once an hour: after 1, 5, 21 and 81 minutes. */
const FIRST_REQUESTS = 5;
/** Messages to a person until one a day: at once, and after 1, 5 and 21 hours; and one for each clock that is set forward. */
const FIRST_MESSAGES = 4 + 2;
/** Posts, edits and a read of the channel may be under way until the bot knows that the channel is gone. */
const REQUESTS_OF_DELETED = 3;

/** @param now the right time */
export function createClosedChannels(now: () => number): ClosedChannels {
  const closures = new Map<string, Closure[]>();

  const last = (channelId: string) => {
    const one = closures.get(channelId)?.at(-1);
    return one && one.untilMs > now() ? one : undefined;
  };
  function add(channelId: string, why: Closure['why']): void {
    if (last(channelId)) return;
    const one = { channelId, why, fromMs: now(), untilMs: Infinity, lives: 1, requests: { post: 0, edit: 0 } };
    closures.set(channelId, [...(closures.get(channelId) ?? []), one]);
  }

  function mostRequests({ why, fromMs, untilMs, lives }: Closure): number {
    if (why === 'deleted') return REQUESTS_OF_DELETED * lives;
    // When to try again is kept in the state; a new run may read the messages once.
    if (why === 'messages-closed') return FIRST_MESSAGES + lives;
    return FIRST_REQUESTS * lives + (Math.min(untilMs, now()) - fromMs) / HOUR_MS;
  }

  return {
    close: add,
    delete(channelId) {
      // It may be closed already.
      const one = last(channelId);
      if (one) one.untilMs = now();
      add(channelId, 'deleted');
    },
    open(channelId) {
      const one = last(channelId);
      if (one && one.why !== 'deleted') one.untilMs = now();
    },
    refusal(channelId, kind) {
      const one = last(channelId);
      // Messages that a person has can be edited.
      if (!one || (one.why === 'messages-closed' && kind === 'edit')) return null;
      one.requests[kind] += 1;
      return one.why === 'deleted' ? { kind: 'gone', reason: 'channel-gone' } : { kind: 'blocked', reason: one.why };
    },
    isClosed: (channelId) => last(channelId) !== undefined,
    restarted() {
      for (const channelId of closures.keys()) {
        const one = last(channelId);
        if (one) one.lives += 1;
      }
    },
    foundOpenByMs(channelId, fromMs, untilMs) {
      const foundMs = ({ why }: Closure) => FOUND_OPEN_WITHIN_MS[why === 'messages-closed' ? 'person' : 'channel'];
      const feltUntilMs = (one: Closure) => one.untilMs + (one.requests.post > 0 ? foundMs(one) : 0);
      const within =
        closures.get(channelId)?.filter((one) => one.fromMs <= untilMs && feltUntilMs(one) >= fromMs) ?? [];
      return within.length > 0 ? Math.max(...within.map((one) => one.untilMs + foundMs(one))) : null;
    },
    problems: () =>
      [...closures.values()].flat().flatMap((one) => {
        const most = Math.ceil(mostRequests(one));
        const requests = Math.max(one.requests.post, one.requests.edit);
        if (requests <= most) return [];
        const hours = Math.round((Math.min(one.untilMs, now()) - one.fromMs) / HOUR_MS);
        return [`${one.channelId}, closed for ${hours} h (${one.why}): ${requests} requests, of at most ${most}.`];
      }),
  };
}
