import { FilterMistake, type Place } from './problem.ts';

/** The most characters of a filter; checked first. */
const MOST_CHARACTERS = 1_000;
const MOST_TERMS = 100;
const MOST_DEPTH = 10;

/** A piece of a filter's text. */
export type Lexeme = Sign | RawTerm;

export interface Sign extends Place {
  kind: 'AND' | 'OR' | 'NOT' | '-' | '(' | ')';
}

/** A term: an optional head and a value. */
export interface RawTerm extends Place {
  kind: 'raw-term';
  /** Field and comparison, such as `price:<`; empty for a bare word. */
  head: string;
  value: RawValue;
}

/** A value as it was written. */
export interface RawValue extends Place {
  text: string;
  form: 'bare' | 'quoted' | 'regex' | 'range';
}

const HEAD = /(?:[a-z_][\w.-]*:(?:<=|>=|<|>|=)?)?/iy;
const BARE = /[^\s()]*/y;
const OPERATORS: ReadonlySet<string> = new Set<Sign['kind']>(['AND', 'OR', 'NOT']);

/**
 * The forms of values with a closing delimiter, and the problem to report where it is missing. Phones type curly
 * quotes.
 */
const FORMS = [
  { form: 'quoted', openings: '"“”„', whole: /["“”„][^"“”„]*["“”„]/y, unclosed: 'unclosed-quote', expected: ['"'] },
  {
    form: 'regex',
    openings: '/',
    whole: /\/(?:[^\\/]|\\[\s\S])+\/[a-z]*/iy,
    unclosed: 'unclosed-regex',
    expected: ['/'],
  },
  { form: 'range', openings: '[{', whole: /[[{][^\]}]*[\]}]/y, unclosed: 'unclosed-range', expected: ['10..20'] },
] as const;

/**
 * Splits a filter's text into lexemes and checks their order.
 * @throws {FilterMistake} where the order is invalid, or there are too many
 */
export function scan(text: string): Lexeme[] {
  if (text.length > MOST_CHARACTERS) {
    throw new FilterMistake('too-long', { at: MOST_CHARACTERS, length: 1 }, String(text.length), [
      String(MOST_CHARACTERS),
    ]);
  }
  const lexemes: Lexeme[] = [];
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const lexeme = signAt(text, at) ?? termAt(text, at);
    lexemes.push(lexeme);
    at = skipSpace(text, lexeme.at + lexeme.length);
  }
  checkSize(lexemes);
  checkOrder(lexemes, text);
  return lexemes;
}

function signAt(text: string, at: number): Sign | null {
  const character = text[at];
  if (character === '(' || character === ')' || character === '-') return { kind: character, at, length: 1 };
  const word = matchAt(BARE, text, at)?.[0] ?? '';
  const kind = word.toUpperCase();
  return isOperator(kind) ? { kind, at, length: word.length } : null;
}

function isOperator(word: string): word is Sign['kind'] {
  return OPERATORS.has(word);
}

function termAt(text: string, at: number): RawTerm {
  const head = matchAt(HEAD, text, at)?.[0] ?? '';
  const value = valueAt(text, at + head.length);
  if (value.length === 0) throw new FilterMistake('missing-value', { at, length: head.length }, head);
  return { kind: 'raw-term', at, length: head.length + value.length, head, value };
}

/** The form of the value that begins there; undefined for a bare one, and at the end. */
function formAt(text: string, at: number): (typeof FORMS)[number] | undefined {
  const opening = text[at];
  return opening === undefined ? undefined : FORMS.find(({ openings }) => openings.includes(opening));
}

function valueAt(text: string, at: number): RawValue {
  const special = formAt(text, at);
  if (!special) {
    const bare = matchAt(BARE, text, at)?.[0] ?? '';
    return { at, length: bare.length, text: bare, form: 'bare' };
  }
  const whole = matchAt(special.whole, text, at)?.[0];
  if (whole === undefined) {
    throw new FilterMistake(special.unclosed, { at, length: 1 }, text.slice(at), special.expected);
  }
  const rest = matchAt(BARE, text, at + whole.length)?.[0] ?? '';
  if (rest) throw new FilterMistake('missing-space', { at: at + whole.length, length: rest.length }, rest, [' ']);
  return { at, length: whole.length, text: whole, form: special.form };
}

