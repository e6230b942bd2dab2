import type { APIButtonComponentWithCustomId } from 'discord-api-types/v10';
import {
  headlineOf,
  latestPerEntity,
  lookOfKind,
  scoreOfAnnouncement,
  shownOf,
} from '../../announcements/kinds/index.ts';
import type { Shown } from '../../announcements/kinds/kind.ts';
import type { ThingView } from '../../announcements/kinds/thing-view.ts';
import type { Announcement, RollUpReason } from '../../deals/announcement.ts';
import { hasEnded, isOver } from '../../deals/life.ts';
import { discountOf } from '../../deals/price.ts';
import { byScore } from '../../deals/score.ts';
import { formatPrice, offText, timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine, link } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { AnnouncementContext, Happened } from './announced.ts';
import { addressOf, eventFacts, eventLines, eventPhoto, eventStartedCard, eventTypeName } from './event-card.ts';
import { offerCard, offerChoice, offerLines, overText } from './offer-card.ts';
import { pagedCard } from './paged-card.ts';
import {
  actionButton,
  buttons,
  buttonsOf,
  type Card,
  type CardContext,
  type Choice,
  card,
  factsOf,
  linkedTitle,
  menu,
  pictured,
  smallLine,
} from './parts.ts';
import { openingOf, thingEntry, thingPostCard } from './thing-card.ts';

/** The card of an announcement of any kind. */
export function announcementCard(announcement: Announcement, context: AnnouncementContext): Card {
  const { accent, symbol, badge } = lookOfKind(announcement, context.kinds);
  const happened: Happened = {
    accent,
    headline: headlineOf(announcement, context.translator, context.kinds),
    kind: `${symbol} ${context.translator.t(badge)}`,
  };
  const { subject } = announcement;
  const shown = shownOf(announcement);
  switch (shown.as) {
    case 'offer':
      return offerCard(shown.item, happened, context);
    case 'event':
      return eventStartedCard(shown.item, happened, context);
    default:
      return thingPostCard(shown.thing, { item: shown.item, subject }, happened, context);
  }
}

/** The most lines of a roll-up's post, and the characters that they may have; the rest is behind its menu and button. */
const MOST_LINES = 12;
const MOST_CHARACTERS = 3_000;
const MOST_LINE_TITLE = 80;
const MOST_TITLE = 100;
const MOST_SHORT_NAME = 40;
/** The characters of a roll-up's heading, and of each name in it: a notification shows three of the best. */
const HEADING = { room: 64, most: 20 };
/** The most feeds that a roll-up's name lists. */
const MOST_FEEDS = 2;

/** The title of a forum post and of a plain card; foreign text. */
export function titleOf(announcement: Announcement, translator: Translator): string {
  return nameOf(shownOf(announcement), translator);
}

/** A channel's hourly limit, and when its next post may come: epoch milliseconds. */
export interface LimitFacts {
  mostPerHour: number;
  nextPostAtMs: number;
}

/** The content of a roll-up. */
export interface RollUpContent {
  /** The announcements in display order, as `inRollUpOrder` gives it, with their entities as they are now. */
  announcements: readonly Announcement[];
  /** null in what earlier versions stored. */
  reason: RollUpReason | null;
  /** The names of the feeds that they come from; foreign text. Empty where some come from elsewhere. */
  feeds: readonly string[];
}

/** One announcement per entity, the best first. Stable. */
export function inRollUpOrder(announcements: readonly Announcement[]): Announcement[] {
  return latestPerEntity(announcements)
    .map((announcement) => ({ announcement, score: scoreOfAnnouncement(announcement) }))
    .toSorted((one, other) => byScore(one.score, other.score))
    .map(({ announcement }) => announcement);
}

/** `9 deals in Tools · hourly limit`, `Daily digest · 14 deals`: the name of a roll-up. Foreign text. */
export function rollUpTitle({ announcements, reason, feeds }: RollUpContent, translator: Translator): string {
  const what = countOf(announcements, translator);
  const isNamed = feeds.length > 0 && feeds.length <= MOST_FEEDS;
  const from = isNamed ? translator.t('rollUp.from', { what, feeds: translator.list(feeds) }) : what;
  return reason === null ? from : translator.t(`rollUp.${reason}`, { what: from });
}

