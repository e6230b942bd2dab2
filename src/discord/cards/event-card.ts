import { siteFact } from '../../announcements/kinds/thing-view.ts';
import {
  type DealEvent,
  EVENT_TYPES,
  type EventListFilter,
  type EventOffer,
  type EventType,
  isAlmostGone,
  isWanted,
  SITE_PREFIXES,
  type SitePrefix,
} from '../../deals/event.ts';
import { hasEnded } from '../../deals/life.ts';
import { mainPhoto } from '../../deals/offer.ts';
import { pricesOf } from '../../deals/price.ts';
import { termsOf } from '../../deals/terms.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import { leftLine, priceHeading, priceLine, timestamp } from '../format.ts';
import { isWordKey, type Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, excerptOf, link, markdownOf } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { type AnnouncementContext, announced, type Happened, matchedPart, overCard } from './announced.ts';
import { depthBadge, endedFact, endLine, lifeLine } from './offer-card.ts';
import { termFacts } from './offer-texts.ts';
import { type Age, type ListView, pagedCard } from './paged-card.ts';
import {
  actionButton,
  addedToEvent,
  buttons,
  type Card,
  type CardButton,
  type CardContext,
  factsOf,
  linkButton,
  linkedTitle,
  menu,
  pictured,
  smallLine,
  titleLine,
} from './parts.ts';

const MOST_TITLE = 120;
/** The most offers, and characters of the write-up, that an announcement shows. */
const MOST_ANNOUNCED = 3;
const MOST_WRITE_UP_ANNOUNCED = 300;
const MOST_WRITE_UP = 1200;

/** The lines that describe an event, on any card. */
export function eventLines(event: DealEvent, { translator, nowMs }: CardContext): string[] {
  return [
    titleLine(clamp(event.title, MOST_TITLE), addressOf(event), hasEnded(event, nowMs)),
    ...factLines(event, { translator, nowMs }),
  ];
}

/** The event's page, or that of its first offer. @public for features */
export function addressOf(event: DealEvent): string | null {
  return event.url ?? event.offers[0]?.url ?? null;
}

function factLines(event: DealEvent, { translator, nowMs }: CardContext): string[] {
  const [type, site] = eventFacts(event, translator);
  return [
    event.subtitle && escapeLine(clamp(event.subtitle, MOST_TITLE)),
    factsOf([
      `**${type}**`,
      site,
      event.startDateMs !== null && translator.t('event.start', { at: timestamp(event.startDateMs, 'R') }),
      event.endDateMs !== null && lifeLine({ isSoldOut: false, endDateMs: event.endDateMs }, { translator, nowMs }),
    ]),
  ].filter((line) => line !== null);
}

/** The name of an event type on a card; a type that the specification does not list keeps its own name. */
export function eventTypeName(type: string, translator: Translator): string {
  const key = `event.type.${type}`;
  return isWordKey(key) ? translator.translate({ key, values: {} }) : type;
}

/** The type of an event and its site: safe Markdown. */
export function eventFacts({ type, site }: Pick<DealEvent, 'type' | 'site'>, translator: Translator) {
  return [escapeLine(clamp(eventTypeName(type, translator), 40)), siteFact(site)] as const;
}

/** The lines that describe an offer inside an event. */
function eventOfferLines(
  offer: EventOffer,
  event: Pick<DealEvent, 'type' | 'endDateMs'>,
  { translator, nowMs }: CardContext,
): string[] {
  const isOver = hasEnded(event, nowMs);
  const price = priceLine(pricesOf(offer.items), translator);
  const left = offer.soldOut
    ? `**${translator.t('offer.soldOut')}**`
    : !isOver && offer.percentageRemaining !== null && leftLine(offer.percentageRemaining, translator);
  const title = link(clamp(offer.title, MOST_TITLE), offer.url);
  const rank = rankMark(offer, translator);
  // A Deal-off sells one offer after another.
  const isOn = event.type === 'DealOff' && !offer.soldOut && !isOver;
  const firstSold = offer.originalStartDateMs;
  return [
    `**${rank}${offer.soldOut ? `~~${title}~~` : title}**`,
    factsOf([isOn && `**${translator.t('event.onNow')}**`, price, left, sellsOutText(offer, { translator, nowMs })]),
    firstSold === null ? '' : smallLine([translator.t('event.firstSold', { at: translator.date(firstSold) })]),
  ].filter((line) => line !== '');
}

