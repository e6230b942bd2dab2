import type { Dealcast } from '../../deals/dealcast.ts';
import type { DealEvent, EventType, SitePrefix } from '../../deals/event.ts';
import { FEED_ORDERS, type FeedOrder } from '../../deals/feed-order.ts';
import type { Monkeychat } from '../../deals/monkeychat.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Poll } from '../../deals/poll.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import type { CardContext } from './context.ts';
import { dealcastLines } from './dealcast-card.ts';
import { eventLines, eventOfferLines, mainPhoto } from './event-card.ts';
import { monkeychatEntry } from './monkeychat-card.ts';
import { detailsRow, offerEntry } from './offer-entry.ts';
import { type Age, pagedCard } from './paged-card.ts';
import { ACCENT, type Card, menu, pictured, smallLine, text } from './parts.ts';
import { pollFacts, pollLines } from './poll-card.ts';

/** What a list shows: all of the things, in the order to show them in, the page that is wanted, and their age. */
interface ListView {
  page: number;
  age: Age;
}

export interface FeedView extends ListView {
  feed: string;
  marketingName: string | null;
  offers: readonly Offer[];
  /** How `offers` are sorted. */
  order: FeedOrder;
  /** What `offers` were filtered by, as the person typed it; '' for nothing. */
  filter: string;
}

/** A page of a feed's live offers. */
export function feedCard(view: FeedView, context: CardContext): Card {
  const { feed, marketingName, offers, order, filter, page, age } = view;
  const { words } = context;
  const to = (target: { page?: number; order?: FeedOrder }) =>
    ({ do: 'feed', feed, page: 1, order, filter, ...target }) as const;
  const title = escapeLine(clamp(marketingName ?? feed, 100));
  const filtered = words.t('feed.filtered', { filter: `**${escapeLine(clamp(filter, 100))}**` });
  return pagedCard(
    {
      accentColor: ACCENT.offer,
      title: filter === '' ? title : `${title}\n-# ${filtered}`,
      things: offers,
      page,
      count: words.t('list.offers', { count: offers.length }),
      empty: words.t(filter === '' ? 'feed.empty' : 'feed.noneMatch'),
      age,
      entry: (offer) => offerEntry(offer, context),
      pageAction: (page) => to({ page }),
      pageMenu: (shown) => detailsRow(shown, context),
      menus:
        offers.length > 1
          ? [
              menu(
                'order',
                words.t('list.order'),
                FEED_ORDERS.map((other) => ({
                  label: words.t(`order.${other}`),
                  action: to({ order: other }),
                  isChosen: other === order,
                })),
              ),
            ]
          : [],
    },
    context,
  );
}

export interface EventsView extends ListView {
  events: readonly DealEvent[];
  filter: { site: SitePrefix | null; type: EventType | null };
}

/** A page of the events that run. */
export function eventsCard({ events, filter, page, age }: EventsView, context: CardContext): Card {
  const { words } = context;
  return pagedCard(
    {
      accentColor: ACCENT.event,
      title: [words.t('events.title'), filter.site, filter.type].filter((part) => part !== null).join(' · '),
      things: events,
      page,
      count: words.t('list.events', { count: events.length }),
      empty: words.t('events.none'),
      age,
      entry: (event) => pictured(listedEventLines(event, context), photoOf(event), event.title),
      pageAction: (page) => ({ do: 'events', ...filter, page }),
    },
    context,
  );
}

function listedEventLines(event: DealEvent, context: CardContext): string[] {
  const first = event.offers[0];
  const others = event.offers.length - 1;
  return [
    ...eventLines({ ...event, title: clamp(event.title, 80), subtitle: null }, context),
    ...(first ? eventOfferLines({ ...first, title: clamp(first.title, 80), url: null }, context) : []),
    others > 0 ? `-# ${context.words.t('event.moreOffers', { count: others })}` : null,
  ].filter((line) => line !== null);
}

function photoOf(event: DealEvent): string | null {
  return mainPhoto(event.photos) ?? mainPhoto(event.offers[0]?.photos ?? []);
}

export interface DealcastsView extends ListView {
  dealcasts: readonly Dealcast[];
}

/** A page of the featured dealcasts. */
export function dealcastsCard({ dealcasts, page, age }: DealcastsView, context: CardContext): Card {
  const { words } = context;
  return pagedCard(
    {
      accentColor: ACCENT.dealcast,
      title: words.t('dealcasts.title'),
      things: dealcasts,
      page,
      count: words.t('list.dealcasts', { count: dealcasts.length }),
      empty: words.t('dealcasts.none'),
      age,
      entry: (dealcast) =>
        pictured(dealcastLines(shortenedCast(dealcast), context), dealcast.thumbnail?.url ?? null, dealcast.title),
      pageAction: (page) => ({ do: 'dealcasts', page }),
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
  const { words } = context;
  return pagedCard(
    {
      accentColor: ACCENT.poll,
      title: words.t('polls.title'),
      things: polls,
      page,
      count: words.t('list.polls', { count: polls.length }),
      empty: words.t('polls.none'),
      age,
      entry: (poll) =>
        text(
          [
            ...pollLines(poll, { questions: 1, responses: 3, characters: 80 }, context),
            smallLine(pollFacts(poll, context)),
          ].join('\n'),
        ),
      pageAction: (page) => ({ do: 'polls', page }),
    },
    context,
  );
}

export interface MonkeychatsView extends ListView {
  monkeychats: readonly Monkeychat[];
}

/** A page of the monkeychats. */
export function monkeychatsCard({ monkeychats, page, age }: MonkeychatsView, context: CardContext): Card {
  const { words } = context;
  return pagedCard(
    {
      accentColor: ACCENT.monkeychat,
      title: words.t('monkeychats.title'),
      things: monkeychats,
      page,
      count: words.t('list.monkeychats', { count: monkeychats.length }),
      empty: words.t('monkeychats.none'),
      age,
      entry: (monkeychat) => monkeychatEntry(monkeychat, 300, context),
      pageAction: (page) => ({ do: 'monkeychats', page }),
    },
    context,
  );
}