/** `14 deals and 2 events`, in the order in which each first appears. */
function countOf(announcements: readonly Announcement[], translator: Translator): string {
  const counts = new Map<Shown['as'], number>();
  for (const announcement of announcements) {
    const { as } = shownOf(announcement);
    counts.set(as, (counts.get(as) ?? 0) + 1);
  }
  return translator.list(
    [...counts].map(([as, count]) => translator.t(as === 'offer' ? 'rollUp.deals' : `list.${as}s`, { count })),
  );
}

/**
 * Many announcements in one post: a line for each of the best, a menu that opens any of them, and a button that shows
 * all. `limit` is set where the channel's hourly limit caused the roll-up.
 */
export function rollUpCard(
  view: RollUpContent & { deliveryId: string; limit: LimitFacts | null },
  context: CardContext,
): Card {
  const { deliveryId, announcements, limit } = view;
  const { translator } = context;
  const lines = denseLines(announcements, context);
  const unshown = announcements.length - lines.length;
  return card(ACCENT.offer, [
    [
      `**${namedInShort(announcements, HEADING, translator)}**`,
      smallLine([escapeLine(clamp(rollUpTitle(view, translator), MOST_TITLE))]),
    ],
    lines,
    unshown > 0 ? `-# ${translator.t('rollUp.more', { count: unshown })}` : null,
    limit && limitLine(limit, translator),
    openMenu(announcements, context),
    buttons([actionButton(translator.t('button.showAll'), { do: 'roll-up', deliveryId, page: 1 })]),
  ]);
}

/** `Kettle, Toaster +3`: the entities by name, the best first; as many as fit, at least one. Safe Markdown. */
export function namesInShort(announcements: readonly Announcement[], room: number, translator: Translator): string {
  return namedInShort(inRollUpOrder(announcements), { room, most: MOST_SHORT_NAME }, translator);
}

/** @param most the characters of one name */
function namedInShort(
  inOrder: readonly Announcement[],
  { room, most }: { room: number; most: number },
  translator: Translator,
): string {
  const names = inOrder.map((announcement) =>
    escapeLine(clamp(nameOf(shownOf(announcement), translator), Math.min(most, room))),
  );
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length > 0 && [...shown, name].join(', ').length > room) break;
    shown.push(name);
  }
  const unshown = names.length - shown.length;
  return shown.join(', ') + (unshown > 0 ? ` +${translator.number(unshown)}` : '');
}

/** As many lines as fit on a card; at least one. */
function denseLines(announcements: readonly Announcement[], context: CardContext): string[] {
  const lines: string[] = [];
  let room = MOST_CHARACTERS;
  for (const announcement of announcements.slice(0, MOST_LINES)) {
    const line = denseLine(announcement, context);
    room -= line.length;
    if (room < 0 && lines.length > 0) break;
    lines.push(line);
  }
  return lines;
}

/** `📉 **−79%** · $26.99 · Kettle`: the title, which may break, comes last. */
export function denseLine(announcement: Announcement, context: CardContext): string {
  const { translator, nowMs } = context;
  const shown = shownOf(announcement);
  const title = clamp(nameOf(shown, translator), MOST_LINE_TITLE);
  const { symbol } = lookOfKind(announcement, context.kinds);
  if (shown.as === 'offer') {
    const { salePrice, listPrice } = shown.item;
    if (isOver(shown.item, nowMs))
      return `${symbol} ${linkedTitle(title, urlOf(shown, translator), true)} · ${overText(shown.item, context)}`;
    const discount = discountOf(salePrice, listPrice);
    const off = discount && `**${offText(discount, translator)}**`;
    const price = salePrice && formatPrice(salePrice, translator);
    return `${symbol} ${factsOf([off, price, link(title, urlOf(shown, translator))])}`;
  }
  const isEnded = shown.as === 'event' && hasEnded(shown.item, nowMs);
  const [type] = shown.as === 'event' ? eventFacts(shown.item, translator) : [];
  return `${symbol} ${factsOf([linkedTitle(title, urlOf(shown, translator), isEnded), type])}`;
}

