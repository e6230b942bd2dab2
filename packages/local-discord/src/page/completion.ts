import type {
  APIApplicationCommand,
  APIApplicationCommandOption,
  APIApplicationCommandOptionChoice,
} from 'discord-api-types/v10';
import { type Completion, completionAt } from '../server/command-line/parse.ts';
import { readCommandText } from '../server/command-line/text.ts';
import { OPTION } from '../server/numbers.ts';

/** A completion that the composer offers at the caret. */
export interface Offer {
  label: string;
  description: string;
  /** The whole text after the offer is taken, with the position of the caret. */
  text: string;
  caret: number;
}

interface OptionHint {
  name: string;
  description: string;
  required: boolean;
  state: 'active' | 'given' | 'open';
  /** Whether its value is a file. */
  takesFile: boolean;
}

/** The help that the composer shows for the command being typed. */
export interface Help {
  /** `/subscription add` and its description; null while no command is complete. */
  command: { title: string; description: string } | null;
  options: OptionHint[];
  offers: Offer[];
  /** The option whose value is being typed, if the server knows its choices. */
  remote: { option: string } | null;
  /** Whether Enter takes the first offer, because the text can't be run, or is not meant to be run, as it stands. */
  unfinished: boolean;
}

const NO_HELP: Help = { command: null, options: [], offers: [], remote: null, unfinished: false };

/**
 * Computes the help for a command being typed.
 * @param known returns the values that the page itself knows for an option
 * @param remote values that the server offered for this text, empty until it has answered
 */
export function helpAt(
  text: string,
  caret: number,
  commands: readonly APIApplicationCommand[],
  known: (option: APIApplicationCommandOption) => APIApplicationCommandOptionChoice[],
  remote: readonly APIApplicationCommandOptionChoice[],
): Help {
  const here = completionAt(text, caret, commands);
  if (!here) return NO_HELP;
  if (here.kind === 'command' || here.kind === 'subcommand') {
    const offers = runnablesOf(here).map((runnable) => {
      const { before, after } = around(text, here, runnable.words);
      return {
        label: runnable.title,
        description: runnable.description,
        ...withRequired(before, after, runnable.options),
      };
    });
    return { ...NO_HELP, offers, unfinished: offers.length > 0 };
  }
  const runnable = here.path.at(-1) ?? here.command;
  const plainOptions = optionsOf(runnable);
  const hints = optionHints(text, here.kind === 'value' ? here.option.name : null, plainOptions);
  const command = {
    title: `/${[here.command, ...here.path].map(({ name }) => name).join(' ')}`,
    description: runnable.description,
  };
  if (here.kind === 'option') {
    const offers = here.options.map((option) => {
      const { before, after } = around(text, here, `${option.name}:`);
      const description = option.required ? `${option.description} (required)` : option.description;
      return { label: option.name, description, text: before + after, caret: before.length };
    });
    const missing = hints.some(({ required, state }) => required && state === 'open');
    return {
      command,
      options: hints,
      offers,
      remote: null,
      unfinished: offers.length > 0 && (missing || here.typed !== ''),
    };
  }
  const asks = 'autocomplete' in here.option && here.option.autocomplete === true;
  const choices = asks ? remote : fitting([...fixedChoices(here.option), ...known(here.option)], here.typed);
  const rest = plainOptions.filter(({ name }) => hints.some((hint) => hint.name === name && hint.state === 'open'));
  const offers = choices.map(({ name, value }) => {
    const { before, after } = around(text, here, quoted(String(value)));
    return { label: name, description: '', ...withRequired(before, after, rest) };
  });
  const exact = choices.some(({ name, value }) => String(value) === here.typed || name === here.typed);
  return {
    command,
    options: hints,
    offers,
    remote: asks ? { option: here.option.name } : null,
    unfinished: offers.length > 0 && !exact,
  };
}

/** The text before and after the caret once `words` replace the completed part. */
function around(text: string, { start, end }: Completion, words: string): { before: string; after: string } {
  return { before: text.slice(0, start) + words, after: text.slice(end) };
}

/** Continues with the next required option, as Discord does. */
function withRequired(
  before: string,
  after: string,
  open: readonly APIApplicationCommandOption[],
): Pick<Offer, 'text' | 'caret'> {
  const next = after.trim() === '' ? open.find(({ required }) => required) : undefined;
  const written = `${before} ${next ? `${next.name}:` : ''}`;
  return { text: written + after.trimStart(), caret: written.length };
}

/** A value as it is typed: in double quotes where it needs them. */
function quoted(value: string): string {
  return /[\s"]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value;
}

interface Runnable {
  title: string;
  /** The words that replace the part being typed. The slash before them stays. */
  words: string;
  description: string;
  options: readonly APIApplicationCommandOption[];
}

/** Every command that can be run from here on. Subcommands are listed directly, as on Discord. */
function runnablesOf(here: Extract<Completion, { kind: 'command' | 'subcommand' }>): Runnable[] {
  if (here.kind === 'command') return here.commands.flatMap((command) => expand(command, [], ''));
  const parents = [here.command.name];
  return here.subcommands.flatMap((subcommand) => expand(subcommand, [], parents.join(' ')));
}

function expand(
  level: APIApplicationCommand | APIApplicationCommandOption,
  parents: readonly string[],
  prefix: string,
): Runnable[] {
  const options = optionsOf(level);
  const names = [...parents, level.name];
  const nested = options.filter(({ type }) => type === OPTION.subcommand || type === OPTION.subcommandGroup);
  if (nested.length > 0) return nested.flatMap((option) => expand(option, names, prefix));
  const words = names.join(' ');
  return [{ title: `/${prefix ? `${prefix} ` : ''}${words}`, words, description: level.description, options }];
}

function optionsOf(level: APIApplicationCommand | APIApplicationCommandOption): readonly APIApplicationCommandOption[] {
  return 'options' in level ? (level.options ?? []) : [];
}

function optionHints(
  text: string,
  active: string | null,
  options: readonly APIApplicationCommandOption[],
): OptionHint[] {
  const typed = readCommandText(text).options;
  return options.map(({ name, description, required = false, type }) => {
    const given = typed.some((option) => option.name.toLowerCase() === name && option.value !== '');
    return {
      name,
      description,
      required,
      state: name === active ? 'active' : given ? 'given' : 'open',
      takesFile: type === OPTION.attachment,
    };
  });
}

function fixedChoices(option: APIApplicationCommandOption): APIApplicationCommandOptionChoice[] {
  if ('choices' in option && option.choices) return option.choices;
  return option.type === OPTION.boolean ? ['true', 'false'].map((value) => ({ name: value, value })) : [];
}

function fitting(
  choices: readonly APIApplicationCommandOptionChoice[],
  typed: string,
): APIApplicationCommandOptionChoice[] {
  const wanted = typed.toLowerCase();
  // A complete value may still be changed for another one that contains it, so all of them are offered.
  return choices.filter(({ name }) => name.toLowerCase().includes(wanted));
}
