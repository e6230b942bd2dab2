import type { Dealcast } from '../../deals/dealcast.ts';
import type { DealEvent, EventType, SitePrefix } from '../../deals/event.ts';
import type { Offer } from '../../deals/offer.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import type { Words } from '../words/words.ts';
import type { CardContext } from './context.ts';
import { dealcastLines } from './dealcast-card.ts';
import { eventLines, eventOfferLines, mainPhoto } from './event-card.ts';
import { offerLines } from './offer-card.ts';
import { ACCENT, actionButton, buttons, type Card, card, pictured, separator, text } from './parts.ts';

const PAGE_SIZE = 5;

/** A page of a list, 1-based; a page past the end is the last one. */
function pageOf<T>(things: readonly T[], page: number) {
  const pages = Math.max(1, Math.ceil(things.length / PAGE_SIZE));
  const current = Math.min(page, pages);
  return { things: things.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE), page: current, pages };
}

/** How old what a card shows is. */
export interface Age {
  fetchedAtMs: number;
  isStale: boolean;
}

/** `142 offers · page 2 of 29 · as of 3 minutes ago`, and that it is older than it should be where it is. */
function footer(count: string, page: number, pages: number, age: Age, words: Words): string {
  const asOf = words.t(age.isStale ? 'list.stale' : 'list.asOf', { at: timestamp(age.fetchedAtMs, 'R') });
  return `-# ${[count, words.t('list.page', { page, pages }), asOf].join(' · ')}`;
}

/** What a page of a feed shows. */
export interface FeedView {
  feed: string;
  marketingName: string | null;
  /** All of them, in the order to show them in. */
  offers: readonly Offer[];
  page: number;
  age: Age;
}

export function feedCard({ feed, marketingName, offers, age, ...view }: FeedView, context: CardContext): Card {
  const { words } = context;
  const { things, page, pages } = pageOf(offers, view.page);
  const action = (to: number) => ({ do: 'feed', feed, page: to }) as const;
  return card(ACCENT.offer, [
    text(`## ${escapeLine(clamp(marketingName ?? feed, 100))}`),
    ...(things.length > 0
      ? things.map((offer) => pictured(offerLines(shortened(offer), context), offer.photo, offer.title))
      : [text(words.t('feed.empty'))]),
    separator(),
    text(footer(words.t('list.offers', { count: offers.length }), page, pages, age, words)),
    pages > 1
      ? buttons([
          actionButton(words.t('button.previous'), action(Math.max(1, page - 1)), page === 1),
          actionButton(words.t('button.next'), action(page + 1), page === pages),
        ])
      : null,
  ]);
}

/** Five offers share one card's room. */
function shortened(offer: Offer): Offer {
  return { ...offer, title: clamp(offer.title, 100), subtitle: null };
}

/** What a page of the events shows. */
export interface EventsView {
  /** All that match, in the order to show them in. */
  events: readonly DealEvent[];
  filter: { site: SitePrefix | null; type: EventType | null };
  page: number;
  age: Age;
}

export function eventsCard({ events, filter, age, ...view }: EventsView, context: CardContext): Card {
  const { words } = context;
  const { things, page, pages } = pageOf(events, view.page);
  const action = (to: number) => ({ do: 'events', ...filter, page: to }) as const;
  return card(ACCENT.event, [
    text(`## ${[words.t('events.title'), filter.site, filter.type].filter((part) => part !== null).join(' · ')}`),
    ...(things.length > 0
      ? things.map((event) => pictured(listedEventLines(event, context), photoOf(event), event.title))
      : [text(words.t('events.none'))]),
    separator(),
    text(footer(words.t('list.events', { count: events.length }), page, pages, age, words)),
    pages > 1
      ? buttons([
          actionButton(words.t('button.previous'), action(Math.max(1, page - 1)), page === 1),
          actionButton(words.t('button.next'), action(page + 1), page === pages),
        ])
      : null,
  ]);
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

export interface DealcastsView {
  /** In the order to show them in. */
  dealcasts: readonly Dealcast[];
  age: Age;
}

/** The featured dealcasts; there are few at a time, so the newest five are all of the list. */
export function dealcastsCard({ dealcasts, age }: DealcastsView, context: CardContext): Card {
  const { words } = context;
  const shown = dealcasts.slice(0, PAGE_SIZE);
  return card(ACCENT.dealcast, [
    text(`## ${words.t('dealcasts.title')}`),
    ...(shown.length > 0
      ? shown.map((dealcast) =>
          pictured(dealcastLines(shortenedCast(dealcast), context), dealcast.thumbnail?.url ?? null, dealcast.title),
        )
      : [text(words.t('dealcasts.none'))]),
    separator(),
    text(footer(words.t('list.dealcasts', { count: dealcasts.length }), 1, 1, age, words)),
  ]);
}

function shortenedCast(dealcast: Dealcast): Dealcast {
  return { ...dealcast, title: clamp(dealcast.title, 80), teaser: null };
}