/** A menu of the first of them in the same order; null for fewer than two. */
function openMenu(announcements: readonly Announcement[], context: CardContext) {
  return menu(
    'open',
    context.translator.t('list.open'),
    announcements.map((announcement) => choiceOf(announcement, context)),
  );
}

/** The choice that opens what an announcement shows. */
function choiceOf(announcement: Announcement, context: CardContext): Choice {
  const { translator } = context;
  const shown = shownOf(announcement);
  const { subject } = announcement;
  const label = nameOf(shown, translator).trim() || '…';
  switch (shown.as) {
    case 'offer':
      return offerChoice(shown.item, context);
    case 'event':
      return {
        label,
        description: eventTypeName(shown.item.type, translator),
        action: { do: 'event', eventId: shown.item.id, deliveryId: null },
      };
    default:
      return { label, action: openingOf(shown.thing, subject, null) };
  }
}

/** Says that the hourly limit is reached, and when the next post may come. */
function limitLine({ mostPerHour, nextPostAtMs }: LimitFacts, translator: Translator): string {
  return smallLine([translator.t('rollUp.atMost', { count: mostPerHour, at: timestamp(nextPostAtMs, 't') })]);
}

/** A page of all announcements in a roll-up, in the order of its post; a page past the end shows the last one. */
export function rollUpListCard(view: RollUpContent & { rollUpId: string; page: number }, context: CardContext): Card {
  const { rollUpId, page, announcements } = view;
  const { translator } = context;
  return pagedCard(
    {
      accentColor: ACCENT.offer,
      title: escapeLine(clamp(rollUpTitle(view, translator), MOST_TITLE)),
      things: announcements,
      page,
      count: countOf(announcements, translator),
      empty: translator.t('rollUp.gone'),
      age: null,
      entry: (announcement) => announcementEntry(announcement, context),
      pageAction: (to) => ({ do: 'roll-up-page', rollUpId, page: to }),
      open: {
        button: translator.t('button.details'),
        choice: (announcement) => choiceOf(announcement, context),
      },
    },
    context,
  );
}

/**
 * A fallback card with nothing that Discord might refuse: why it is posted, a title, and the button of `refused`, by which
 * the bot finds the post again.
 */
export function plainCard(
  announcement: Announcement,
  refused: Card,
  { translator, kinds }: Pick<CardContext, 'translator' | 'kinds'>,
): Card {
  const { symbol, badge } = lookOfKind(announcement, kinds);
  const found = buttonsOf(refused).find((button): button is APIButtonComponentWithCustomId => 'custom_id' in button);
  return card(ACCENT.notice, [
    [
      `${symbol} **${translator.t(badge)}**`,
      link(clamp(titleOf(announcement, translator), MOST_TITLE), urlOf(shownOf(announcement), translator)),
    ],
    buttons([found ?? null]),
  ]);
}

/** An announcement in a list, with an optional last line. */
export function announcementEntry(announcement: Announcement, context: CardContext, lastLine: string | null = null) {
  const shown = shownOf(announcement);
  switch (shown.as) {
    case 'offer': {
      const { item } = shown;
      const lines = offerLines({ ...item, title: clamp(item.title, MOST_TITLE), subtitle: null }, context);
      return pictured([...lines, lastLine], item.photo, item.title);
    }
    case 'event': {
      const { item } = shown;
      const lines = eventLines({ ...item, title: clamp(item.title, MOST_TITLE), subtitle: null }, context);
      return pictured([...lines, lastLine], eventPhoto(item), item.title);
    }
    default:
      return thingEntry(viewOf(shown, context.translator), lastLine);
  }
}

/** The title of what is shown; foreign text. */
function nameOf(shown: Shown, translator: Translator): string {
  return 'thing' in shown ? viewOf(shown, translator).title : shown.item.title;
}

/** The page behind the title. */
function urlOf(shown: Shown, translator: Translator): string | null {
  if ('thing' in shown) return viewOf(shown, translator).address;
  return shown.as === 'offer' ? shown.item.url : addressOf(shown.item);
}

function viewOf({ thing, item }: Extract<Shown, { thing: unknown }>, translator: Translator): ThingView {
  return thing.view(item, 'announcements', translator);
}
