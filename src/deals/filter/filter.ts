import type { RE2JS } from 're2js';
import { CONDITION_TEXT, type FlagField, type NumberField, type PathField, type WordsField } from './fields.ts';
import type { Place } from './problem.ts';
import type { FilterSubject } from './subject.ts';

/** A parsed filter. Plain data that subscriptions with equal filters share. */
export interface Filter {
  /** As it was written. */
  text: string;
  /**
   * The canonical form: equal for filters that differ in notation only. It can exceed the length limit of a filter, so
   * `text` is stored instead.
   */
  canonical: string;
  root: FilterNode;
}

/** Negations stand at the terms only: `NOT (a b)` is parsed as `-a OR -b`. */
export type FilterNode = { kind: 'all'; of: readonly FilterNode[] } | { kind: 'any'; of: readonly FilterNode[] } | Term;

/** It stands in the filter's text at its place, its negation before it. */
export interface Term extends Place {
  kind: 'term';
  isNegated: boolean;
  test: TermTest;
}

export type TermTest = WordsTest | RegexTest | PathTest | NumberTest | FlagTest;

export interface WordsTest {
  kind: 'words';
  field: WordsField;
  /** The string to search for in `Text.folded`: its words by `wordsOf`, and a space after the last one if it is whole. */
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
  /** In lower case, without a trailing slash. */
  path: string;
}

export interface NumberTest {
  kind: 'number';
  field: NumberField;
  /** -Infinity where there is no lower bound. */
  minimum: number;
  /** Infinity where there is no upper bound. */
  maximum: number;
  includesMinimum: boolean;
  includesMaximum: boolean;
}

export interface FlagTest {
  kind: 'flag';
  field: FlagField;
  value: boolean;
}

/** Whether the last word is a prefix. */
export function isPrefix({ needle }: WordsTest): boolean {
  return !needle.endsWith(' ');
}

/** Whether the test is about a word of a condition, which other words may stand for. */
export function asksForCondition({ field }: WordsTest): boolean {
  return field === CONDITION_TEXT;
}

export function wordsIn({ needle }: WordsTest): string[] {
  return needle.trim().split(' ');
}

/** A term as it was written, without its negation. */
export function sourceOf({ at, length }: Term, text: string): string {
  return text.slice(at, at + length);
}

/** The terms in written order. */
export function termsOf(node: FilterNode): Term[] {
  return node.kind === 'term' ? [node] : node.of.flatMap(termsOf);
}

/** The filter's fields, by their names in the language, that are read from one of these fields of an offer: each once. */
export function askedFields({ root }: Filter, fields: readonly string[]): string[] {
  const asked = termsOf(root).filter(({ test }) => test.field.from.some((field) => fields.includes(field)));
  return [...new Set(asked.map(({ test }) => test.field.name))];
}

/** Whether a term of the filter is read from one of these fields of an offer. */
export function asksAbout(filter: Filter, fields: readonly string[]): boolean {
  return askedFields(filter, fields).length > 0;
}

/** Whether a filter matches an entity. A filter without terms matches everything. */
export function evaluate(filter: Filter, subject: FilterSubject, nowMs: number): boolean {
  return nodeHolds(filter.root, subject, nowMs);
}

export function nodeHolds(node: FilterNode, subject: FilterSubject, nowMs: number): boolean {
  switch (node.kind) {
    case 'term':
      return termHolds(node, subject, nowMs);
    case 'all':
      return node.of.every((child) => nodeHolds(child, subject, nowMs));
    case 'any':
      return node.of.some((child) => nodeHolds(child, subject, nowMs));
  }
}

/** Whether the entity satisfies the term. A missing value fails every test, and therefore satisfies every negated one. */
export function termHolds(term: Term, subject: FilterSubject, nowMs: number): boolean {
  return passes(term.test, subject, nowMs) !== term.isNegated;
}

function passes(test: TermTest, subject: FilterSubject, nowMs: number): boolean {
  switch (test.kind) {
    case 'words': {
      const { of, isExcluding = false } = test.field;
      const text = of(subject);
      return text !== null && text.folded.includes(test.needle) !== isExcluding;
    }
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
