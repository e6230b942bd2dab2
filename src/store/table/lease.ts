import { randomUUID } from 'node:crypto';
import { type Clock, type Moment, momentOf, mostSince, systemClock } from '../../shared/clock.ts';
import { StateHandedOverError, StateInUseError, StoreError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Reachability } from '../../shared/reachability.ts';
import type { LeaseCell } from './backend.ts';
import { hasEnded, ownIdentity, type ProcessIdentity } from './process-identity.ts';
import { compareReach } from './standby.ts';

/** Interval between two heartbeats of a holder, in milliseconds. */
export const HEARTBEAT_MS = 1_500;
/** A holder without a heartbeat for this long counts as gone, by the clock of the process that watches it. */
export const GONE_AFTER_MS = 15_000;
/** The same of a holder that has said that it is busy: no write of its own comes through meanwhile. */
export const BUSY_FOR_MS = 120_000;
/**
 * Time that a holder may act after it last renewed its lease, in milliseconds, by whichever of its clocks has moved
 * further: the monotonic one stands still while a machine is suspended. A former holder that can't know that it has lost
 * the lease is silent after that.
 */
export const CONFIRMED_FOR_MS = 4_000;
/** The longest time that a request to Discord is under way, in milliseconds: the client gives it up then. */
export const REQUEST_MS = 15_000;
/** How long a start looks at a lock that stays held while nobody shows that it lives, in milliseconds. */
export const LOCKED_FOR_MS = 20_000;
/** Interval between two reads of another holder's lease, in milliseconds. */
export const LOOK_MS = 250;
/** How long a process that was handed the lease keeps it at least, in milliseconds: so two never pass it to and fro. */
const KEPT_AFTER_HANDOVER_MS = 300_000;

/** The row that names the process that may write a state. */
export interface LeaseRecord {
  version: 1;
  /** Random, made anew whenever the lease is taken; null while nobody holds it. */
  holder: string | null;
  /** Where the last holder has handed the lease over: the process that is to take it, and may before any other. */
  to?: string;
  /** Increases by one whenever the lease is taken. */
  epoch: number;
  /** Increases by one with each heartbeat. */
  heartbeat: number;
  /** How long its holder may be without a heartbeat, where that is longer than usual: milliseconds. */
  silentMs?: number | undefined;
  process: ProcessIdentity;
  /** Time at which the lease was taken, in epoch milliseconds by the machine's clock. It is only for people to read. */
  sinceMs: number;
}

/** The right to write a state. One process holds it at a time. */
export interface Lease {
  /** The number of this taking: higher than that of every process which held the state before. */
  epoch: number;
  /**
   * Monotonic time from which on no request of a former holder can still be under way. Nothing may be posted before: a
   * channel that is read earlier may lack a post.
   */
  clearFromMs: number;
  /**
   * Resolves while no other process can have taken the lease over: it was renewed less than 4 s ago, or is renewed now.
   * Rejects with a StateInUseError when one has.
   * @param withinMs how long ago the last answer of the state may be: milliseconds. Where both clocks stand still, as in
   *   a virtual machine that is paused, only the state tells.
   */
  confirm(withinMs?: number): Promise<void>;
  /**
   * Does work during which no heartbeat may come through: for two minutes at most, nobody takes the lease over. A lock
   * that the database keeps needs no word of it.
   */
  whileBusy<R>(work: () => Promise<R>): Promise<R>;
  /** Calls the listener after each renewal from now on. */
  onRenewed(listener: () => void): void;
  /** Releases the lease, so that another process can take it at once. */
  release(): Promise<void>;
}

export interface LeaseParts {
  clock: Clock;
  log: Log;
  /** Aborts the wait for another holder. */
  signal: AbortSignal;
  /**
   * Called once when another process has taken the lease over: from then on nothing can be written. Or when it is to:
   * with a StateHandedOverError, after which nothing may be sent, and the lease is to be released.
   */
  onLost: (error: StateInUseError) => void;
  /** Whether to wait for as long as another process holds the lease, instead of refusing. */
  isStandby?: boolean;
  /**
   * What this process reaches. A holder hands the lease over to a process that stands by and reaches more. Absent: it
   * keeps the lease.
   */
  reachability?: Reachability;
}

type WaitParts = Omit<LeaseParts, 'onLost' | 'reachability'>;

/**
 * Takes the lease of a state: at once if nobody holds it or its holder is known to have ended, else once the holder has
 * been silent for 15 seconds. From then on every write of the backend is refused unless the lease is held.
 * @throws StateInUseError where the holder lives, within two seconds, unless this process stands by
 * @throws StoreError where the state can't be read or written
 */
