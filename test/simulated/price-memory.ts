import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts';

// What a person would remember who read every answer, and believes a thing once two answers in a row have said it.

/** Of the time after a sight nothing is known, unless the next one follows so soon. */
const SOON_MS = 2 * HOUR_MS;
/** After so long an offer that was over is forgotten. */
const WEEK_MS = 7 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

/** What an answer says of a listing; null where it can't be read. */
export interface Sight {
  id: string;
  name: string;
  cents: number | null;
  isSoldOut: boolean | null;
  /** Whether the offer itself was asked, which needs no second answer. */
  isItself?: boolean;
}

/** A time in which answer after answer said the same; `cents` is null while it was sold out. */
export interface Seen extends Span {
  cents: number | null;
  lastMs: number;
  answers: number;
}

interface Span {
  fromMs: number;
  untilMs: number;
}

interface Remembered {
  id: string;
  seen: Seen[];
  /** The times of which no two answers tell the same. */
  doubtful: Span[];
  /** How often it changed what is remembered of it, besides for how long. */
  changes: number;
  /** Each name, and since when two answers in a row, or the offer itself, have said it. */
  names: { name: string; sinceMs: number }[];
  nameOnce: string | null;
}

export type PriceMemory = ReturnType<typeof createPriceMemory>;

export function createPriceMemory() {
  const listings = new Map<string, Remembered>();
  /** By each name that a listing ever had. */
  const byName = new Map<string, Set<Remembered>>();

  /** When answers came. */
  const answered = new Set<number>();

  function called(known: Remembered, name: string): void {
    byName.set(name, (byName.get(name) ?? new Set<Remembered>()).add(known));
  }

  /** What products have cost until some moment, until another answer comes: many posts ask for the same. */
  let courses = new Map<string, Piece[]>();

  const nameAt = ({ names }: Remembered, ms: number) =>
    (names.findLast(({ sinceMs }) => sinceMs <= ms) ?? names[0])?.name;
  const everNamed = (name: string) => [...(byName.get(name) ?? [])];
  const named = (name: string, ms: number) => everNamed(name).filter((one) => nameAt(one, ms) === name);
  const sure = (some: readonly Remembered[]) => some.flatMap(({ seen }) => seen.filter(({ answers }) => answers > 1));

  /** The times in which a listing may have cost something else than what it was seen at, or have been gone, by a moment. */
  function doubtfulOf({ seen, doubtful }: Remembered, nowMs: number): readonly Span[] {
    // It was there until the next answer, or was gone before.
    const ends = seen.map(({ lastMs }) => ({ fromMs: lastMs, untilMs: lastMs + SOON_MS }));
    const isLast = ({ fromMs, untilMs }: Span, index: number) =>
      (answered.has(untilMs) || untilMs >= nowMs) && (seen[index + 1]?.fromMs ?? Infinity) > fromMs + SOON_MS;
    return [...doubtful, ...ends.filter(isLast)];
  }

  /** The year before a moment, of the listings that had the name at another. */
  function courseUntil(name: string, asOfMs: number, ms: number): readonly Piece[] {
    const key = `${asOfMs} ${ms} ${name}`;
    const made = courses.get(key);
    if (made) return made;
    const some = named(name, asOfMs);
    const doubtful = some.flatMap((one) => doubtfulOf(one, ms));
    const course = courseOf(sure(some), doubtful, { fromMs: ms - YEAR_MS, untilMs: ms });
    courses.set(key, course);
    return course;
  }

  return {
    sight({ id, name, cents, isSoldOut, isItself = false }: Sight, atMs: number): void {
      answered.add(atMs);
      if (courses.size > 0) courses = new Map();
      const names = [{ name, sinceMs: atMs }];
      const known = listings.get(id) ?? { id, seen: [], doubtful: [], changes: 0, names, nameOnce: null };
      listings.set(id, known);
      if (known.names.at(-1)?.name !== name) {
        const isSure = isItself || known.nameOnce === name;
        if (isSure) known.names.push({ name, sinceMs: atMs });
        known.changes += 1;
        known.nameOnce = isSure ? null : name;
      } else known.nameOnce = null;
      called(known, known.names.at(-1)?.name ?? name);
      const last = known.seen.at(-1);
      const isSoon = last !== undefined && atMs - last.lastMs <= SOON_MS;
      if (isSoldOut === null || (!isSoldOut && !cents)) return;
      const now = isSoldOut ? null : cents;
      // The first answer that says something may be wrong, and so may one that lacks the listing.
      if (last && (isSoon ? last.answers === 1 : atMs - last.lastMs <= 2 * SOON_MS)) {
        known.doubtful.push({ fromMs: last.lastMs, untilMs: atMs });
      }
      if (last && isSoon && last.cents === now) {
        last.untilMs = atMs;
        last.lastMs = atMs;
        last.answers += 1;
        if (last.answers === 2) known.changes += 1;
        return;
      }
      known.changes += 1;
      if (last && isSoon) last.untilMs = atMs;
      known.seen.push({ cents: now, fromMs: atMs, untilMs: atMs, lastMs: atMs, answers: 1 });
    },
    names: () => [...byName.keys()],
    nameOf: (id: string, ms: number) => {
      const known = listings.get(id);
      return known && nameAt(known, ms);
    },
    /** Each name that a listing ever had. */
    namesOf: (id: string) => listings.get(id)?.names.map(({ name }) => name) ?? [],
    /** Whether two answers in a row have renamed a listing from or to the name within some hours of a moment. */
    isRenamedNear: (name: string, ms: number) =>
      everNamed(name).some(({ names }) => names.slice(1).some(({ sinceMs }) => Math.abs(sinceMs - ms) < 6 * HOUR_MS)),
    /** Whether a listing that ever had the name got another one after it had not been seen for a week. */
    isSplit: (name: string) =>
      everNamed(name).some(({ names, seen }) =>
        seen.some(({ fromMs }, place) => {
          const before = seen[place - 1];
          return before && fromMs - before.untilMs > WEEK_MS && names.slice(1).some(({ sinceMs }) => sinceMs >= fromMs);
        }),
      ),
    /** Whether a listing ever had the name besides another one. */
    isEverRenamed: (name: string) => everNamed(name).some(({ names }) => names.length > 1),
    renamedAtMs: (id: string, ms: number) =>
      listings.get(id)?.names.findLast(({ sinceMs }) => sinceMs <= ms)?.sinceMs ?? 0,
    seenOf: (id: string): readonly Seen[] => listings.get(id)?.seen ?? [],
    /** What is sure of the listings that had the name at that moment. */
    sureOf: (name: string, ms: number) => sure(named(name, ms)),
    /** All that was ever seen of listings that ever had the name, also once. */
    allOf: (name: string) => everNamed(name).flatMap(({ seen }) => seen),
    /** When each listing that ever had the name was seen first, at all and for sure. */
    beginningsOf: (name: string) =>
      everNamed(name).flatMap(({ seen }) =>
        [seen[0], seen.find(({ answers }) => answers > 1)].flatMap((one) => one?.fromMs ?? []),
      ),
    /** Another one whenever what is remembered of a name changes, besides for how long. */
    versionOf: (name: string) => everNamed(name).reduce((sum, { changes }) => sum + changes, 0),
    /** On how many of the days before a moment a listing of that name was seen. */
    daysSeen(name: string, days: number, ms: number): number {
      const isSeen = new Set([0]);
      for (const { fromMs, untilMs } of named(name, ms).flatMap(({ seen }) => seen)) {
        if (fromMs > ms) continue;
        const [latest, first] = [Math.max(0, ms - untilMs), ms - fromMs].map((ago) => Math.floor(ago / DAY_MS));
        for (let day = latest ?? 0; day <= (first ?? 0) && day < days; day += 1) isSeen.add(day);
      }
      return isSeen.size;
    },
    /**
     * How long the product was sold for less than `cents` in the year before a moment, and how long for more: of
     * several listings the cheapest counts. `doubtful` is the time that may count for any price or none.
     */
    around(name: string, cents: number, asOfMs: number, ms: number): Around {
      const around: Around = { less: 0, same: 0, more: 0, doubtful: 0 };
      for (const piece of courseUntil(name, asOfMs, ms)) {
        if (piece.cents === null) around.doubtful += piece.ms;
        else around[piece.cents < cents ? 'less' : piece.cents > cents ? 'more' : 'same'] += piece.ms;
      }
      return around;
    },
  };
}

