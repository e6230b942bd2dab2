/** A part of the typed text: `text` without quotes, from `start` up to, not including, `end`. */
interface Word {
  text: string;
  start: number;
  end: number;
}

/** A word `name:value`; the value may be in double quotes. */
export interface TypedOption {
  name: string;
  value: string;
  /** Start of the whole word. */
  start: number;
  end: number;
  /** Start of the value, including its opening quote. */
  valueStart: number;
  /** False when an opening quote has no closing one. */
  closed: boolean;
}

export interface CommandText {
  /** The names of command, group and subcommand: the words without a colon before the first option. */
  names: Word[];
  options: TypedOption[];
  /** Words after the first option that are part of no option. */
  strays: Word[];
}

const SPACES = /\s*/y;
const NAME = /[^\s:]*/y;
const VALUE = /\S*/y;

/** The index where the text that matches `pattern` from `start` on ends. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return start + (pattern.exec(text)?.[0].length ?? 0);
}

/**
 * Splits a typed command into its names and options, without knowing the registered commands. Positions count UTF-16
 * units.
 */
export function readCommandText(text: string): CommandText {
  const read: CommandText = { names: [], options: [], strays: [] };
  let at = text.startsWith('/') ? 1 : 0;
  while (at < text.length) {
    const start = endOf(SPACES, text, at);
    at = endOf(NAME, text, start);
    if (text.charAt(at) !== ':') {
      if (at === start) break;
      const word = { text: text.slice(start, at), start, end: at };
      (read.options.length > 0 ? read.strays : read.names).push(word);
      continue;
    }
    const value = readValue(text, at + 1);
    read.options.push({ ...value, name: text.slice(start, at), start, valueStart: at + 1 });
    at = value.end;
  }
  return read;
}

/** Reads the value that begins at `start`: up to the next space or, in double quotes, up to the closing quote. */
function readValue(text: string, start: number): { value: string; end: number; closed: boolean } {
  let at = start;
  if (text.charAt(at) !== '"') {
    const end = endOf(VALUE, text, start);
    return { value: text.slice(start, end), end, closed: true };
  }
  let value = '';
  for (at += 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { value, end: at + 1, closed: true };
    const escaped = character === '\\' && /["\\]/.test(text.charAt(at + 1));
    if (escaped) at += 1;
    value += text.charAt(at);
  }
  return { value, end: at, closed: false };
}
