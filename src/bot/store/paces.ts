import { ageMs, type Clock } from '../../shared/clock.ts';
import type { Backend } from '../../shared/storage/backend.ts';
import { rowReader, sweep } from './rows.ts';

/** When something was last done somewhere, by what it was done to. */
interface PaceRecord {
  version: 1;
  times: { id: string; atMs: number }[];
}

/** How far back anybody asks. */
const LONGEST_MS = 3_600_000;
/** A wall clock that is corrected by no more than this dates the past hour well enough. */
const SMALL_STEP_MS = 60_000;

/** When something was done: on the monotonic clock. */
interface Done {
  id: string;
  monotonicMs: number;
}

/**
 * How often something was done in the past hour, kept so that a restart does not forget it. `place` names what is
 * counted and where: `post/…` a channel, `publish/…` a channel, `edit/…` a message. An hour is one that passes, however the
 * wall clock is set meanwhile.
 */
export interface PaceStore {
  /** What was done there within the past hour, oldest first; the times are those of the wall clock that says `nowMs`. */
  of(place: string, nowMs: number): readonly { id: string; atMs: number }[];
  /** Written before it is done, so that a crash can't make it count less. What is done again counts once. */
  note(place: string, id: string, nowMs: number): Promise<void>;
  /** What came to nothing does not count. */
  forget(place: string, id: string): Promise<void>;
  /**
   * Dates the past hour anew where the wall clock was set since it was dated: a restart knows nothing but these dates. One
   * call after another.
   */
  redate(): Promise<void>;
  sweep(nowMs: number): Promise<void>;
}

export async function openPaces(backend: Backend, clock: Pick<Clock, 'now' | 'monotonicMs'>): Promise<PaceStore> {
  const table = backend.table<PaceRecord>('paces', { read: rowReader<PaceRecord>([1], { times: 'list' }) });
  const paces = new Map<string, readonly Done[]>();
  // A time from the future was written by a wrong clock: it was now at the latest, and counts as that, so that it
  // silences nothing for longer than an hour.
  const ageSinceOpening = (atMs: number) => Math.max(0, clock.now() - atMs);
  /** By how much the wall clock that the rows are dated by is ahead of the monotonic one; infinite where a row's is not known. */
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
      await sweep(table, ({ times }) => times.every(({ atMs }) => ageMs(atMs, nowMs) >= LONGEST_MS));
    },
  };
}
