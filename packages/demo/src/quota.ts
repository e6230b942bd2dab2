import type { DemoAction, DemoPlan } from '../../local-discord/src/index.ts';
import type { BotPlan } from './protocol.ts';
import { type Limits, limitVariables, UNLIMITED } from './surroundings.ts';

/** A live catalog allows this many requests, and a bot on one polls a feed once a minute at most. */
const REAL = { rate: 1, burst: 10, quota: 1_000 };
const REAL_POLLING = { POLL_MIN_SECONDS: '60' } as const;

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => Math.floor(ms / DAY_MS);

/** How many requests the demo's catalog allows a day. */
export function createQuota(now: () => number) {
  /** The service reads this object at each request. */
  const limits: Limits = { ...UNLIMITED };
  let isReal = false;
  let usedUpDay: number | null = null;
  /** The requests that no limit stands for: more than the bot believes to have spent. */
  let unlimited = UNLIMITED.quota;

  const ofBot = (): Limits => (isReal ? REAL : { ...UNLIMITED, quota: unlimited });

  function apply(): void {
    Object.assign(limits, ofBot());
    if (usedUpDay !== null) limits.quota = 0;
  }

  /** A bot that was told that its requests are used up has noted all that it had as spent: it gets as many on top. */
  function lift(plan: BotPlan | null): void {
    const spent = (plan?.interfaces ?? []).map((one) => one.spent);
    const most = Math.max(0, ...spent, usedUpDay === null ? 0 : ofBot().quota);
    unlimited = (Math.floor(most / UNLIMITED.quota) + 1) * UNLIMITED.quota;
    usedUpDay = null;
  }

  return {
    limits,
    isReal: () => isReal,
    /** The bot's settings where its limits are other ones than at the start. */
    settings(): Readonly<Record<string, string>> {
      if (isReal) return { ...REAL_POLLING, ...limitVariables(REAL) };
      return unlimited === UNLIMITED.quota ? {} : limitVariables(ofBot());
    },
    /** @param plan the bot's present plan */
    set(as: Extract<DemoAction, { do: 'quota' }>['as'], plan: BotPlan | null): void {
      if (as === 'used-up') usedUpDay = dayOf(now());
      else {
        if (as === 'unlimited') lift(plan);
        isReal = as === 'real';
      }
      apply();
    },
    /** The plan as the page shows it. */
    shown({ interfaces, polls, isPaused }: BotPlan): DemoPlan {
      const usedUp = interfaces.filter(({ spent, limit }) => spent >= limit);
      return {
        isPaused,
        isReal,
        usedUpUntilMs: usedUp.length === 0 ? null : Math.max(...usedUp.map(({ resetsAtMs }) => resetsAtMs)),
        interfaces: interfaces.map(({ name, limit, spent }) => {
          return isReal ? { name, limit, spent } : { name, limit: null, spent: spent % UNLIMITED.quota };
        }),
        polls,
      };
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
