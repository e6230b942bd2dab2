import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/shared/clock.ts';
import { createTestLog, PORTAL_KEY } from '../../../test/helpers/keys.ts';
import { type CatalogServiceOptions, createCatalogService } from '../src/service.ts';
import { createSimulator } from '../src/simulator/simulator.ts';

/** An afternoon on which a deal-off runs at the simulated store's pace. */
export const NOON_MS = Date.UTC(2026, 9, 10, 18);

export const KEY = PORTAL_KEY;
const NO_LIMITS = { rate: 1e9, burst: 1e9, quota: 1e9 };

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** The sleeps so far, each in milliseconds. */
  slept: number[];
}

/** Time stands still but for `advance` and sleeps, which are over at once. */
export function createManualClock(startMs = NOON_MS): ManualClock {
  let nowMs = startMs;
  const slept: number[] = [];
  return {
    slept,
    now: () => nowMs,
    monotonicMs: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
    },
    after() {
      throw new Error('Nothing here waits for a call.');
    },
  };
}

type Overrides = Partial<CatalogServiceOptions>;

export interface PortalInit extends RequestInit {
  headers?: Record<string, string>;
}

export interface RunningService {
  origin: string;
  /** A portal request with the key. */
  portal(path: string, init?: PortalInit): Promise<Response>;
  /** A v2 request with the key; `query` without it. */
  v2(path: string, query?: string): Promise<Response>;
  stop(): Promise<void>;
}

/** A service on a free port; whoever starts it in a hook stops it there. */
export async function startService(overrides: Overrides = {}): Promise<RunningService> {
  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [KEY],
    clock: createManualClock(),
    log: createTestLog(),
    content: overrides.content ?? createSimulator({ seed: 'test', offers: 300, pace: 'store' }),
    limits: NO_LIMITS,
    ...overrides,
  });
  const origin = await service.start();
  return {
    origin,
    portal: (path, init = {}) => fetch(`${origin}${path}`, { ...init, headers: { 'x-api-key': KEY, ...init.headers } }),
    v2: (path, query = '') => fetch(`${origin}${path}?key=${KEY}${query && `&${query}`}`),
    stop: () => service.stop(),
  };
}

/** A service that is stopped when the test is over. */
export async function runService(overrides: Overrides = {}): Promise<RunningService> {
  const service = await startService(overrides);
  onTestFinished(() => service.stop());
  return service;
}
