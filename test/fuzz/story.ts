import type { AnnouncementKind } from '../../src/deals/announcement.ts';

export const FEEDS = ['Home', 'Tools', 'Electronics', 'Gourmet'] as const;
export type FeedName = (typeof FEEDS)[number];

/** The ways in which one answer of a feed may show one item, or itself, oddly. */
export const ODDITIES = [
  'price null',
  'price 0',
  'price -5',
  'price absent',
  'price a text',
  'price astonishing',
  'price a tenth',
  'price doubled',
  'stock absent',
  'stock null',
  'stock a text',
  'stock 1',
  'stock turned',
  'end past',
  'end absent',
  'end a word',
  'categories absent',
  'categories a text',
  'title other',
  'no title',
  'no id',
  'an item of nothing',
  'missing',
  'empty',
] as const;
export type Oddity = (typeof ODDITIES)[number];

/** The ways in which the next answer about offers themselves may be wrong. */
export const MISTAKES = [
  'fails',
  'is old',
  'lacks the first',
  'stock null',
  'stock turned',
  'price null',
  'price of nobody',
  'title other',
  'not live',
] as const;
export type Mistake = (typeof MISTAKES)[number];

export type Timing = 'at once' | 'hourly' | 'quiet for hours';

/** What a subscription asks for. */
export interface Wish {
  feed: FeedName;
  kinds: readonly AnnouncementKind[];
  leastDrop: number;
  /** The most that it may cost, and the category that it has to be in; null for whatever. */
  below: number | null;
  category: string | null;
  timing: Timing;
  mostPerHour: number;
  /** Whether its posts are published. */
  isPublished?: boolean;
  /** Its posts ring a role for this filter, '' for all; absent for none. */
  rings?: string;
}

/** What a person waits for. */
export interface WatchWish {
  aim: 'price' | 'stock' | 'low' | 'end';
  below: number;
  timing: 'at once' | 'quiet for hours';
}

/** What happens. Each can be left out without making another impossible. */
export type Event =
  | {
      do: 'list';
      offer: number;
      feeds: readonly FeedName[];
      product: number;
      price: number | null;
      category: string;
      isSoldOut: boolean;
      endsInMinutes: number | null;
    }
  | { do: 'unlist'; offer: number; feeds: readonly FeedName[] }
  | { do: 'price'; offer: number; feeds: readonly FeedName[]; to: number | null }
  | { do: 'stock'; offer: number; feeds: readonly FeedName[]; isSoldOut: boolean }
  | { do: 'end'; offer: number; feeds: readonly FeedName[]; inMinutes: number | null }
  | { do: 'rename'; offer: number; feeds: readonly FeedName[]; product: number }
  | { do: 'move'; offer: number; feeds: readonly FeedName[]; category: string }
  | { do: 'odd'; feed: FeedName; offer: number; how: Oddity }
  | { do: 'poll'; feed: FeedName; answer: 'whole' | 'error' | 'stale' }
  | { do: 'asking'; mistake: Mistake }
  | { do: 'lag'; seconds: number }
  | { do: 'quota'; requests: number }
  | { do: 'pass'; minutes: number }
  | { do: 'follow'; channel: number; wish: Wish }
  | { do: 'leave'; channel: number }
  | { do: 'watch'; person: number; offer: number; wish: WatchWish }
  | { do: 'unwatch'; person: number }
  | { do: 'next post'; channel: number; outcome: 'arrives, no answer' | 'lost, no answer' | 'later' | '404' }
  | { do: 'next change'; channel: number; outcome: 'arrives, no answer' | 'lost, no answer' | 'later' }
  | { do: 'close'; channel: number }
  | { do: 'open'; channel: number }
  | { do: 'kill'; after: number; isStored: boolean; downMinutes: number }
  | { do: 'restart' };

/** An offer as people call it: A, B, … */
export function offerName(offer: number): string {
  return String.fromCharCode(65 + (offer % 26)) + (offer < 26 ? '' : String(Math.floor(offer / 26)));
}

/** A line for a person who wants to know what happened. */
export function lineOf(event: Event): string {
  switch (event.do) {
    case 'list': {
      const { offer, feeds, product, price, category, isSoldOut, endsInMinutes } = event;
      const end = endsInMinutes === null ? '' : `, ends in ${endsInMinutes} min`;
      return `${offerName(offer)} is listed in ${feeds.join(', ')}: product ${product}, ${dollars(price)}, ${category}${isSoldOut ? ', sold out' : ''}${end}`;
    }
    case 'unlist':
      return `${offerName(event.offer)} leaves ${event.feeds.join(', ')}`;
    case 'price':
      return `${offerName(event.offer)} costs ${dollars(event.to)} in ${event.feeds.join(', ')}`;
    case 'stock':
      return `${offerName(event.offer)} is ${event.isSoldOut ? 'sold out' : 'in stock'} in ${event.feeds.join(', ')}`;
    case 'end':
      return `${offerName(event.offer)} ends ${event.inMinutes === null ? 'never' : `in ${event.inMinutes} min`} in ${event.feeds.join(', ')}`;
    case 'rename':
      return `${offerName(event.offer)} is called product ${event.product} in ${event.feeds.join(', ')}`;
    case 'move':
      return `${offerName(event.offer)} is in ${event.category} in ${event.feeds.join(', ')}`;
    case 'odd':
      return `the next answer of ${event.feed} is odd: ${offerName(event.offer)}: ${event.how}`;
    case 'poll':
      return `${event.feed} is read: ${event.answer}`;
    case 'asking':
      return `the next answer about offers themselves: ${event.mistake}`;
    case 'lag':
      return `what offers say of themselves is ${event.seconds} s old from here on`;
    case 'quota':
      return `the bot may make ${event.requests} requests a day`;
    case 'pass':
      return `${event.minutes} min pass`;
    case 'follow': {
      const { feed, kinds, leastDrop, below, category, timing, mostPerHour } = event.wish;
      const filter = [below === null ? '' : `below $${below}`, category ?? ''].filter(Boolean).join(' and ');
      const { isPublished = false, rings } = event.wish;
      const more = [isPublished && 'published', rings !== undefined && `rings for ${rings || 'all'}`].filter(Boolean);
      const how = [kinds.join(', '), `drops from ${leastDrop} %`, timing, `${mostPerHour} an hour`, ...more];
      return `#${event.channel} follows ${feed}${filter && ` (${filter})`}: ${how.join('; ')}`;
    }
    case 'leave':
      return `#${event.channel} follows nothing any more`;
    case 'watch': {
      const { aim, below, timing } = event.wish;
      const wishes = {
        price: `costs $${below} or less`,
        stock: 'is in stock again',
        low: 'costs less than ever',
        end: 'ends soon',
      };
      return `#${event.person} wants to be told when ${offerName(event.offer)} ${wishes[aim]}; ${timing}`;
    }
    case 'unwatch':
      return `#${event.person} waits for nothing any more`;
    case 'next post':
      return `the next post in #${event.channel}: ${event.outcome}`;
    case 'next change':
      return `the next edit, publication or reply in #${event.channel}: ${event.outcome}`;
    case 'close':
      return `#${event.channel} is closed to the bot`;
    case 'open':
      return `#${event.channel} is open again`;
    case 'kill': {
      const down = event.downMinutes > 0 ? `, and is down for ${event.downMinutes} min` : '';
      return `the bot is killed at its write ${event.after + 1} from here on, which is ${event.isStored ? 'stored' : 'not stored'}${down}`;
    }
    case 'restart':
      return 'the bot is stopped and started';
  }
}

function dollars(price: number | null): string {
  return price === null ? 'no price' : `$${price}`;
}
