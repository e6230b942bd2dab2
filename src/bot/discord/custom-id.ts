import { EVENT_TYPES, type EventType, SITE_PREFIXES, type SitePrefix } from '../deals/event.ts';
import { FEED_ORDERS, type FeedOrder, SEARCH_ORDERS, type SearchOrder } from '../deals/feed-order.ts';
import { SOURCE_KINDS, type Source } from '../deals/subscription.ts';
import { type OfferAim, WATCH_AIMS } from '../deals/watch.ts';
import { LIMITS } from './limits.ts';

/** The pages of an offer's detail card. */
export const OFFER_SECTIONS = ['overview', 'features', 'story', 'shipping', 'stats'] as const;
export type OfferSection = (typeof OFFER_SECTIONS)[number];

/** The pages of the status: what members care for, and the bot's own figures. */
export type StatusTopic = 'server' | 'bot';

/** The pages of the help. */
export const HELP_TOPICS = ['start', 'commands', 'filters'] as const;
export type HelpTopic = (typeof HELP_TOPICS)[number];

/** The actions on a subscription's settings panel. */
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
  'times-again',
  'limits',
  'limits-again',
  'edit-again',
  'publish',
  'unpublish',
  'pause',
  'resume',
  'test',
  /** Asks whether to remove it. */
  'remove',
  'remove-now',
  'undo-remove',
  /** Asks for the channel of a copy. */
  'duplicate',
  'duplicate-to',
] as const;
export type SubscriptionStep = (typeof SUBSCRIPTION_STEPS)[number];

/** The steps of a prepared import of subscriptions. */
export const IMPORT_STEPS = ['apply', 'cancel'] as const;
export type ImportStep = (typeof IMPORT_STEPS)[number];

/** The actions on a look: it is shown, changed in a form, or taken back. */
export const LOOK_STEPS = ['open', 'change', 'reset'] as const;
export type LookStep = (typeof LOOK_STEPS)[number];

/**
 * The action of a button or menu choice. Its whole state is in the `custom_id` or value, so that it works after a
 * restart and for as long as the message exists. Menu values are whole actions; the menu's own `custom_id` carries
 * none. `deliveryId` is that of the announcement with the button; null on answers.
 */
export type Action =
  | { do: 'offer'; offerId: string; deliveryId: string | null }
  | { do: 'history'; offerId: string }
  | { do: 'event'; eventId: string; deliveryId: string | null }
  | { do: 'dealcast'; subject: string; deliveryId: string | null }
  /** Opens a roll-up's whole list; `roll-up-page` then turns its pages. */
  | { do: 'roll-up'; deliveryId: string; page: number }
  | { do: 'roll-up-page'; rollUpId: string; page: number }
  | { do: 'poll'; subject: string; deliveryId: string | null }
  | { do: 'monkeychat'; subject: string; deliveryId: string | null }
  /**
   * Shows another page of a detail card. `part` is 1-based: the page of a section that spans several cards, or the
   * variant.
   */
  | { do: 'offer-section'; offerId: string; section: OfferSection; part: number }
  /** `filter` is the person's input, at most `filterRoom` characters. */
  | { do: 'feed'; feed: string; page: number; order: FeedOrder; filter: string }
  /** Shows another page of an event's offers. */
  | { do: 'event-page'; eventId: string; page: number }
  /** `query` and `filter` are the person's input, together at most `SEARCH_ROOM` characters. */
  | ({ do: 'search'; page: number } & SearchQuery)
  /** Reads more feeds, and shows the first page. */
  | ({ do: 'search-more' } & SearchQuery)
  | { do: 'events'; site: SitePrefix | null; type: EventType | null; page: number }
  | { do: 'dealcasts'; page: number }
  | { do: 'polls'; page: number }
  | { do: 'monkeychats'; page: number }
  /** Shows another page of a subscription's preview. */
  | { do: 'preview'; subscriptionId: string; page: number }
  /** Explains anew, or posts the offer's newest change now. */
  | { do: 'why' | 'post-now'; offerId: string; subscriptionId: string }
  /** Refreshes a page of the status. */
  | { do: 'status'; of: StatusTopic }
  | { do: 'help'; topic: HelpTopic }
  /** Subscribes the channel to a feed. */
  | { do: 'subscribe'; feed: string }
  | { do: 'subscriptions'; page: number }
  /** `subscriptionId` is null for the server's own look. */
  | { do: 'look'; step: LookStep; subscriptionId: string | null }
  | { do: 'subscription'; step: SubscriptionStep; subscriptionId: string }
  /** `digest` names the plan that was shown; no other one is applied. */
  | { do: 'import'; step: ImportStep; importId: string; digest: string }
  /** Copies a subscription to a forum, with the chosen tags. */
  | { do: 'duplicate-tagged'; subscriptionId: string; channelId: string }
  /** Opens the form of a new subscription whose options had a mistake; the same action receives the form. */
  | { do: 'add'; source: Source['kind'] }
  /** Offers to watch the offer, or asks which of an event's. */
  | { do: 'watch'; offerId: string }
  | { do: 'watch-event'; eventId: string }
  /** Watches the offer; a price is asked for in a form, which the same action receives. */
  | { do: 'watch-for'; offerId: string; aim: OfferAim }
  /** Opens the form of a watch for new offers of a feed; the same action receives the form. */
  | { do: 'watch-feed'; feed: string }
  | { do: 'watches'; page: number }
  | { do: 'unwatch'; watchId: string }
  /** Tries to message the person again. */
  | { do: 'watch-retry' }
  /** Deletes what is kept of the person. */
  | { do: 'my-data-delete' };

