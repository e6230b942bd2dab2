import { StoreError } from '../../shared/errors.ts';
import { DEPENDENCIES, type Dependency, type Reachability } from '../../shared/reachability.ts';
import type { LeaseCell } from './backend.ts';

/** Interval between two looks at what is reached, in milliseconds. */
export const COMPARE_EVERY_MS = 10_000;
/** Another standby whose row has not moved for this long counts as gone, by the clock of the process that reads it. */
const GONE_AFTER_MS = 30_000;

/** The row of a process that stands by. */
interface StandbyRecord {
  /** The name under which it would hold the lease. */
  id: string;
  /** Increases by one whenever it is written. */
  beat: number;
  /** What the process has just reached. */
  reached: readonly Dependency[];
}

export interface CompareParts {
  cell: LeaseCell;
  /** The name under which this process holds the lease, or would. */
  id: string;
  reachability: Reachability;
  /** Whether this process keeps the state from answering itself, which says nothing of the way to it. */
  isBusy: () => boolean;
}

/** The comparison of what this process reaches with what another one does. */
export interface Comparison {
  /** From now on this process holds the lease. Calls `onBetter` with the id of a process that should have it instead. */
  lead(onBetter: (id: string) => void, mayHandOverAfterMs: number): void;
  stop(): void;
}

/**
 * Looks every 10 seconds what this process reaches. While it stands by, it writes that down, unless another one that
 * reaches as much does so. While it leads, it reads that: only what moves counts, so no two clocks have to agree.
 * @param isStandby whether it stands by until it leads; else nothing is looked at before
 */
export function compareReach({ cell, id, reachability, isBusy }: CompareParts, isStandby: boolean): Comparison {
  const { clock } = reachability;
  let seen: { text: string | undefined; movedAtMs: number | null } | null = null;
  let beats = 0;
  let leading: { onBetter: (id: string) => void; fromMs: number } | null = null;
  let isStopped = false;
  let callOff = (): void => undefined;

  /** Another process that stands by and has shown that it lives; null where there is none. */
  function otherStandby(text: string | undefined): StandbyRecord | null {
    const nowMs = clock.monotonicMs();
    if (!seen || seen.text !== text) seen = { text, movedAtMs: seen && nowMs };
    const record = readStandby(text);
    const isAlive = seen.movedAtMs !== null && nowMs - seen.movedAtMs < GONE_AFTER_MS;
    return isAlive && record?.id !== id ? record : null;
  }

  async function look(): Promise<void> {
    if (isBusy()) return;
    const reading = cell.readStandby();
    const reached = await reachability.look(() => reading);
    const other = otherStandby(await reading);
    if (leading) {
      const isTime = clock.monotonicMs() >= leading.fromMs;
      if (other && isTime && !isStopped && isMore(other.reached, lasting(reachability))) leading.onBetter(other.id);
    } else if (!other || isMore(reached, other.reached)) {
      beats += 1;
      const record: StandbyRecord = { id, beat: beats, reached };
      await cell.writeStandby(JSON.stringify(record));
    }
  }

  function run(): void {
    void look()
      .catch((error: unknown) => {
        // A database that is away is named as such.
        if (!(error instanceof StoreError)) throw error;
      })
      .then(() => {
        if (!isStopped) callOff = clock.after(COMPARE_EVERY_MS, run);
      });
  }

  if (isStandby) run();
  return {
    lead(onBetter, mayHandOverAfterMs) {
      leading = { onBetter, fromMs: clock.monotonicMs() + mayHandOverAfterMs };
      if (!isStandby) callOff = clock.after(COMPARE_EVERY_MS, run);
    },
    stop() {
      isStopped = true;
      callOff();
    },
  };
}

/** Lists the dependencies that a process reaches, or has reached shortly before. */
function lasting(reachability: Reachability): Dependency[] {
  const away = new Set(reachability.away().map(({ dependency }) => dependency));
  return DEPENDENCIES.filter((dependency) => !away.has(dependency));
}

/** Whether `some` has all of `others`, and more. */
export function isMore(some: readonly Dependency[], others: readonly Dependency[]): boolean {
  return some.length > others.length && others.every((dependency) => some.includes(dependency));
}

/** null where there is none, or it can't be read. */
function readStandby(text: string | undefined): StandbyRecord | null {
  try {
    const record = JSON.parse(text ?? 'null') as StandbyRecord | null;
    return typeof record?.id === 'string' && Array.isArray(record.reached) ? record : null;
  } catch {
    return null;
  }
}
