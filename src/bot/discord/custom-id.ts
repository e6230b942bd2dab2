import { EVENT_TYPES, type EventType, SITE_PREFIXES, type SitePrefix } from '../deals/event.ts';
import { FEED_ORDERS, type FeedOrder } from '../deals/feed-order.ts';
import { LIMITS } from './limits.ts';

/** The pages of an offer's detail card. */
export const OFFER_SECTIONS = ['overview', 'features', 'story', 'shipping', 'stats'] as const;
export type OfferSection = (typeof OFFER_SECTIONS)[number];

/** What can be done on a subscription's panel of settings. */
export const SUBSCRIPTION_STEPS = [
  'open',
  'kinds',
  'types',
  'sites',
  'mode',
  'role',
  'tags',
  'filter',
  'filter-again',
  'times',
  'limits',
  'publish',
  'unpublish',
  'pause',
  'resume',
  'test',
  'remove',
] as const;
export type SubscriptionStep = (typeof SUBSCRIPTION_STEPS)[number];

/**
 * What a button or a choice in a menu does. It keeps its whole state in its `custom_id` or value, so that it works after a
 * restart and for as long as its message exists. The values of a menu are whole actions; its own `custom_id` says nothing.
 * `deliveryId` marks the announcement that a button stands on; on answers it is null.
 */
export type Action =
  | { do: 'offer'; offerId: string; deliveryId: string | null }
  | { do: 'event'; eventId: string; deliveryId: string | null }
  | { do: 'dealcast'; subject: string; deliveryId: string | null }
  /** Opens a roll-up's whole list; its pages then turn with `roll-up-page`. */
  | { do: 'roll-up'; deliveryId: string; page: number }
  | { do: 'roll-up-page'; rollUpId: string; page: number }
  | { do: 'poll'; subject: string; deliveryId: string | null }
  | { do: 'monkeychat'; subject: string; deliveryId: string | null }
  /**
   * Turns a detail card to another page; `part` is 1-based: which page of a section that one card does not hold, or which of
   * the variants.
   */
  | { do: 'offer-section'; offerId: string; section: OfferSection; part: number }
  /** `filter` is what the person typed, as long as `filterRoom` says. */
  | { do: 'feed'; feed: string; page: number; order: FeedOrder; filter: string }
  /** Turns an event's card to another page of its offers. */
  | { do: 'event-page'; eventId: string; page: number }
  /** `query` are the words that a person typed, at most `SEARCH_ROOM` characters of them. */
  | { do: 'search'; page: number; query: string }
  | { do: 'events'; site: SitePrefix | null; type: EventType | null; page: number }
  | { do: 'dealcasts'; page: number }
  | { do: 'polls'; page: number }
  | { do: 'monkeychats'; page: number }
  /** Turns the page of what a subscription would have announced. */
  | { do: 'preview'; subscriptionId: string; page: number }
  /** Looks again how the bot is. */
  | { do: 'status' }
  /** Makes the channel follow a feed. */
  | { do: 'subscribe'; feed: string }
  | { do: 'subscriptions'; page: number }
  | { do: 'subscription'; step: SubscriptionStep; subscriptionId: string };

/** Between the parts; only the last part of a `feed` and of a `search` can hold it. */
const SEPARATOR = ':';
/** After what tells buttons apart that do the same. */
const MARK_END = '>';
const LONGEST_MARK = 'previous>';

/** The action as a `custom_id` or value of at most 100 characters. */
export function encodeAction(action: Action): string {
  switch (action.do) {
    case 'offer':
      return join('offer', action.offerId, action.deliveryId);
    case 'event':
      return join('event', action.eventId, action.deliveryId);
    case 'dealcast':
    case 'poll':
    case 'monkeychat':
      return join(action.do, action.subject, action.deliveryId);
    case 'roll-up':
      return join('roll-up', action.deliveryId, String(action.page));
    case 'roll-up-page':
      return join('roll-up-page', action.rollUpId, String(action.page));
    case 'offer-section':
      return join('offer-section', action.offerId, action.section, String(action.part));
    case 'feed': {
      const { feed, page, order, filter } = action;
      return order === 'newest' && filter === ''
        ? join('feed', feed, String(page))
        : join('feed', feed, String(page), order, filter);
    }
    case 'event-page':
      return join('event-page', action.eventId, String(action.page));
    case 'search':
      return join('search', String(action.page), action.query);
    case 'events':
      return join('events', action.site, action.type, String(action.page));
    case 'dealcasts':
    case 'polls':
    case 'monkeychats':
    case 'subscriptions':
      return join(action.do, String(action.page));
    case 'preview':
      return join('preview', action.subscriptionId, String(action.page));
    case 'status':
      return 'status';
    case 'subscribe':
      return join('subscribe', action.feed);
    case 'subscription':
      return join('subscription', action.step, action.subscriptionId);
  }
}

