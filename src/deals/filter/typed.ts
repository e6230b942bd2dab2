import { fieldOf } from './fields.ts';
import { type Filter, type FilterNode, type NumberTest, sourceOf, type Term, termsOf } from './filter.ts';
import { canonicalOf } from './format.ts';
import { type ParsedFilter, parseFilter } from './parse.ts';
import type { FilterProblem, ProblemCode } from './problem.ts';

/**
 * Parses a filter that somebody types: what they can't have meant is a mistake, too. One that is stored already, or that only a
 * file holds, is parsed by `parseFilter` alone.
 */
export function parseTyped(text: string): ParsedFilter {
  const parsed = parseFilter(text);
  const problem = parsed.ok ? (strayIn(parsed.filter) ?? contradictionIn(parsed.filter, parsed.filter.root)) : null;
  return problem ? { ok: false, problem } : parsed;
}

function problemAt(code: ProblemCode, term: Term, { text }: Filter, expected: readonly string[] = []): FilterProblem {
  const { at, length } = term;
  return { code, at, length, found: sourceOf(term, text), expected };
}

/** A bare word with a sign that only looks as if it had a meaning: `price<`, `kin?le`. */
function strayIn(filter: Filter): FilterProblem | null {
  for (const term of termsOf(filter.root)) {
    const source = sourceOf(term, filter.text);
    if (term.test.kind !== 'words' || /^["“”„]|:/.test(source)) continue;
    const [, name = ''] = /^([a-z]*)\s*[<>=≤≥]/i.exec(source) ?? [];
    if (/[<>≤≥]/.test(source) || fieldOf(name)) {
      return problemAt('stray-comparison', term, filter, [fieldOf(name)?.example ?? 'price:<50']);
    }
    const [, start] = /^([\p{L}\p{N}]+)\?[\p{L}\p{N}]/u.exec(source) ?? [];
    if (start) return problemAt('stray-wildcard', term, filter, [`${start}*`]);
  }
  return null;
}

/** The first term that can't hold together with those before it. */
function contradictionIn(filter: Filter, node: FilterNode): FilterProblem | null {
  if (node.kind === 'any') return null;
  const terms = node.kind === 'term' ? [node] : node.of.filter((one) => one.kind === 'term');
  for (const [index, term] of terms.entries()) {
    const before = terms.slice(0, index);
    if (isImpossible(term, before) || before.some((other) => excludes(term, other))) {
      return problemAt('never-matches', term, filter);
    }
  }
  return null;
}

/** The most of a number that has one: a discount is at most everything. None is below 0. */
const MOST: Readonly<Record<string, number>> = { off: 100, real: 100 };

/** Whether no number is within a term's bounds and those of the terms before it about the same field. */
function isImpossible({ test, isNegated }: Term, before: readonly Term[]): boolean {
  if (test.kind !== 'number' || isNegated) return false;
  const { field } = test;
  const others = before.flatMap((other) => {
    const isSame = other.test.kind === 'number' && other.test.field === field && !other.isNegated;
    return isSame ? [other.test as NumberTest] : [];
  });
  const most = MOST[field.name] ?? Number.POSITIVE_INFINITY;
  const bounds = [{ minimum: 0, maximum: most, includesMinimum: true, includesMaximum: true }, ...others, test];
  const minimum = Math.max(...bounds.map((one) => one.minimum));
  const maximum = Math.min(...bounds.map((one) => one.maximum));
  if (minimum !== maximum) return minimum > maximum;
  return bounds.some(
    (one) => (one.minimum === minimum && !one.includesMinimum) || (one.maximum === maximum && !one.includesMaximum),
  );
}

/** Whether two terms are each other's opposite. */
function excludes(term: Term, other: Term): boolean {
  if (canonicalOf({ ...term, isNegated: !term.isNegated }) === canonicalOf(other)) return true;
  const [one, another] = [term.test, other.test];
  return (
    one.kind === 'flag' &&
    another.kind === 'flag' &&
    one.field === another.field &&
    (one.value === another.value) !== (term.isNegated === other.isNegated)
  );
}
