import type { DemoCounters } from '../local-discord/server/demo-api.ts';
import type { PageMessage } from '../local-discord/server/page-api.ts';
import { isAnnouncement, type NewsKind, readPost } from './posted.ts';

/** The least price drop that the demo's subscription announces. */
const LEAST_DROP = 0.1;
/** So long the bot may take to post what was served, while nothing is in its way: milliseconds of real time. */
const POSTED_WITHIN_MS = 20_000;
/** An offer that so many whole answers lacked may have ended: whether it is told of when it comes back is the bot's choice. */
const GONE_AFTER_MISSES = 2;
/** Most addresses that are remembered to find a second post: those of days. */
const MOST_REMEMBERED = 20_000;

/** An offer as the feed last showed it. */
interface Served {
  url: string;
  isLive: boolean;
  price: number;
  /** How many answers have come without it since. */
  missed: number;
}

/** The news of one offer in one answer: it is owed one post. */
interface Owed {
  offerId: string;
  url: string;
  kinds: NewsKind[];
  /** For how long it could have been posted without an interruption: milliseconds of real time. */
  calmMs: number;
}

interface FeedItem {
  OfferId: string;
  Url: string;
  EndDate: string | null;
  IsSoldOut: boolean;
  SalePrice: { Minimum: number } | null;
}

/**
 * Counts what is owed to a channel and what stands in it: from nothing but the answers of the catalog and the channel's
 * messages. It imports nothing of the bot, and asks it nothing.
 */
export class Counters {
  readonly #served = new Map<string, Served>();
  #isFirst = true;
  #owed: Owed[] = [];
  /** How often each news of each offer was owed and posted, by its address and kind. */
  readonly #posts = new Map<string, { owed: number; posted: number }>();
  /** The number of offers that combined posts tell of without listing them. */
  #unlisted = 0;
  readonly #counts = { posted: 0, twice: 0, lost: 0, edits: 0 };

  /** Takes note of messages that stood in the channel before. */
  constructor(standing: readonly PageMessage[]) {
    for (const message of standing.filter(isAnnouncement)) {
      for (const { url, kind } of readPost(message).news) {
        const posts = this.#postsOf(url, kind);
        posts.owed += 1;
        posts.posted += 1;
      }
    }
  }

  /** Takes a whole answer of the feed. @param nowMs the demo's time, by which offers end */
  serve(text: string, nowMs: number): void {
    const { Items: items } = JSON.parse(text) as { Items: FeedItem[] };
    const shown = new Set(items.map(({ OfferId: id }) => id));
    for (const [id, served] of this.#served) {
      if (shown.has(id)) continue;
      served.missed += 1;
      served.isLive = false;
      // An address is enough to find a second post by.
      if (served.missed > 100) this.#served.delete(id);
    }
    for (const item of items) this.#serveOne(item, nowMs);
    this.#isFirst = false;
  }

  #serveOne(item: FeedItem, nowMs: number): void {
    const { OfferId: offerId, Url: url } = item;
    const before = this.#served.get(offerId);
    const isLive = !item.IsSoldOut && (item.EndDate === null || Date.parse(item.EndDate) > nowMs);
    const price = item.SalePrice?.Minimum ?? Number.NaN;
    this.#served.set(offerId, { url, isLive, price, missed: 0 });
    if (!isLive || this.#isFirst) return;
    const kinds: NewsKind[] = [];
    if (!before) kinds.push('new');
    else if (before.missed < GONE_AFTER_MISSES) {
      if (!before.isLive && before.missed === 0) kinds.push('back');
      if (price <= before.price * (1 - LEAST_DROP) + 1e-9) kinds.push('drop');
    }
    if (kinds.length === 0) return;
    for (const kind of kinds) this.#postsOf(url, kind).owed += 1;
    // Earlier news of the same offer that is not posted yet comes with it.
    const earlier = this.#owed.find((owed) => owed.offerId === offerId);
    if (earlier) earlier.kinds.push(...kinds);
    else this.#owed.push({ offerId, url, kinds, calmMs: 0 });
  }

  post(message: PageMessage): void {
    if (!isAnnouncement(message)) return;
    const { news, unlisted } = readPost(message);
    for (const { url, kind } of news) this.#postOne(url, kind);
    this.#unlisted += unlisted;
    // The oldest are those that a combined post tells of.
    const told = this.#owed.splice(0, Math.min(this.#unlisted, this.#owed.length));
    this.#unlisted -= told.length;
    this.#counts.posted += told.length;
  }

  #postOne(url: string, kind: NewsKind): void {
    const posts = this.#postsOf(url, kind);
    posts.posted += 1;
    // The first answer's offers may be posted, and needn't.
    if (posts.posted > Math.max(1, posts.owed)) this.#counts.twice += 1;
    const index = this.#owed.findIndex((owed) => owed.url === url && owed.kinds.includes(kind));
    if (index < 0) return;
    this.#owed.splice(index, 1);
    this.#counts.posted += 1;
  }

  edit(message: PageMessage): void {
    if (isAnnouncement(message)) this.#counts.edits += 1;
  }

  /**
   * Lets real time pass. What ends before it could be posted is owed no more; what ends although it could is lost.
   * @param calmMs for how long of it nothing was in the bot's way; 0 where something was: the bot's time begins anew
   */
  pass(calmMs: number): void {
    this.#unlisted = 0;
    this.#owed = this.#owed.filter((owed) => {
      owed.calmMs = calmMs > 0 ? owed.calmMs + calmMs : 0;
      const isLive = this.#served.get(owed.offerId)?.isLive === true;
      if (!isLive && owed.calmMs >= POSTED_WITHIN_MS) this.#counts.lost += 1;
      return isLive;
    });
  }

  counts(): Omit<DemoCounters, 'areSettingsChanged'> {
    const late = this.#owed.filter(({ calmMs }) => calmMs >= POSTED_WITHIN_MS).length;
    const { posted, twice, lost, edits } = this.#counts;
    const waiting = this.#owed.length - late;
    return { owed: posted + waiting + lost + late, posted, waiting, twice, lost: lost + late, edits };
  }

  #postsOf(url: string, kind: NewsKind): { owed: number; posted: number } {
    const key = `${kind} ${url}`;
    const known = this.#posts.get(key);
    if (known) return known;
    const fresh = { owed: 0, posted: 0 };
    this.#posts.set(key, fresh);
    for (const [oldest] of this.#posts) if (this.#posts.size > MOST_REMEMBERED) this.#posts.delete(oldest);
    return fresh;
  }
}
