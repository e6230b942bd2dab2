import type { Seen } from './catalog.ts';
import { type NewsKind, type Posted, sortOf } from './reading.ts';

/** A post that has to come in a channel: the news that one answer brought of one entity. */
export interface Debt {
  channel: string;
  url: string;
  kinds: ReadonlySet<NewsKind>;
  /** The moment of the answer, by the right time. */
  foundAtMs: number;
  /** What the bot's clock has to show for a post, however it is set meanwhile. */
  dueAtMs: number;
  /** The same for a post that has to come, from `sureFromMs` on; one that may come may be sooner. */
  sureDueAtMs: number;
  /** It may come, and need not. */
  isOptional: boolean;
  /** Whatever is heard of it later, it need not come: a post has shown it along with other news, or it is no new low any more. */
  isExcused: boolean;
  /** A person has chosen to skip it: it may come, and is not missed. */
  isSkipped: boolean;
  /** It was there when it was first looked at: it is no news. */
  isExample: boolean;
  /** Whether somebody there follows the product. */
  isOfProduct: boolean;
  /** The moment of the answer from which on it is owed for sure, and not over since, where it was found before. */
  sureFromMs: number;
  /** The price from which on it is no news any more, where all its news is about prices; NaN where it is not. */
  fellFrom: number;
  /** The moment from which its price may have risen again; Infinity while it has not. */
  risenFromMs: number;
  seen: Seen;
  /** The watch that it tells of; null where it is no message of one. */
  watch: { readonly aim: 'price' | 'stock' | 'low' | 'end' } | null;
}

/** The time in which a post may come, by the right time, and whether it has to. */
export interface Span {
  fromMs: number;
  /** From when it is due; `fromMs` where absent. */
  dueFromMs?: number;
  untilMs: number;
  isOptional: boolean;
  /** By so much the bot's clock was wrong in it at most: it may have taken something for over so much earlier or later. */
  wrongByMs: number;
}

/**
 * The findings about a channel's messages:
 *
 * - lost: it had to come, and did not while it was true and could be posted
 * - late: it came, and too late
 * - twice: what was told already was told again, without any further news
 * - not owed: nothing that the catalog served, and that somebody there wanted, explains it
 * - untrue: a message says that something is over which is not, or a roll-up another number than it lists
 * - too many: more posts than an hour's most, or one in quiet hours
 */
export interface Finding {
  is: 'lost' | 'late' | 'twice' | 'not owed' | 'untrue' | 'too many';
  channel: string;
  /** The address; null where it is not about one entity. */
  url: string | null;
  /** Why, for people. */
  why: string;
}

/**
 * The state of a debt. `told` is by a combined post that names it only by its number. `held` is what can't be told of now
 * and is not over for good: what waits goes on waiting then. `skipped` is what a person has chosen to skip.
 */
export type Standing = 'told' | 'over' | 'optional' | 'skipped' | 'held' | 'open';

/** The posts of a combined post that are named only by their number. */
interface Unlisted {
  atMs: number;
  count: number;
  /** null for all sorts. */
  sort: ReturnType<typeof sortOf> | null;
}

/** All that is known of an address. */
interface About {
  debts: Debt[];
  told: Set<NewsKind>;
  /** What was told and not owed by then, the first one first, and what was found of it. */
  early: { kind: NewsKind; atMs: number; finding: Finding }[];
}

/** What an offer has told may be posted within so long, and a second answer shows it within so long again. */
const ASKED_AHEAD_MS = 3_600_000;

/** Most addresses that are remembered to find a second post: those of days. */
const MOST_REMEMBERED = 20_000;
/** Most combined posts that may still tell of something by their number. */
const MOST_UNLISTED = 1_000;

/** Most findings that are kept: then all is wrong. */
const MOST_FINDINGS = 10_000;

