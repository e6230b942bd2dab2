import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine, link } from '../../discord/markdown.ts';

/**
 * Where a thing is shown: in its post, in the list of its command, in a list of announcements of all kinds, or on a card of
 * its own.
 */
export type Place = 'post' | 'list' | 'announcements' | 'card';

/** What is shown of a thing. */
export interface ThingView {
  /** Foreign text. */
  title: string;
  /** The page behind the title. */
  address: string | null;
  /** Foreign text below the title in the menu of its list. */
  hint: string | null;
  /** `description` is foreign text. */
  picture: { url: string | null; description: string };
  /** Safe Markdown: the heading and the lines below it. */
  lines: readonly (string | null)[];
  /** Safe Markdown in small print. */
  facts: readonly (string | null)[];
  /** Safe Markdown below the rest of its own card; '' for none. */
  body: string;
}

/** What a view has where a thing has nothing to show. */
export const NOTHING = {
  address: null,
  hint: null,
  picture: { url: null, description: '' },
  facts: [],
  body: '',
} as const satisfies Partial<ThingView>;

/** The first line of a thing. Takes foreign text. */
export function headingOf(title: string, most: number, address: string | null): string {
  return `### ${link(clamp(title, most), address)}`;
}

/** A thing's site, in small print. Takes foreign text. */
export function siteFact(site: string | null): string | null {
  return site && escapeLine(clamp(site, 80));
}

/** The day on which a thing began, in small print. */
export function dayFact(startDateMs: number | null, translator: Translator): string | null {
  return startDateMs === null ? null : translator.date(startDateMs);
}
