import { EVENT_TYPES, SITE_PREFIXES } from '../deals/event.ts';
import { FEED_ORDERS, SEARCH_ORDERS, type SearchOrder } from '../deals/feed-order.ts';
import { SOURCE_KINDS } from '../deals/subscription.ts';
import {
  type ActionOf,
  type ActionTable,
  decodeIn,
  encodeIn,
  type FeatureAction,
  type Field,
  field,
  isPage,
  joined,
  SEPARATOR,
} from './action-table.ts';
import { LIMITS } from './limits.ts';

const { id, page, oneOf, oneOfOrNull, orNull, usually } = field;
const input: Field<string> = { decode: (text) => text, usual: '', isRest: true };
/** The announcement with the button; null on answers. */
const deliveryId: Field<string | null> = { decode: (text) => text || null };

/** The pages of an offer's detail card. */
export const OFFER_SECTIONS = ['overview', 'features', 'story', 'shipping', 'stats'] as const;
export type OfferSection = (typeof OFFER_SECTIONS)[number];

/** The pages of the help. */
export const HELP_TOPICS = ['start', 'commands', 'filters'] as const;
export type HelpTopic = (typeof HELP_TOPICS)[number];

/** The core's actions of buttons and menu choices. */
const FIELDS = {
  offer: { offerId: id, deliveryId },
  event: { eventId: id, deliveryId },
  dealcast: { subject: id, deliveryId },
  poll: { subject: id, deliveryId },
  monkeychat: { subject: id, deliveryId },
  /** Opens a roll-up's whole list; `roll-up-page` then turns its pages. */
  'roll-up': { deliveryId: id, page },
  'roll-up-page': { rollUpId: id, page },
  /**
   * Shows another page of a detail card. `part` is 1-based: the page of a section that spans several cards, or the
   * variant. `openedFrom` is the announcement from which the card was opened, for buttons of features; null without them.
   */
  'offer-section': {
    offerId: id,
    section: oneOf(OFFER_SECTIONS),
    part: page,
    openedFrom: { ...orNull(id), usual: null },
  },
  /** `filter` is the person's input, at most `filterRoom` characters. */
  feed: { feed: id, page, order: usually('newest', oneOf(FEED_ORDERS)), filter: input },
  /** Opens the form of a command's options that had a mistake; the same action receives the form. */
  'feed-again': {},
  'offer-again': {},
  'search-again': {},
  'event-again': {},
  /** Shows another page of an event's offers. */
  'event-page': { eventId: id, page },
  events: { site: oneOfOrNull(SITE_PREFIXES), type: oneOfOrNull(EVENT_TYPES), page },
  /** The same events as a calendar file. */
  dealcasts: { page },
  polls: { page },
  monkeychats: { page },
  /** Refreshes a page of the status: what members care for, or the bot's own figures. */
  status: { of: usually('server', oneOf(['bot'])) },
  help: { topic: oneOf(HELP_TOPICS) },
  /** Subscribes the channel to a feed, with the person's filter. */
  subscribe: { feed: id, filter: input },
  /** Gives a subscription another filter. */
  refilter: { subscriptionId: id, filter: input },
  subscriptions: { page },
  subscription: {
    step: oneOf([
      'open',
      'kinds',
      'types',
      'sites',
      'mode',
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
      /** Asks whether to remove it. */
      'remove',
      'remove-now',
      'undo-remove',
      /** Asks for the channel of a copy. */
      'duplicate',
      'duplicate-to',
    ]),
    subscriptionId: id,
  },
  /** Copies a subscription to a forum, with the chosen tags. */
  'duplicate-tagged': { subscriptionId: id, channelId: id },
  /** Opens the form of a new subscription whose options had a mistake; the same action receives the form. */
  add: { source: oneOf(SOURCE_KINDS) },
};

/**
 * The action of a button or menu choice. Its whole state is in the `custom_id` or value, so that it works after a
 * restart and for as long as the message exists. Menu values are whole actions; the menu's own `custom_id` carries
 * none.
 */
export type Action = ActionOf<typeof FIELDS> | SearchAction;

/** An action of the core, or of a feature. */
export type AnyAction = Action | FeatureAction;

export type SubscriptionStep = Extract<Action, { do: 'subscription' }>['step'];

type SearchAction =
  /** `query` and `filter` are the person's input, together at most `SEARCH_ROOM` characters. */
  | ({ do: 'search'; page: number } & SearchQuery)
  /** Reads more feeds, and shows the first page. */
  | ({ do: 'search-more' } & SearchQuery);