export async function takeLease(cell: LeaseCell, { onLost, reachability, ...parts }: LeaseParts): Promise<Lease> {
  const { clock, log, isStandby = false } = parts;
  const holder = randomUUID();
  const busy = createBusyWork();
  const { isBusy } = busy;
  const comparison = reachability && compareReach({ cell, id: holder, reachability, isBusy }, isStandby);
  const { clearFromMs, wasHandedOver, ...taken } = await writeRecord(cell, holder, parts).catch((error: unknown) => {
    comparison?.stop();
    throw error;
  });
  /** `askedAt` is just before the last successful write of the lease. */
  let { record, askedAt } = taken;
  let text = JSON.stringify(record);
  cell.fence(holder);

  /** Just after that write. */
  let answeredAt = momentOf(clock);
  let renewing: Promise<void> | null = null;
  let lost: StateInUseError | null = null;
  let handedOver: { to: string; error: StateHandedOverError } | null = null;
  let isReleased = false;
  const listeners: (() => void)[] = [];
  let callOff = clock.after(HEARTBEAT_MS, beat);
  comparison?.lead(handOver, wasHandedOver ? KEPT_AFTER_HANDOVER_MS : 0);

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

  async function sayBusy(): Promise<void> {
    // A renewal that is under way doesn't say it yet.
    await renewing?.catch(() => undefined);
    await renew();
  }

  async function renewNow(): Promise<void> {
    const startedAt = momentOf(clock);
    const silentMs = isBusy() ? BUSY_FOR_MS : undefined;
    const next: LeaseRecord = { ...record, heartbeat: record.heartbeat + 1, silentMs };
    const nextText = JSON.stringify(next);
    if (!(await cell.replace(text, nextText))) throw lose(await cell.read());
    [record, text, askedAt, answeredAt] = [next, nextText, startedAt, momentOf(clock)];
    for (const tell of listeners) tell();
  }

  /** Renews the lease. Resolves with the moment at which it was still held. */
  async function askWhoHolds(): Promise<Moment> {
    try {
      await renew();
      return askedAt;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The usual cause is a full disk: then no other process can have taken the lease either, and reads go on.
      const at = momentOf(clock);
      const seen = await cell.read();
      if (readRecord(seen)?.holder !== holder) throw lose(seen);
      return at;
    }
  }

  function lose(seen: string | undefined): StateInUseError {
    if (lost) return lost;
    lost = new StateInUseError(`${nameOf(readRecord(seen))} has taken over this state, so this process is stopping.`);
    callOff();
    comparison?.stop();
    log.fatal(lost.message);
    onLost(lost);
    return lost;
  }

  /** Until it is released, the lease is renewed: nobody else takes it while this process ends what it is at. */
  function handOver(to: string): void {
    if (lost || handedOver || isReleased) return;
    const error = new StateHandedOverError(HANDED_OVER);
    handedOver = { to, error };
    log.warn('handing the state over: another process reaches more');
    onLost(error);
  }

  return {
    epoch: record.epoch,
    clearFromMs,
    async confirm(withinMs = CONFIRMED_FOR_MS) {
      if (lost) throw lost;
      if (handedOver) throw handedOver.error;
      if (mostSince(answeredAt, clock) < withinMs && mostSince(askedAt, clock) < CONFIRMED_FOR_MS) return;
      // An answer may have waited here while this process stood still.
      let heldAt: Moment;
      do heldAt = await askWhoHolds();
      while (mostSince(heldAt, clock) >= CONFIRMED_FOR_MS);
    },
    whileBusy: (work) => (cell.lock ? work() : busy.run(work, sayBusy)),
    onRenewed: (listener) => void listeners.push(listener),
    async release() {
      if (isReleased) return;
      isReleased = true;
      callOff();
      comparison?.stop();
      await renewing?.catch(() => undefined);
      const over = { holder: null, silentMs: undefined, ...(handedOver && { to: handedOver.to }) };
      const free: LeaseRecord = { ...record, ...over };
      if (!lost) await cell.replace(text, JSON.stringify(free));
    },
  };
}

/** The works during which no heartbeat may come through. */
function createBusyWork() {
  let works = 0;
  return {
    isBusy: () => works > 0,
    /** @param sayBusy says so to others, before the work begins */
    async run<R>(work: () => Promise<R>, sayBusy: () => Promise<void>): Promise<R> {
      works += 1;
      try {
        await sayBusy();
        return await work();
      } finally {
        works -= 1;
      }
    },
  };
}

const HANDED_OVER = 'Another Dealbell reaches more than this one: this process hands the state over to it, and stops.';