/** The term at the end of a filter that is still being typed. */
export interface OpenTerm {
  at: number;
  /** Field and comparison, such as `price:<`; empty for a bare word. */
  head: string;
  /** The value so far, without an opening quote. */
  value: string;
}

/**
 * The term at the end of a filter that is still being typed: an empty one after a space, a parenthesis or a minus.
 * null inside of a regular expression or a range.
 */
export function openTermOf(text: string): OpenTerm | null {
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const sign = signAt(text, at);
    const afterSign = at + (sign?.length ?? 0);
    // A word at the end that is an operator can become a longer one.
    const isSign = sign !== null && (sign.length === 1 || afterSign < text.length);
    const head = isSign ? '' : (matchAt(HEAD, text, at)?.[0] ?? '');
    const valueAt = isSign ? afterSign : at + head.length;
    const special = isSign ? undefined : formAt(text, valueAt);
    const whole = special ? matchAt(special.whole, text, valueAt)?.[0] : '';
    if (whole === undefined) return special?.form === 'quoted' ? { at, head, value: text.slice(valueAt + 1) } : null;
    const bare = isSign ? '' : (matchAt(BARE, text, valueAt + whole.length)?.[0] ?? '');
    const end = valueAt + whole.length + bare.length;
    if (!isSign && end === text.length) return { at, head, value: whole + bare };
    at = skipSpace(text, end);
  }
  return { at: text.length, head: '', value: '' };
}

function checkSize(lexemes: readonly Lexeme[]): void {
  const terms = lexemes.filter(({ kind }) => kind === 'raw-term');
  const tooMany = terms[MOST_TERMS];
  if (tooMany) throw new FilterMistake('too-many-terms', tooMany, String(terms.length), [String(MOST_TERMS)]);
}

/** Checks that operators stand between terms and groups, and that parentheses are balanced. */
function checkOrder(lexemes: readonly Lexeme[], text: string): void {
  const open: Lexeme[] = [];
  let before: Lexeme['kind'] | null = null;
  for (const lexeme of lexemes) {
    if (!canFollow(lexeme.kind, before)) throw unexpected(lexeme, text);
    if (lexeme.kind === '(') open.push(lexeme);
    if (lexeme.kind === ')' && !open.pop()) throw unexpected(lexeme, text);
    if (open.length > MOST_DEPTH) throw new FilterMistake('too-deep', lexeme, '(', [String(MOST_DEPTH)]);
    before = lexeme.kind;
  }
  if (before !== null && before !== 'raw-term' && before !== ')') {
    throw new FilterMistake('unexpected-end', { at: text.length, length: 1 }, '');
  }
  const unclosed = open.at(-1);
  if (unclosed) throw new FilterMistake('unclosed-parenthesis', unclosed, '(', [')']);
}

function canFollow(kind: Lexeme['kind'], before: Lexeme['kind'] | null): boolean {
  const isComplete = before === 'raw-term' || before === ')';
  switch (kind) {
    case 'AND':
    case 'OR':
    case ')':
      return isComplete;
    case 'NOT':
    case '-':
      return before !== 'NOT' && before !== '-';
    case 'raw-term':
    case '(':
      return true;
  }
}

function unexpected(lexeme: Lexeme, text: string): FilterMistake {
  return new FilterMistake('unexpected', lexeme, text.slice(lexeme.at, lexeme.at + lexeme.length));
}

function skipSpace(text: string, at: number): number {
  const space = matchAt(/\s*/y, text, at)?.[0] ?? '';
  return at + space.length;
}

/** Matches a sticky expression at exactly this position. */
function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
