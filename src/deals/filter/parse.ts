import { type LiqeQuery, parse, type TagToken } from 'liqe';
import { type Filter, type FilterNode, type Term, termsOf } from './filter.ts';
import { canonicalOf } from './format.ts';
import { FilterMistake, type FilterProblem } from './problem.ts';
import { type Lexeme, type RawTerm, scan } from './scan.ts';
import { readTest } from './values.ts';

export type ParsedFilter = { ok: true; filter: Filter } | { ok: false; problem: FilterProblem };

/** How large the programs of a filter's regular expressions may be together: what a step through a title costs at most. */
const MOST_REGEX_SIZE = 1_000;

/** Reads a filter. The empty one takes everything. */
export function parseFilter(text: string): ParsedFilter {
  try {
    const root = readLevel(scan(text).values(), text);
    checkRegexes(root);
    return { ok: true, filter: { text, canonical: canonicalOf(root), root } };
  } catch (error) {
    if (error instanceof FilterMistake) return { ok: false, problem: error.problem };
    throw error;
  }
}

/**
 * Reads up to the end of a group. The parser gets one level at a time, with names for what stands there:
 * `ssd -(a OR b) price:<50` is `n0 -n1 price:<n2`. Its grammar takes exponential time for groups within groups, and
 * values such as `PC/Laptops`, `10..20` or `40%` only in quotes.
 */
function readLevel(lexemes: Iterator<Lexeme>, text: string): FilterNode {
  const named: (RawTerm | FilterNode)[] = [];
  let level = '';
  for (let next = lexemes.next(); !next.done && next.value.kind !== ')'; next = lexemes.next()) {
    const lexeme = next.value;
    if (lexeme.kind === 'raw-term') level += `${lexeme.head}n${named.push(lexeme) - 1} `;
    else if (lexeme.kind === '(') level += `n${named.push(readLevel(lexemes, text)) - 1} `;
    else level += lexeme.kind === '-' ? '-' : `${lexeme.kind} `;
  }
  return nodeOf(parse(level), named, text);
}

function nodeOf(query: LiqeQuery, named: readonly (RawTerm | FilterNode)[], text: string): FilterNode {
  switch (query.type) {
    case 'EmptyExpression':
      return { kind: 'all', of: [] };
    case 'UnaryOperator':
      return negate(nodeOf(query.operand, named, text));
    case 'LogicalExpression':
      return join(
        'any',
        alternativesOf(query).map((operands) =>
          join(
            'all',
            operands.map((operand) => nodeOf(operand, named, text)),
          ),
        ),
      );
    case 'Tag': {
      const name = query.expression.type === 'LiteralExpression' ? String(query.expression.value) : '';
      const thing = named[Number(name.slice(1))];
      if (!thing) break;
      return thing.kind === 'raw-term' ? { kind: 'term', term: termOf(thing, query, text) } : thing;
    }
    case 'ParenthesizedExpression':
      // The parser never sees a group: each is a level of its own.
      break;
  }
  throw new Error(`The parser made up a ${query.type}.`);
}

function termOf(raw: RawTerm, { field, operator }: TagToken, text: string): Term {
  const { at, length, value } = raw;
  const source = text.slice(at, at + length);
  if (field.type === 'ImplicitField') return { at, length, source, isNegated: false, ...readTest(null, value) };
  const head = {
    field: { at, length: field.name.length, text: field.name },
    comparison: { at: at + field.name.length, length: operator.operator.length, text: operator.operator },
  };
  return { at, length, source, isNegated: false, ...readTest(head, value) };
}

/** What OR separates, each as what AND joins. The parser goes from left to right and so nests a chain to the left. */
function alternativesOf(query: LiqeQuery): LiqeQuery[][] {
  let alternative: LiqeQuery[] = [];
  const alternatives = [alternative];
  let rest = query;
  while (rest.type === 'LogicalExpression') {
    alternative.unshift(rest.right);
    if (rest.operator.operator === 'OR') {
      alternative = [];
      alternatives.unshift(alternative);
    }
    rest = rest.left;
  }
  alternative.unshift(rest);
  return alternatives;
}

/** Several as one; nested ones of the same kind are taken apart. */
function join(kind: 'all' | 'any', nodes: readonly FilterNode[]): FilterNode {
  const [only, ...more] = nodes;
  if (only && more.length === 0) return only;
  return { kind, of: nodes.flatMap((node) => (node.kind === kind ? node.of : [node])) };
}

/** The opposite, with the negations at the terms (De Morgan). */
function negate(node: FilterNode): FilterNode {
  if (node.kind === 'term') return { kind: 'term', term: { ...node.term, isNegated: !node.term.isNegated } };
  return { kind: node.kind === 'all' ? 'any' : 'all', of: node.of.map(negate) };
}

function checkRegexes(root: FilterNode): void {
  let size = 0;
  for (const term of termsOf(root)) {
    if (term.kind === 'regex') size += term.regex.programSize();
    if (size > MOST_REGEX_SIZE) throw new FilterMistake('regex-too-large', term, term.source);
  }
}
