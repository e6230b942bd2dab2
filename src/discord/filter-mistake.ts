import { type Filter, type FilterProblem, parseTyped, pointAt } from '../deals/filter/index.ts';
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
 * Parses a filter that a person typed; the empty one matches everything.
 * @param most characters: as many as the buttons of a list can carry
 * @throws UserError that describes the mistake and its position, or says that the filter is too long
 */
export function requireFilter(text: string, most = Number.POSITIVE_INFINITY): Filter {
  if (text.length > most) throw new UserError(message('feed.filterTooLong', { most, length: text.length }));
  const parsed = parseTyped(text);
  if (!parsed.ok) throw new UserError(sayMistake(parsed.problem, text));
  return parsed.filter;
}
