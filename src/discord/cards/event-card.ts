import type { APIButtonComponentWithCustomId } from 'discord-api-types/v10';
import type { AnnouncementOf } from '../../deals/announcement.ts';
import type { DealEvent, EventOffer } from '../../deals/event.ts';
import { hasEnded } from '../../deals/life.ts';
import type { Photo } from '../../deals/offer.ts';
import { priceRangeOf } from '../../deals/price.ts';
import { leftLine, priceLine, timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, link, markdownOf } from '../markdown.ts';
import { isWordKey, type Words } from '../words/words.ts';
import type { AnnouncementContext, CardContext } from './context.ts';
import { matchedPart } from './matched.ts';
import {
  ACCENT,
  actionButton,
  buttons,
  type Card,
  card,
  linkButton,
  pictured,
  separator,
  smallLine,
  text,
  titleLine,
} from './parts.ts';

const MOST_TITLE = 120;

/** The lines that tell of an event wherever it is shown. */
export function eventLines(event: DealEvent, { words, nowMs }: CardContext): string[] {
  return [
    titleLine(clamp(event.title, MOST_TITLE), event.url ?? event.offers[0]?.url ?? null, hasEnded(event, nowMs)),
    event.subtitle && escapeLine(clamp(event.subtitle, MOST_TITLE)),
    [
      `**${escapeLine(clamp(typeName(event.type, words), 40))}**`,
      event.site && escapeLine(clamp(event.site, 80)),
      event.startDateMs !== null && words.t('event.started', { at: timestamp(event.startDateMs, 'R') }),
      event.endDateMs !== null &&
        words.t(hasEnded(event, nowMs) ? 'event.ended' : 'event.ends', { at: timestamp(event.endDateMs, 'R') }),
    ]
      .filter(Boolean)
      .join(' · '),
  ].filter((line) => line !== null);
}

/** How an event type is called on a card; one that the specification does not know has its own name only. */
function typeName(type: string, words: Words): string {
  const key = `event.type.${type}`;
  return isWordKey(key) ? words.say({ key, values: {} }) : type;
}

/** The picture to show of an offer: the first in full size, else the first there is. */
export function mainPhoto(photos: readonly Photo[]): string | null {
  return (photos.find((photo) => photo.tags.includes('fullsize-0')) ?? photos[0])?.url ?? null;
}

/** The lines that tell of an offer inside an event. */
export function eventOfferLines(offer: EventOffer, { words }: CardContext): string[] {
  const price = priceLine(
    priceRangeOf(offer.items.map((item) => item.salePrice)),
    priceRangeOf(offer.items.map((item) => item.listPrice)),
    words,
  );
  const left = offer.soldOut
    ? `**${words.t('offer.soldOut')}**`
    : offer.percentageRemaining !== null && leftLine(offer.percentageRemaining, words);
  const title = link(clamp(offer.title, MOST_TITLE), offer.url);
  const rank = offer.rank === null ? '' : `#${words.number(offer.rank)} `;
  return [`**${rank}${offer.soldOut ? `~~${title}~~` : title}**`, [price, left].filter(Boolean).join(' · ')].filter(
    (line) => line !== '',
  );
}

/**
 * An event's offers as they are to be read: a Reckoning's by rank, those that are immune from it last; of the others what
 * can be bought just now comes first.
 */
function inReadingOrder({ type, offers }: DealEvent): EventOffer[] {
  return offers.toSorted((a, b) =>
    type === 'Reckoning' ? (a.rank ?? Infinity) - (b.rank ?? Infinity) || 0 : Number(a.soldOut) - Number(b.soldOut),
  );
}

/** The card that announces an event. */
export function eventStartedCard(announcement: AnnouncementOf<'event-started'>, context: AnnouncementContext): Card {
  const { item: event } = announcement;
  const { words, deliveryId } = context;
  const small = smallLine([words.t('announced.event-started'), matchedPart(context)]);
  return eventCardWith(event, context, { offers: 3, writeUp: 600, small }, [
    actionButton(words.t('button.details'), { do: 'event', eventId: event.id, deliveryId }),
  ]);
}

/** An event with more of its offers and its whole write-up. */
export function eventDetailCard(event: DealEvent, context: CardContext): Card {
  return eventCardWith(
    event,
    context,
    { offers: 5, writeUp: 1200, small: null },
    inReadingOrder(event)
      .slice(0, 1)
      .map(({ id }) =>
        actionButton(context.words.t('button.offerDetails'), { do: 'offer', offerId: id, deliveryId: null }),
      ),
  );
}

function eventCardWith(
  event: DealEvent,
  context: CardContext,
  most: { offers: number; writeUp: number; small: string | null },
  actions: readonly APIButtonComponentWithCustomId[],
): Card {
  const { words, nowMs } = context;
  const [first, ...others] = inReadingOrder(event).slice(0, most.offers);
  const address = event.url ?? first?.url ?? null;
  const writeUp = clampMarkdown(markdownOf(event.writeUp ?? event.text ?? '', address), most.writeUp);
  const photo = mainPhoto(event.photos) ?? (first ? mainPhoto(first.photos) : null);
  const unshown = event.offers.length - most.offers;
  return card(hasEnded(event, nowMs) ? ACCENT.over : ACCENT.event, [
    pictured([...eventLines(event, context), ...(first ? eventOfferLines(first, context) : [])], photo, event.title),
    ...others.map((offer) => pictured(eventOfferLines(offer, context), mainPhoto(offer.photos), offer.title)),
    unshown > 0 ? text(`-# ${words.t('event.moreOffers', { count: unshown })}`) : null,
    writeUp ? separator() : null,
    writeUp ? text(writeUp) : null,
    most.small === null ? null : text(most.small),
    buttons([
      linkButton(words.t('button.open'), address),
      linkButton(words.t('button.discussion'), event.discussionUrl ?? first?.discussionUrl ?? null),
      ...actions,
    ]),
  ]);
}
