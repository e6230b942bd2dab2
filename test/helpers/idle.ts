import { performance } from 'node:perf_hooks';

const LOOK_EVERY_MS = 250;
/** Longer than discord.js waits between two logins, which is by real time; no disk and no socket on loopback takes that. */
const IDLE_MS = 15_000;
/** The part of the time in which looking itself keeps the process busy, and the test runner. */
const HARDLY = 0.02;

const listeners = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;
let before = performance.eventLoopUtilization();
let idleMs = 0;

/**
 * Calls `onIdle` once this process has done nothing for fifteen seconds, while no process that it has started runs. Real time: it
 * ends what would wait for ever, and decides nothing else.
 * @returns calls it off
 */
export function whenIdle(onIdle: () => void): () => void {
  listeners.add(onIdle);
  if (timer === undefined) {
    [before, idleMs] = [performance.eventLoopUtilization(), 0];
    timer = setInterval(look, LOOK_EVERY_MS).unref();
  }
  return () => end(onIdle);
}

function look(): void {
  const now = performance.eventLoopUtilization();
  const { utilization, idle } = performance.eventLoopUtilization(now, before);
  before = now;
  const isWorking = utilization > HARDLY || process.getActiveResourcesInfo().includes('ProcessWrap');
  idleMs = isWorking ? 0 : idleMs + idle;
  if (idleMs < IDLE_MS) return;
  for (const onIdle of listeners) {
    end(onIdle);
    onIdle();
  }
}

function end(onIdle: () => void): void {
  listeners.delete(onIdle);
  if (listeners.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