interface SearchQuery {
  query: string;
  order: SearchOrder;
  filter: string;
}

/** Encodes an action as a `custom_id` or value of at most 100 characters. */
export function encodeAction(action: AnyAction): string {
  if ('table' in action) return encodeIn(action.table, action);
  if (action.do === 'search' || action.do === 'search-more') return encodeSearch(action);
  return encodeIn(FIELDS, action);
}

/** Decodes a `custom_id` or value; null where it is not one of the core's, because anybody can send any text. */
export function decodeAction(customId: string): Action | null {
  const parts = partsOf(customId);
  // The table makes it so, which the compiler can't follow.
  return (decodeIn(FIELDS, parts) as Action | null) ?? decodeSearch(parts);
}

/** Decodes a `custom_id` or value of the core's or of features'; null where it is none of theirs. */
export function decodeAnyAction(customId: string, tables: readonly ActionTable[]): AnyAction | null {
  const parts = partsOf(customId);
  for (const table of tables) {
    const action = decodeIn(table, parts);
    if (action) return { ...action, table };
  }
  return decodeAction(customId);
}

const MARK = /^([a-z]{1,20})>/;
/** The parts of an id without its mark. */
const partsOf = (customId: string) => customId.replace(MARK, '').split(SEPARATOR);
/** The mark of an id; '' for none. */
export const markIn = (customId: string) => MARK.exec(customId)?.[1] ?? '';

/** The query's length tells where the filter begins: both can contain any character. */
function encodeSearch(action: SearchAction): string {
  const { query, order, filter } = action;
  const search = [order, query.length, query + filter];
  if (action.do === 'search-more') return joined('more', ...search);
  const isUsual = order === 'relevance' && filter === '';
  return isUsual ? joined('search', action.page, query) : joined('find', action.page, ...search);
}

function decodeSearch([name = '', ...parts]: readonly string[]): SearchAction | null {
  if (name === 'more') {
    const search = searchIn(parts);
    return search && { do: 'search-more', ...search };
  }
  if (name !== 'search' && name !== 'find') return null;
  const [first = '', ...rest] = parts;
  const query = rest.join(SEPARATOR);
  const search = name === 'find' ? searchIn(rest) : query !== '' && { query, order: 'relevance' as const, filter: '' };
  return search && isPage(first) ? { do: 'search', page: Number(first), ...search } : null;
}

function searchIn([first, second, ...rest]: readonly string[]): SearchQuery | null {
  const order = SEARCH_ORDERS.find((candidate) => candidate === first);
  const text = rest.join(SEPARATOR);
  const length = Number(second);
  if (!order || !Number.isInteger(length) || length < 1 || length > text.length) return null;
  return { order, query: text.slice(0, length), filter: text.slice(length) };
}

/** Ends the mark of an id. */
const MARK_END = '>';
const LONGEST_MARK = 'previous>';
/** The mark of a button that asks for the page to open, in place of the action's own. */
export const GO_TO_PAGE = 'go';

/** Same as `encodeAction`, with 1 to 20 letters before it, as buttons of one message need that have the same action. */
export function encodeMarked(mark: string, action: AnyAction): string {
  return `${mark}${MARK_END}${encodeAction(action)}`;
}

/** Whether a `custom_id` belongs to the button that asks for a page, or to its form. */
export function asksForPage(customId: string): boolean {
  return customId.startsWith(`${GO_TO_PAGE}${MARK_END}`);
}

/** The most characters of a filter that fit in the buttons of a feed's list. */
export function filterRoom(feed: string): number {
  const rest = joined('feed', feed, '99999', longestOf(FEED_ORDERS), '');
  return LIMITS.customId - LONGEST_MARK.length - rest.length;
}

/** The most characters of search words and filter that fit in the buttons of the result list. */
export const SEARCH_ROOM =
  LIMITS.customId - LONGEST_MARK.length - joined('find', '99999', longestOf(SEARCH_ORDERS), '99', '').length;

/** The delivery id in a `custom_id`; null where it has none. */
export function deliveryIdOf(customId: string): string | null {
  const action = decodeAction(customId);
  return action && 'deliveryId' in action ? action.deliveryId : null;
}

function longestOf(names: readonly string[]): string {
  return names.reduce((a, b) => (b.length > a.length ? b : a), '');
}