/** Milliseconds. */
interface Around {
  less: number;
  same: number;
  more: number;
  doubtful: number;
}

/** A time, in milliseconds, in which a product cost the same; `cents` is null where that is doubtful. */
interface Piece {
  cents: number | null;
  ms: number;
}

/** The time for which the product cost what it cost, piece by piece. */
function courseOf(seen: readonly Seen[], doubtful: readonly Span[], { fromMs, untilMs }: Span): Piece[] {
  const within = (ms: number) => Math.min(Math.max(ms, fromMs), untilMs);
  const priced = seen.filter(({ cents }) => cents !== null);
  const spans = [...priced, ...doubtful.map((span) => ({ ...span, cents: null }))]
    .map(({ cents, ...span }) => ({ cents, fromMs: within(span.fromMs), untilMs: within(span.untilMs) }))
    .filter((span) => span.untilMs > span.fromMs)
    .sort((a, b) => a.fromMs - b.fromMs);
  const moments = [...new Set(spans.flatMap((span) => [span.fromMs, span.untilMs]))].sort((a, b) => a - b);
  let there: typeof spans = [];
  let next = 0;
  return moments.flatMap((startMs, index): Piece[] => {
    const ms = (moments[index + 1] ?? startMs) - startMs;
    there = there.filter((span) => span.untilMs > startMs);
    for (let span = spans[next]; span && span.fromMs <= startMs; span = spans[next]) {
      there.push(span);
      next += 1;
    }
    if (there.length === 0 || ms === 0) return [];
    const prices = there.map(({ cents }) => cents).filter((cents) => cents !== null);
    return [{ cents: prices.length < there.length ? null : Math.min(...prices), ms }];
  });
}
