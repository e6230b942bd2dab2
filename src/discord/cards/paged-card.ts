import { type AnyAction, GO_TO_PAGE } from '../custom-id.ts';
import { timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  type Choice,
  card,
  markedButton,
  menu,
  type Part,
  pictured,
  separator,
  smallLine,
} from './parts.ts';

const PAGE_SIZE = 5;

/** The age of a card's data. */
export interface Age {
  fetchedAtMs: number;
  isStale: boolean;
  /** When the quota resets, where the data is old because the quota is spent: epoch milliseconds. */
  quotaReturnsAtMs?: number | null;
}

/** The page of a list to show, and the age of the list. */
export interface ListView {
  page: number;
  age: Age;
}

/** A list of entries, five per page. */
export interface PagedList<T> {
  accentColor: number;
  /** Safe Markdown, without the heading mark. */
  title: string;
  /** Shown beside the title. */
  picture?: { url: string | null; description: string };
  /** Safe Markdown below the title, on the first page only. */
  intro?: string | null;
  /** All entries in display order. */
  things: readonly T[];
  /** 1-based; a page past the end shows the last one. */
  page: number;
  /** The number of entries in words. */
  count: string;
  /** The text for an empty list. */
  empty: string;
  /** null where the data is as new as the card. */
  age: Age | null;
  /** One part per entry, with at most two components in it. `place` is 1-based in the whole list. */
  entry: (thing: T, place: number) => Part;
  /** The action of a button that leads to a page. */
  pageAction: (page: number) => AnyAction;
  /**
   * How entries are opened: by a button where a page has one entry, else by a menu, whose choices contain foreign text.
   */
  open?: { button: string; placeholder?: string; choice: (thing: T) => Choice };
  /** Rows above the page buttons, at most two. */
  menus?: readonly Part[];
  /** A row below everything else. */
  last?: Part;
}

/** The entries of a page, and its number; a page past the end is the last one. */
export function pageOf<T>(things: readonly T[], page: number) {
  const pages = Math.max(1, Math.ceil(things.length / PAGE_SIZE));
  const actual = Math.min(page, pages);
  const first = (actual - 1) * PAGE_SIZE;
  return { page: actual, pages, first, shown: things.slice(first, first + PAGE_SIZE) };
}

/** The card of any list: a page of entries, their number and age, and a row of buttons to other pages. */
export function pagedCard<T>(list: PagedList<T>, { translator }: CardContext): Card {
  const { page, pages, first, shown } = pageOf(list.things, list.page);
  return card(list.accentColor, [
    pictured([`## ${list.title}`], list.picture?.url ?? null, list.picture?.description ?? ''),
    page === 1 && list.intro,
    ...(shown.length > 0 ? shown.map((thing, index) => list.entry(thing, first + index + 1)) : [list.empty]),
    ...footer(list, page, pages, translator),
    list.open ? openRow(list.open, shown.map(list.open.choice), translator) : null,
    ...(list.menus ?? []),
    pages > 1 ? pageButtons(page, pages, list.pageAction, translator) : null,
    list.last,
  ]);
}

/**
 * `142 offers · page 2 of 29 · as of 3 minutes ago`, with a note where the data is older than it should be. That a list is
 * empty has been said.
 */
function footer<T>({ things, count, age }: PagedList<T>, page: number, pages: number, translator: Translator) {
  const facts = [
    things.length > 0 ? count : null,
    pages > 1 ? translator.t('list.page', { page, pages }) : null,
    age && ageText(age, translator),
  ];
  return facts.every((fact) => fact === null) ? [] : [separator(), smallLine(facts)];
}

/** `as of 3 minutes ago`, with the reason where the data is older than it should be. */
export function ageText({ fetchedAtMs, isStale, quotaReturnsAtMs = null }: Age, translator: Translator): string {
  const at = timestamp(fetchedAtMs, 'R');
  if (!isStale) return translator.t('list.asOf', { at });
  if (quotaReturnsAtMs === null) return translator.t('list.stale', { at });
  return translator.t('list.quotaSpent', { at, returns: timestamp(quotaReturnsAtMs, 't') });
}

function openRow(
  { button, placeholder }: { button: string; placeholder?: string },
  choices: readonly Choice[],
  translator: Translator,
) {
  const [first] = choices;
  const several = menu('open', placeholder ?? translator.t('list.open'), choices);
  return several ?? (first ? buttons([actionButton(button, first.action)]) : null);
}

/** `⏮ ◀ 2/15 ▶ ⏭`: one row that fits a phone; the middle button asks for the page to open. */
function pageButtons(page: number, pages: number, action: (page: number) => AnyAction, translator: Translator) {
  const [isFirst, isLast] = [page === 1, page === pages];
  return buttons([
    markedButton('first', '⏮', action(1), isFirst),
    markedButton('previous', '◀', action(Math.max(1, page - 1)), isFirst),
    markedButton(GO_TO_PAGE, `${translator.number(page)}/${translator.number(pages)}`, action(page)),
    markedButton('next', '▶', action(Math.min(pages, page + 1)), isLast),
    markedButton('last', '⏭', action(pages), isLast),
  ]);
}
