import type { APIComponentInContainer } from 'discord-api-types/v10';
import { type Action, encodeAction } from '../custom-id.ts';
import { timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { LIMITS } from '../limits.ts';
import type { CardContext } from './context.ts';
import {
  actionButton,
  buttons,
  type Card,
  type Choice,
  card,
  markedButton,
  menu,
  pictured,
  separator,
  smallLine,
  text,
} from './parts.ts';

const PAGE_SIZE = 5;

/** How old what a card shows is. */
export interface Age {
  fetchedAtMs: number;
  isStale: boolean;
  /** When the day's requests return, where it is older than it should be because they are used up: epoch milliseconds. */
  quotaReturnsAtMs?: number | null;
}

/** A choice in the menu that opens one of a list's things. */
export type Opening = Omit<Choice, 'isChosen'>;

/** A list of things, five on a page. */
export interface PagedList<T> {
  accentColor: number;
  /** Safe Markdown, without the heading's mark. */
  title: string;
  /** Beside the title, where there is one. */
  picture?: { url: string | null; description: string };
  /** Safe Markdown under the title, on the first page. */
  intro?: string | null;
  /** All of them, in the order to show them in. */
  things: readonly T[];
  /** 1-based; one past the end is the last one. */
  page: number;
  /** How many there are, in words. */
  count: string;
  /** What is said where there is nothing. */
  empty: string;
  /** null where it is as new as the card. */
  age: Age | null;
  /** One component for one thing, with what is in it at most three. `place` is 1-based in the whole list. */
  entry: (thing: T, place: number) => APIComponentInContainer;
  /** What a button does that leads to a page. */
  pageAction: (page: number) => Action;
  /** How things are opened: by a button for the only one of a page, by a menu for more, whose choices have foreign text. */
  open?: { button: string; choice: (thing: T) => Opening };
  /** Rows above the page buttons; at most two. */
  menus?: readonly (APIComponentInContainer | null)[];
  /** A row below everything. */
  last?: APIComponentInContainer | null;
}

/** The page that is shown of `things`, which is the last one where `page` is past it, and what stands on it. */
export function pageOf<T>(things: readonly T[], page: number) {
  const pages = Math.max(1, Math.ceil(things.length / PAGE_SIZE));
  const actual = Math.min(page, pages);
  const first = (actual - 1) * PAGE_SIZE;
  return { page: actual, pages, first, shown: things.slice(first, first + PAGE_SIZE) };
}

/** The card of any list: a page of things, how many there are and how old they are, buttons and a menu to other pages. */
export function pagedCard<T>(list: PagedList<T>, { translator }: CardContext): Card {
  const { page, pages, first, shown } = pageOf(list.things, list.page);
  return card(list.accentColor, [
    pictured([`## ${list.title}`], list.picture?.url ?? null, list.picture?.description ?? ''),
    page === 1 && list.intro ? text(list.intro) : null,
    ...(shown.length > 0 ? shown.map((thing, index) => list.entry(thing, first + index + 1)) : [text(list.empty)]),
    separator(),
    text(footer(list.count, page, pages, list.age, translator)),
    list.open ? openRow(list.open.button, shown.map(list.open.choice), translator) : null,
    ...(list.menus ?? []),
    ...(pages > 1
      ? [pageButtons(page, pages, list.pageAction, translator), jumpMenu(page, pages, list.pageAction, translator)]
      : []),
    list.last ?? null,
  ]);
}

/** `142 offers · page 2 of 29 · as of 3 minutes ago`, and that it is older than it should be where it is. */
function footer(count: string, page: number, pages: number, age: Age | null, translator: Translator): string {
  return smallLine([count, translator.t('list.page', { page, pages }), age && ageText(age, translator)]);
}

/** `as of 3 minutes ago`, and why it is older than it should be where it is. */
export function ageText({ fetchedAtMs, isStale, quotaReturnsAtMs = null }: Age, translator: Translator): string {
  const at = timestamp(fetchedAtMs, 'R');
  if (!isStale) return translator.t('list.asOf', { at });
  if (quotaReturnsAtMs === null) return translator.t('list.stale', { at });
  return translator.t('list.quotaSpent', { at, returns: timestamp(quotaReturnsAtMs, 't') });
}

/** Things that open alike are one choice. */
function openRow(button: string, choices: readonly Opening[], translator: Translator) {
  const different = [...new Map(choices.map((choice) => [encodeAction(choice.action), choice])).values()];
  const [only, another] = different;
  if (only && !another) return buttons([actionButton(button, only.action)]);
  return menu(
    'open',
    translator.t('list.open'),
    different.map((choice) => ({ ...choice, isChosen: false })),
  );
}

function pageButtons(page: number, pages: number, action: (page: number) => Action, translator: Translator) {
  const [isFirst, isLast] = [page === 1, page === pages];
  return buttons([
    markedButton('first', translator.t('button.first'), action(1), isFirst),
    markedButton('previous', translator.t('button.previous'), action(Math.max(1, page - 1)), isFirst),
    markedButton('next', translator.t('button.next'), action(Math.min(pages, page + 1)), isLast),
    markedButton('last', translator.t('button.last'), action(pages), isLast),
  ]);
}

/** How far a long list's menu leads in either direction: far pages are wanted as seldom as they are far. */
const JUMPS = [1, 2, 3, 5, 10, 20, 50, 100, 250, 500, 1000] as const;

/** The pages that a menu leads to from `page`: all of them, or where they are too many the first, the last and some between. */
export function jumpTargets(page: number, pages: number): number[] {
  if (pages <= LIMITS.menuOptions) return Array.from({ length: pages }, (_, index) => index + 1);
  const around = JUMPS.flatMap((jump) => [page - jump, page + jump]).filter((to) => to >= 1 && to <= pages);
  return [...new Set([1, page, pages, ...around])].sort((a, b) => a - b);
}

function jumpMenu(page: number, pages: number, action: (page: number) => Action, translator: Translator) {
  return menu(
    'jump',
    translator.t('list.jump'),
    jumpTargets(page, pages).map((to) => ({
      label: translator.t('list.jumpTo', { page: to }),
      action: action(to),
      isChosen: to === page,
    })),
  );
}