/** As `encodeAction`, but told apart by `mark` from other buttons of the message that do the same. */
export function encodeMarked(mark: string, action: Action): string {
  return `${mark}${MARK_END}${encodeAction(action)}`;
}

/** Most characters of a filter that the buttons of a feed's list can keep. */
export function filterRoom(feed: string): number {
  const longest = Math.max(...FEED_ORDERS.map((order) => order.length));
  const rest = join('feed', feed, '99999', 'o'.repeat(longest), '');
  return LIMITS.customId - LONGEST_MARK.length - rest.length;
}

/** Most characters of a search's words that the buttons of its list can keep. */
export const SEARCH_ROOM = LIMITS.customId - LONGEST_MARK.length - join('search', '99999', '').length;

/** The action of a `custom_id` or value, or null where it is not one of ours: anybody can send anything. */
export function decodeAction(customId: string): Action | null {
  const parts = customId.replace(/^[a-z]{1,8}>/, '').split(SEPARATOR);
  const [name = '', first = '', second = '', third = ''] = parts;
  switch (name) {
    case 'offer':
      return isId(first) ? { do: 'offer', offerId: first, deliveryId: second || null } : null;
    case 'event':
      return isId(first) ? { do: 'event', eventId: first, deliveryId: second || null } : null;
    case 'dealcast':
    case 'poll':
    case 'monkeychat':
      return isId(first) ? { do: name, subject: first, deliveryId: second || null } : null;
    case 'roll-up':
      return isId(first) && isPage(second) ? { do: 'roll-up', deliveryId: first, page: Number(second) } : null;
    case 'roll-up-page':
      return isId(first) && isPage(second) ? { do: 'roll-up-page', rollUpId: first, page: Number(second) } : null;
    case 'offer-section': {
      const section = OFFER_SECTIONS.find((candidate) => candidate === second);
      return isId(first) && section && isPage(third)
        ? { do: 'offer-section', offerId: first, section, part: Number(third) }
        : null;
    }
    case 'feed': {
      const order = FEED_ORDERS.find((candidate) => candidate === third) ?? 'newest';
      const filter = parts.slice(4).join(SEPARATOR);
      return isId(first) && isPage(second) ? { do: 'feed', feed: first, page: Number(second), order, filter } : null;
    }
    case 'event-page':
      return isId(first) && isPage(second) ? { do: 'event-page', eventId: first, page: Number(second) } : null;
    case 'search': {
      const query = parts.slice(2).join(SEPARATOR);
      return isPage(first) && query !== '' ? { do: 'search', page: Number(first), query } : null;
    }
    case 'events': {
      const site = SITE_PREFIXES.find((prefix) => prefix === first) ?? null;
      const type = EVENT_TYPES.find((eventType) => eventType === second) ?? null;
      return isPage(third) ? { do: 'events', site, type, page: Number(third) } : null;
    }
    case 'dealcasts':
    case 'polls':
    case 'monkeychats':
    case 'subscriptions':
      return isPage(first) ? { do: name, page: Number(first) } : null;
    case 'preview':
      return isId(first) && isPage(second) ? { do: 'preview', subscriptionId: first, page: Number(second) } : null;
    case 'status':
      return { do: 'status' };
    case 'subscribe':
      return isId(first) ? { do: 'subscribe', feed: first } : null;
    case 'subscription': {
      const step = SUBSCRIPTION_STEPS.find((candidate) => candidate === first);
      return step && isId(second) ? { do: 'subscription', step, subscriptionId: second } : null;
    }
    default:
      return null;
  }
}

/** The delivery that a `custom_id` marks, if it marks one. */
export function deliveryIdOf(customId: string): string | null {
  const action = decodeAction(customId);
  return action && 'deliveryId' in action ? action.deliveryId : null;
}

const isId = (text: string) => /^[\w-]{1,64}$/.test(text);
const isPage = (text: string) => /^[1-9]\d{0,4}$/.test(text);

function join(...parts: (string | null)[]): string {
  // What is not there leaves its place empty.
  return parts.join(SEPARATOR);
}
