import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { StateInUseError, StoreError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { LeaseCell } from './backend.ts';
import { hasEnded, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** Interval between two heartbeats of a holder, in milliseconds. */
const HEARTBEAT_MS = 1_500;
/** A holder without a heartbeat for this long counts as gone, by the clock of the process that watches it. */
const GONE_AFTER_MS = 15_000;
/**
 * Time that a holder may act after it last renewed its lease, in milliseconds. Nobody can have taken the lease over by
 * then, and a request that leaves at its end has some seconds to arrive.
 */
const CONFIRMED_FOR_MS = 10_000;
/** Interval between two reads of another holder's lease, in milliseconds. */
const POLL_MS = 250;

/** The row that names the process that may write a state. */
export interface LeaseRecord {
  version: 1;
  /** Random, made anew whenever the lease is taken; null while nobody holds it. */
  holder: string | null;
  /** Increases by one whenever the lease is taken. */
  epoch: number;
  /** Increases by one with each heartbeat. */
  heartbeat: number;
  process: ProcessIdentity;
  /** Time at which the lease was taken, in epoch milliseconds by the holder's clock. It is only for people to read. */
  sinceMs: number;
}

/** The right to write a state. One process holds it at a time. */
export interface Lease {
  /**
   * Resolves while no other process can have taken the lease over. Rejects with a StateInUseError when one has.
   */
  confirm(): Promise<void>;
  /** Releases the lease, so that another process can take it at once. */
  release(): Promise<void>;
}

export interface LeaseParts {
  clock: Clock;
  log: Log;
  /** Aborts the wait for another holder. */
  signal: AbortSignal;
  /** Called once when another process has taken the lease over: from then on nothing can be written. */
  onLost: (error: StateInUseError) => void;
}

/**
 * Takes the lease of a state: at once if nobody holds it or its holder is known to have ended, else once the holder has
 * been silent for 15 seconds. From then on every write of the backend is refused unless the lease is held.
 * @throws StateInUseError where the holder lives, within two seconds
 * @throws StoreError where the state can't be read or written
 */
export async function takeLease(cell: LeaseCell, { clock, log, signal, onLost }: LeaseParts): Promise<Lease> {
  const own = ownIdentity();
  const holder = randomUUID();
  let text = '';
  let record: LeaseRecord;

  for (;;) {
    const seen = await freeLease(cell, own, { clock, log, signal });
    const epoch = (readRecord(seen)?.epoch ?? 0) + 1;
    record = { version: 1, holder, epoch, heartbeat: 0, process: own, sinceMs: clock.now() };
    text = JSON.stringify(record);
    if (await cell.replace(seen, text)) break;
    // Another process was faster: it is watched like any holder.
  }
  await cell.fence(holder);

  /** Monotonic time just before the last successful write of the lease. */
  let renewedAtMs = clock.monotonicMs();
  let renewing: Promise<void> | null = null;
  let lost: StateInUseError | null = null;
  let isReleased = false;
  let callOff = clock.after(HEARTBEAT_MS, beat);

  function beat(): void {
    void renew()
      .catch((error: unknown) => {
        // The next renewal may succeed. While the lease can't be written, no other process can take it.
        if (!lost) log.warn({ err: error }, "the state's lease could not be renewed");
      })
      .then(() => {
        if (!lost && !isReleased) callOff = clock.after(HEARTBEAT_MS, beat);
      });
  }

  function renew(): Promise<void> {
    renewing ??= renewNow().finally(() => {
      renewing = null;
    });
    return renewing;
  }

  async function renewNow(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    const next = { ...record, heartbeat: record.heartbeat + 1 };
    const nextText = JSON.stringify(next);
    if (!(await cell.replace(text, nextText))) throw lose(await cell.read());
    [record, text, renewedAtMs] = [next, nextText, startedAtMs];
  }

  function lose(seen: string | undefined): StateInUseError {
    if (lost) return lost;
    lost = new StateInUseError(`${nameOf(readRecord(seen))} has taken over this state, so this process is stopping.`);
    callOff();
    log.fatal(lost.message);
    onLost(lost);
    return lost;
  }

  return {
    async confirm() {
      if (lost) throw lost;
      if (clock.monotonicMs() - renewedAtMs < CONFIRMED_FOR_MS) return;
      try {
        await renew();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // The usual cause is a full disk: then no other process can have taken the lease either, and reads go on.
        const seen = await cell.read();
        if (readRecord(seen)?.holder !== holder) throw lose(seen);
      }
    },
    async release() {
      if (isReleased) return;
      isReleased = true;
      callOff();
      await renewing?.catch(() => undefined);
      if (!lost) await cell.replace(text, JSON.stringify({ ...record, holder: null }));
    },
  };
}

/** Waits until nobody holds the lease. Resolves with the row as it is then. */
async function freeLease(
  cell: LeaseCell,
  own: ProcessIdentity,
  { clock, log, signal }: Omit<LeaseParts, 'onLost'>,
): Promise<string | undefined> {
  const seen = await cell.read();
  const record = readRecord(seen);
  if (!record || record.holder === null || hasEnded(record.process, own)) return seen;
  const { pid, host } = record.process;
  log.info({ pid, host }, 'another process holds the state: checking whether it is alive');
  const sinceMs = clock.monotonicMs();
  while (clock.monotonicMs() - sinceMs < GONE_AFTER_MS) {
    await clock.sleep(POLL_MS, signal);
    const now = await cell.read();
    if (now === seen) {
      if (hasEnded(record.process, own)) return now;
      continue;
    }
    const other = readRecord(now);
    if (!other || other.holder === null) return now;
    throw new StateInUseError(
      `${nameOf(other)} is already using this state. Stop it first, or set another STATE_URL for this one.`,
    );
  }
  log.warn({ pid, host }, 'taking over the state: its holder stopped responding');
  return seen;
}

function nameOf(record: LeaseRecord | null): string {
  if (!record) return 'Another Dealbell';
  const { process, sinceMs } = record;
  return `Another Dealbell (process ${process.pid} on ${process.host}, since ${new Date(sinceMs).toISOString()})`;
}

/** The lease; null where there is none or it can't be read, so that nobody holds it. */
function readRecord(text: string | undefined): LeaseRecord | null {
  try {
    const record = JSON.parse(text ?? 'null') as LeaseRecord | null;
    return typeof record?.epoch === 'number' && typeof record.process === 'object' ? record : null;
  } catch {
    return null;
  }
}
