import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import type { Publication, Unpublished } from '../../store/channel-records.ts';
import type { Changes } from '../../store/table/state.ts';
import { type Channel, DONE, type Result, type Task } from './channel.ts';
import type { DelivererParts } from './parts.ts';
import { freeAt, MOST_PUBLISHED_PER_HOUR } from './plan.ts';
import type { ChannelProblems } from './servers.ts';
import { SHORT_LIMIT_MS, type Upkeep } from './upkeep.ts';

/**
 * A post that could not be published for this long stays a normal post, because it is no news any more. Where posts are of
 * use only once they are published there is no limit, because the later ones wait for it.
 */
const PUBLISHED_WITHIN_MS = DAY_MS;
/** Recomputed times that differ by no more than this are the same, because of rounding. */
const SAME_MOMENT_MS = 1_000;

/** Publishes posts in announcement channels, at the rate that Discord allows. */
export class Publishing implements Task {
  readonly #parts: DelivererParts;
  readonly #upkeep: Upkeep;
  readonly #problems: ChannelProblems;

  constructor(parts: DelivererParts, upkeep: Upkeep, problems: ChannelProblems) {
    this.#parts = parts;
    this.#upkeep = upkeep;
    this.#problems = problems;
  }

  dueAtMs(channel: Channel): number {
    const { store, clock } = this.#parts;
    const waiting = store.publications.pending(channel.id);
    const [oldest] = waiting;
    if (!oldest) return Number.POSITIVE_INFINITY;
    const freeAtMs = Math.min(...waiting.map((one) => this.#freeAtMs(one)));
    this.#logLimit(channel, waiting.length, freeAtMs > clock.now() ? freeAtMs : 0);
    return Math.min(...waiting.map((one) => this.#readyAtMs(one)), this.#givenUpAtMs(oldest));
  }

  async step(channel: Channel): Promise<Result> {
    const { store, courier, clock } = this.#parts;
    const { id: channelId } = channel;
    const waiting = store.publications.pending(channelId);
    const late = waiting.find((one) => clock.now() >= this.#givenUpAtMs(one));
    if (late) {
      await store.commit((changes) => giveUp(changes, late, 'too-late', this.#parts));
      return DONE;
    }
    const free = waiting.filter((one) => this.#freeAtMs(one) <= clock.now());
    const [next] = this.#upkeep.ready(free, publicationKey);
    if (!next) return DONE;
    const { messageId } = next;
    // Nothing more is posted in such a channel until its posts can be published, so people are told why.
    const place = this.#parts.isPublishedOnly?.(channelId)
      ? store.subscriptions.ofServers().find((subscription) => subscription.channelId === channelId)
      : undefined;
    await store.commit((changes) => store.rateLog.record(changes, publicationsIn(channelId), messageId));
    const { result } = await this.#upkeep.make({
      key: publicationKey(next),
      done: 'published',
      logged: { channel: channelId, message: messageId, waiting: waiting.length },
      about: null,
      send: () => courier.publish({ channelId, messageId }),
      end: (changes, ending) => {
        if (ending === 'refused') leave(changes, next, 'refused', this.#parts);
        else store.publications.end(changes, next);
        if (ending === 'done' && place) this.#problems.resolve(changes, place);
      },
    });
    if (result.kind === 'blocked' && place) await this.#problems.report(place, result.reason, false);
    // This bot keeps to the hour's publications: where there are none left, others publish there.
    if (result.kind === 'later' && result.afterMs > SHORT_LIMIT_MS) {
      channel.contestedUntilMs = clock.monotonicMs() + result.afterMs + HOUR_MS;
    }
    return result;
  }

  /** When the hour's limit lets a post be published: epoch milliseconds. Its own earlier try is not counted against it. */
  #freeAtMs({ channelId, messageId }: Publication): number {
    const { store, clock } = this.#parts;
    const others = store.rateLog.recent(publicationsIn(channelId), clock.now()).filter(({ id }) => id !== messageId);
    return freeAt(others, MOST_PUBLISHED_PER_HOUR);
  }

  #readyAtMs(one: Publication): number {
    return Math.max(this.#freeAtMs(one), this.#upkeep.againAtMs(publicationKey(one)));
  }

  /** When a post is left unpublished: epoch milliseconds; Infinity for never. */
  #givenUpAtMs({ channelId, queuedAtMs }: Publication): number {
    return this.#parts.isPublishedOnly?.(channelId) ? Number.POSITIVE_INFINITY : queuedAtMs + PUBLISHED_WITHIN_MS;
  }

  /** Logs that the hour's publications are used up, once for each `nextAtMs`; 0 where they are not. */
  #logLimit(channel: Channel, waiting: number, nextAtMs: number): void {
    const isKnown = Math.abs(channel.loggedPublicationMs - nextAtMs) <= SAME_MOMENT_MS;
    channel.loggedPublicationMs = nextAtMs;
    if (nextAtMs === 0 || isKnown) return;
    const about = { channel: channel.id, waiting, nextAt: new Date(nextAtMs).toISOString() };
    this.#parts.log.info(about, 'publishing limit reached');
  }
}

/** Leaves a post unpublished, because there was no time to publish it. */
export function giveUp(
  changes: Changes,
  publication: Publication,
  reason: 'over' | 'too-late',
  parts: DelivererParts,
): void {
  const { channelId: channel, messageId: message } = publication;
  leave(changes, publication, reason, parts);
  changes.afterwards(() => parts.log.info({ channel, message, reason }, 'not published in time'));
}

/** Leaves a post unpublished for good: it stays a normal post. */
function leave(
  changes: Changes,
  publication: Publication,
  because: Unpublished['because'],
  { store, clock }: DelivererParts,
): void {
  const { messageId, queuedAtMs } = publication;
  store.publications.end(changes, publication);
  store.unpublished.set(changes, messageId, { because, queuedAtMs, atMs: clock.now() });
}

/** Names a publication among the requests that Discord answers badly. */
export function publicationKey({ messageId }: Publication): string {
  return `publish/${messageId}`;
}

/** The key under which the publications of a channel are counted. */
function publicationsIn(channelId: string): string {
  return `publish/${channelId}`;
}