/** Rounded to five minutes, from an hour on to whole hours. A span is written rounded down. */
function roughly(ms: number): number {
  const minutesMs = Math.max(1, Math.round(ms / (5 * MINUTE_MS))) * 5 * MINUTE_MS;
  return minutesMs < HOUR_MS ? minutesMs : Math.round(ms / HOUR_MS) * HOUR_MS || HOUR_MS;
}

/** `sells out in about 40 minutes`; null where that can't be said. */
export function sellsOutText(
  { soldOut, sellsOutAtMs }: Pick<EventOffer, 'soldOut' | 'sellsOutAtMs'>,
  { translator, nowMs }: CardContext,
): string | null {
  if (soldOut || sellsOutAtMs === undefined || sellsOutAtMs <= nowMs) return null;
  return translator.t('offer.sellsOut', { span: translator.span(roughly(sellsOutAtMs - nowMs)) });
}

/** The picture to show for an event in a list: its own, else its first offer's. */
export function eventPhoto(event: DealEvent): string | null {
  return mainPhoto(event.photos) ?? mainPhoto(event.offers[0]?.photos ?? []);
}

/**
 * An event's offers in display order: a Reckoning's by rank, with unranked ones (immune from it) last; otherwise those
 * that can be bought come first.
 */
function inReadingOrder({ type, offers }: DealEvent): EventOffer[] {
  return offers.toSorted((a, b) =>
    type === 'Reckoning' ? (a.rank ?? Infinity) - (b.rank ?? Infinity) || 0 : Number(a.soldOut) - Number(b.soldOut),
  );
}

/** The card that announces an event. */
export function eventStartedCard(event: DealEvent, happened: Happened, context: AnnouncementContext): Card {
  const { translator, nowMs } = context;
  const [type, site] = eventFacts(event, translator);
  const title = clamp(event.title, MOST_TITLE);
  const row = eventButtons(event, context);
  if (hasEnded(event, nowMs)) {
    const facts = [endedFact(event, context), type, site];
    return overCard({ title, address: addressOf(event), facts, button: row.details });
  }
  const [first, ...others] = inReadingOrder(event).slice(0, MOST_ANNOUNCED);
  const writeUp = clampMarkdown(writeUpOf(event), MOST_WRITE_UP_ANNOUNCED);
  const unshown = event.offers.length - MOST_ANNOUNCED;
  return announced(
    {
      happened: { ...happened, headline: `${happened.headline} · ${type}` },
      lines: [
        titleLine(title, addressOf(event), false),
        event.subtitle && escapeLine(clamp(event.subtitle, MOST_TITLE)),
      ],
      facts: [...(first ? firstOfferLines(first, event, context) : []), endLine(event)],
      picture: {
        url: mainPhoto(event.photos) ?? (first ? mainPhoto(first.photos) : null),
        description: event.title,
      },
      more: [
        ...others.map((offer) => offerEntry(offer, event, context)),
        unshown > 0 ? `-# ${translator.t('event.moreOffers', { count: unshown })}` : null,
        writeUp,
      ],
      smallPrint: [site, matchedPart(context)],
      buttons: [row.open, row.details, ...row.added],
    },
    context,
  );
}

/**
 * The buttons of an event's post. Discord shows the one for details in any case: by it the bot finds the post.
 * @public for features
 */
export function eventButtons(event: DealEvent, context: AnnouncementContext) {
  const { translator, deliveryId } = context;
  return {
    open: linkButton(translator.t('button.open'), addressOf(event)),
    details: actionButton(translator.t('button.details'), { do: 'event', eventId: event.id, deliveryId }),
    added: addedToEvent(event, context),
  };
}

