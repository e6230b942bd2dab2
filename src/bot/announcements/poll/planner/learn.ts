import type { LearnedTimes } from '../../../store/resources.ts';

/** What one successful poll of a resource told. */
export interface Observation {
  polledAtMs: number;
  /** The successful poll before; null at the first sight. */
  previousPolledAtMs: number | null;
  /** When each thing that was not there before says that it started; null where nothing tells. */
  startedAtMs: readonly (number | null)[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What was seen this long ago counts half. A moment that moves, as with daylight saving, is learned on its first day. */
const HALF_LIFE_MS = 7 * DAY_MS;

/** At a first sight, what started before then tells little: most of its time is over and gone. */
const LOOK_BACK_MS = 14 * DAY_MS;

/** Two polls as close as this tell the minute. */
const KNOWN_WITHIN_MS = 2 * MINUTE_MS;

/** Most minutes that are remembered one by one, and the least weight of one: the rest is remembered by its hour. */
const MOST_MINUTES = 240;
const LEAST_WEIGHT = 0.02;

/** What is known of a resource's times after one more poll. Nothing is changed in place. */
export function learn(before: LearnedTimes | undefined, observation: Observation): LearnedTimes {
  const { polledAtMs, previousPolledAtMs, startedAtMs } = observation;
  // The clock was set back since: nothing tells how long things had to come.
  if (previousPolledAtMs !== null && previousPolledAtMs > polledAtMs) {
    return {
      ...(before ?? {
        days: 0,
        ...tidied(
          new Map(),
          Array.from({ length: 24 }, () => 0),
        ),
      }),
      asOfMs: polledAtMs,
    };
  }
  const kept = before ? fadeOf(Math.max(0, polledAtMs - before.asOfMs)) : 0;
  const minutes = new Map(Object.entries(before?.minutes ?? {}).map(([minute, weight]) => [+minute, weight * kept]));
  const hours = Array.from({ length: 24 }, (_, hour) => (before?.hours[hour] ?? 0) * kept);
  const addMinute = (atMs: number) => {
    const minute = minuteOf(atMs);
    minutes.set(minute, (minutes.get(minute) ?? 0) + fadeOf(polledAtMs - atMs));
  };

  const fromMs = previousPolledAtMs ?? polledAtMs - LOOK_BACK_MS;
  let oldestMs = polledAtMs;
  for (const startMs of startedAtMs) {
    // One that says it started before the last poll did not show then: it came some time after.
    const isKnown = startMs !== null && startMs > fromMs && startMs <= polledAtMs;
    if (isKnown) {
      addMinute(startMs);
      oldestMs = Math.min(oldestMs, startMs);
    } else if (previousPolledAtMs !== null) {
      if (polledAtMs - previousPolledAtMs <= KNOWN_WITHIN_MS) addMinute((previousPolledAtMs + polledAtMs) / 2);
      else spread(hours, previousPolledAtMs, polledAtMs);
    }
  }
  const watchedMs = polledAtMs - (previousPolledAtMs ?? oldestMs);
  const days = (before?.days ?? 0) * kept + fadedDays(Math.max(0, watchedMs));
  return { asOfMs: polledAtMs, days, ...tidied(minutes, hours) };
}

/** The weight of what was seen that long ago. */
function fadeOf(ageMs: number): number {
  return 2 ** (-ageMs / HALF_LIFE_MS);
}

/** A time that lasts until now in days, each moment with its weight. */
function fadedDays(ms: number): number {
  return ((HALF_LIFE_MS / DAY_MS) * (1 - fadeOf(ms))) / Math.LN2;
}

function minuteOf(ms: number): number {
  return Math.floor((ms % DAY_MS) / MINUTE_MS);
}

/** One arrival at an unknown moment between the two. */
function spread(hours: number[], fromMs: number, untilMs: number): void {
  const startMs = Math.max(fromMs, untilMs - DAY_MS);
  for (let atMs = startMs; atMs < untilMs; ) {
    const endMs = Math.min(untilMs, (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS);
    const hour = Math.floor((atMs % DAY_MS) / HOUR_MS);
    hours[hour] = (hours[hour] ?? 0) + (endMs - atMs) / (untilMs - startMs);
    atMs = endMs;
  }
}

/** Few minutes stand out, and those are kept. */
function tidied(
  minutes: ReadonlyMap<number, number>,
  hours: readonly number[],
): Pick<LearnedTimes, 'minutes' | 'hours'> {
  const heaviest = [...minutes].sort(([, one], [, other]) => other - one);
  const kept = heaviest.slice(0, MOST_MINUTES).filter(([, weight]) => weight >= LEAST_WEIGHT);
  const allHours = [...hours];
  for (const [minute, weight] of heaviest.slice(kept.length)) {
    const hour = Math.floor(minute / 60);
    allHours[hour] = (allHours[hour] ?? 0) + weight;
  }
  return { minutes: Object.fromEntries(kept), hours: allHours };
}
