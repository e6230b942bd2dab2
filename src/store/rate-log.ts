import type { Clock } from '../shared/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';
import { type Changes, kind, LIST, type State } from './table/state.ts';

/** The longest time span that callers ask for, in milliseconds. */
const LONGEST_MS = HOUR_MS;
/** A correction of the wall clock up to this size leaves the dates of the past hour accurate enough, in milliseconds. */
const SMALL_STEP_MS = MINUTE_MS;

/** The moments of a counted action at one place, by the id of its object: epoch milliseconds. */
interface Row {
  times: { id: string; atMs: number }[];
}

/** The moment of an action: monotonic milliseconds. */
interface Done {
  id: string;
  monotonicMs: number;
}

export const PACE = kind<Row>('pace', { times: LIST });

/** The place of a channel's posts. */
export function postsIn(channelId: string): string {
  return `post/${channelId}`;
}

/**
 * Counts actions of the past hour, and keeps the counts across restarts. `place` names the action and its target:
 * `post/…` and `publish/…` a channel, `edit/…` a message. An hour is elapsed time, however the wall clock is set; a
 * restart goes by the dates, and takes one in the future for now: it can't tell a clock that was set ahead since the
 * last renewal of the lease, or while nothing ran, from the time that passed meanwhile.
 */
export async function openRateLog(state: State, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
  const times = new Map<string, readonly Done[]>();
  const aheadMs = () => clock.now() - clock.monotonicMs();
  /** By how much the wall clock that dated the rows is ahead of the monotonic one; NaN where it was another one, or several. */
  let datedAheadMs = aheadMs();
  const isDatedNow = () => Math.abs(aheadMs() - datedAheadMs) <= SMALL_STEP_MS;
  function doneOf({ times }: Row): Done[] {
    if (times.some(({ atMs }) => atMs > clock.now())) datedAheadMs = Number.NaN;
    const ageMs = (atMs: number) => Math.max(0, clock.now() - atMs);
    const done = times.map(({ id, atMs }) => ({ id, monotonicMs: clock.monotonicMs() - ageMs(atMs) }));
    return done.sort((one, other) => one.monotonicMs - other.monotonicMs);
  }
  for await (const [place, record] of state.entries(PACE)) times.set(place, doneOf(record));
  const recent = (place: string) =>
    (times.get(place) ?? []).filter(({ monotonicMs }) => monotonicMs > clock.monotonicMs() - LONGEST_MS);
  const dated = (done: readonly Done[], nowMs: number) =>
    done.map(({ id, monotonicMs }) => ({ id, atMs: nowMs - Math.round(clock.monotonicMs() - monotonicMs) }));

  function keep(changes: Changes, place: string, done: readonly Done[]): void {
    if (done.length === 0) {
      changes.delete(PACE, place);
      changes.afterwards(() => times.delete(place));
      return;
    }
    changes.set(PACE, place, { times: dated(done, clock.now()) });
    changes.afterwards(() => {
      times.set(place, done);
      // The clock may be right again by the next look, and this row alone be dated by the wrong one.
      if (!isDatedNow()) datedAheadMs = Number.NaN;
    });
  }

  return {
    /**
     * The actions at a place within the past hour, oldest first; their times are by the wall clock that reads `nowMs`.
     */
    recent: (place: string, nowMs: number): readonly { id: string; atMs: number }[] => dated(recent(place), nowMs),
    /** The same of all actions that are kept, however long ago they were by the clock that dated them. */
    all: (place: string): readonly { id: string; atMs: number }[] => dated(times.get(place) ?? [], clock.now()),
    /** Stored before the action, so that a crash can't lower the count. A repeated action counts once. */
    record(changes: Changes, place: string, id: string): void {
      const others = recent(place).filter((one) => one.id !== id);
      keep(changes, place, [...others, { id, monotonicMs: clock.monotonicMs() }]);
    },
    /** Removes an action that failed: it does not count. */
    forget(changes: Changes, place: string, id: string): void {
      const done = recent(place);
      const others = done.filter((one) => one.id !== id);
      if (others.length < done.length) keep(changes, place, others);
    },
    /** Removes all actions at a place. */
    forgetPlace: (changes: Changes, place: string) => keep(changes, place, []),
    /**
     * Dates the past hour anew where the wall clock was set since it was dated: a restart knows only these dates. It
     * happens at each renewal of the lease and at the end of a run.
     */
    async restamp(): Promise<void> {
      if (isDatedNow()) return;
      await state.commit((changes) => {
        for (const place of times.keys()) keep(changes, place, recent(place));
        changes.afterwards(() => {
          datedAheadMs = aheadMs();
        });
      });
    },
    /** Forgets what was done longer ago. */
    sweep: () =>
      state.commit((changes) => {
        for (const place of times.keys()) if (recent(place).length === 0) keep(changes, place, []);
      }),
  };
}