interface SearchQuery {
  query: string;
  order: SearchOrder;
  filter: string;
}

/** Separates the parts; only the last part of a `feed` or `search` action can contain it. */
const SEPARATOR = ':';
/** Ends the mark that distinguishes buttons with the same action. */
const MARK_END = '>';
const LONGEST_MARK = 'previous>';
/** The mark of a button that asks for the page to open, in place of the action's own. */
export const GO_TO_PAGE = 'go';

/** Encodes an action as a `custom_id` or value of at most 100 characters. */
export function encodeAction(action: Action): string {
  switch (action.do) {
    case 'offer':
      return join('offer', action.offerId, action.deliveryId);
    case 'history':
      return join('history', action.offerId);
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
      return action.order === 'relevance' && action.filter === ''
        ? join('search', String(action.page), action.query)
        : join('find', String(action.page), ...searchParts(action));
    case 'search-more':
      return join('more', ...searchParts(action));
    case 'events':
      return join('events', action.site, action.type, String(action.page));
    case 'dealcasts':
    case 'polls':
    case 'monkeychats':
    case 'subscriptions':
      return join(action.do, String(action.page));
    case 'preview':
      return join('preview', action.subscriptionId, String(action.page));
    case 'why':
    case 'post-now':
      return join(action.do, action.offerId, action.subscriptionId);
    case 'status':
      return action.of === 'server' ? 'status' : join('status', action.of);
    case 'help':
      return join('help', action.topic);
    case 'subscribe':
      return join('subscribe', action.feed);
    case 'look':
      return join('look', action.step, action.subscriptionId);
    case 'subscription':
      return join('subscription', action.step, action.subscriptionId);
    case 'import':
      return join('import', action.step, action.importId, action.digest);
    case 'duplicate-tagged':
      return join('duplicate-tagged', action.subscriptionId, action.channelId);
    case 'add':
      return join('add', action.source);
    case 'watch':
      return join('watch', action.offerId);
    case 'watch-event':
      return join('watch-event', action.eventId);
    case 'watch-for':
      return join('watch-for', action.offerId, action.aim);
    case 'watch-feed':
      return join('watch-feed', action.feed);
    case 'watches':
      return join('watches', String(action.page));
    case 'unwatch':
      return join('unwatch', action.watchId);
    case 'watch-retry':
    case 'my-data-delete':
      return action.do;
  }
}

/** Same as `encodeAction`; `mark` distinguishes buttons of one message that have the same action. */
export function encodeMarked(mark: string, action: Action): string {
  return `${mark}${MARK_END}${encodeAction(action)}`;
}

/** Whether a `custom_id` belongs to the button that asks for a page, or to its form. */
export function asksForPage(customId: string): boolean {
  return customId.startsWith(`${GO_TO_PAGE}${MARK_END}`);
}

/** The most characters of a filter that fit in the buttons of a feed's list. */
export function filterRoom(feed: string): number {
  const rest = join('feed', feed, '99999', longestOf(FEED_ORDERS), '');
  return LIMITS.customId - LONGEST_MARK.length - rest.length;
}

/** The most characters of search words and filter that fit in the buttons of the result list. */
export const SEARCH_ROOM =
  LIMITS.customId - LONGEST_MARK.length - join('find', '99999', longestOf(SEARCH_ORDERS), '99', '').length;

/** The query's length tells where the filter begins: both can contain any character. */
function searchParts({ query, order, filter }: SearchQuery): string[] {
  return [order, String(query.length), query + filter];
}