/** The offer that an event's card shows first, with its price in large; the title where it is not the event's. */
function firstOfferLines(offer: EventOffer, event: DealEvent, { translator }: CardContext): (string | null)[] {
  const prices = pricesOf(offer.items);
  const title = link(clamp(offer.title, MOST_TITLE), offer.url);
  const rank = rankMark(offer, translator);
  const badges = [
    offer.soldOut ? `🚫 **${translator.t('offer.soldOut')}**` : null,
    ...(offer.soldOut ? [] : termFacts(termsOf(offer), translator)),
    depthBadge(prices, translator),
    isAlmostGone(offer) ? `⚠️ ${translator.t('announced.almost-gone')}` : null,
  ];
  return [
    offer.title === event.title && !offer.soldOut ? null : `**${rank}${offer.soldOut ? `~~${title}~~` : title}**`,
    priceHeading(prices, translator),
    factsOf(badges) || null,
  ];
}

function rankMark({ rank }: EventOffer, translator: Translator): string {
  return rank === null ? '' : `#${translator.number(rank)} `;
}

/** An event and its age. */
export interface EventView {
  event: DealEvent;
  /** The page of its offers, 1-based. */
  page: number;
  age: Age;
}

/** A page of an event's offers; the first page includes the write-up. */
export function eventDetailCard({ event, page, age }: EventView, context: CardContext): Card {
  const { translator, nowMs } = context;
  const isOver = hasEnded(event, nowMs);
  const title = linkedTitle(clamp(event.title, MOST_TITLE), addressOf(event), isOver);
  return pagedCard(
    {
      accentColor: isOver ? ACCENT.over : ACCENT.event,
      title: [title, ...factLines(event, context)].join('\n'),
      picture: { url: mainPhoto(event.photos), description: event.title },
      intro: excerptOf(writeUpOf(event), MOST_WRITE_UP),
      things: inReadingOrder(event),
      page,
      count: translator.t('list.offers', { count: event.offers.length }),
      empty: translator.t('event.noOffers'),
      age,
      entry: (offer) => offerEntry(offer, event, context),
      pageAction: (to) => ({ do: 'event-page', eventId: event.id, page: to }),
      menus: [buttons(eventLinks(event, context))],
      open: {
        button: translator.t('button.offerDetails'),
        choice: ({ id, title }) => ({ label: title, action: { do: 'offer', offerId: id, deliveryId: null } }),
      },
    },
    context,
  );
}

function offerEntry(offer: EventOffer, event: DealEvent, context: CardContext) {
  return pictured(eventOfferLines(offer, event, context), mainPhoto(offer.photos), offer.title);
}

/** The write-up of the event, with the manufacturer's text: Markdown. */
function writeUpOf(event: DealEvent): string {
  const html = [event.writeUp ?? event.text, event.manufacturerText].filter(Boolean).join('\n');
  return markdownOf(html, addressOf(event));
}

function eventLinks(event: DealEvent, context: CardContext) {
  const { translator } = context;
  return [
    linkButton(translator.t('button.open'), addressOf(event)),
    linkButton(translator.t('button.discussion'), event.discussionUrl ?? event.offers[0]?.discussionUrl ?? null),
    ...addedToEvent(event, context),
  ];
}

export interface EventsView extends ListView {
  /** All running events, before filtering. */
  events: readonly DealEvent[];
  filter: EventListFilter;
  /** Features' buttons below the list. */
  added: readonly CardButton[];
}

/** A page of the running events, with menus that filter by type or site. */
export function eventsCard({ events, filter, page, age, added }: EventsView, context: CardContext): Card {
  const { translator } = context;
  const wanted = events.filter((event) => isWanted(event, filter));
  const type = filter.type === null ? null : eventTypeName(filter.type, translator);
  return pagedCard(
    {
      accentColor: ACCENT.event,
      title: factsOf([translator.t('events.title'), filter.site, type]),
      things: wanted,
      page,
      count: translator.t('list.events', { count: wanted.length }),
      empty: translator.t('events.none'),
      age,
      entry: (event) => pictured(listedEventLines(event, context), eventPhoto(event), event.title),
      pageAction: (page) => ({ do: 'events', ...filter, page }),
      menus: [typeMenu(events, filter, translator), siteMenu(events, filter, translator)],
      last: wanted.length === 0 || added.length === 0 ? null : buttons(added),
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
