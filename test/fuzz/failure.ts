import type { Finding } from '../model/channel.ts';
import { type Ending, play } from './play.ts';
import { shortest, simplest } from './shrink.ts';
import type { Event, FEEDS } from './story.ts';

/** A story that ends badly, without anything that it does not need for that. */
export interface ShortestStory extends Ending {
  events: readonly Event[];
}

/** What a finding is, wherever and whenever: `lost new`, `twice back`. */
const sortOf = ({ is, why }: Finding) => `${is} ${why.split(/[ ,]/)[0]}`;

/** The shortest story that ends like a story: with a finding of the same sort as its first. */
export async function shortestStory(story: readonly Event[], { findings }: Ending): Promise<ShortestStory> {
  const [first] = findings;
  const sort = first && sortOf(first);
  const isAlike = async (events: readonly Event[]) =>
    (await play(events)).findings.some((found) => sortOf(found) === sort);
  const short = await shortest(story, isAlike);
  const simple = await simplest(short, simplerThan, isAlike);
  const events = await shortest(simple, isAlike);
  return { events, ...(await play(events)) };
}

/** Events that say less than one does. */
function simplerThan(event: Event): Event[] {
  switch (event.do) {
    case 'pass':
      return [1, 10, 60].filter((minutes) => minutes < event.minutes).map((minutes) => ({ ...event, minutes }));
    case 'list': {
      const plain = { ...event, product: event.offer, endsInMinutes: null, isSoldOut: false };
      return [plain, { ...event, endsInMinutes: null }, ...fewerFeeds(event)];
    }
    case 'price':
    case 'stock':
    case 'unlist':
      return fewerFeeds(event);
    case 'follow': {
      const plain = { ...event.wish, below: null, category: null, leastDrop: 1, mostPerHour: 600 };
      const wishes = [{ ...plain, timing: 'at once' as const }, plain];
      return wishes.map((wish) => ({ ...event, wish }));
    }
    case 'kill':
      return event.downMinutes > 0 ? [{ ...event, downMinutes: 0 }] : [];
    case 'watch':
      return event.wish.timing === 'at once' ? [] : [{ ...event, wish: { ...event.wish, timing: 'at once' } }];
    default:
      return [];
  }
}

function fewerFeeds<E extends Event & { feeds: readonly (typeof FEEDS)[number][] }>(event: E): E[] {
  return event.feeds.length > 1 ? event.feeds.map((feed) => ({ ...event, feeds: [feed] })) : [];
}
