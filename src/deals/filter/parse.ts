import { type Filter, type FilterNode, sourceOf, type Term, termsOf } from './filter.ts';
import { canonicalOf } from './format.ts';
import { FilterMistake, type FilterProblem } from './problem.ts';
import { type Lexeme, type RawTerm, scan } from './scan.ts';
import { readTest, type TermHead } from './values.ts';

export type ParsedFilter = { ok: true; filter: Filter } | { ok: false; problem: FilterProblem };

/**
 * The most program instructions of all regular expressions of a filter together, which bounds the cost of one step
 * through a title.
 */
const MOST_REGEX_SIZE = 1_000;

/** Parses a filter. The empty filter matches everything. */
export function parseFilter(text: string): ParsedFilter {
  try {
    const root = readGroup(new Lexemes(scan(text)));
    checkRegexes(root, text);
    const canonical = canonicalOf(root);
    // Most filters are written in the canonical form, and need one text only.
    return { ok: true, filter: { text, canonical: canonical === text ? text : canonical, root } };
  } catch (error) {
    if (error instanceof FilterMistake) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** A filter that matches what all of these match. Its text can exceed the limits of a filter. */
export function allOf(filters: readonly Filter[]): Filter {
  const [only] = filters;
  if (only && filters.length === 1) return only;
  const some = filters.filter(({ canonical }) => canonical !== '');
  let text = '';
  const roots = some.map(({ text: own, root }) => {
    const isGroup = root.kind === 'any';
    text += `${text && ' '}${isGroup ? '(' : ''}`;
    const at = text.length;
    text += `${own}${isGroup ? ')' : ''}`;
    return movedBy(root, at);
  });
  const root = join('all', roots);
  return { text, canonical: canonicalOf(root), root };
}

function movedBy(node: FilterNode, by: number): FilterNode {
  return node.kind === 'term' ? { ...node, at: node.at + by } : { ...node, of: node.of.map((one) => movedBy(one, by)) };
}

/** The lexemes of a filter, consumed from left to right. */
class Lexemes {
  readonly #all: readonly Lexeme[];
  #next = 0;

  constructor(all: readonly Lexeme[]) {
    this.#all = all;
  }

  /** The kind of the next lexeme; undefined at the end. */
  get kind(): Lexeme['kind'] | undefined {
    return this.#all[this.#next]?.kind;
  }

  /** Consumes the next lexeme if it is of this kind, and returns whether it was. */
  skip(kind: Lexeme['kind']): boolean {
    if (this.kind !== kind) return false;
    this.#next += 1;
    return true;
  }

  term(): RawTerm {
    const lexeme = this.#all[this.#next];
    this.#next += 1;
    if (lexeme?.kind !== 'raw-term') throw new Error('`scan` lets only a term stand here.');
    return lexeme;
  }
}

/**
 * Recursive descent: parses alternatives separated by OR, up to the closing `)` or the end. `scan` bounds the depth and
 * checks the order.
 */
function readGroup(lexemes: Lexemes): FilterNode {
  const alternatives: FilterNode[] = [];
  if (lexemes.kind === undefined || lexemes.kind === ')') return { kind: 'all', of: [] };
  do alternatives.push(readAll(lexemes));
  while (lexemes.skip('OR'));
  return join('any', alternatives);
}

/** Parses terms joined by AND, explicit or implied; AND binds closer than OR. */
function readAll(lexemes: Lexemes): FilterNode {
  const operands: FilterNode[] = [];
  do {
    lexemes.skip('AND');
    operands.push(readOperand(lexemes));
  } while (lexemes.kind !== undefined && lexemes.kind !== 'OR' && lexemes.kind !== ')');
  return join('all', operands);
}

function readOperand(lexemes: Lexemes): FilterNode {
  if (lexemes.skip('-') || lexemes.skip('NOT')) return negate(readOperand(lexemes));
  if (!lexemes.skip('(')) return termOf(lexemes.term());
  const group = readGroup(lexemes);
  lexemes.skip(')');
  return group;
}

function termOf({ at, length, head, value }: RawTerm): Term {
  return { kind: 'term', at, length, isNegated: false, test: readTest(head === '' ? null : partsOf(head, at), value) };
}

function partsOf(head: string, at: number): TermHead {
  const colon = head.indexOf(':');
  return {
    field: { at, length: colon, text: head.slice(0, colon) },
    comparison: { at: at + colon, length: head.length - colon, text: head.slice(colon) },
  };
}

/** Joins nodes to one; nested nodes of the same kind are flattened. */
function join(kind: 'all' | 'any', nodes: readonly FilterNode[]): FilterNode {
  const [only] = nodes;
  if (only && nodes.length === 1) return only;
  // The copy lacks the spare room of an array that has grown. Large states hold a million of them.
  return { kind, of: nodes.flatMap((node) => (node.kind === kind ? node.of : [node])).slice() };
}

/** Negates a node by moving negations down to the terms (De Morgan). */
function negate(node: FilterNode): FilterNode {
  if (node.kind === 'term') return { ...node, isNegated: !node.isNegated };
  return { kind: node.kind === 'all' ? 'any' : 'all', of: node.of.map(negate) };
}

function checkRegexes(root: FilterNode, text: string): void {
  let size = 0;
  for (const term of termsOf(root)) {
    if (term.test.kind === 'regex') size += term.test.regex.programSize();
    if (size > MOST_REGEX_SIZE) throw new FilterMistake('regex-too-large', term, sourceOf(term, text));
  }
}
