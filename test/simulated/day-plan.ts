import { FEED_FAULTS } from '../helpers/feed-faults.ts';
import type { EventName } from './events.ts';

/** An event at a minute of a day. */
export interface PlannedEvent {
  minute: number;
  event: EventName;
  /** The time until it is undone; Infinity where it never is. */
  minutes: number;
  /** The minutes by which a clock is set wrong. */
  aheadMinutes: number;
}

const DAY_MINUTES = 1_440;
const HOUR = 60;
/** Some hours, so that news comes meanwhile, and longer than a day, so that every try of one shows. */
const BLOCKED_MINUTES = [2 * HOUR, 5 * HOUR, 9 * HOUR, 26 * HOUR] as const;
const CLOSED_CHANNELS_A_DAY = 8;
/** Shorter than a person's third pause after a refused message, which a test of a few days can wait for. */
const CLOSED_MESSAGES_MINUTES = [2 * HOUR, 5 * HOUR, 9 * HOUR] as const;
const CLOSED_PEOPLE_A_DAY = 8;
const FEED_FAULTS_A_DAY = 3;

/** The events of a day, in their order: each kind at least once, clocks wrong one after another and never for long. */
export function planDay(random: () => number): PlannedEvent[] {
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const wrongFor = () => 20 + upTo(130);
  const plan: PlannedEvent[] = [
    { event: 'forward', minute: 3 * HOUR + upTo(2 * HOUR), minutes: wrongFor(), aheadMinutes: HOUR * (1 + upTo(3)) },
    { event: 'back', minute: 9 * HOUR + upTo(2 * HOUR), minutes: wrongFor(), aheadMinutes: -HOUR * (1 + upTo(3)) },
  ];
  // To just after the next midnight, or to just before the last one.
  const late = 17 * HOUR + upTo(2 * HOUR);
  const aheadMinutes = random() < 0.5 ? DAY_MINUTES - late + 10 : -late - 10;
  plan.push({ event: 'midnight', minute: late, minutes: wrongFor(), aheadMinutes });
  for (let channel = 0; channel < CLOSED_CHANNELS_A_DAY; channel += 1) {
    const minutes = BLOCKED_MINUTES[upTo(BLOCKED_MINUTES.length - 1)] ?? HOUR;
    plan.push({ event: 'permission', minute: upTo(DAY_MINUTES - 1), minutes, aheadMinutes: 0 });
  }
  for (let person = 0; person < CLOSED_PEOPLE_A_DAY; person += 1) {
    const minutes = CLOSED_MESSAGES_MINUTES[upTo(CLOSED_MESSAGES_MINUTES.length - 1)] ?? HOUR;
    plan.push({ event: 'messages', minute: upTo(DAY_MINUTES - 1), minutes, aheadMinutes: 0 });
  }
  for (const event of FEED_FAULTS) {
    for (let time = 0; time < FEED_FAULTS_A_DAY; time += 1) {
      plan.push({ event, minute: upTo(DAY_MINUTES - 1), minutes: Infinity, aheadMinutes: 0 });
    }
  }
  plan.push({ event: 'deleted', minute: upTo(DAY_MINUTES - 1), minutes: Infinity, aheadMinutes: 0 });
  plan.push({ event: 'removed', minute: HOUR * 2 + upTo(10 * HOUR), minutes: HOUR + upTo(8 * HOUR), aheadMinutes: 0 });
  return plan.sort((one, other) => one.minute - other.minute);
}
