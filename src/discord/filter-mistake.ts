import {
  type Filter,
  type FilterProblem,
  type ParsedFilter,
  parseFilter,
  parseTyped,
  pointAt,
} from '../deals/filter/index.ts';
import { type LocalizedText, UserError } from '../shared/errors.ts';
import type { WordKey } from './i18n/catalog.ts';
import { message } from './i18n/translator.ts';
import { codeBlock, escapeLine } from './markdown.ts';

/** Describes a mistake in a filter in one sentence. It contains the person's input unescaped. */
export function sayProblem({ code, found, expected }: FilterProblem): LocalizedText {
  const key: WordKey = `filter.problem.${code}`;
  return { key, values: { found, expected: { either: expected } } };
}

/** The same as safe Markdown, with the position in the filter below it. */
export function sayMistake(problem: FilterProblem, text: string): LocalizedText {
  const what = sayProblem({
    ...problem,
    found: escapeLine(problem.found),
    expected: problem.expected.map(escapeLine),
  });
  return message('filter.mistake', { what, where: codeBlock(pointAt(text, problem)) });
}

/**
 * Parses a filter that a person types; the empty one matches everything.
 * @throws UserError that describes the mistake and its position, or says that the filter is too long
 */
export const requireTyped = (text: string, most?: number) => required(text, parseTyped, most);

/**
 * Parses a filter that a button carries: it was typed before, perhaps when more was taken.
 * @param most characters: as many as the buttons of a list can carry
 * @throws UserError that describes the mistake and its position, or says that the filter is too long
 */
export const requireFilter = (text: string, most?: number) => required(text, parseFilter, most);

function required(text: string, parse: (text: string) => ParsedFilter, most = Number.POSITIVE_INFINITY): Filter {
  if (text.length > most) throw new UserError(message('feed.filterTooLong', { most, length: text.length }));
  const parsed = parse(text);
  if (!parsed.ok) throw new UserError(sayMistake(parsed.problem, text));
  return parsed.filter;
}
