/** Where something stands in a filter's text: UTF-16 code units, the first is 0. */
export interface Place {
  at: number;
  length: number;
}

/** A mistake in a filter, as data: the code picks the sentence, in whatever language. */
export interface FilterProblem extends Place {
  code: ProblemCode;
  /** What stands there; a count where there is too much of something. */
  found: string;
  /** What may stand there instead, in the filter's own language; a limit where there is too much of something. */
  expected: readonly string[];
}

/** What can be wrong. */
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
  | 'empty-range'
  | 'bad-flag'
  | 'bad-path'
  | 'bad-wildcard'
  | 'no-words'
  | 'bad-regex'
  | 'bad-regex-flag'
  | 'regex-too-large';

/** Thrown while a filter is read, and caught where the reading began. */
export class FilterMistake extends Error {
  readonly problem: FilterProblem;

  constructor(code: ProblemCode, { at, length }: Place, found: string, expected: readonly string[] = []) {
    super(code);
    this.problem = { code, at, length, found, expected };
  }
}

/** How much of a filter is shown on each side of a mistake. */
const SHOWN = 30;

/**
 * Two lines for a font of fixed width: the filter around the place, and carets under it. It repeats what a person wrote:
 * escape it where that matters.
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