function searchIn([first, second, ...rest]: readonly string[]): SearchQuery | null {
  const order = SEARCH_ORDERS.find((candidate) => candidate === first);
  const text = rest.join(SEPARATOR);
  const length = Number(second);
  if (!order || !Number.isInteger(length) || length < 1 || length > text.length) return null;
  return { order, query: text.slice(0, length), filter: text.slice(length) };
}

/** Decodes a search; `search` has no order and filter, as earlier versions posted it. */
function searchActionIn(name: 'search' | 'find' | 'more', parts: readonly string[]): Action | null {
  if (name === 'more') {
    const search = searchIn(parts);
    return search && { do: 'search-more', ...search };
  }
  const [page = '', ...rest] = parts;
  const query = rest.join(SEPARATOR);
  const search = name === 'find' ? searchIn(rest) : query !== '' && { query, order: 'relevance' as const, filter: '' };
  return search && isPage(page) ? { do: 'search', page: Number(page), ...search } : null;
}

/** Decodes a `custom_id` or value; null where it is not one of ours, since anybody can send anything. */
export function decodeAction(customId: string): Action | null {
  const parts = customId.replace(/^[a-z]{1,8}>/, '').split(SEPARATOR);
  const [name = '', first = '', second = '', third = ''] = parts;
  switch (name) {
    case 'offer':
      return isId(first) ? { do: 'offer', offerId: first, deliveryId: second || null } : null;
    case 'history':
      return isId(first) ? { do: 'history', offerId: first } : null;
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
    case 'search':
    case 'find':
    case 'more':
      return searchActionIn(name, parts.slice(1));
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
    case 'why':
    case 'post-now':
      return isId(first) && isId(second) ? { do: name, offerId: first, subscriptionId: second } : null;
    case 'status':
      return { do: 'status', of: first === 'bot' ? 'bot' : 'server' };
    case 'help': {
      const topic = HELP_TOPICS.find((candidate) => candidate === first);
      return topic ? { do: 'help', topic } : null;
    }
    case 'subscribe':
      return isId(first) ? { do: 'subscribe', feed: first } : null;
    case 'look': {
      const step = LOOK_STEPS.find((candidate) => candidate === first);
      return step && (second === '' || isId(second)) ? { do: 'look', step, subscriptionId: second || null } : null;
    }
    case 'subscription': {
      const step = SUBSCRIPTION_STEPS.find((candidate) => candidate === first);
      return step && isId(second) ? { do: 'subscription', step, subscriptionId: second } : null;
    }
    case 'import': {
      const step = IMPORT_STEPS.find((candidate) => candidate === first);
      return step && isId(second) && isId(third) ? { do: 'import', step, importId: second, digest: third } : null;
    }
    case 'duplicate-tagged':
      return isId(first) && isId(second) ? { do: name, subscriptionId: first, channelId: second } : null;
    case 'add': {
      const source = SOURCE_KINDS.find((candidate) => candidate === first);
      return source ? { do: 'add', source } : null;
    }
    default:
      return watchActionIn(name, first, second);
  }
}

/** Decodes the actions of watches, and of people's own data. */
function watchActionIn(name: string, first: string, second: string): Action | null {
  switch (name) {
    case 'watch':
      return isId(first) ? { do: 'watch', offerId: first } : null;
    case 'watch-event':
      return isId(first) ? { do: 'watch-event', eventId: first } : null;
    case 'watch-for': {
      const aim = WATCH_AIMS.find((candidate) => candidate === second);
      return isId(first) && aim && aim !== 'new' ? { do: 'watch-for', offerId: first, aim } : null;
    }
    case 'watch-feed':
      return isId(first) ? { do: 'watch-feed', feed: first } : null;
    case 'watches':
      return isPage(first) ? { do: 'watches', page: Number(first) } : null;
    case 'unwatch':
      return isId(first) ? { do: 'unwatch', watchId: first } : null;
    case 'watch-retry':
    case 'my-data-delete':
      return { do: name };
    default:
      return null;
  }
}

/** The delivery id in a `custom_id`; null where it has none. */
export function deliveryIdOf(customId: string): string | null {
  const action = decodeAction(customId);
  return action && 'deliveryId' in action ? action.deliveryId : null;
}

function longestOf(names: readonly string[]): string {
  return names.reduce((a, b) => (b.length > a.length ? b : a), '');
}

const isId = (text: string) => /^[\w-]{1,64}$/.test(text);
/** Whether a text is a page's number, 1 to 99999. */
export const isPage = (text: string) => /^[1-9]\d{0,4}$/.test(text);

function join(...parts: (string | null)[]): string {
  // A missing part leaves its place empty.
  return parts.join(SEPARATOR);
}
