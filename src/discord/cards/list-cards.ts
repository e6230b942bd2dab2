import { type Dealcast, dealcastSubject } from '../../deals/dealcast.ts';
import {
  type DealEvent,
  EVENT_TYPES,
  type EventListFilter,
  type EventType,
  isWanted,
  SITE_PREFIXES,
  type SitePrefix,
} from '../../deals/event.ts';
import { FEED_ORDERS, type FeedOrder } from '../../deals/feed-order.ts';
import { type Monkeychat, monkeychatParts, monkeychatSubject } from '../../deals/monkeychat.ts';
import type { Offer } from '../../deals/offer.ts';
import { type Poll, pollSubject } from '../../deals/poll.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { dealcastLines } from './dealcast-card.ts';
import { eventLines, eventOfferLines, eventPhoto, eventTypeName, inReadingOrder } from './event-card.ts';
import { monkeychatEntry } from './monkeychat-card.ts';
import { offerEntry, offerOpening, orderMenu } from './offer-entry.ts';
import { pagedCard } from './paged-card.ts';
import { actionButton, buttons, type Card, menu, pictured, smallLine, text } from './parts.ts';
import { type ListView, plainListCard } from './plain-list.ts';
import { pollFacts, pollLines } from './poll-card.ts';

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
}

/** A page of a feed's live offers. */
export function feedCard(view: FeedView, context: CardContext): Card {
  const { feed, marketingName, offers, order, filter, canSubscribe, page, age } = view;
  const { translator } = context;
  const to = (target: { page?: number; order?: FeedOrder }) =>
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
      last: canSubscribe ? buttons([actionButton(translator.t('button.subscribe'), { do: 'subscribe', feed })]) : null,
    },
    context,
  );
}

/** The list's filter in small print. */
export function filterLine(filter: string, translator: Translator): string {
  return smallLine([translator.t('feed.filtered', { filter: `**${escapeLine(clamp(filter, 100))}**` })]);
}

export interface EventsView extends ListView {
  /** All running events, before filtering. */
  events: readonly DealEvent[];
  filter: EventListFilter;
}

/** A page of the running events, with menus that filter by type or site. */
export function eventsCard({ events, filter, page, age }: EventsView, context: CardContext): Card {
  const { translator } = context;
  const wanted = events.filter((event) => isWanted(event, filter));
  const type = filter.type === null ? null : eventTypeName(filter.type, translator);
  return pagedCard(
    {
      accentColor: ACCENT.event,
      title: [translator.t('events.title'), filter.site, type].filter((part) => part !== null).join(' · '),
      things: wanted,
      page,
      count: translator.t('list.events', { count: wanted.length }),
      empty: translator.t('events.none'),
      age,
      entry: (event) => pictured(listedEventLines(event, context), eventPhoto(event), event.title),
      pageAction: (page) => ({ do: 'events', ...filter, page }),
      menus: [typeMenu(events, filter, translator), siteMenu(events, filter, translator)],
      open: {
        button: translator.t('button.details'),
        choice: ({ id, title, type, site }) => ({
          label: title,
          description: [eventTypeName(type, translator), site].filter((part) => part !== null).join(' · '),
          action: { do: 'event', eventId: id, deliveryId: null },
        }),
      },
    },
    context,
  );
}

function typeMenu(events: readonly DealEvent[], filter: EventListFilter, translator: Translator) {
  const query = (type: EventType | null): EventListFilter => ({ ...filter, type });
  const types = EVENT_TYPES.map((type) => ({ query: query(type), name: eventTypeName(type, translator) }));
  const all = { query: query(null), name: translator.t('events.allTypes') };
  return narrowingMenu('type', all, types, events, filter, translator);
}

function siteMenu(events: readonly DealEvent[], filter: EventListFilter, translator: Translator) {
  const query = (site: SitePrefix | null): EventListFilter => ({ ...filter, site });
  const sites = SITE_PREFIXES.map((site) => ({ query: query(site), name: site }));
  return narrowingMenu(
    'site',
    { query: query(null), name: translator.t('events.allSites') },
    sites,
    events,
    filter,
    translator,
  );
}

interface Narrowing {
  query: EventListFilter;
  name: string;
}

