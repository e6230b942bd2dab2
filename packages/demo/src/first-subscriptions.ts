import type { DemoPlace } from '../../local-discord/src/index.ts';

/** The server, the role and the channels of the first subscriptions. */
interface Places {
  guildId: string;
  roleId: string;
  channelIds: Readonly<Record<DemoPlace, string>>;
}

/** Higher than the simulated store's rate, so that the limit never silences the demo: posts an hour. */
export const MOST_PER_HOUR = 600;

/**
 * Writes the subscriptions that the demo begins with, as the file that people import: something in #deals every few
 * seconds, and one of each other way to post. A Deal-off has a board in #events, which needs no rest at night: it rings nobody.
 * @param feeds the feeds that the bot knows; a file with another one would be refused
 */
export function firstSubscriptions({ guildId, roleId, channelIds }: Places, feeds: readonly string[]): string {
  const subscriptions = [
    { id: 'electronics', channel: channelIds.deals, source: 'feed', feed: 'Electronics' },
    { id: 'dealcasts', channel: channelIds.deals, source: 'dealcasts' },
    { id: 'home', channel: channelIds.digest, source: 'feed', feed: 'Home', mode: 'hourly' },
    {
      id: 'events',
      channel: channelIds.events,
      source: 'events',
      sites: ['electronics', 'home'],
      types: ['DealPlus'],
      calendar: true,
      'quiet-hours': '22:00-7:00',
      'time-zone': 'UTC',
      pings: [{ role: roleId }],
    },
    { id: 'deal-offs', channel: channelIds.events, source: 'events', types: ['DealOff'], board: true },
    {
      id: 'gourmet',
      channel: channelIds.forum,
      target: 'forum',
      source: 'feed',
      feed: 'Gourmet',
      filter: 'off:>=40',
    },
    { id: 'shirts', channel: channelIds.thread, target: 'thread', source: 'feed', feed: 'Shirts', filter: 'price:<15' },
  ]
    .filter(({ feed }) => feed === undefined || feeds.includes(feed))
    .map((subscription) => ({ ...subscription, 'most-per-hour': MOST_PER_HOUR, 'catch-up': 3 }));
  return JSON.stringify({ version: 1, servers: [{ id: guildId, subscriptions }] });
}
