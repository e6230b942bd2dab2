import type { RE2JS } from 're2js';
import type { FlagField, NumberField, PathField, WordsField } from './fields.ts';
import type { Place } from './problem.ts';
import type { FilterSubject } from './subject.ts';

/** A filter that was read. Plain data: may be shared by everybody who wrote the same. */
export interface Filter {
  /** As it was written. */
  text: string;
  /**
   * The one way to write what it means: equal for filters that differ in spelling only. It can be longer than what may be
   * written, so `text` is what to keep.
   */
  canonical: string;
  root: FilterNode;
}

/** Negations stand at the terms alone: `NOT (a b)` is read as `-a OR -b`. */
export type FilterNode =
  | { kind: 'all'; of: readonly FilterNode[] }
  | { kind: 'any'; of: readonly FilterNode[] }
  | { kind: 'term'; term: Term };

export type Term = Place & {
  /** As it was written, without its negation. */
  source: string;
  isNegated: boolean;
} & TermTest;

/** What a term asks of which field. */
export type TermTest = WordsTest | RegexTest | PathTest | NumberTest | FlagTest;

export interface WordsTest {
  kind: 'words';
  field: WordsField;
  /** At least one, folded as `wordsOf` does. */
  words: readonly string[];
  /** Whether the last of the words may go on. */
  isPrefix: boolean;
  /** What to look for in a folded text. */
  needle: string;
}

export interface RegexTest {
  kind: 'regex';
  field: WordsField;
  /** Between slashes, with its flags. */
  pattern: string;
  regex: RE2JS;
}

export interface PathTest {
  kind: 'path';
  field: PathField;
  /** In lower case, without a slash at the end. */
  path: string;
}

export interface NumberTest {
  kind: 'number';
  field: NumberField;
  /** -Infinity where there is no least. */
  minimum: number;
  /** Infinity where there is no most. */
  maximum: number;
  includesMinimum: boolean;
  includesMaximum: boolean;
}

export interface FlagTest {
  kind: 'flag';
  field: FlagField;
  value: boolean;
}

/** The terms in the order in which they were written. */
export function termsOf(node: FilterNode): Term[] {
  return node.kind === 'term' ? [node.term] : node.of.flatMap(termsOf);
}

/** Whether a filter takes a thing. One without terms takes everything. */
export function evaluate(filter: Filter, subject: FilterSubject, nowMs: number): boolean {
  return nodeHolds(filter.root, subject, nowMs);
}

export function nodeHolds(node: FilterNode, subject: FilterSubject, nowMs: number): boolean {
  switch (node.kind) {
    case 'term':
      return termHolds(node.term, subject, nowMs);
    case 'all':
      return node.of.every((child) => nodeHolds(child, subject, nowMs));
    case 'any':
      return node.of.some((child) => nodeHolds(child, subject, nowMs));
  }
}

/** Whether it is as the term wants it. What a thing doesn't have passes no test, and so every negated one. */
export function termHolds(term: Term, subject: FilterSubject, nowMs: number): boolean {
  return passes(term, subject, nowMs) !== term.isNegated;
}

function passes(test: TermTest, subject: FilterSubject, nowMs: number): boolean {
  switch (test.kind) {
    case 'words':
      return test.field.of(subject)?.folded.includes(test.needle) ?? false;
    case 'regex': {
      const text = test.field.of(subject);
      return text !== null && test.regex.test(text.raw);
    }
    case 'path':
      return test.field.of(subject).some((path) => isAtOrBelow(path.toLowerCase(), test.path));
    case 'number': {
      const value = test.field.of(subject, nowMs);
      return value !== null && liesIn(test, value);
    }
    case 'flag':
      return test.field.of(subject) === test.value;
  }
}

function isAtOrBelow(path: string, above: string): boolean {
  return path.startsWith(above) && (path.length === above.length || path[above.length] === '/');
}

function liesIn({ minimum, maximum, includesMinimum, includesMaximum }: NumberTest, value: number): boolean {
  return (
    (includesMinimum ? value >= minimum : value > minimum) && (includesMaximum ? value <= maximum : value < maximum)
  );
}