/** A menu of "all" and each available value with its count; null where it would offer no choice. */
function narrowingMenu(
  name: 'type' | 'site',
  all: Narrowing,
  some: readonly Narrowing[],
  events: readonly DealEvent[],
  filter: EventListFilter,
  translator: Translator,
) {
  const choices = [all, ...some].map((narrowing) => ({
    ...narrowing,
    count: events.filter((event) => isWanted(event, narrowing.query)).length,
    isChosen: narrowing.query[name] === filter[name],
  }));
  const offered = choices.filter(({ query, count, isChosen }) => query[name] === null || count > 0 || isChosen);
  // "All" and a single value would give the same list.
  if (filter[name] === null && offered.length < 3) return null;
  return menu(
    name,
    all.name,
    offered.map(({ query, name, count, isChosen }) => ({
      label: translator.t('events.choice', { name, count }),
      action: { do: 'events', ...query, page: 1 },
      isChosen,
    })),
  );
}

function listedEventLines(event: DealEvent, context: CardContext): string[] {
  const [first] = inReadingOrder(event);
  const others = event.offers.length - 1;
  const offerLines = first
    ? eventOfferLines({ ...first, title: clamp(first.title, 80), url: null }, event, context)
    : [];
  return [
    // Running events have begun, so the start is omitted.
    ...eventLines({ ...event, title: clamp(event.title, 80), subtitle: null, startDateMs: null }, context),
    // Many events have the same title as their only offer.
    ...(first?.title === event.title ? offerLines.slice(1) : offerLines),
    others > 0 ? `-# ${context.translator.t('event.moreOffers', { count: others })}` : null,
  ].filter((line) => line !== null);
}

export interface DealcastsView extends ListView {
  dealcasts: readonly Dealcast[];
}

/** A page of the featured dealcasts. */
export function dealcastsCard({ dealcasts, page, age }: DealcastsView, context: CardContext): Card {
  const { translator } = context;
  return plainListCard(
    'dealcasts',
    {
      things: dealcasts,
      page,
      age,
      entry: (dealcast) =>
        pictured(dealcastLines(shortenedCast(dealcast), context), dealcast.thumbnail?.url ?? null, dealcast.title),
      open: {
        button: translator.t('button.details'),
        choice: (dealcast) => ({
          label: dealcast.title,
          ...(dealcast.site !== null && { description: dealcast.site }),
          action: { do: 'dealcast', subject: dealcastSubject(dealcast), deliveryId: null },
        }),
      },
    },
    context,
  );
}

function shortenedCast(dealcast: Dealcast): Dealcast {
  return { ...dealcast, title: clamp(dealcast.title, 80), teaser: null };
}

export interface PollsView extends ListView {
  polls: readonly Poll[];
}

/** A page of the polls, each with its first question's result. */
export function pollsCard({ polls, page, age }: PollsView, context: CardContext): Card {
  const { translator } = context;
  return plainListCard(
    'polls',
    {
      things: polls,
      page,
      age,
      entry: (poll) =>
        text(
          [
            ...pollLines(poll, { questions: 1, responses: 3, characters: 80 }, context),
            smallLine(pollFacts(poll, context)),
          ].join('\n'),
        ),
      open: {
        button: translator.t('button.results'),
        choice: (poll) => ({
          label: poll.questions[0]?.text ?? translator.t('poll.kind'),
          ...(poll.site !== null && { description: poll.site }),
          action: { do: 'poll', subject: pollSubject(poll), deliveryId: null },
        }),
      },
    },
    context,
  );
}

export interface MonkeychatsView extends ListView {
  monkeychats: readonly Monkeychat[];
}

/** A page of the monkeychats. */
export function monkeychatsCard({ monkeychats, page, age }: MonkeychatsView, context: CardContext): Card {
  const { translator } = context;
  return plainListCard(
    'monkeychats',
    {
      things: monkeychats,
      page,
      age,
      entry: (monkeychat) => monkeychatEntry(monkeychat, 300, context),
      open: {
        button: translator.t('button.details'),
        choice: (monkeychat) => ({
          label: monkeychatParts(monkeychat).title ?? translator.t('monkeychat.kind'),
          action: { do: 'monkeychat', subject: monkeychatSubject(monkeychat), deliveryId: null },
        }),
      },
    },
    context,
  );
}
