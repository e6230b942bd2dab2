import { type APIButtonComponentWithCustomId, ComponentType } from 'discord-api-types/v10';
import { type Announcement, onePerThing } from '../../deals/announcement.ts';
import { discountOf } from '../../deals/price.ts';
import { timestamp } from '../format.ts';
import type { Words } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { link } from '../markdown.ts';
import type { CardContext } from './context.ts';
import { dealcastLines } from './dealcast-card.ts';
import { eventLines, mainPhoto } from './event-card.ts';
import { offerLines } from './offer-card.ts';
import { pagedCard } from './paged-card.ts';
import { ACCENT, actionButton, buttons, type Card, card, pictured, smallLine, text } from './parts.ts';

/** With a picture, a section of three components each: far from a message's forty. */
const MOST_SHOWN = 6;
const MOST_TITLE = 100;

/** What a post in a forum is called, and a plain card says; foreign text. */
export function titleOf(announcement: Announcement, words: Words): string {
  switch (announcement.kind) {
    case 'new-poll':
      return announcement.item.questions[0]?.text ?? words.t('source.polls');
    case 'new-monkeychat':
      return words.t('source.monkeychats');
    default:
      return announcement.item.title;
  }
}

/** A channel's most posts an hour, and when there is room for its next one: epoch milliseconds. */
export interface LimitFacts {
  mostPerHour: number;
  nextPostAtMs: number;
}

/**
 * Many announcements in one post, of each thing one: the best few, and a button that shows all. `limit` is set where the
 * channel's hourly limit brings them together.
 */
export function rollUpCard(
  view: { deliveryId: string; announcements: readonly Announcement[]; limit: LimitFacts | null },
  context: CardContext,
): Card {
  const { deliveryId, announcements: told, limit } = view;
  const { words } = context;
  const announcements = onePerThing(told);
  const unshown = announcements.length - MOST_SHOWN;
  return card(ACCENT.offer, [
    text(`## ${words.t('rollUp.title', { count: announcements.length })}`),
    ...best(announcements, MOST_SHOWN).map((announcement) => announcementEntry(announcement, context)),
    unshown > 0 ? text(`-# ${words.t('rollUp.more', { count: unshown })}`) : null,
    limit && text(limitLine(limit, words)),
    buttons([actionButton(words.t('button.showAll'), { do: 'roll-up', deliveryId, page: 1 })]),
  ]);
}

/** That the hourly limit is reached, and when the next post may come. */
function limitLine({ mostPerHour, nextPostAtMs }: LimitFacts, words: Words): string {
  return smallLine([words.t('rollUp.limit', { count: mostPerHour, at: timestamp(nextPostAtMs, 't') })]);
}

/** A page of all that is in a roll-up, in the order in which it was found; a page past the end is the last one. */
export function rollUpListCard(
  view: { rollUpId: string; announcements: readonly Announcement[]; page: number },
  context: CardContext,
): Card {
  const { rollUpId, page } = view;
  const announcements = onePerThing(view.announcements);
  const count = context.words.t('rollUp.title', { count: announcements.length });
  return pagedCard(
    {
      accentColor: ACCENT.offer,
      title: count,
      things: announcements,
      page,
      count,
      empty: context.words.t('rollUp.gone'),
      age: null,
      entry: (announcement) => announcementEntry(announcement, context),
      pageAction: (to) => ({ do: 'roll-up-page', rollUpId, page: to }),
    },
    context,
  );
}

/** A title, and the button that `refused` had, by which the post can be found again: nothing that Discord might not take. */
export function plainCard(announcement: Announcement, refused: Card, words: Words): Card {
  const found = refused.components
    .flatMap(({ components }) => components)
    .flatMap((part) => (part.type === ComponentType.ActionRow ? part.components : []))
    .filter((button) => button.type === ComponentType.Button)
    .find((button): button is APIButtonComponentWithCustomId => 'custom_id' in button);
  return card(ACCENT.notice, [
    text(link(clamp(titleOf(announcement, words), MOST_TITLE), urlOf(announcement))),
    buttons([found ?? null]),
  ]);
}

/** What is featured first, then what costs the least of what it did; equals keep their order. */
function best(announcements: readonly Announcement[], most: number): Announcement[] {
  return announcements.toSorted((a, b) => worthOf(b) - worthOf(a)).slice(0, most);
}

function worthOf({ item }: Announcement): number {
  if (!('salePrice' in item)) return 0;
  return (item.isFeatured ? 1000 : 0) + (discountOf(item.salePrice, item.listPrice)?.maximum ?? 0);
}

/** An announcement in a list, with a last line of its own where there is one. */
export function announcementEntry(announcement: Announcement, context: CardContext, lastLine: string | null = null) {
  return pictured(
    [...linesOf(announcement, context), lastLine],
    pictureOf(announcement),
    titleOf(announcement, context.words),
  );
}

function linesOf(announcement: Announcement, context: CardContext): string[] {
  const title = clamp(titleOf(announcement, context.words), MOST_TITLE);
  switch (announcement.kind) {
    case 'event-started':
      return eventLines({ ...announcement.item, title, subtitle: null }, context);
    case 'new-dealcast':
      return dealcastLines({ ...announcement.item, title, teaser: null }, context);
    case 'new-poll':
    case 'new-monkeychat':
      return [`### ${link(title, urlOf(announcement))}`];
    default:
      return offerLines({ ...announcement.item, title, subtitle: null }, context);
  }
}

function urlOf(announcement: Announcement): string | null {
  switch (announcement.kind) {
    case 'event-started':
      return announcement.item.url ?? announcement.item.offers[0]?.url ?? null;
    case 'new-dealcast':
      return announcement.item.youTubeUrl ?? announcement.item.mp4Url ?? announcement.item.blogUrl;
    case 'new-poll':
      return announcement.item.discussionUrl;
    case 'new-monkeychat':
      return null;
    default:
      return announcement.item.url;
  }
}

function pictureOf(announcement: Announcement): string | null {
  switch (announcement.kind) {
    case 'event-started':
      return mainPhoto(announcement.item.photos) ?? mainPhoto(announcement.item.offers[0]?.photos ?? []);
    case 'new-dealcast':
      return announcement.item.thumbnail?.url ?? null;
    case 'new-poll':
    case 'new-monkeychat':
      return null;
    default:
      return announcement.item.photo;
  }
}
