import { kindOf } from '../../announcements/kinds/index.ts';
import type { DealEvent, EventOffer } from '../../deals/event.ts';
import { type Sale, withinMs } from '../../deals/event-sales.ts';
import { hasEnded } from '../../deals/life.ts';
import { mainPhoto } from '../../deals/offer.ts';
import { pricesOf } from '../../deals/price.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { type AnnouncementContext, matchedPart, withLine } from '../../discord/cards/announced.ts';
import { addressOf, eventButtons, eventFacts } from '../../discord/cards/event-card.ts';
import { depthBadge, endedFact, endLine } from '../../discord/cards/offer-card.ts';
import {
  buttons,
  type Card,
  card,
  factsOf,
  gallery,
  linkedTitle,
  pictured,
  separator,
  smallLine,
  titleLine,
} from '../../discord/cards/parts.ts';
import { formatPrice, leftLine, priceHeading, priceLine, timestamp } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine, link } from '../../discord/markdown.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { Board } from './board.ts';

const MOST_TITLE = 120;
const MOST_LISTED_TITLE = 55;
/** The offers that are shown with their pictures, and those with a line each. */
const MOST_PICTURED = 4;
const MOST_LINES = 10;
/** The characters that the lines of a list may have. */
const MOST_CHARACTERS = { onNow: 1_100, coming: 500 } as const;
/** What is over: a few while more is on, more once that is all. */
const MOST_OVER = { live: { lines: 5, characters: 800 }, ended: { lines: 15, characters: 2_600 } } as const;
const MOST_COMING = 3;
/** Moments that are foretold are told as exactly as that. */
const FORETOLD_MS = 5 * MINUTE_MS;

export interface BoardView {
  event: DealEvent;
  board: Board;
  /** When it is shown: epoch milliseconds; null for the card of which a hash is kept, which no moment may change. */
  updatedAtMs: number | null;
  /** How old what it shows of a Deal-off may be; null where that isn't known. */
  lagMs: number | null;
}

/** The board of an event: what is on now, what comes and what is over, or how it went once the event has ended. */
export function boardCard(view: BoardView, context: AnnouncementContext): Card {
  return hasEnded(view.event, context.nowMs)
    ? endedBoardCard(view, context)
    : withLine(liveBoardCard(view, context), context);
}

const { accent: ACCENT_OF_KIND, symbol: SYMBOL } = kindOf({ kind: 'event-started' });

function liveBoardCard({ event, board, updatedAtMs, lagMs }: BoardView, context: AnnouncementContext): Card {
  const { translator, style, accent } = context;
  const { onNow, coming } = board;
  const [first, ...others] = onNow;
  const pictures = others.slice(0, MOST_PICTURED);
  const lines = fitted(others.slice(MOST_PICTURED), MOST_LINES, MOST_CHARACTERS.onNow, (offer) =>
    offerLine(offer, context),
  );
  const unshown = others.length - pictures.length - lines.length;
  const picture = mainPhoto(first?.photos ?? []) ?? mainPhoto(event.photos);
  const isLarge = style === 'large';
  const { open, details, added } = eventButtons(event, context);
  return card(accent ?? ACCENT_OF_KIND, [
    headLines(event, context),
    separator(),
    first ? pictured(firstLines(first, context), isLarge ? null : picture, first.title) : translator.t('board.nothing'),
    first && isLarge ? gallery([{ url: picture ?? '' }], first.title) : null,
    ...pictures.map((offer) => pictured(offerLines(offer, context), mainPhoto(offer.photos), offer.title)),
    [...lines, moreLine(unshown, translator)],
    ...comingPart(coming, translator),
    ...overParts(board, MOST_OVER.live, translator),
    smallLine([
      updatedAtMs === null
        ? translator.t('board.name')
        : translator.t('board.updated', { at: timestamp(updatedAtMs, 'R') }),
      event.type === 'DealOff' &&
        lagMs !== null &&
        translator.t('board.lag', { span: translator.span(inSteps(lagMs)) }),
      matchedPart(context),
    ]),
    buttons([open, details, ...added]),
  ]);
}

function endedBoardCard({ event, board }: BoardView, context: AnnouncementContext): Card {
  const { translator } = context;
  return card(ACCENT.over, [
    [
      titleLine(clamp(event.title, MOST_TITLE), addressOf(event), true),
      factsOf([endedFact(event, context), ...eventFacts(event, translator)]),
    ],
    ...overParts(board, MOST_OVER.ended, translator),
    smallLine([translator.t('board.name')]),
    buttons([eventButtons(event, context).details]),
  ]);
}

function headLines(event: DealEvent, { translator }: AnnouncementContext): (string | null)[] {
  return [
    factsOf([`${SYMBOL} **${translator.t('board.name')}**`, ...eventFacts(event, translator)]),
    titleLine(clamp(event.title, MOST_TITLE), addressOf(event), false),
    event.subtitle && escapeLine(clamp(event.subtitle, MOST_TITLE)),
    endLine(event),
  ];
}

/** The offer that is on now, or the first of them, with its price in large. */
function firstLines(offer: EventOffer, context: AnnouncementContext): (string | null)[] {
  const prices = pricesOf(offer.items);
  return [
    `**${context.translator.t('board.onNow')}**`,
    `**${titleOf(offer, MOST_TITLE, context)}**`,
    priceHeading(prices, context.translator),
    depthBadge(prices, context.translator),
    stockText(offer, context) || null,
  ];
}

