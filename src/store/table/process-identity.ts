import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The values that tell one process from every other. null where the system does not provide them: only Linux does. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** Id of the machine's boot, new at every boot. */
  bootId: string | null;
  /** The namespace in which `pid` is counted. */
  pidNamespace: string | null;
  /** Time at which the process started, in clock ticks since the boot. */
  startTicks: string | null;
}

export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    bootId: orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: orNull(() => readlinkSync('/proc/self/ns/pid')),
    startTicks: statOf(process.pid)?.startTicks ?? null,
  };
}

/**
 * Whether a process is known to have ended. False where that isn't known: it ran on another machine, before the last
 * boot, or in another container. A stopped process (SIGSTOP) has not ended.
 */
export function hasEnded(other: ProcessIdentity, own: ProcessIdentity): boolean {
  const { host, bootId, pidNamespace, startTicks } = other;
  if (bootId === null || pidNamespace === null || startTicks === null) return false;
  if (host !== own.host || bootId !== own.bootId || pidNamespace !== own.pidNamespace) return false;
  if (!isThere(other.pid)) return true;
  // The file can't be read where /proc shows only a user's own processes (its option hidepid).
  const stat = statOf(other.pid);
  return stat !== null && (stat.startTicks !== startTicks || stat.state === 'Z');
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function statOf(pid: number): { state: string; startTicks: string } | null {
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the name of the program in parentheses, which may hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields?.[0], fields?.[19]];
  return state !== undefined && startTicks !== undefined ? { state, startTicks } : null;
}

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
