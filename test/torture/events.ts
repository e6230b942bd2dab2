/** The events that hit the bot besides being killed. */
export const EVENTS = {
  missing: 'items are missing from one whole answer of the catalog',
  malformed: 'broken items stand in the place of good ones in one answer',
  empty: 'one answer is whole and empty',
  forward: "the bot's clock jumps forward",
  back: "the bot's clock jumps back",
  midnight: "the bot's clock jumps back and forth over midnight, on a small quota",
  permission: 'a permission is taken away for hours, and given back',
  closed: 'a person closes their direct messages for hours, and opens them again',
  removed: 'the server removes the bot, and invites it again',
  deleted: 'a channel is deleted',
  second: 'a second process is started on the same state beside the first',
  restored: 'a backup is made while the bot works, and put back some rounds later',
  stopped: 'the process is stopped (SIGSTOP) until another one has taken over, and continued then',
  suspended: 'the same, and its monotonic clock stands still meanwhile',
} as const;
export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS).filter((name): name is EventName => name in EVENTS);

/** One of each in so many kills: some take seconds. The others happen within a life of the bot and are drawn there. */
const KILLS_PER_EVENT = {
  midnight: 100,
  permission: 10,
  closed: 20,
  removed: 100,
  deleted: 75,
  second: 60,
  restored: 25,
  stopped: 150,
  suspended: 150,
} as const;
export type RareEvent = keyof typeof KILLS_PER_EVENT;

const RARE_EVENTS = Object.keys(KILLS_PER_EVENT).filter((name): name is RareEvent => name in KILLS_PER_EVENT);

/** The rounds (from 1) before which the rare events happen: spread over the run, and each at least once. */
export function planRareEvents(
  kills: number,
  isEnabled: (event: EventName) => boolean,
  random: () => number,
): Map<number, RareEvent[]> {
  const plan = new Map<number, RareEvent[]>();
  if (kills === 0) return plan;
  for (const event of RARE_EVENTS.filter(isEnabled)) {
    const times = timesOf(event, kills);
    for (let time = 0; time < times; time += 1) {
      const round = 1 + Math.floor(((time + random()) / times) * kills);
      plan.set(round, [...(plan.get(round) ?? []), event]);
    }
  }
  return plan;
}

/** The number of times that a run of so many kills has a rare event. */
export function timesOf(event: RareEvent, kills: number): number {
  return Math.max(1, Math.round(kills / KILLS_PER_EVENT[event]));
}
