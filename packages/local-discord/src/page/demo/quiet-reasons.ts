import type { DemoState } from '../../server/demo-api.ts';
import { spanText, timeOfDay } from './time.ts';

/** Polls that are further apart let a minute pass without a post: milliseconds. */
const FREQUENT_MS = 10_000;

/** The reasons why few posts come, or none, as long as nothing is broken: what is, has a line of its own. */
export function quietReasons({ time: { speed }, plan, permissions: { canSend }, counters }: DemoState): string[] {
  const everyMs = Math.max(0, ...(plan?.polls ?? []).map((poll) => poll.everyMs));
  return [
    plan?.isPaused === true && 'The bot’s owner has paused all posting.',
    speed === 0 && 'Time stands still.',
    plan !== null && plan.usedUpUntilMs !== null && `Requests are used up until ${timeOfDay(plan.usedUpUntilMs)}.`,
    plan?.usedUpUntilMs === null && everyMs > FREQUENT_MS && `A feed is polled every ${spanText(everyMs)}.`,
    !canSend && 'The bot can’t post in #deals.',
    counters.limitedIn.length > 0 &&
      `A subscription of yours in ${counters.limitedIn.map((name) => `#${name}`).join(', ')} has a lower limit of posts per hour: beyond it, what waits there comes combined.`,
  ].filter((reason) => reason !== false);
}
