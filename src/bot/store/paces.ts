import { ageMs, type Clock } from '../../shared/clock.ts';
import type { Backend } from '../../shared/storage/backend.ts';
import { rowReader, sweep } from './rows.ts';

/** The moments of a counted action at one place, by the id of its object. */
interface PaceRecord {
  version: 1;
  times: { id: string; atMs: number }[];
}

/** The longest time span that callers ask for. */
const LONGEST_MS = 3_600_000;
/** A correction of the wall clock up to this size leaves the dates of the past hour accurate enough. */
const SMALL_STEP_MS = 60_000;

/** The moment of an action: monotonic milliseconds. */
interface Done {
  id: string;
  monotonicMs: number;
}

/**
 * Counts actions of the past hour, and keeps the counts across restarts. `place` names the action and its target:
 * `post/…` and `publish/…` a channel, `edit/…` a message. An hour is elapsed time, however the wall clock is set
 * meanwhile.
 */
export interface PaceStore {
  /**
   * The actions at a place within the past hour, oldest first; their times are by the wall clock that reads `nowMs`.
   */
  of(place: string, nowMs: number): readonly { id: string; atMs: number }[];
  /** Written before the action, so that a crash can't lower the count. A repeated action counts once. */
  note(place: string, id: string, nowMs: number): Promise<void>;
  /** Removes an action that failed: it does not count. */
  forget(place: string, id: string): Promise<void>;
  /**
   * Re-dates the past hour where the wall clock was set since it was dated, because a restart knows only these dates.
   * Calls run one after another.
   */
  redate(): Promise<void>;
  sweep(nowMs: number): Promise<void>;
}

export async function openPaces(backend: Backend, clock: Pick<Clock, 'now' | 'monotonicMs'>): Promise<PaceStore> {
  const table = backend.table<PaceRecord>('paces', { read: rowReader<PaceRecord>([1], { times: 'list' }) });
  const paces = new Map<string, readonly Done[]>();
  // A date in the future was written by a wrong clock. It counts as now, the latest possible moment, so that it blocks
  // nothing for longer than an hour.
  const ageSinceOpening = (atMs: number) => Math.max(0, clock.now() - atMs);
  /**
   * The offset between the wall clock that dated the rows and the monotonic clock; infinite where it is unknown for a
   * row.
   */
  let datedByMs = offsetMs();
  for await (const [place, { times }] of table.entries()) {
    if (times.some(({ atMs }) => atMs > clock.now())) datedByMs = Infinity;
    const done = times.map(({ id, atMs }) => ({ id, monotonicMs: clock.monotonicMs() - ageSinceOpening(atMs) }));
    paces.set(
      place,
      done.toSorted((one, other) => one.monotonicMs - other.monotonicMs),
    );
  }
  const isRecent = ({ monotonicMs }: Done) => monotonicMs > clock.monotonicMs() - LONGEST_MS;
  const recent = (place: string) => (paces.get(place) ?? []).filter(isRecent);
  const dated = (done: readonly Done[], nowMs: number) =>
    done.map(({ id, monotonicMs }) => ({ id, atMs: nowMs - Math.round(clock.monotonicMs() - monotonicMs) }));
  const keep = (place: string, done: readonly Done[], nowMs: number) =>
    table.set(place, { version: 1, times: dated(done, nowMs) });
  function offsetMs(): number {
    return clock.now() - clock.monotonicMs();
  }
  return {
    of: (place, nowMs) => dated(recent(place), nowMs),
    async note(place, id, nowMs) {
      const done = [...recent(place).filter((one) => one.id !== id), { id, monotonicMs: clock.monotonicMs() }];
      paces.set(place, done);
      await keep(place, done, nowMs);
    },
    async forget(place, id) {
      const done = paces.get(place) ?? [];
      const others = done.filter((one) => one.id !== id);
      if (others.length === done.length) return;
      paces.set(place, others);
      await keep(place, others, clock.now());
    },
    async redate() {
      const byMs = offsetMs();
      if (Math.abs(byMs - datedByMs) <= SMALL_STEP_MS) return;
      // A clock that was set back shows the dates of what is older in the future, and a restart would count it as done now.
      const outdated = [...paces.keys()].filter((place) => recent(place).length === 0);
      for (const place of outdated) paces.delete(place);
      await table.deleteMany(outdated);
      for (const place of paces.keys()) await keep(place, recent(place), clock.now());
      datedByMs = byMs;
    },
    async sweep(nowMs) {
      for (const [place, done] of paces) if (!done.some(isRecent)) paces.delete(place);
      await sweep(table, ({ times }) => times.every(({ atMs }) => atMs > nowMs || ageMs(atMs, nowMs) >= LONGEST_MS));
    },
  };
}
