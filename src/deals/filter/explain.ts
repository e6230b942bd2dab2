import { MINUTE_MS } from '../../shared/time.ts';
import { type NumberField, TEXT } from './fields.ts';
import { type Filter, type FilterNode, nodeHolds, sourceOf, type TermTest, termHolds } from './filter.ts';
import type { Place } from './problem.ts';
import type { FilterSubject } from './subject.ts';

/** How one term of a filter evaluated. */
export interface TermOutcome extends Place {
  /** As it was written, without its negation. */
  source: string;
  /** The term for people: "off ≥ 40", "ssd", "featured". */
  name: string;
  isNegated: boolean;
  /** Whether the entity satisfies the term, its negation included. */
  holds: boolean;
  /** Whether the result depends on it; false for a failed alternative where another one held. */
  isDecisive: boolean;
  /** The entity's value in the filter's own notation ("$84.95", "34%", "5h"); null where it has none. */
  found: string | null;
}

export interface Explanation {
  /** Same as `evaluate`. */
  holds: boolean;
  /** Every term, in the order in which they were written. */
  terms: TermOutcome[];
}

/** Evaluates each term and marks those that decided the result. */
export function explain(filter: Filter, subject: FilterSubject, nowMs: number): Explanation {
  return {
    holds: nodeHolds(filter.root, subject, nowMs),
    terms: outcomesOf(filter, filter.root, true, subject, nowMs).sort((a, b) => a.at - b.at),
  };
}

function outcomesOf(
  filter: Filter,
  node: FilterNode,
  isDecisive: boolean,
  subject: FilterSubject,
  nowMs: number,
): TermOutcome[] {
  if (node.kind !== 'term') {
    const holds = nodeHolds(node, subject, nowMs);
    return node.of.flatMap((child) =>
      outcomesOf(filter, child, isDecisive && nodeHolds(child, subject, nowMs) === holds, subject, nowMs),
    );
  }
  const { at, length, isNegated, test } = node;
  const source = sourceOf(node, filter.text);
  return [
    {
      at,
      length,
      source,
      name: nameOf(test, source),
      isNegated,
      holds: termHolds(node, subject, nowMs),
      isDecisive,
      found: foundBy(test, subject, nowMs),
    },
  ];
}

function foundBy(test: TermTest, subject: FilterSubject, nowMs: number): string | null {
  switch (test.kind) {
    case 'words':
    case 'regex':
      return test.field.of(subject)?.raw ?? null;
    case 'path': {
      const paths = test.field.of(subject);
      return paths.length > 0 ? paths.join(', ') : null;
    }
    case 'flag': {
      const value = test.field.of(subject);
      return value === null ? null : String(value);
    }
    case 'number': {
      const value = test.field.of(subject, nowMs);
      return value === null ? null : showAmount(test.field, value);
    }
  }
}

function showAmount({ takes, per }: NumberField, value: number): string {
  switch (takes) {
    case 'dollars':
      return per ? `$${Number(value.toFixed(4))}/${per}` : `$${value.toFixed(2)}`;
    case 'percent':
      return `${value}%`;
    case 'time':
      return Number.isFinite(value) ? showTime(value) : 'ever';
  }
}

/** Days and hours, hours and minutes, or minutes; rounded down. */
function showTime(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  if (days > 0) return `${days}d ${hours}h`;
  return hours > 0 ? `${hours}h ${minutes % 60}m` : `${minutes}m`;
}

const SIGNS: Readonly<Record<string, string>> = { '<': '<', '<=': '≤', '>': '>', '>=': '≥' };

function nameOf({ kind, field }: TermTest, source: string): string {
  if (kind === 'flag') return field.name;
  return source.replace(/^([a-z_][\w.-]*):(<=|>=|<|>|=)?/i, (_, _name, comparison = '') => {
    const sign = SIGNS[comparison];
    return `${field.name === TEXT.name ? '' : `${field.name} `}${sign ? `${sign} ` : ''}`;
  });
}

/** The most terms of a filter that a card names. */
const MOST_NAMED = 5;

/**
 * The terms that made a filter match an entity, for its card: "ssd", "price < 50", "category PC/Laptops". Positive
 * terms only, at most five; empty where the filter does not match.
 */
export function matchedTerms(filter: Filter, subject: FilterSubject, nowMs: number): string[] {
  const { holds, terms } = explain(filter, subject, nowMs);
  if (!holds) return [];
  const named = terms.filter((term) => term.isDecisive && !term.isNegated).map(({ name }) => name);
  return [...new Set(named)].slice(0, MOST_NAMED);
}
