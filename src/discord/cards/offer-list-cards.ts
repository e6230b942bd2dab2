import type { APIButtonComponentWithCustomId } from 'discord-api-types/v10';
import { FEED_ORDERS, type FeedOrder, SEARCH_ORDERS, type SearchOrder } from '../../deals/feed-order.ts';
import type { Offer } from '../../deals/offer.ts';
import type { AnyAction } from '../custom-id.ts';
import { timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp, LIMITS } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { offerEntry, offerOpening, orderMenu } from './offer-card.ts';
import { type Age, type ListView, pagedCard } from './paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  type Line,
  linesOf,
  primaryButton,
  smallLine,
} from './parts.ts';

/** The characters of a filter on a button. */
const MOST_MEANT = 40;

export interface FeedView extends ListView {
  feed: string;
  marketingName: string | null;
  offers: readonly Offer[];
  /** The sort order of `offers`. */
  order: FeedOrder;
  /** The filter of `offers` as the person typed it; '' for none. */
  filter: string;
  /** Whether the channel could subscribe to the feed: in a server, but not in direct messages. */
  canSubscribe: boolean;
  /** A button for an empty list. */
  alert: APIButtonComponentWithCustomId | null;
  /** Another filter that may have been meant where the list is empty; null for none. */
  meant: string | null;
}

/** A page of a feed's live offers. */
export function feedCard(view: FeedView, context: CardContext): Card {
  const { feed, marketingName, offers, order, filter, canSubscribe, alert, meant, page, age } = view;
  const { translator } = context;
  const to = (target: { page?: number; order?: FeedOrder; filter?: string }) =>
    ({ do: 'feed', feed, page: 1, order, filter, ...target }) as const;
  const title = escapeLine(clamp(marketingName ?? feed, 100));
  return pagedCard(
    {
      accentColor: ACCENT.offer,
      title: filter === '' ? title : `${title}\n${filterLine(filter, translator)}`,
      things: offers,
      page,
      count: translator.t('list.offers', { count: offers.length }),
      empty: translator.t(filter === '' ? 'feed.empty' : 'feed.noneMatch'),
      age,
      entry: (offer) => offerEntry(offer, context),
      pageAction: (page) => to({ page }),
      open: offerOpening(context),
      menus: offers.length > 1 ? [orderMenu(FEED_ORDERS, order, (other) => to({ order: other }), translator)] : [],
      last: buttons([
        meant === null ? null : meantButton(meant, to({ filter: meant }), translator),
        offers.length === 0 ? alert : null,
        canSubscribe ? subscribeButton(feed, filter, translator) : null,
      ]),
    },
    context,
  );
}

/** Shows the list with another filter. */
function meantButton(filter: string, action: AnyAction, translator: Translator) {
  const label = translator.t('feed.meant', { filter: clamp(filter, MOST_MEANT) });
  return primaryButton(clamp(label, LIMITS.buttonLabel), action);
}

/** Posts what the list shows, in this channel. */
function subscribeButton(feed: string, filter: string, translator: Translator) {
  return actionButton(translator.t(filter === '' ? 'button.subscribe' : 'button.postThese'), {
    do: 'subscribe',
    feed,
    filter,
  });
}

/** The list's filter in small print. */
function filterLine(filter: string, translator: Translator): string {
  return smallLine([translator.t('feed.filtered', { filter: `**${escapeLine(clamp(filter, 100))}**` })]);
}

/** The feeds that were searched, and those that were not. */
export interface SearchCoverage {
  /** The number of feeds whose offers are known, and of all feeds. */
  searched: number;
  all: number;
  /** When the feed that was read least recently was read: epoch milliseconds; null where none was. */
  oldestMs: number | null;
  /** The feeds that could not be read the last time. */
  unreadable: readonly string[];
  /** Whether more feeds can be read now. */
  hasMore: boolean;
  /** When that is possible again, where the day's quota is used up: epoch milliseconds; else null. */
  quotaReturnsAtMs: number | null;
}

export interface SearchView {
  /** The search words. */
  query: string;
  /** Whether the person typed more words than that. */
  isCut: boolean;
  /** The results in their order. */
  offers: readonly Offer[];
  order: SearchOrder;
  /** The filter of `offers` as the person typed it; '' for none. */
  filter: string;
  /** 1-based; a page past the end shows the last one. */
  page: number;
  /** null where none of the results can still be bought. */
  age: Age | null;
  coverage: SearchCoverage;
  /** A button for an empty list. */
  alert: APIButtonComponentWithCustomId | null;
  /** The feed and the filter with which the channel could be posted what is searched for; null for none. */
  posted: { feed: string; filter: string } | null;
}

/** The feeds that a card names; it counts the others. */
const MOST_NAMED = 5;

/** A page of search results. */
export function searchCard(view: SearchView, context: CardContext): Card {
  const { query, isCut, offers, order, filter, page, age, coverage, alert, posted } = view;
  const { translator } = context;
  const to = (target: { page?: number; order?: SearchOrder }) =>
    ({ do: 'search', page: 1, query, order, filter, ...target }) as const;
  return pagedCard(
    {
      accentColor: ACCENT.offer,
      title: linesOf([
        translator.t('search.title', { words: escapeLine(query) }),
        filter === '' ? null : filterLine(filter, translator),
        isCut ? smallLine([translator.t('search.cut')]) : null,
        ...coverageLines(coverage, translator),
      ]),
      things: offers,
      page,
      count: translator.t('list.offers', { count: offers.length }),
      empty: translator.t(coverage.hasMore ? 'search.noneYet' : 'search.none'),
      age,
      entry: (offer) => offerEntry(offer, context),
      pageAction: (page) => to({ page }),
      open: offerOpening(context),
      menus: offers.length > 1 ? [orderMenu(SEARCH_ORDERS, order, (other) => to({ order: other }), translator)] : [],
      last: buttons([
        coverage.hasMore
          ? actionButton(translator.t('button.searchMore'), { do: 'search-more', query, order, filter })
          : null,
        offers.length === 0 ? alert : null,
        posted ? subscribeButton(posted.feed, posted.filter, translator) : null,
      ]),
    },
    context,
  );
}

function coverageLines(coverage: SearchCoverage, translator: Translator): Line[] {
  const { searched, all, oldestMs, unreadable, quotaReturnsAtMs } = coverage;
  const names = unreadable.slice(0, MOST_NAMED).map((feed) => escapeLine(clamp(feed, 40)));
  const others = unreadable.length - names.length;
  return [
    smallLine([
      translator.t('search.coverage', { count: all, searched }),
      oldestMs === null ? null : translator.t('search.oldest', { at: timestamp(oldestMs, 'R') }),
    ]),
    quotaReturnsAtMs === null
      ? null
      : smallLine([translator.t('search.quotaSpent', { at: timestamp(quotaReturnsAtMs, 't') })]),
    names.length === 0
      ? null
      : smallLine([
          translator.t('search.unreadable', {
            feeds: translator.list(others > 0 ? [...names, `+${translator.number(others)}`] : names),
          }),
        ]),
  ];
}
