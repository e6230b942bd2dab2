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

/** A mistake, each with its sentence in English. */
const SENTENCES = {
  'too-long': ({ found, expected }) => `The filter has ${found} characters; at most ${expected[0]} are taken.`,
  'too-many-terms': ({ found, expected }) => `The filter has ${found} terms; at most ${expected[0]} are taken.`,
  'too-deep': ({ expected }) => `Parentheses may be nested ${expected[0]} deep; here is one more.`,
  'unclosed-quote': () => 'This quotation mark is never closed.',
  'unclosed-parenthesis': () => 'This parenthesis is never closed.',
  'unclosed-regex': () => 'This regular expression is never closed: end it with /, or put the words into quotes.',
  'unclosed-range': ({ expected }) => `This range is never closed: write it as ${either(expected)}.`,
  unexpected: ({ found }) => `"${found}" can't stand here: a word, field:value or ( was expected.`,
  'unexpected-end': () => 'The filter ends too early: a word, field:value or ( was expected.',
  'missing-space': ({ found }) => `A space was expected before "${found}".`,
  'unknown-field': ({ found, expected }) => `There is no field "${found}". Did you mean ${either(expected)}?`,
  'missing-value': ({ found }) => `A value was expected right after "${found}", without a space between.`,
  'bad-comparison': ({ found, expected }) => `"${found}" can't be used with this field: write ${either(expected)}.`,
  'bad-number': ({ found, expected }) => `A number was expected, such as ${either(expected)}, not "${found}".`,
  'bad-time': ({ found, expected }) =>
    `A time was expected, such as ${either(expected)} (minutes, hours, days), not "${found}".`,
  'empty-range': ({ found }) => `Nothing lies in the range "${found}": the smaller number comes first.`,
  'bad-flag': ({ found, expected }) => `${either(expected)} was expected, not "${found}".`,
  'bad-path': ({ found, expected }) => `A category was expected, such as ${either(expected)}, not "${found}".`,
  'bad-wildcard': ({ expected }) => `* can only stand at the end of a word, as in ${either(expected)}.`,
  'no-words': ({ found }) => `"${found}" has no letter or digit to look for.`,
  'bad-regex': ({ found }) =>
    `"${found}" is not taken in a regular expression (RE2's syntax: no look-around, no back-references).`,
  'bad-regex-flag': ({ found, expected }) =>
    `"${found}" can't follow a regular expression: only ${either(expected)} can. Words with / go into quotes.`,
  'regex-too-large': () => "The filter's regular expressions are too large: repeat less often.",
} satisfies Readonly<Record<string, (problem: FilterProblem) => string>>;

export type ProblemCode = keyof typeof SENTENCES;

/** Thrown while a filter is read, and caught where the reading began. */
export class FilterMistake extends Error {
  readonly problem: FilterProblem;

  constructor(code: ProblemCode, { at, length }: Place, found: string, expected: readonly string[] = []) {
    super(code);
    this.problem = { code, at, length, found, expected };
  }
}

/** The mistake in one English sentence. */
function sentenceOf(problem: FilterProblem): string {
  const sentence: (problem: FilterProblem) => string = SENTENCES[problem.code];
  return sentence(problem);
}

/** How much of a filter is shown on each side of a mistake. */
const SHOWN = 30;

/** Two lines for a font of fixed width: the filter around the place, and carets under it. */
function pointAt(text: string, { at, length }: Place): string {
  const from = Math.max(0, at - SHOWN);
  const until = Math.min(text.length, at + Math.min(length, SHOWN) + SHOWN);
  const before = from > 0 ? '…' : '';
  const after = until < text.length ? '…' : '';
  const line = `${before}${text.slice(from, until).replace(/\s/g, ' ')}${after}`;
  const carets = Math.max(1, Math.min(length, until - at));
  return `${line}\n${' '.repeat(before.length + at - from)}${'^'.repeat(carets)}`;
}

/** The mistake in English, with the place under it. It repeats what a person wrote: escape it where that matters. */
export function describeProblem(problem: FilterProblem, text: string): string {
  return `${sentenceOf(problem)}\n${pointAt(text, problem)}`;
}

function either(choices: readonly string[]): string {
  return choices.length > 1 ? `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : (choices[0] ?? '');
}
