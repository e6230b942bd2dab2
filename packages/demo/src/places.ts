import type { DemoPlace, LocalDiscord } from '../../local-discord/src/index.ts';

/** The names of the channels that the demo's first subscriptions are for. */
export const NAMES = {
  deals: 'deals',
  digest: 'home-digest',
  events: 'events',
  forum: 'forum',
  thread: 'tees',
} as const;

/** Finds the demo's channels, and creates those that never existed. */
export function openPlaces(
  discord: LocalDiscord,
  known: Readonly<Partial<Record<DemoPlace, string>>>,
): Record<DemoPlace, string> {
  const create = (name: string) => discord.createChannel(name).id;
  const deals = known.deals ?? discord.channel(NAMES.deals).id;
  return {
    deals,
    digest: known.digest ?? create(NAMES.digest),
    events: known.events ?? create(NAMES.events),
    forum: known.forum ?? discord.channel(NAMES.forum).id,
    thread: known.thread ?? discord.createThread(deals, NAMES.thread).id,
  };
}
