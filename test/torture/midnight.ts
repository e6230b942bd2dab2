import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts';
import type { Arena } from './arena.ts';

/** Requests a day. The planner spreads them, so that a life that leaps through a day uses most of them up. */
const QUOTA = 20;
/** Time passes in such steps: longer than any time between two polls that so few requests allow. */
const STEP_MS = 2 * HOUR_MS;
/** The steps by which the clock is set after each half a day, in hours: to and fro over two midnights. */
const JUMPS_HOURS = [-3, -26, 26, 24, -24, -24, 24] as const;
const STEPS_BETWEEN = 6;

/**
 * A life whose clock is set to and fro over midnight, on a quota that it can use up. A day that comes again must not have a
 * second quota, and a clock that was set back must not keep the bot from looking. Resolves with a line for each problem.
 */
export async function crossMidnight(arena: Arena): Promise<string[]> {
  // Days on which nothing has been spent, and it is noon.
  arena.leap(3 * DAY_MS + DAY_MS / 2 - (arena.now() % DAY_MS));
  const asked = new Map<number, number>();
  let requests = 0;
  const stopListening = arena.onRequest((botNowMs) => {
    const day = Math.floor(botNowMs / DAY_MS);
    asked.set(day, (asked.get(day) ?? 0) + 1);
    requests += 1;
  });
  const bot = arena.startBot({ environment: { TORTURE_RUN: 'clock', CATALOG_PORTAL_QUOTA: String(QUOTA) } });
  await bot.started;
  const problems: string[] = [];

  async function lookAfter(what: 'set' | 'pass', ms: number): Promise<void> {
    arena.setBotAhead(arena.botAheadMs() + ms);
    const looked = bot.saysNext('looked');
    bot.tell(`${what} ${ms}`);
    await looked;
  }

  const left = () => QUOTA - (asked.get(Math.floor((arena.now() + arena.botAheadMs()) / DAY_MS)) ?? 0);
  for (const hours of JUMPS_HOURS) {
    await lookAfter('set', hours * HOUR_MS);
    const before = requests;
    const hadLeft = left();
    for (let step = 0; step < STEPS_BETWEEN; step += 1) await lookAfter('pass', STEP_MS);
    if (requests === before && hadLeft > QUOTA / 2) {
      problems.push(`After the clock was set by ${hours} h: no request in ${(STEPS_BETWEEN * STEP_MS) / HOUR_MS} h.`);
    }
  }
  await bot.kill();
  stopListening();
  arena.setBotAhead(0);
  // The days that were lived ahead of time are over when anything else happens.
  arena.leap(5 * DAY_MS);
  for (const [day, count] of asked) {
    if (count > QUOTA) problems.push(`${dateOf(day)}: ${count} requests on a quota of ${QUOTA}.`);
  }
  if (requests < QUOTA) problems.push(`Only ${requests} requests in all: that proves nothing.`);
  return problems;
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