/** Waits until nobody holds the lease, and writes that `holder` does. */
async function writeRecord(
  cell: LeaseCell,
  holder: string,
  parts: WaitParts,
): Promise<{ record: LeaseRecord; clearFromMs: number; wasHandedOver: boolean; askedAt: Moment }> {
  const process = ownIdentity();
  for (;;) {
    const { text, clearFromMs } = await freeLease(cell, { holder, process }, parts);
    const wasHandedOver = readRecord(text)?.to === holder;
    const epoch = (readRecord(text)?.epoch ?? 0) + 1;
    const record: LeaseRecord = { version: 1, holder, epoch, heartbeat: 0, process, sinceMs: systemClock.now() };
    const askedAt = momentOf(parts.clock);
    if (await cell.replace(text, JSON.stringify(record))) return { record, clearFromMs, wasHandedOver, askedAt };
    // Another process was faster: it is watched like any holder.
  }
}

/** A lease that nobody holds. */
interface FreeLease {
  text: string | undefined;
  clearFromMs: number;
}

/** A process that wants the lease, and the name under which it would hold it. */
interface Seeker {
  holder: string;
  process: ProcessIdentity;
}

/** Waits until nobody holds the lease. */
async function freeLease(cell: LeaseCell, seeker: Seeker, parts: WaitParts): Promise<FreeLease> {
  const { clock, log, signal, isStandby = false } = parts;
  const first = await look(cell, seeker, undefined, 0);
  let { text } = first;
  /** Since when the text has not moved, by what this process has seen. */
  let stillSinceMs = clock.monotonicMs();
  if (first.isFree && (isReleased(text) || !isStandby)) {
    // A process that has just begun takes seconds until it posts.
    const isOver = isReleased(text) || hasHolderEnded(text, seeker);
    return { text, clearFromMs: isOver ? clearAfterRelease(text, stillSinceMs) : clearFrom(stillSinceMs) };
  }
  const { pid, host } = readRecord(text)?.process ?? seeker.process;
  log.info(
    { pid, host },
    isStandby
      ? 'another process holds the state: standing by'
      : 'another process holds the state: checking whether it is alive',
  );
  for (;;) {
    const again = await look(cell, seeker, text, clock.monotonicMs() - stillSinceMs).catch((error: unknown) => {
      // A database that is away comes back.
      if (!isStandby || !(error instanceof StoreError)) throw error;
      return null;
    });
    if (again && again.text !== text) {
      if (!isStandby && !again.isFree) throw inUse(again.text);
      [text, stillSinceMs] = [again.text, clock.monotonicMs()];
    }
    if (again?.isFree) {
      if (isReleased(text)) return { text, clearFromMs: clearAfterRelease(text, clock.monotonicMs()) };
      log.warn({ pid, host }, 'taking over the state: its holder stopped responding');
      return { text, clearFromMs: clearFrom(stillSinceMs) };
    }
    if (!isStandby && cell.lock && clock.monotonicMs() - stillSinceMs >= LOCKED_FOR_MS) throw inUse(text);
    await clock.sleep(LOOK_MS, signal);
  }
}

/** When the last request that a holder can have sent is over: it last renewed its lease at `renewedAtMs` or before. */
const clearFrom = (renewedAtMs: number) => renewedAtMs + CONFIRMED_FOR_MS + REQUEST_MS;

/** The same of a holder that gave the lease back: one that handed it over may have had no answer to its last requests. */
function clearAfterRelease(text: string | undefined, nowMs: number): number {
  return readRecord(text)?.to === undefined ? nowMs : nowMs + REQUEST_MS;
}

/**
 * Looks whether the lease is free for a process; with a lock, the text of a free one is read afterwards, so that it is
 * that of the last holder.
 * @param stillForMs how long the text has been what was `seen`
 */
async function look(cell: LeaseCell, seeker: Seeker, seen: string | undefined, stillForMs: number) {
  const text = await cell.read();
  const isSilent = text === seen && stillForMs >= (readRecord(text)?.silentMs ?? GONE_AFTER_MS);
  if (isForAnother(text, seeker) && !isSilent) return { text, isFree: false };
  if (!cell.lock) return { text, isFree: isReleased(text) || hasHolderEnded(text, seeker) || isSilent };
  return (await cell.lock()) ? { text: await cell.read(), isFree: true } : { text, isFree: false };
}

/** Whether the last holder has given the lease back, after all that it sent was over; or there was none. */
function isReleased(text: string | undefined): boolean {
  const record = readRecord(text);
  return !record || record.holder === null;
}

/** Whether the last holder has handed the lease over to another process than this one. */
function isForAnother(text: string | undefined, { holder }: Seeker): boolean {
  const to = readRecord(text)?.to;
  return to !== undefined && to !== holder;
}

function hasHolderEnded(text: string | undefined, { process }: Seeker): boolean {
  const record = readRecord(text);
  return record !== null && hasEnded(record.process, process);
}

function inUse(text: string | undefined): StateInUseError {
  return new StateInUseError(
    `${nameOf(readRecord(text))} is already using this state. Stop it first, or set another STATE_URL for this one.`,
  );
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
