import { isAnnouncement, type NewsKind, readPost, sortOf } from '../../test/model/reading.ts';
import type { DemoCounters } from '../local-discord/server/demo-api.ts';
import type { PageMessage } from '../local-discord/server/page-api.ts';
import type { Entity, Wanted } from './wanted.ts';

/** The least price drop that the demo's subscriptions announce. */
const LEAST_DROP = 0.1;
/** So long the bot may take to post what is due, while nothing is in its way: milliseconds of real time. */
const POSTED_WITHIN_MS = 20_000;
/** So much longer for each that is due at the same time: Discord takes about one post a second in a channel. */
const LONGER_FOR_EACH_MS = 1_500;
/** An offer that so many whole answers lacked may have ended: whether it is told of when it comes back is the bot's choice. */
const GONE_AFTER_MISSES = 2;
/** Answers that may lack an entity until it is forgotten: its address is enough to find a second post by. */
const MOST_MISSED = 100;
/** Most addresses that are remembered to find a second post: those of days. */
const MOST_REMEMBERED = 20_000;

/** An entity as its answer last showed it. */
interface Served {
  isLive: boolean;
  price: number;
  /** How many answers have come without it since. */
  missed: number;
}

/** The news of one entity that is not posted yet: it is owed one post. */
interface Owed {
  path: string;
  id: string;
  url: string;
  kinds: Set<NewsKind>;
  /** The price that it fell from; NaN where it did not. */
  fellFrom: number;
  /** When it may be posted, and when it ends: epoch milliseconds of the demo's time. */
  dueAtMs: number;
  endsAtMs: number;
  /** For how long it could have been posted without an interruption: milliseconds of real time. */
  calmMs: number;
  /** The most that were due at the same time as it. */
  mostDue: number;
}

/**
 * Counts what is owed to a channel and what stands in it: from nothing but the answers of the catalog and the channel's
 * messages. It imports nothing of the bot, and asks it nothing.
 */
export class Counters {
  readonly #wanted: readonly Omit<Wanted, 'place'>[];
  /** The entities of each path's answers, by id; none before its first answer. */
  readonly #served = new Map<string, Map<string, Served>>();
  #owed: Owed[] = [];
  /** How often each news of each entity was owed and posted, by its address and kind. */
  readonly #posts = new Map<string, { owed: number; posted: number }>();
  #nowMs = 0;
  readonly #counts = { posted: 0, twice: 0, lost: 0, edits: 0 };

  /** Takes note of messages that stood in the channel before. */
  constructor(standing: readonly PageMessage[], wanted: readonly Omit<Wanted, 'place'>[]) {
    this.#wanted = wanted;
    for (const message of standing.filter(isAnnouncement)) {
      for (const { url, kind } of readPost(message).news) {
        const posts = this.#postsOf(url, kind);
        posts.owed += 1;
        posts.posted += 1;
      }
    }
  }

  /** Takes a whole answer of the catalog. @param nowMs the demo's time, by which offers end */
  serve(path: string, text: string, nowMs: number): void {
    this.#nowMs = nowMs;
    for (const wanted of this.#wanted) if (wanted.path === path) this.#serveTo(wanted, wanted.read(text, nowMs));
  }

  #serveTo(wanted: Omit<Wanted, 'place'>, entities: readonly Entity[]): void {
    const { path } = wanted;
    const before = this.#served.get(path);
    const served = before ?? new Map<string, Served>();
    this.#served.set(path, served);
    const shown = new Set(entities.map(({ id }) => id));
    for (const [id, entity] of served) {
      if (shown.has(id)) continue;
      entity.missed += 1;
      entity.isLive = false;
      if (entity.missed > MOST_MISSED) served.delete(id);
    }
    for (const entity of entities) {
      const earlier = served.get(entity.id);
      served.set(entity.id, { isLive: entity.isLive, price: entity.price, missed: 0 });
      // The first answer's entities are owed to nobody.
      if (before) this.#owe(wanted, entity, earlier);
    }
  }