/** The posts that a channel is owed, and the messages that stand in it. */
export class Channel {
  readonly #id: string;
  readonly #spanOf: (debt: Debt) => Span;
  readonly #findings: Finding[] = [];
  readonly #about = new Map<string, About>();
  #unlisted: Unlisted[] = [];
  /** What was over before it was told, and is not kept. */
  readonly #forgotten = new WeakSet<Debt>();
  #isNeglected = false;
  #posted = 0;

  constructor(id: string, spanOf: (debt: Debt) => Span) {
    this.#id = id;
    this.#spanOf = spanOf;
  }

  owe(debt: Debt): void {
    const { debts, told } = this.#aboutOf(debt.url);
    const isTold = debt.isExample && [...debt.kinds].every((kind) => told.has(kind));
    if (!isTold && !this.#wasAsked(debt)) debts.push(debt);
  }

  /** Whether the offer may have told the bot itself, which has posted it shortly before a second answer showed it. */
  #wasAsked({ url, kinds, foundAtMs, seen }: Debt): boolean {
    const about = this.#aboutOf(url);
    const isShort = (fromMs: number, untilMs: number) => fromMs <= untilMs && untilMs - fromMs <= ASKED_AHEAD_MS;
    const isAhead = ({ atMs }: About['early'][number]) =>
      isShort(atMs, foundAtMs) && seen.servedMs.some((servedMs) => isShort(servedMs, atMs));
    const told = [...kinds].flatMap((kind) => about.early.find((one) => one.kind === kind && isAhead(one)) ?? []);
    about.early = about.early.filter((one) => !told.includes(one));
    for (const { finding } of told) {
      const place = this.#findings.indexOf(finding);
      if (place >= 0) this.#findings.splice(place, 1);
    }
    if (told.length < kinds.size) return false;
    this.#posted += 1;
    return true;
  }

  /** It has to come no more, and may not: another one stands for it. */
  cancel(debt: Debt): void {
    const about = this.#aboutOf(debt.url);
    about.debts = about.debts.filter((other) => other !== debt);
  }

  /** Whether no post has named a debt yet. */
  isOpen(debt: Debt): boolean {
    return this.#about.get(debt.url)?.debts.includes(debt) === true;
  }

  /** Whether anything about an address may come, or has to. */
  isOwedAbout(url: string): boolean {
    return this.#aboutOf(url).debts.length > 0;
  }

  /** From now on nothing is said of the channel: too much is open. */
  neglect(): void {
    this.#isNeglected = true;
  }

  /** It is news again: what could be told, or was over before it was, is owed for sure from a moment on, unless it is told. */
  confirm(debt: Debt, atMs: number, dueAtMs: number): void {
    if (!this.isOpen(debt) || debt.isExcused || (!debt.isOptional && overFromMs(debt) > atMs)) return;
    debt.isOptional = false;
    debt.sureFromMs = atMs;
    debt.sureDueAtMs = dueAtMs;
  }

  /** Somebody else wants what waits, too: it may come as soon as either wants it, and has to where both surely do. */
  hasten(debt: Debt, other: Pick<Debt, 'dueAtMs' | 'isOptional'>): void {
    if (!this.isOpen(debt)) return;
    debt.dueAtMs = Math.min(debt.dueAtMs, other.dueAtMs);
    if (!debt.isOptional && !other.isOptional) debt.sureDueAtMs = Math.min(debt.sureDueAtMs, other.dueAtMs);
  }

  /** What may come, and need not, may come as if it was found at a moment for the first time. */
  renew(debt: Debt, atMs: number, dueAtMs: number): void {
    if (!this.isOpen(debt) || !debt.isOptional) return;
    debt.sureFromMs = atMs;
    debt.sureDueAtMs = dueAtMs;
  }

