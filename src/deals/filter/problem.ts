/** A position in a filter's text in UTF-16 code units, from 0. */
export interface Place {
  at: number;
  length: number;
}

/** A mistake in a filter as data; translators turn the code into a sentence. */
export interface FilterProblem extends Place {
  code: ProblemCode;
  /** The text at that position; a count where something exceeds a limit. */
  found: string;
  /** Accepted alternatives in filter notation; the limit where something exceeds it. */
  expected: readonly string[];
}

export type ProblemCode =
  | 'too-long'
  | 'too-many-terms'
  | 'too-deep'
  | 'unclosed-quote'
  | 'unclosed-parenthesis'
  | 'unclosed-regex'
  | 'unclosed-range'
  | 'unexpected'
  | 'unexpected-end'
  | 'missing-space'
  | 'unknown-field'
  | 'missing-value'
  | 'bad-comparison'
  | 'bad-number'
  | 'bad-time'
  | 'bad-low'
  | 'bad-unit'
  | 'bad-place'
  | 'empty-range'
  | 'bad-flag'
  | 'bad-path'
  | 'bad-wildcard'
  | 'no-words'
  | 'bad-regex'
  | 'bad-regex-flag'
  | 'regex-too-large'
  | 'stray-comparison'
  | 'stray-wildcard'
  | 'never-matches';

/** Thrown while a filter is parsed, and caught by the parser's entry point. */
export class FilterMistake extends Error {
  readonly problem: FilterProblem;

  constructor(code: ProblemCode, { at, length }: Place, found: string, expected: readonly string[] = []) {
    super(code);
    this.problem = { code, at, length, found, expected };
  }
}

/** The most characters of a filter that are shown on each side of a mistake. */
const SHOWN = 30;

/**
 * Two lines for a monospaced font: the filter around the mistake, and carets below it. The result contains user input
 * and has to be escaped where that matters.
 */
export function pointAt(text: string, { at, length }: Place): string {
  const from = Math.max(0, at - SHOWN);
  const until = Math.min(text.length, at + Math.min(length, SHOWN) + SHOWN);
  const before = from > 0 ? '…' : '';
  const after = until < text.length ? '…' : '';
  const line = `${before}${text.slice(from, until).replace(/\s/g, ' ')}${after}`;
  const carets = Math.max(1, Math.min(length, until - at));
  return `${line}\n${' '.repeat(before.length + at - from)}${'^'.repeat(carets)}`;
}
