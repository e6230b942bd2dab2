import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord-api-types/v10';
import { followNames, isNested, type Route } from './route.ts';
import { type CommandText, readCommandText, type TypedOption } from './text.ts';
import { type Lookups, readValue } from './value.ts';

export { type Completion, completionAt } from './completion.ts';
export type { Lookups } from './value.ts';

/** One option of a command that was run, in the shape of an interaction's data. */
export interface GivenOption {
  name: string;
  type: number;
  value?: string | number | boolean;
  /** True for the option being typed, in an autocomplete interaction. */
  focused?: true;
  /** The options of a subcommand or subcommand group. */
  options?: GivenOption[];
}

export type ParsedCommand =
  | { ok: true; command: APIApplicationCommand; options: GivenOption[] }
  /** `problem` is one plain sentence that names the wrong part and describes a good one. */
  | { ok: false; problem: string };

/**
 * Parses a typed command, `/subscription add source:feed feed:"Home & Garden" channel:#deals`, against the registered
 * commands. Options are given by name in any order; values with spaces stand in double quotes, with `\"` for a quote
 * inside them.
 */
export function parseCommandLine(
  text: string,
  commands: readonly APIApplicationCommand[],
  lookups: Lookups,
): ParsedCommand {
  return parse(text, commands, lookups, undefined);
}

/**
 * Parses a command that is still being typed: the option `focused` keeps its typed text, required options may be
 * absent, and other options with an incomplete value are left out.
 */
export function parseUnfinished(
  text: string,
  focused: string,
  commands: readonly APIApplicationCommand[],
  lookups: Lookups,
): ParsedCommand {
  return parse(text, commands, lookups, focused);
}

class CommandLineProblem extends Error {}

function parse(
  text: string,
  commands: readonly APIApplicationCommand[],
  lookups: Lookups,
  focused: string | undefined,
): ParsedCommand {
  try {
    if (!text.trimStart().startsWith('/'))
      throw new CommandLineProblem('A command begins with a slash, for instance /help.');
    const read = readCommandText(text.trimStart());
    const route = findRoute(read, commands);
    const options = givenOptions(read, route, lookups, focused);
    return { ok: true, command: route.command, options: nest(route.path, options) };
  } catch (error) {
    if (error instanceof CommandLineProblem) return { ok: false, problem: error.message };
    throw error;
  }
}

function findRoute(read: CommandText, commands: readonly APIApplicationCommand[]): Route {
  const names = read.names.map((word) => word.text);
  const route = followNames(names, commands);
  if (!route) {
    const known = commands.map((command) => `/${command.name}`);
    throw new CommandLineProblem(`There is no command /${names[0] ?? ''}; ${oneOf('the commands are', known)}.`);
  }
  const typed = `/${names.slice(0, route.path.length + 1).join(' ')}`;
  const extra = names[route.path.length + 1];
  if (route.options.some(isNested)) {
    const next = oneOf(
      'use',
      route.options.map((option) => option.name),
    );
    throw new CommandLineProblem(
      extra === undefined ? `${typed} needs a subcommand: ${next}.` : `${typed} has no subcommand "${extra}": ${next}.`,
    );
  }
  const stray = extra ?? read.strays[0]?.text;
  if (stray !== undefined) {
    const last = read.options.at(-1);
    const advice = last
      ? `put a value with spaces in double quotes, as in ${last.name}:"${last.value} ${stray}"`
      : `write each option as name:value${route.options.length > 0 ? `, ${oneOf('with', optionNames(route))}` : ''}`;
    throw new CommandLineProblem(`"${stray}" after ${typed} belongs to no option: ${advice}.`);
  }
  return route;
}

function optionNames(route: Route): string[] {
  return route.options.map((option) => option.name);
}

function givenOptions(read: CommandText, route: Route, lookups: Lookups, focused: string | undefined): GivenOption[] {
  const typed = `/${[route.command, ...route.path].map(({ name }) => name).join(' ')}`;
  const given: GivenOption[] = [];
  for (const word of read.options) {
    const option = route.options.find(({ name }) => name === word.name.toLowerCase());
    if (!option) {
      const known = route.options.length > 0 ? oneOf('its options are', optionNames(route)) : 'it takes none';
      throw new CommandLineProblem(`${typed} has no option "${word.name}"; ${known}.`);
    }
    if (given.some(({ name }) => name === option.name)) {
      throw new CommandLineProblem(`Option ${option.name} of ${typed} is given twice; give it once.`);
    }
    const one = givenOption(word, option, lookups, focused, typed);
    if (one) given.push(one);
  }
  if (focused !== undefined) {
    const option = route.options.find(({ name }) => name === focused);
    if (!option) throw new CommandLineProblem(`${typed} has no option "${focused}".`);
    if (!given.some(({ name }) => name === focused))
      given.push({ name: focused, type: option.type, value: '', focused: true });
    return given;
  }
  const missing = route.options.filter((option) => option.required && !given.some(({ name }) => name === option.name));
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new CommandLineProblem(`${typed} needs ${names}: add ${missing.map(({ name }) => `${name}:…`).join(' ')}.`);
  }
  return given;
}

function givenOption(
  word: TypedOption,
  option: APIApplicationCommandOption,
  lookups: Lookups,
  focused: string | undefined,
  typed: string,
): GivenOption | undefined {
  const { name, type } = option;
  if (name === focused) return { name, type, value: word.value, focused: true };
  const read = word.closed
    ? readValue(option, word.value, lookups)
    : { ok: false as const, problem: 'lacks its closing double quote' };
  if (read.ok) return { name, type, value: read.value };
  if (focused !== undefined) return undefined;
  throw new CommandLineProblem(`Option ${name} of ${typed} ${read.problem}.`);
}

function nest(path: readonly APIApplicationCommandOption[], options: GivenOption[]): GivenOption[] {
  return path.reduceRight<GivenOption[]>((inside, { name, type }) => [{ name, type, options: inside }], options);
}

function oneOf(words: string, names: readonly string[]): string {
  return `${words} ${names.join(', ') || 'none yet'}`;
}