  #owe({ path, first, dueAt }: Omit<Wanted, 'place'>, entity: Entity, before: Served | undefined): void {
    const { id, url, price, endsAtMs } = entity;
    const waiting = this.#owed.find((owed) => owed.path === path && owed.id === id);
    // A price that has risen again is no news any more.
    if (waiting && price >= waiting.fellFrom) waiting.kinds.delete('drop');
    if (!entity.isLive || !entity.isWanted) return;
    const kinds: NewsKind[] = [];
    if (!before) kinds.push(first);
    else if (before.missed < GONE_AFTER_MISSES) {
      if (!before.isLive && before.missed === 0) kinds.push('back');
      if (price <= before.price * (1 - LEAST_DROP) + 1e-9) kinds.push('drop');
    }
    if (kinds.length === 0) return;
    for (const kind of kinds) this.#postsOf(url, kind).owed += 1;
    const fellFrom = kinds.includes('drop') && before ? before.price : Number.NaN;
    // Earlier news of the same entity that is not posted yet comes with it.
    if (!waiting) {
      const dueAtMs = dueAt(this.#nowMs);
      this.#owed.push({ path, id, url, kinds: new Set(kinds), fellFrom, dueAtMs, endsAtMs, calmMs: 0, mostDue: 1 });
      return;
    }
    for (const kind of kinds) waiting.kinds.add(kind);
    if (!Number.isNaN(fellFrom)) waiting.fellFrom = fellFrom;
  }

  post(message: PageMessage): void {
    if (!isAnnouncement(message)) return;
    const { news, unlisted, isOfOneSort } = readPost(message);
    for (const { url, kind } of news) this.#postOne(url, kind);
    const sort = isOfOneSort && news[0] ? sortOf(news[0].kind) : null;
    // It may have left out what was about to end: of as many as it tells of, that comes last.
    const told = this.#owed
      .filter(({ kinds }) => sort === null || [...kinds].some((kind) => sortOf(kind) === sort))
      .toSorted((one, other) => this.#isHeld(one) - this.#isHeld(other) || other.endsAtMs - one.endsAtMs)
      .slice(0, unlisted);
    this.#owed = this.#owed.filter((owed) => !told.includes(owed));
    this.#counts.posted += told.length;
  }

  /** 1 for what may not be posted yet, else 0. */
  #isHeld({ dueAtMs }: Owed): 0 | 1 {
    return dueAtMs > this.#nowMs ? 1 : 0;
  }

  #postOne(url: string, kind: NewsKind): void {
    const posts = this.#postsOf(url, kind);
    posts.posted += 1;
    // The first answer's offers may be posted, and needn't.
    if (posts.posted > Math.max(1, posts.owed)) this.#counts.twice += 1;
    // A combined post names one news of each entity.
    const index = this.#owed.findIndex((owed) => owed.url === url);
    if (index < 0) return;
    this.#owed.splice(index, 1);
    this.#counts.posted += 1;
  }

  edit(message: PageMessage): void {
    if (isAnnouncement(message)) this.#counts.edits += 1;
  }

  /**
   * Forgets what is not posted yet, as its channel is gone, and what answers showed: the first one after its return owes
   * nothing, because nobody followed the catalog meanwhile.
   */
  cancel(): void {
    this.#owed = [];
    this.#served.clear();
  }

  /**
   * Lets real time pass. What ends before it could be posted is owed no more; what ends although it could is lost.
   * @param calmMs for how long of it nothing was in the bot's way; 0 where something was: the bot's time begins anew
   * @param nowMs the demo's time
   */
  pass(calmMs: number, nowMs: number): void {
    this.#nowMs = nowMs;
    const due = this.#owed.filter((owed) => this.#isHeld(owed) === 0);
    // More time for what had its time already would hide a loss.
    for (const owed of due) if (!isLate(owed)) owed.mostDue = Math.max(owed.mostDue, due.length);
    this.#owed = this.#owed.filter((owed) => {
      owed.calmMs = calmMs > 0 && this.#isHeld(owed) === 0 ? owed.calmMs + calmMs : 0;
      const isLive = owed.kinds.size > 0 && this.#served.get(owed.path)?.get(owed.id)?.isLive === true;
      if (!isLive && isLate(owed)) this.#counts.lost += 1;
      return isLive;
    });
  }

  counts(): Omit<DemoCounters, 'areSettingsChanged'> {
    const due = this.#owed.filter((owed) => this.#isHeld(owed) === 0);
    const late = due.filter(isLate).length;
    const { posted, twice, lost, edits } = this.#counts;
    const waiting = due.length - late;
    const held = this.#owed.length - due.length;
    return { owed: posted + waiting + lost + late, posted, waiting, held, twice, lost: lost + late, edits };
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

/** Whether the bot had the time to post it. */
function isLate({ calmMs, mostDue }: Owed): boolean {
  return calmMs >= POSTED_WITHIN_MS + (mostDue - 1) * LONGER_FOR_EACH_MS;
}
