import type { APIButtonComponentWithCustomId } from 'discord-api-types/v10';
import { latestPerEntity, shownOf } from '../../announcements/kinds/index.ts';
import type { Shown } from '../../announcements/kinds/kind.ts';
import type { Announcement } from '../../deals/announcement.ts';
import { mainPhoto } from '../../deals/offer.ts';
import { discountOf } from '../../deals/price.ts';
import { timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { link } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { dealcastLines } from './dealcast-card.ts';
import { eventLines } from './event-card.ts';
import { offerLines } from './offer-card.ts';
import { pagedCard } from './paged-card.ts';
import { actionButton, buttons, buttonsOf, type Card, card, pictured, smallLine, text } from './parts.ts';

/** Each with a picture takes a section of three components, well below a message's limit of forty. */
const MOST_SHOWN = 6;
const MOST_TITLE = 100;

/** The title of a forum post and of a plain card; foreign text. */
export function titleOf(announcement: Announcement, translator: Translator): string {
  return nameOf(shownOf(announcement), translator);
}

/** A channel's hourly limit, and when its next post may come: epoch milliseconds. */
export interface LimitFacts {
  mostPerHour: number;
  nextPostAtMs: number;
}

/**
 * Many announcements in one post, one per entity: the best few, and a button that shows all. `limit` is set where the
 * channel's hourly limit caused the roll-up.
 */
export function rollUpCard(
  view: { deliveryId: string; announcements: readonly Announcement[]; limit: LimitFacts | null },
  context: CardContext,
): Card {
  const { deliveryId, announcements: told, limit } = view;
  const { translator } = context;
  const announcements = latestPerEntity(told);
  const unshown = announcements.length - MOST_SHOWN;
  return card(ACCENT.offer, [
    text(`## ${translator.t('rollUp.title', { count: announcements.length })}`),
    ...best(announcements, MOST_SHOWN).map((announcement) => announcementEntry(announcement, context)),
    unshown > 0 ? text(`-# ${translator.t('rollUp.more', { count: unshown })}`) : null,
    limit && text(limitLine(limit, translator)),
    buttons([actionButton(translator.t('button.showAll'), { do: 'roll-up', deliveryId, page: 1 })]),
  ]);
}

/** Says that the hourly limit is reached, and when the next post may come. */
function limitLine({ mostPerHour, nextPostAtMs }: LimitFacts, translator: Translator): string {
  return smallLine([translator.t('rollUp.limit', { count: mostPerHour, at: timestamp(nextPostAtMs, 't') })]);
}

/** A page of all announcements in a roll-up, in order of detection; a page past the end shows the last one. */
export function rollUpListCard(
  view: { rollUpId: string; announcements: readonly Announcement[]; page: number },
  context: CardContext,
): Card {
  const { rollUpId, page } = view;
  const announcements = latestPerEntity(view.announcements);
  const count = context.translator.t('rollUp.title', { count: announcements.length });
  return pagedCard(
    {
      accentColor: ACCENT.offer,
      title: count,
      things: announcements,
      page,
      count,
      empty: context.translator.t('rollUp.gone'),
      age: null,
      entry: (announcement) => announcementEntry(announcement, context),
      pageAction: (to) => ({ do: 'roll-up-page', rollUpId, page: to }),
    },
    context,
  );
}

/**
 * A fallback card with nothing that Discord might refuse: a title, and the button of `refused`, by which the bot finds
 * the post again.
 */
export function plainCard(announcement: Announcement, refused: Card, translator: Translator): Card {
  const found = buttonsOf(refused).find((button): button is APIButtonComponentWithCustomId => 'custom_id' in button);
  return card(ACCENT.notice, [
    text(link(clamp(titleOf(announcement, translator), MOST_TITLE), urlOf(shownOf(announcement)))),
    buttons([found ?? null]),
  ]);
}

/** Featured offers first, then the highest discounts. Stable. */
function best(announcements: readonly Announcement[], most: number): Announcement[] {
  return announcements.toSorted((a, b) => worthOf(b) - worthOf(a)).slice(0, most);
}

function worthOf(announcement: Announcement): number {
  const { as, item } = shownOf(announcement);
  if (as !== 'offer') return 0;
  return (item.isFeatured ? 1000 : 0) + (discountOf(item.salePrice, item.listPrice)?.maximum ?? 0);
}

/** An announcement in a list, with an optional last line. */
export function announcementEntry(announcement: Announcement, context: CardContext, lastLine: string | null = null) {
  const shown = shownOf(announcement);
  return pictured([...linesOf(shown, context), lastLine], pictureOf(shown), nameOf(shown, context.translator));
}

function nameOf({ as, item }: Shown, translator: Translator): string {
  switch (as) {
    case 'poll':
      return item.questions[0]?.text ?? translator.t('source.polls');
    case 'monkeychat':
      return translator.t('source.monkeychats');
    default:
      return item.title;
  }
}

function linesOf(shown: Shown, context: CardContext): string[] {
  const title = clamp(nameOf(shown, context.translator), MOST_TITLE);
  switch (shown.as) {
    case 'offer':
      return offerLines({ ...shown.item, title, subtitle: null }, context);
    case 'event':
      return eventLines({ ...shown.item, title, subtitle: null }, context);
    case 'dealcast':
      return dealcastLines({ ...shown.item, title, teaser: null }, context);
    case 'poll':
    case 'monkeychat':
      return [`### ${link(title, urlOf(shown))}`];
  }
}

function urlOf({ as, item }: Shown): string | null {
  switch (as) {
    case 'offer':
      return item.url;
    case 'event':
      return item.url ?? item.offers[0]?.url ?? null;
    case 'dealcast':
      return item.youTubeUrl ?? item.mp4Url ?? item.blogUrl;
    case 'poll':
      return item.discussionUrl;
    case 'monkeychat':
      return null;
  }
}

function pictureOf({ as, item }: Shown): string | null {
  switch (as) {
    case 'offer':
      return item.photo;
    case 'event':
      return mainPhoto(item.photos) ?? mainPhoto(item.offers[0]?.photos ?? []);
    case 'dealcast':
      return item.thumbnail?.url ?? null;
    case 'poll':
    case 'monkeychat':
      return null;
  }
}
