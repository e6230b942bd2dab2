/** A sentence in pieces: text and slots in turns, text first and last. Made once, and then filled in again and again. */
export type Template = readonly (string | Slot)[];

interface Slot {
  name: string;
  /** Written `{{name, number}}`: the way the language writes numbers. */
  isNumber: boolean;
}

const SLOT = /\{\{(\w+)(, number)?\}\}/g;

/** Reads a sentence of the catalogue with its `{{name}}` and `{{name, number}}`. */
export function readTemplate(sentence: string): Template {
  const pieces: (string | Slot)[] = [];
  let end = 0;
  for (const { 0: slot, 1: name = '', 2: format, index } of sentence.matchAll(SLOT)) {
    pieces.push(sentence.slice(end, index), { name, isNumber: format !== undefined });
    end = index + slot.length;
  }
  return [...pieces, sentence.slice(end)];
}

/** The sentence with the values in its slots, as they are. */
export function fill(
  template: Template,
  values: Readonly<Record<string, string | number>>,
  formatNumber: (value: number) => string,
): string {
  let sentence = '';
  for (const piece of template) {
    if (typeof piece === 'string') sentence += piece;
    else {
      const value = values[piece.name] ?? '';
      sentence += piece.isNumber && typeof value === 'number' ? formatNumber(value) : value;
    }
  }
  return sentence;
}
