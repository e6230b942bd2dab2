import { lstatSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

const NAME = '.env';
const EXPECTED = 'Write NAME=value, or # before a comment.';
/** A line that sets a variable: its name, and what stands after the first `=`. */
const SETTING = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=(.*)$/;
/** A line with a colon where its `=` should be. */
const COLON = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*:/;

export interface EnvFile {
  values: Record<string, string>;
  /** Why the file can't be taken as it is, one sentence each, without any value. */
  problems: string[];
}

/**
 * Sets the variables of `.env` in the present folder that the environment doesn't have. Returns what is wrong with the file.
 */
export function loadEnvFile(): string[] {
  const { values, problems } = readEnvFile(NAME);
  for (const [name, value] of Object.entries(values)) process.env[name] ??= value;
  return problems;
}

/** Which file the settings come from besides the environment, for people. */
export function envFileRead(): string {
  const path = resolve(NAME);
  return lstatSync(path, { throwIfNoEntry: false })
    ? `${path} is read; what the environment sets goes before it.`
    : `The environment alone is read: there is no ${path}.`;
}

/** Reads a file of settings; one that doesn't exist has none. */
export function readEnvFile(path: string): EnvFile {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const problem = unreadable(path, (error as NodeJS.ErrnoException).code ?? String(error));
    return { values: {}, problems: problem === null ? [] : [problem] };
  }
  try {
    return readLines(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { values: {}, problems: [`${NAME} isn't UTF-8 text. Save it as UTF-8.`] };
  }
}

/** null where there is no file. */
function unreadable(path: string, code: string): string | null {
  if (code === 'EISDIR') {
    return `${NAME} is a folder, as Docker makes one where a file to mount is missing. Delete it, and copy .env.example to ${NAME}.`;
  }
  if (code !== 'ENOENT') return `${NAME} can't be read (${code}). Let the user who runs Dealbell read it.`;
  const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return isLink ? `${NAME} is a link to a file that doesn't exist. Make that file, or delete the link.` : null;
}

/** Node reads each line's value alone: over several lines, it takes what follows a mistake for a part of it. */
function readLines(text: string): EnvFile {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  /** The line in which each variable has got its value. */
  const setIn = new Map<string, number>();
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const number = index + 1;
    const setting = settingIn(line);
    if (typeof setting === 'string') {
      problems.push(`${NAME}, line ${number}: ${setting}`);
      continue;
    }
    const { name, value } = setting;
    const before = values[name] ?? '';
    if (before !== '' && before !== value) {
      const first = setIn.get(name);
      problems.push(
        `${NAME}, line ${number}: ${name} has another value in line ${first}. Remove one of the two lines.`,
      );
      continue;
    }
    values[name] = value;
    setIn.set(name, number);
  }
  return { values, problems };
}

/** The variable that a line sets; a sentence where it can't be read. */
function settingIn(line: string): { name: string; value: string } | string {
  const [, name, rest = ''] = SETTING.exec(line) ?? [];
  if (name === undefined) {
    if (COLON.test(line)) return `a colon stands where = should be. ${EXPECTED}`;
    return line.includes('=') ? `what stands before = is no name. ${EXPECTED}` : `there is no =. ${EXPECTED}`;
  }
  const [, quote, quoted = ''] = /^\s*(["'`])(.*)$/.exec(rest) ?? [];
  if (quote !== undefined) {
    const end = quoted.indexOf(quote);
    if (end === -1) return `the quote of ${name} isn't closed on its line. Close it, or leave it out.`;
    if (!/^\s*(?:#|$)/.test(quoted.slice(end + 1))) {
      return `more follows the quote that closes the value of ${name}. Put the value in other quotes.`;
    }
  } else if (/^(?:[^#]*[^\s#])?#/.test(rest)) {
    // Node takes it for the start of a comment, other tools for a part of the value.
    return `a # stands in the value of ${name}. Put the value in quotes, or a space before a comment.`;
  }
  return { name, value: parseEnv(`${name}=${rest}`)[name] ?? '' };
}

/** A value in quotes, with or without a comment behind them. */
const IN_QUOTES = /^(["'`]).*\1(?:\s+#.*)?$/;

/**
 * Says what is wrong with the values that still have a file's marks, by variable: `docker run --env-file` keeps quotes and
 * comments as parts of a value, systemd keeps comments.
 */
export function marksOfFiles(given: Readonly<Record<string, string>>): Map<string, string> {
  const problemOf = (name: string, value: string) => {
    if (IN_QUOTES.test(value)) return `${name} is in quotes, which docker run keeps. Remove them.`;
    return /^#\s|\s#/.test(value) ? `${name} has a comment behind it. Put the comment on a line of its own.` : null;
  };
  return new Map(
    Object.entries(given).flatMap(([name, value]) => {
      const problem = problemOf(name, value);
      return problem === null ? [] : [[name, problem] as const];
    }),
  );
}