function offerLines(offer: EventOffer, context: AnnouncementContext): (string | null)[] {
  return [
    `**${titleOf(offer, MOST_LISTED_TITLE, context)}**`,
    priceLine(pricesOf(offer.items), context.translator),
    stockText(offer, context) || null,
  ];
}

function offerLine(offer: EventOffer, context: AnnouncementContext): string {
  const [title, ...facts] = offerLines(offer, context);
  return factsOf([title, ...facts]);
}

function titleOf({ title, url, rank }: EventOffer, most: number, { translator }: AnnouncementContext): string {
  return `${rank === null ? '' : `#${translator.number(rank)} `}${link(clamp(title, most), url)}`;
}

/** `▰▰▰▱▱▱▱▱▱▱ 34% left · at this pace sold out in 40 minutes`; Discord counts the minutes. */
function stockText(offer: EventOffer, { translator, nowMs }: AnnouncementContext): string {
  const { percentageRemaining: left, sellsOutAtMs } = offer;
  const foretoldMs = sellsOutAtMs === undefined ? 0 : Math.ceil(sellsOutAtMs / FORETOLD_MS) * FORETOLD_MS;
  return factsOf([
    left !== null && leftLine(left, translator),
    foretoldMs > nowMs && translator.t('board.pace', { at: timestamp(foretoldMs, 'R') }),
  ]);
}

function comingPart(coming: readonly DealEvent[], translator: Translator) {
  if (coming.length === 0) return [];
  const lines = fitted(coming, MOST_COMING, MOST_CHARACTERS.coming, (event) =>
    factsOf([
      link(clamp(event.title, MOST_LISTED_TITLE), addressOf(event)),
      event.startDateMs !== null && translator.t('board.starts', { at: timestamp(event.startDateMs, 'R') }),
    ]),
  );
  const more = moreLine(coming.length - lines.length, translator);
  return [separator(), [`**${translator.t('board.coming')}**`, ...lines, more]];
}

/** What has sold out, and what the event no longer lists for another reason. */
function overParts(
  { over, soldOut, fastestMs }: Board,
  { lines, characters }: (typeof MOST_OVER)[keyof typeof MOST_OVER],
  translator: Translator,
) {
  const sold = over.filter(({ isSoldOut }) => isSoldOut);
  const gone = over.filter(({ isSoldOut }) => !isSoldOut);
  const lineOf = (sale: Sale) => saleLine(sale, translator);
  const soldLines = fitted(sold, lines, characters, lineOf);
  const goneLines = fitted(gone, MOST_COMING, MOST_CHARACTERS.coming, lineOf);
  const fastest = fastestMs === null ? null : translator.t('board.fastest', { span: within(fastestMs, translator) });
  return [
    soldOut + gone.length > 0 ? separator() : null,
    soldOut > 0
      ? [
          `**${translator.t('board.soldOut', { count: soldOut })}**${fastest && soldOut > 1 ? ` · ${fastest}` : ''}`,
          ...soldLines,
          moreLine(soldOut - soldLines.length, translator),
        ]
      : null,
    gone.length > 0
      ? [`**${translator.t('board.gone')}**`, ...goneLines, moreLine(gone.length - goneLines.length, translator)]
      : null,
  ];
}

function saleLine(sale: Sale, translator: Translator): string {
  const ms = withinMs(sale);
  return factsOf([
    linkedTitle(clamp(sale.title, MOST_LISTED_TITLE), sale.url, true),
    sale.price && formatPrice(sale.price, translator),
    ms !== null && translator.t('board.within', { span: within(ms, translator) }),
  ]);
}

/** The lags that a board tells of: each change of it is an edit. */
const LAGS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS);

function inSteps(lagMs: number): number {
  return LAGS_MS.find((stepMs) => lagMs <= stepMs) ?? DAY_MS;
}

/** The units of a span that is longer than the first one: whole ones of it, and what is left in the second. */
const UNITS_MS = [
  [DAY_MS, HOUR_MS],
  [HOUR_MS, MINUTE_MS],
  [MINUTE_MS, MINUTE_MS],
] as const;

/** A span that is not exceeded, to the next minute, or to the next hour of days: 61 seconds are within 2 minutes. */
function within(ms: number, translator: Translator): string {
  const [unitMs, restMs] = UNITS_MS.find(([unit]) => ms > unit) ?? [1_000, 1_000];
  const allMs = Math.ceil(ms / restMs) * restMs;
  const leftMs = allMs % unitMs;
  return [allMs - leftMs, leftMs].flatMap((part) => (part > 0 ? translator.span(part) : [])).join(' ');
}

/** As many lines as fit. */
function fitted<T>(things: readonly T[], most: number, characters: number, lineOf: (thing: T) => string): string[] {
  const lines: string[] = [];
  let room: number = characters;
  for (const thing of things.slice(0, most)) {
    const line = lineOf(thing);
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  return lines;
}

function moreLine(count: number, translator: Translator): string | null {
  return count > 0 ? smallLine([translator.t('board.more', { count })]) : null;
}
