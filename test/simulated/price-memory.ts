// What a person would remember who read every answer, and believes a thing once two answers in a row have said it.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of the time after a sight nothing is known, unless the next one follows so soon. */
const SOON_MS = 2 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** What an answer says of a listing; null where it can't be read. */
export interface Sight {
  id: string;
  name: string;
  cents: number | null;
  isSoldOut: boolean | null;
}

/** A time in which answer after answer said the same; `cents` is null while it was sold out. */
export interface Seen {
  cents: number | null;
  fromMs: number;
  untilMs: number;
  lastMs: number;
  answers: number;
}

interface Remembered {
  id: string;
  seen: Seen[];
  /** Each name, and since when two answers in a row have said it. */
  names: { name: string; sinceMs: number }[];
  nameOnce: string | null;
}

export type PriceMemory = ReturnType<typeof createPriceMemory>;

export function createPriceMemory() {
  const listings = new Map<string, Remembered>();
  /** By each name that a listing ever had. */
  const byName = new Map<string, Set<Remembered>>();

  function called(known: Remembered, name: string): void {
    byName.set(name, (byName.get(name) ?? new Set<Remembered>()).add(known));
  }

  const nameAt = ({ names }: Remembered, ms: number) =>
    (names.findLast(({ sinceMs }) => sinceMs <= ms) ?? names[0])?.name;
  const everNamed = (name: string) => [...(byName.get(name) ?? [])];
  const named = (name: string, ms: number) => everNamed(name).filter((one) => nameAt(one, ms) === name);
  const sure = (some: readonly Remembered[]) => some.flatMap(({ seen }) => seen.filter(({ answers }) => answers > 1));

  return {
    sight({ id, name, cents, isSoldOut }: Sight, atMs: number): void {
      const known = listings.get(id) ?? { id, seen: [], names: [{ name, sinceMs: atMs }], nameOnce: null };
      listings.set(id, known);
      if (known.names.at(-1)?.name !== name) {
        if (known.nameOnce === name) known.names.push({ name, sinceMs: atMs });
        known.nameOnce = known.nameOnce === name ? null : name;
      } else known.nameOnce = null;
      called(known, known.names.at(-1)?.name ?? name);
      const last = known.seen.at(-1);
      const isSoon = last !== undefined && atMs - last.lastMs <= SOON_MS;
      if (isSoldOut === null || (!isSoldOut && !cents)) return;
      const now = isSoldOut ? null : cents;
      if (last && isSoon && last.cents === now) {
        last.untilMs = atMs;
        last.lastMs = atMs;
        last.answers += 1;
        return;
      }
      if (last && isSoon) last.untilMs = atMs;
      known.seen.push({ cents: now, fromMs: atMs, untilMs: atMs, lastMs: atMs, answers: 1 });
    },
    nameOf: (id: string, ms: number) => {
      const known = listings.get(id);
      return known && nameAt(known, ms);
    },
    /** Whether two answers in a row have renamed a listing from or to the name within some hours of a moment. */
    isRenamedNear: (name: string, ms: number) =>
      everNamed(name).some(({ names }) => names.slice(1).some(({ sinceMs }) => Math.abs(sinceMs - ms) < 6 * HOUR_MS)),
    renamedAtMs: (id: string, ms: number) =>
      listings.get(id)?.names.findLast(({ sinceMs }) => sinceMs <= ms)?.sinceMs ?? 0,
    seenOf: (id: string): readonly Seen[] => listings.get(id)?.seen ?? [],
    /** What is sure of the listings that had the name at that moment. */
    sureOf: (name: string, ms: number) => sure(named(name, ms)),
    /** All that was ever seen of listings that ever had the name, also once. */
    allOf: (name: string) => everNamed(name).flatMap(({ seen }) => seen),
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
     * several listings the cheapest counts.
     */
    around(name: string, cents: number, asOfMs: number, ms: number): { less: number; same: number; more: number } {
      const course = courseOf(sure(named(name, asOfMs)), ms - YEAR_MS, ms);
      const sum = (isMeant: (other: number) => boolean) =>
        course.reduce((total, piece) => (isMeant(piece.cents) ? total + piece.ms : total), 0);
      return {
        less: sum((other) => other < cents),
        same: sum((other) => other === cents),
        more: sum((other) => other > cents),
      };
    },
  };
}

/** The time for which the product cost what it cost, piece by piece. */
function courseOf(seen: readonly Seen[], fromMs: number, untilMs: number): { cents: number; ms: number }[] {
  const moments = [
    ...new Set(seen.flatMap((one) => [one.fromMs, one.untilMs]).map((ms) => Math.min(Math.max(ms, fromMs), untilMs))),
  ].sort((a, b) => a - b);
  return moments.flatMap((startMs, index) => {
    const endMs = moments[index + 1];
    if (endMs === undefined) return [];
    const there = seen.flatMap((one) =>
      one.cents !== null && one.fromMs <= startMs && one.untilMs >= endMs ? [one.cents] : [],
    );
    return there.length > 0 ? [{ cents: Math.min(...there), ms: endMs - startMs }] : [];
  });
}
