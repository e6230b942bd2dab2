import type { Dealcast } from '../../deals/dealcast.ts';
import type { DealEvent, EventType, SitePrefix } from '../../deals/event.ts';
import type { Offer } from '../../deals/offer.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
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

interface ListAge {
  fetchedAtMs: number;
  isStale: boolean;
}

/** `142 offers · page 2 of 29 · as of 3 minutes ago`, and that it is older than it should be where it is. */
function footer(count: string, page: number, pages: number, age: ListAge): string {
  const asOf = `as of ${timestamp(age.fetchedAtMs, 'R')}`;
  return `-# ${count} · page ${page} of ${pages} · ${age.isStale ? `the catalog does not answer; ${asOf}` : asOf}`;
}

export function feedCard(
  feed: string,
  marketingName: string | null,
  offers: readonly Offer[],
  wantedPage: number,
  age: ListAge,
  nowMs: number,
): Card {
  const { things, page, pages } = pageOf(offers, wantedPage);
  const action = (to: number) => ({ do: 'feed', feed, page: to }) as const;
  return card(ACCENT.offer, [
    text(`## ${escapeLine(clamp(marketingName ?? feed, 100))}`),
    ...(things.length > 0
      ? things.map((offer) => pictured(offerLines(shortened(offer), nowMs), offer.photo, offer.title))
      : [text('No live offers in this feed right now.')]),
    separator(),
    text(footer(`${offers.length} offers`, page, pages, age)),
    pages > 1
      ? buttons([
          actionButton('◀ Previous', action(Math.max(1, page - 1)), page === 1),
          actionButton('Next ▶', action(page + 1), page === pages),
        ])
      : null,
  ]);
}

/** Five offers share one card's room. */
function shortened(offer: Offer): Offer {
  return { ...offer, title: clamp(offer.title, 100), subtitle: null };
}

export function eventsCard(
  events: readonly DealEvent[],
  filter: { site: SitePrefix | null; type: EventType | null },
  wantedPage: number,
  age: ListAge,
  nowMs: number,
): Card {
  const { things, page, pages } = pageOf(events, wantedPage);
  const action = (to: number) => ({ do: 'events', ...filter, page: to }) as const;
  return card(ACCENT.event, [
    text(`## ${['Events', filter.site, filter.type].filter((part) => part !== null).join(' · ')}`),
    ...(things.length > 0
      ? things.map((event) => pictured(listedEventLines(event, nowMs), photoOf(event), event.title))
      : [text('No events match right now.')]),
    separator(),
    text(footer(`${events.length} events`, page, pages, age)),
    pages > 1
      ? buttons([
          actionButton('◀ Previous', action(Math.max(1, page - 1)), page === 1),
          actionButton('Next ▶', action(page + 1), page === pages),
        ])
      : null,
  ]);
}

function listedEventLines(event: DealEvent, nowMs: number): string[] {
  const first = event.offers[0];
  return [
    ...eventLines({ ...event, title: clamp(event.title, 80), subtitle: null }, nowMs),
    ...(first ? eventOfferLines({ ...first, title: clamp(first.title, 80), url: null }) : []),
    event.offers.length > 1 ? `-# and ${event.offers.length - 1} more offers` : null,
  ].filter((line) => line !== null);
}

function photoOf(event: DealEvent): string | null {
  return mainPhoto(event.photos) ?? mainPhoto(event.offers[0]?.photos ?? []);
}

/** The featured dealcasts; there are few at a time, so the newest five are all of the list. */
export function dealcastsCard(dealcasts: readonly Dealcast[], age: ListAge): Card {
  const shown = dealcasts.slice(0, PAGE_SIZE);
  return card(ACCENT.dealcast, [
    text('## Dealcasts'),
    ...(shown.length > 0
      ? shown.map((dealcast) =>
          pictured(dealcastLines(shortenedCast(dealcast)), dealcast.thumbnail?.url ?? null, dealcast.title),
        )
      : [text('No dealcasts are featured right now.')]),
    separator(),
    text(footer(`${dealcasts.length} dealcasts`, 1, 1, age)),
  ]);
}

function shortenedCast(dealcast: Dealcast): Dealcast {
  return { ...dealcast, title: clamp(dealcast.title, 80), teaser: null };
}
