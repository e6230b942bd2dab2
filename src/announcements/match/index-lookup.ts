import {
  FIELDS,
  type FilterNode,
  type FilterSubject,
  isPrefix,
  type NumberField,
  type TermTest,
  wordsIn,
} from '../../deals/filter/index.ts';

/**
 * A condition that a subject must meet to pass a filter: an index entry (a word, the start of a word, a category, a
 * flag), or a number on the right side of a bound.
 */
export type Key = { kind: 'entry'; entry: string } | { kind: 'bound'; side: Side; field: NumberField; bound: number };

export type Side = 'at-most' | 'at-least';

/**
 * A filter node passes only subjects that have one of these keys. `share` estimates the fraction of subjects that have
 * one.
 */
interface IndexLookup {
  keys: readonly Key[];
  selectivity: number;
}

/**
 * The keys under which to index a filter: every subject that passes has at least one. None where the filter must be
 * evaluated for every subject.
 */
export function keysOf(root: FilterNode): readonly Key[] {
  return rarest(accessesTo(root))?.keys ?? [];
}

/** All alternative lookups for a node; each alone is sufficient. */
function accessesTo(node: FilterNode): IndexLookup[] {
  switch (node.kind) {
    case 'term':
      return node.isNegated ? [] : accessesToTest(node.test);
    case 'all':
      return node.of.flatMap(accessesTo);
    case 'any': {
      const alternatives = node.of.map((child) => rarest(accessesTo(child)));
      return alternatives.every((access) => access !== null) && alternatives.length > 0 ? [together(alternatives)] : [];
    }
  }
}

function rarest(accesses: readonly IndexLookup[]): IndexLookup | null {
  return accesses.reduce<IndexLookup | null>(
    (best, access) => (best && best.selectivity <= access.selectivity ? best : access),
    null,
  );
}

function together(accesses: readonly IndexLookup[]): IndexLookup {
  return {
    keys: accesses.flatMap(({ keys }) => keys),
    selectivity: accesses.reduce((sum, { selectivity }) => sum + selectivity, 0),
  };
}

/**
 * Estimated fractions of subjects that are within a bound, have a flag, are in a category, or have a certain condition
 * or site.
 */
const SHARES = { bound: 0.5, flagTrue: 0.1, flagFalse: 0.9, path: 0.1, value: 0.25 };

function accessesToTest(test: TermTest): IndexLookup[] {
  const { field } = test;
  switch (test.kind) {
    case 'words': {
      const words = wordsIn(test);
      return words.map((word, index) => {
        const isOpen = isPrefix(test) && index === words.length - 1;
        return toEntry(
          isOpen ? prefixEntry(field.name, word) : wordEntry(field.name, word),
          shareOfWord(field.name, word),
        );
      });
    }
    case 'regex':
      return [];
    case 'path': {
      const steps = test.path.split('/');
      return [toEntry(pathEntry(field.name, steps), SHARES.path / steps.length)];
    }
    case 'flag':
      return [toEntry(flagEntry(field.name, test.value), test.value ? SHARES.flagTrue : SHARES.flagFalse)];
    case 'number':
      return [toBound('at-most', test.field, test.maximum), toBound('at-least', test.field, test.minimum)].filter(
        ({ keys: [key] }) => key?.kind === 'bound' && Number.isFinite(key.bound),
      );
  }
}

function toEntry(entry: string, selectivity: number): IndexLookup {
  return { keys: [{ kind: 'entry', entry }], selectivity };
}

function toBound(side: Side, field: NumberField, bound: number): IndexLookup {
  return { keys: [{ kind: 'bound', side, field, bound }], selectivity: SHARES.bound };
}

/** Long words are rare in a text; the other fields have few different words. */
function shareOfWord(field: string, word: string): number {
  return field === 'text' || field === 'title' ? 1 / (word.length + 1) ** 2 : SHARES.value;
}

/** The letters of a prefix that the index compares: enough to be rare, and a bound on the entries that a word makes. */
const MOST_LETTERS = 12;

/**
 * The levels of a category path that the index compares. The catalog's paths have two; the bound limits the entries of
 * deeper ones.
 */
const MOST_STEPS = 6;

/** The first letter is the kind of entry: a prefix is distinct from an equal word. */
const wordEntry = (field: string, word: string) => `w ${field} ${word}`;
const prefixEntry = (field: string, prefix: string) => `s ${field} ${prefix.slice(0, MOST_LETTERS)}`;
const pathEntry = (field: string, steps: readonly string[]) => `p ${field} ${steps.slice(0, MOST_STEPS).join('/')}`;
const flagEntry = (field: string, value: boolean) => `f ${field} ${value}`;

/** The distinct index entries of a subject. */
export function entriesOf(subject: FilterSubject): Set<string> {
  const entries = new Set<string>();
  for (const field of FIELDS) {
    switch (field.takes) {
      case 'words':
        for (const word of field.of(subject)?.folded.split(' ') ?? []) {
          if (word === '' || entries.has(wordEntry(field.name, word))) continue;
          entries.add(wordEntry(field.name, word));
          for (let end = 1; end <= Math.min(word.length, MOST_LETTERS); end += 1)
            entries.add(prefixEntry(field.name, word.slice(0, end)));
        }
        break;
      case 'path':
        for (const path of field.of(subject)) {
          const steps = path.toLowerCase().split('/', MOST_STEPS);
          for (const [index] of steps.entries()) entries.add(pathEntry(field.name, steps.slice(0, index + 1)));
        }
        break;
      case 'flag': {
        const value = field.of(subject);
        if (value !== null) entries.add(flagEntry(field.name, value));
        break;
      }
      default:
    }
  }
  return entries;
}
