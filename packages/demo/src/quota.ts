import type { DemoAction } from '../../local-discord/src/index.ts';
import { UNLIMITED } from './surroundings.ts';

/** As a live catalog allows, and how often a bot on one polls at most. */
const REAL = { rate: 1, burst: 10, quota: 1_000 };
const REAL_SETTINGS = Object.fromEntries([
  ['POLL_MIN_SECONDS', '60'],
  ...['PORTAL', 'V2'].flatMap((name) => [
    [`CATALOG_${name}_RATE`, String(REAL.rate)],
    [`CATALOG_${name}_BURST`, String(REAL.burst)],
    [`CATALOG_${name}_QUOTA`, String(REAL.quota)],
  ]),
]) as Readonly<Record<string, string>>;

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => Math.floor(ms / DAY_MS);

/** How many requests the demo's catalog allows a day. */
export function createQuota(now: () => number) {
  /** The service reads this object at each request. */
  const limits: { rate: number; burst: number; quota: number } = { ...UNLIMITED };
  let isReal = false;
  let usedUpDay: number | null = null;

  function apply(): void {
    Object.assign(limits, isReal ? REAL : UNLIMITED);
    if (usedUpDay !== null) limits.quota = 0;
  }

  return {
    limits,
    isReal: () => isReal,
    /** The bot's settings where the limits are those of a live catalog. */
    settings: (): Readonly<Record<string, string>> => (isReal ? REAL_SETTINGS : {}),
    set(as: Extract<DemoAction, { do: 'quota' }>['as']): void {
      if (as === 'used-up') usedUpDay = dayOf(now());
      else isReal = as === 'real';
      apply();
    },
    /** Lets a new day bring the requests back. */
    turn(): void {
      if (usedUpDay === null || dayOf(now()) <= usedUpDay) return;
      usedUpDay = null;
      apply();
    },
  };
}

export type Quota = ReturnType<typeof createQuota>;
