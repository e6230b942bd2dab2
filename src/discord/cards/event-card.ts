import type { APIButtonComponentWithCustomId } from 'discord-api-types/v10';
import type { DealEvent, EventOffer } from '../../deals/event.ts';
import { hasEnded } from '../../deals/life.ts';
import type { Photo } from '../../deals/offer.ts';
import { priceRangeOf } from '../../deals/price.ts';
import { priceLine, timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, link, markdownOf } from '../markdown.ts';
import { ACCENT, actionButton, buttons, type Card, card, linkButton, pictured, separator, text } from './parts.ts';

const MOST_TITLE = 120;

/** How an event type is called on a card. */
const TYPE_NAMES = new Map([
  ['DealOff', 'Deal-off'],
  ['DealPlus', 'Deal Plus'],
]);

/** The lines that tell of an event wherever it is shown. */
export function eventLines(event: DealEvent, nowMs: number): string[] {
  return [
    `### ${link(clamp(event.title, MOST_TITLE), event.url ?? event.offers[0]?.url ?? null)}`,
    event.subtitle && escapeLine(clamp(event.subtitle, MOST_TITLE)),
    [
      `**${escapeLine(clamp(TYPE_NAMES.get(event.type) ?? event.type, 40))}**`,
      event.site && escapeLine(clamp(event.site, 80)),
      event.startDateMs !== null && `started ${timestamp(event.startDateMs, 'R')}`,
      event.endDateMs !== null && `${hasEnded(event, nowMs) ? 'ended' : 'ends'} ${timestamp(event.endDateMs, 'R')}`,
    ]
      .filter(Boolean)
      .join(' · '),
  ].filter((line) => line !== null);
}

/** The picture to show of an offer: the first in full size, else the first there is. */
export function mainPhoto(photos: readonly Photo[]): string | null {
  return (photos.find((photo) => photo.tags.includes('fullsize-0')) ?? photos[0])?.url ?? null;
}

/** The lines that tell of an offer inside an event. */
export function eventOfferLines(offer: EventOffer): string[] {
  const price = priceLine(
    priceRangeOf(offer.items.map((item) => item.salePrice)),
    priceRangeOf(offer.items.map((item) => item.listPrice)),
  );
  const left = offer.soldOut
    ? '**Sold out**'
    : offer.percentageRemaining !== null && `${offer.percentageRemaining}% left`;
  return [`**${link(clamp(offer.title, MOST_TITLE), offer.url)}**`, [price, left].filter(Boolean).join(' · ')].filter(
    (line) => line !== '',
  );
}

/** The card that announces an event. `deliveryId` goes into the button, where a later look at the channel finds it. */
export function eventCard(event: DealEvent, deliveryId: string, nowMs: number): Card {
  return eventCardWith(event, nowMs, { offers: 3, writeUp: 600 }, [
    actionButton('Details', { do: 'event', eventId: event.id, deliveryId }),
  ]);
}

/** An event with more of its offers and its whole write-up. */
export function eventDetailCard(event: DealEvent, nowMs: number): Card {
  return eventCardWith(
    event,
    nowMs,
    { offers: 5, writeUp: 1200 },
    event.offers
      .slice(0, 1)
      .map(({ id }) => actionButton('Offer details', { do: 'offer', offerId: id, deliveryId: null })),
  );
}

function eventCardWith(
  event: DealEvent,
  nowMs: number,
  most: { offers: number; writeUp: number },
  actions: readonly APIButtonComponentWithCustomId[],
): Card {
  const [first, ...others] = event.offers.slice(0, most.offers);
  const address = event.url ?? first?.url ?? null;
  const writeUp = clampMarkdown(markdownOf(event.writeUp ?? event.text ?? '', address), most.writeUp);
  const photo = mainPhoto(event.photos) ?? (first ? mainPhoto(first.photos) : null);
  const unshown = event.offers.length - most.offers;
  return card(hasEnded(event, nowMs) ? ACCENT.over : ACCENT.event, [
    pictured([...eventLines(event, nowMs), ...(first ? eventOfferLines(first) : [])], photo, event.title),
    ...others.map((offer) => pictured(eventOfferLines(offer), mainPhoto(offer.photos), offer.title)),
    unshown > 0 ? text(`-# and ${unshown} more offers`) : null,
    writeUp ? separator() : null,
    writeUp ? text(writeUp) : null,
    buttons([
      linkButton('Open', address),
      linkButton('Discussion', event.discussionUrl ?? first?.discussionUrl ?? null),
      ...actions,
    ]),
  ]);
}
