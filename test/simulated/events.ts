/** The faults of a simulated week. */
export const EVENTS = {
  missing: 'items are missing from one whole answer of a feed',
  malformed: 'broken items stand in the place of good ones in one answer',
  empty: 'one answer is whole and empty',
  forward: "the bot's clock is set forward, and back later",
  back: "the bot's clock is set back, and forward later",
  midnight: "the bot's clock is set over midnight, and back later",
  permission: 'a channel is closed to the bot for hours, and opened again',
  messages: 'a person takes no direct messages for hours, and does again',
  deleted: 'a channel is deleted',
  removed: 'a server removes the bot, and invites it again',
} as const;
export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS).filter((name): name is EventName => name in EVENTS);
