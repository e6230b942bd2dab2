import { type LocalizedText, UserError } from '../../shared/errors.ts';
import { type Filter, type FilterProblem, parseFilter, pointAt } from '../deals/filter/index.ts';
import type { WordKey } from './i18n/catalog.ts';
import { message } from './i18n/translator.ts';
import { codeBlock, escapeLine } from './markdown.ts';

/** What is wrong with a filter, in one sentence. It repeats what a person wrote as it is. */
export function sayProblem({ code, found, expected }: FilterProblem): LocalizedText {
  const key: WordKey = `filter.problem.${code}`;
  return { key, values: { found, expected: { either: expected } } };
}

/** The same as safe Markdown, with the place in the filter under it. */
export function sayMistake(problem: FilterProblem, text: string): LocalizedText {
  const what = sayProblem({
    ...problem,
    found: escapeLine(problem.found),
    expected: problem.expected.map(escapeLine),
  });
  return message('filter.mistake', { what, where: codeBlock(pointAt(text, problem)) });
}

/**
 * The filter that a person wrote; the empty one takes everything.
 * @throws UserError that says what is wrong, and where
 */
export function requireFilter(text: string): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new UserError(sayMistake(parsed.problem, text));
  return parsed.filter;
}
