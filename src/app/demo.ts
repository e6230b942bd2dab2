import { newSubscription } from '../announcements/kinds/of-source.ts';
import { MOST_PER_HOUR, USUAL_TIMING } from '../deals/settings.ts';
import type { Source, Subscription } from '../deals/subscription.ts';

/** The server, the person, the role and the channels of the first subscriptions. */
interface DemoPlaces {
  guildId: string;
  personId: string;
  roleId: string;
  channelIds: Readonly<Record<'deals' | 'digest' | 'events' | 'forum' | 'thread', string>>;
}

type First = Pick<Subscription, 'id' | 'channelId' | 'source'> & Partial<Subscription>;

const feed = (name: string): Source => ({ kind: 'feed', feed: name });

/** From ten in the evening to seven in the morning, UTC. */
const QUIET = { fromMinute: 22 * 60, toMinute: 7 * 60 } as const;

/** The subscriptions that the demo begins with: something in #deals every few seconds, and one of each other way to post. */
export function demoSubscriptions(
  { guildId, personId, roleId, channelIds }: DemoPlaces,
  nowMs: number,
): Subscription[] {
  const first: First[] = [
    { id: 'electronics', channelId: channelIds.deals, source: feed('Electronics') },
    { id: 'dealcasts', channelId: channelIds.deals, source: { kind: 'dealcasts' } },
    { id: 'home', channelId: channelIds.digest, source: feed('Home'), timing: { ...USUAL_TIMING, mode: 'hourly' } },
    {
      id: 'events',
      channelId: channelIds.events,
      source: { kind: 'events', sites: ['electronics', 'home'], types: ['DealPlus'] },
      timing: { ...USUAL_TIMING, quiet: QUIET },
      mentionRoleId: roleId,
    },
    { id: 'gourmet', channelId: channelIds.forum, target: 'forum', source: feed('Gourmet'), filter: 'off:>=40' },
    { id: 'shirts', channelId: channelIds.thread, target: 'thread', source: feed('Shirts'), filter: 'price:<15' },
  ];
  return first.map(({ id, channelId, source, ...settings }) => ({
    ...newSubscription({ id, guildId, channelId, source, createdBy: personId, createdAtMs: nowMs, catchUp: 3 }),
    // Higher than the embedded catalog's rate, so that the limit never silences the demo.
    mostPerHour: MOST_PER_HOUR,
    ...settings,
  }));
}