  /** An entity costs something else: a drop from no more than that is no news, until it costs less again. */
  reprice(seen: Seen, atMs: number): void {
    const prices = seen.price.beliefs.map(({ value: [price] }) => price);
    this.#beat(seen);
    for (const debt of this.#about.get(seen.entity.url)?.debts ?? []) {
      if (debt.seen !== seen || Number.isNaN(debt.fellFrom)) continue;
      const isRisen = !prices.every((price) => price < debt.fellFrom);
      if (!isRisen && debt.risenFromMs !== Infinity) {
        debt.sureFromMs = atMs;
        // It is dropped where it is due while the price is up, and owed anew where that is news again.
        debt.isOptional ||= debt.watch === null;
      }
      // What has cost less meanwhile is a low again where it costs as little again, and may have been dropped until then.
      if (isRisen && isOfLow(debt)) {
        debt.isOptional = true;
        debt.isExcused = true;
      }
      debt.risenFromMs = isRisen ? Math.min(debt.risenFromMs, atMs) : Infinity;
    }
  }

  /** Where another listing of its product may be cheaper, an offer's price may be no low any more. */
  #beat({ entity: { id, product }, price }: Seen): void {
    for (const { debts } of this.#about.values()) {
      for (const debt of debts) {
        const { entity } = debt.seen;
        if (!isOfLow(debt) || entity.id === id || entity.product !== product) continue;
        debt.isOptional ||= price.beliefs.some(({ value: [other] }) => other < entity.price);
      }
    }
  }

  /** Nothing that is owed by now has to come any more, though it may. */
  excuse(): void {
    for (const { debts } of this.#about.values()) for (const debt of debts) debt.isOptional = true;
  }

  /** A person has chosen to skip what is owed by now. */
  skip(): void {
    for (const { debts } of this.#about.values()) for (const debt of debts) debt.isSkipped = true;
  }

  /** Takes note of a post that stood in the channel before. */
  stood({ news }: Posted): void {
    for (const { url, kind } of news) this.#aboutOf(url).told.add(kind);
  }

  /** The messages that told of it are gone, and it may be told as if for the first time. */
  forgetTold(url: string): void {
    this.#about.get(url)?.told.clear();
  }

  /** @param atMs when it was posted, by the right time */
  post({ news, unlisted, isOfOneSort }: Posted, atMs: number): void {
    for (const { url, kind } of news) this.#tell(url, kind, atMs);
    if (unlisted === 0) return;
    const sort = isOfOneSort && news[0] ? sortOf(news[0].kind) : null;
    this.#unlisted = [...this.#unlisted, { atMs, count: unlisted, sort }].slice(-MOST_UNLISTED);
  }

  #tell(url: string, kind: NewsKind, atMs: number): void {
    const about = this.#aboutOf(url);
    const [told, ...others] = about.debts
      .map((debt) => ({ debt, ...this.#spanFor(debt) }))
      .filter(({ fromMs }) => fromMs <= atMs)
      .toSorted(
        (one, other) =>
          Number(other.debt.kinds.has(kind)) - Number(one.debt.kinds.has(kind)) ||
          Number(other.untilMs >= atMs) - Number(one.untilMs >= atMs) ||
          newestOfWatch(one.debt, other.debt) ||
          Number(one.isOptional) - Number(other.isOptional) ||
          one.untilMs - other.untilMs ||
          one.debt.foundAtMs - other.debt.foundAtMs,
      );
    if (told) {
      about.debts.splice(about.debts.indexOf(told.debt), 1);
      this.#supersede(told.debt);
      if (!told.isOptional) this.#posted += 1;
      if (told.untilMs < atMs) this.find('late', url, `${kind} at ${iso(atMs)}, not by ${iso(told.untilMs)}`);
      // It shows its entity as it is by then: what is not told yet comes with it, or in a post of its own.
      const ofSame = others.filter(({ debt }) => debt.seen === told.debt.seen);
      for (const { debt } of ofSame.filter(({ untilMs }) => untilMs >= atMs)) {
        debt.isOptional = true;
        debt.isExcused = true;
      }
    } else {
      const is = about.told.has(kind) ? 'twice' : 'not owed';
      about.early.push({ kind, atMs, finding: this.find(is, url, `${kind} at ${iso(atMs)}`) });
    }
    about.told.add(kind);
  }

  /** A message of a watch shows what is so by then, so it stands for those that waited longer. */
  #supersede({ watch, foundAtMs }: Debt): void {
    for (const about of watch ? this.#about.values() : [])
      about.debts = about.debts.filter((debt) => debt.watch !== watch || debt.foundAtMs > foundAtMs);
  }

  /**
   * Gives what combined posts name only by their number to what is open. Returns the debts that are told so, by the post;
   * what is left of a number is more than was owed.
   */
  #unlistedDebts(): { told: Map<Debt, Unlisted>; left: Unlisted[] } {
    const told = new Map<Debt, Unlisted>();
    const left: Unlisted[] = [];
    const open = this.#unlisted.length > 0 ? this.#open() : [];
    for (const post of this.#unlisted) {
      const { atMs, count, sort } = post;
      const isOver = (debt: Debt) => Number(overFromMs(debt) <= atMs);
      // What is over or held by then may be left out.
      const isOpen = (one: Span & { debt: Debt }) => Number(untold(one, atMs) === 'open');
      // What need not come for another reason leaves the place to what has to.
      const isNeeded = (one: Span & { debt: Debt }) => Number(untold(one, Infinity) === 'open');
      const isHeld = ({ fromMs, dueFromMs = fromMs }: Span) => Number(dueFromMs > atMs);
      const candidates = open
        .filter(({ debt, fromMs, untilMs }) => fromMs <= atMs && untilMs >= atMs && !told.has(debt))
        .filter(({ debt }) => sort === null || [...debt.kinds].some((kind) => sortOf(kind) === sort))
        .toSorted(
          (one, other) =>
            isOpen(other) - isOpen(one) ||
            isOver(one.debt) - isOver(other.debt) ||
            Number(one.isOptional) - Number(other.isOptional) ||
            isNeeded(other) - isNeeded(one) ||
            isHeld(one) - isHeld(other) ||
            one.untilMs - other.untilMs ||
            // It may have left out what was about to end.
            other.debt.seen.entity.endsAtMs - one.debt.seen.entity.endsAtMs,
        );
      // Two offers may share an address, and count as two.
      const entities = new Set([...new Set(candidates.map(({ debt }) => debt.seen))].slice(0, count));
      for (const { debt } of candidates) if (entities.has(debt.seen)) told.set(debt, post);
      if (entities.size < count) left.push({ ...post, count: count - entities.size });
    }
    return { told, left };
  }

  /** How each debt stands that no post has named. @param nowMs by the right time; Infinity where nothing more comes */
  standings(nowMs: number): { debt: Debt; is: Standing; untilMs: number }[] {
    const { told } = this.#unlistedDebts();
    return this.#open().map((one) => {
      const { debt, untilMs, isOptional } = one;
      return { debt, is: told.has(debt) && !isOptional ? 'told' : untold(one, nowMs), untilMs };
    });
  }

  /** The number of debts that posts have named. */
  posted(): number {
    return this.#posted;
  }

  /** Forgets what is owed of an entity; where a combined post tells of it by its number, as something posted. */
  forget(seen: Seen): void {
    const about = this.#aboutOf(seen.entity.url);
    const here = about.debts.filter((debt) => debt.seen === seen);
    const { told } = this.#unlistedDebts();
    for (const post of new Set(here.flatMap((debt) => told.get(debt) ?? []))) post.count -= 1;
    if (here.some((debt) => told.has(debt) && !debt.isOptional)) this.#posted += 1;
    about.debts = about.debts.filter((debt) => debt.seen !== seen);
    for (const debt of here) if (!told.has(debt)) this.#forgotten.add(debt);
  }

  /** Whether a debt was over before it was told, and is not kept: what is news again is owed anew. */
  isForgotten(debt: Debt): boolean {
    return this.#forgotten.has(debt);
  }

  /** All that is wrong, if nothing more comes. @param nowMs by the right time */
  findings(nowMs: number): Finding[] {
    if (this.#isNeglected) return [];
    const lost = this.standings(nowMs).flatMap(({ debt, is, untilMs }): Finding[] => {
      if (is !== 'open' || untilMs > nowMs) return [];
      const { url, kinds, foundAtMs, dueAtMs } = debt;
      const why = `${[...kinds].join(', ')} found ${iso(foundAtMs)}, due ${iso(dueAtMs)}, at the latest ${iso(untilMs)}`;
      return [{ is: 'lost', channel: this.#id, url, why }];
    });
    const more = this.#unlistedDebts().left.map(({ atMs, count }): Finding => {
      const why = `a combined post at ${iso(atMs)} tells of ${count} more than were owed`;
      return { is: 'not owed', channel: this.#id, url: null, why };
    });
    return [...this.#findings, ...lost, ...more];
  }

  find(is: Finding['is'], url: string | null, why: string): Finding {
    const finding: Finding = { is, channel: this.#id, url, why };
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push(finding);
    return finding;
  }

  #open(): (Span & { debt: Debt })[] {
    return [...this.#about.values()].flatMap(({ debts }) => debts.map((debt) => ({ debt, ...this.#spanFor(debt) })));
  }

  /** Where it could not be told of for a while before it had to come, the time in which it has to come begins anew. */
  #spanFor(debt: Debt): Span {
    const { foundAtMs, dueAtMs, sureFromMs, sureDueAtMs } = debt;
    const span = this.#spanOf(debt);
    const from = (ms: number, isOptional = false): Span => {
      const anew = this.#spanOf({ ...debt, foundAtMs: ms, dueAtMs: sureDueAtMs });
      return { ...anew, fromMs: span.fromMs, isOptional: isOptional || anew.isOptional };
    };
    let latest = sureFromMs > foundAtMs || sureDueAtMs > dueAtMs ? from(sureFromMs) : span;
    for (const hold of debt.seen.holds) {
      const isInTime = hold.fromMs - latest.wrongByMs <= latest.untilMs;
      // What need not come by then need not come later either: it may be dropped by then.
      if (isInTime && hold.untilMs > Math.max(foundAtMs, sureFromMs)) latest = from(hold.untilMs, latest.isOptional);
    }
    return latest;
  }

  #aboutOf(url: string): About {
    const known = this.#about.get(url);
    if (known) return known;
    const fresh: About = { debts: [], told: new Set(), early: [] };
    this.#about.set(url, fresh);
    for (const [oldest] of this.#about) if (this.#about.size > MOST_REMEMBERED) this.#about.delete(oldest);
    return fresh;
  }
}

/** How a debt stands that no post has told of. */
function untold({ debt, untilMs, isOptional, wrongByMs }: Span & { debt: Debt }, nowMs: number): Standing {
  if (isOptional) return 'optional';
  if (debt.isSkipped) return 'skipped';
  const isBy = (ms: number) => Number.isFinite(ms) && ms - wrongByMs <= Math.min(untilMs, nowMs);
  if (isBy(overFromMs(debt))) return 'over';
  return isBy(debt.seen.heldFromMs) ? 'held' : 'open';
}

/** The moment from which news is not true any more, by the right time; Infinity while it is. */
export function overFromMs({ seen, risenFromMs, sureFromMs }: Debt): number {
  const isOver = seen.overFromMs <= sureFromMs;
  const overMs = isOver ? seen.overFromMs : (seen.overs.find((atMs) => atMs >= sureFromMs) ?? Infinity);
  return Math.min(overMs, seen.entity.endsAtMs, risenFromMs);
}

function isOfLow({ kinds, watch }: Debt): boolean {
  return kinds.has('low') || watch?.aim === 'low';
}

function newestOfWatch(one: Debt, other: Debt): number {
  return one.watch && one.watch === other.watch ? other.foundAtMs - one.foundAtMs : 0;
}

/** A moment for people. */
export function iso(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : 'never';
}
