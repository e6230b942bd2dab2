import { ageMs } from '../../../shared/clock.ts';
import type { LearnedTimes } from '../../../store/catalog-records.ts';

/** The result of one successful poll, as far as it shows when entities arrive. */
export interface Observation {
  polledAtMs: number;
  /** The previous successful poll; null at the first sight. */
  previousPolledAtMs: number | null;
  /** The start that each new entity states: epoch milliseconds, null where it states none. */
  startedAtMs: readonly (number | null)[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The half-life of an arrival's weight. A moment that shifts, as with daylight saving, is learned on its first day. */
const HALF_LIFE_MS = 7 * DAY_MS;

/** At a first sight, entities that started earlier than this are ignored: most of their contemporaries are gone. */
const HISTORY_MS = 14 * DAY_MS;

/** Two polls at most this far apart determine the minute of an arrival. */
const KNOWN_WITHIN_MS = 2 * MINUTE_MS;

/**
 * The most minutes that are remembered individually, and the least weight of one: other arrivals are remembered by the
 * hour.
 */
const MOST_MINUTES = 240;
const LEAST_WEIGHT = 0.02;

/** Updates a resource's learned times after one more poll. Changes nothing in place. */
export function learn(before: LearnedTimes | undefined, observation: Observation): LearnedTimes {
  const { polledAtMs, startedAtMs } = observation;
  const sinceMs = observation.previousPolledAtMs === null ? null : ageMs(observation.previousPolledAtMs, polledAtMs);
  const previousPolledAtMs = sinceMs === null ? null : polledAtMs - sinceMs;
  const kept = before ? fadeOf(ageMs(before.asOfMs, polledAtMs)) : 0;
  const minutes = new Map(Object.entries(before?.minutes ?? {}).map(([minute, weight]) => [+minute, weight * kept]));
  const hours = Array.from({ length: 24 }, (_, hour) => (before?.hours[hour] ?? 0) * kept);
  const addMinute = (atMs: number) => {
    const minute = minuteOf(atMs);
    minutes.set(minute, (minutes.get(minute) ?? 0) + fadeOf(polledAtMs - atMs));
  };

  const fromMs = previousPolledAtMs ?? polledAtMs - HISTORY_MS;
  let oldestMs = polledAtMs;
  for (const startMs of startedAtMs) {
    // An entity that states a start before the last poll was not listed then: it was listed some time after that.
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

/** The weight of an arrival that long ago. */
function fadeOf(agoMs: number): number {
  return 2 ** (-agoMs / HALF_LIFE_MS);
}

/** The length in days of the time up to now, each moment with its weight. */
function fadedDays(ms: number): number {
  return ((HALF_LIFE_MS / DAY_MS) * (1 - fadeOf(ms))) / Math.LN2;
}

function minuteOf(ms: number): number {
  return Math.floor((ms % DAY_MS) / MINUTE_MS);
}

/** Spreads one arrival at an unknown moment between the two over the hours. */
function spread(hours: number[], fromMs: number, untilMs: number): void {
  const startMs = Math.max(fromMs, untilMs - DAY_MS);
  for (let atMs = startMs; atMs < untilMs; ) {
    const endMs = Math.min(untilMs, (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS);
    const hour = Math.floor((atMs % DAY_MS) / HOUR_MS);
    hours[hour] = (hours[hour] ?? 0) + (endMs - atMs) / (untilMs - startMs);
    atMs = endMs;
  }
}

/** Keeps only the few minutes that stand out; the others are added to their hours. */
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
