import type {
  APIApplicationCommand,
  APIApplicationCommandBasicOption,
  APIApplicationCommandOptionChoice,
} from 'discord-api-types/v10';

/** A command that can be run: a subcommand stands for itself. */
export interface Runnable {
  /** `feed`, `subscription add`. */
  path: string;
  description: string;
  options: APIApplicationCommandBasicOption[];
}

export interface Suggestion {
  label: string;
  description: string;
  /** What the whole text becomes when it is taken. */
  text: string;
}

export interface OptionHint {
  name: string;
  description: string;
  required: boolean;
  state: 'active' | 'filled' | 'empty';
}

/** What is being typed, and what could come next. */
export interface Completion {
  command: Runnable | null;
  options: OptionHint[];
  suggestions: Suggestion[];
  /** The option whose value the server completes, and the text before that value. */
  remote: { option: string; before: string; typed: string } | null;
}

const SUBCOMMAND = 1;
const SUBCOMMAND_GROUP = 2;
const BOOLEAN = 5;

export function runnables(commands: readonly APIApplicationCommand[]): Runnable[] {
  return commands.filter(({ type }) => type === 1).flatMap((command) => expand(command.name, command));
}

function expand(path: string, level: { description: string; options?: unknown }): Runnable[] {
  const options = (level.options ?? []) as ({ name: string; type: number; description: string } & {
    options?: unknown;
  })[];
  const below = options.filter(({ type }) => type === SUBCOMMAND || type === SUBCOMMAND_GROUP);
  if (below.length > 0) return below.flatMap((option) => expand(`${path} ${option.name}`, option));
  return [{ path, description: level.description, options: options as unknown as APIApplicationCommandBasicOption[] }];
}

/** Values that the page itself knows, by the option's type. */
export type KnownValues = (option: APIApplicationCommandBasicOption) => APIApplicationCommandOptionChoice[];

/** Completes a text whose end is where the caret is. */
export function complete(text: string, commands: readonly Runnable[], known: KnownValues): Completion {
  const none: Completion = { command: null, options: [], suggestions: [], remote: null };
  if (!text.startsWith('/')) return none;
  const command = commands.find(({ path }) => text === `/${path}` || text.startsWith(`/${path} `));
  if (!command || !text.startsWith(`/${command.path} `)) {
    const typed = text.slice(1).toLowerCase();
    const fitting = commands.filter(
      ({ path }) => path.startsWith(typed) || path.split(' ').some((word) => word.startsWith(typed)),
    );
    return {
      ...none,
      command: command ?? null,
      suggestions: fitting.map(({ path, description }) => ({ label: `/${path}`, description, text: `/${path} ` })),
    };
  }
  const { filled, active, before, typed } = readOptions(text, command);
  const options = command.options.map(
    (option): OptionHint => ({
      name: option.name,
      description: option.description,
      required: option.required ?? false,
      state: option.name === active?.name ? 'active' : filled.has(option.name) ? 'filled' : 'empty',
    }),
  );
  if (!active) {
    const open = command.options.filter(({ name }) => !filled.has(name) && name.startsWith(typed));
    const suggestions = open.map(({ name, description, required }) => ({
      label: `${name}:`,
      description: required ? `${description} (required)` : description,
      text: `${before}${name}:`,
    }));
    return { command, options, suggestions, remote: null };
  }
  if ('autocomplete' in active && active.autocomplete) {
    return { command, options, suggestions: [], remote: { option: active.name, before, typed } };
  }
  const choices = [...fixedChoices(active), ...known(active)].filter(({ name }) =>
    name.toLowerCase().includes(typed.toLowerCase()),
  );
  return { command, options, suggestions: choices.map((choice) => choiceSuggestion(choice, before)), remote: null };
}

export function choiceSuggestion({ name, value }: APIApplicationCommandOptionChoice, before: string): Suggestion {
  const written = String(value);
  const quoted = /\s/.test(written) ? `"${written}"` : written;
  return { label: name, description: '', text: `${before}${quoted} ` };
}

function fixedChoices(option: APIApplicationCommandBasicOption): APIApplicationCommandOptionChoice[] {
  if ('choices' in option && option.choices) return option.choices;
  if (option.type !== BOOLEAN) return [];
  return [
    { name: 'True', value: 'true' },
    { name: 'False', value: 'false' },
  ];
}

interface Typed {
  filled: Set<string>;
  /** The option whose value the end of the text is in. */
  active: APIApplicationCommandBasicOption | undefined;
  /** Everything up to the word or value that is being typed. */
  before: string;
  typed: string;
}

function readOptions(text: string, command: Runnable): Typed {
  const filled = new Set<string>();
  const start = command.path.length + 2;
  const words = text.slice(start).matchAll(/([-_\p{L}\p{N}]+):("[^"]*"?|\S*)|\S+/gu);
  let last: RegExpExecArray | undefined;
  for (const word of words) {
    last = word;
    if (word[1] !== undefined && word[2] !== '') filled.add(word[1]);
  }
  const ended = last === undefined || start + last.index + last[0].length < text.length;
  if (ended || last === undefined) return { filled, active: undefined, before: text, typed: '' };
  const wordStart = start + last.index;
  const active = command.options.find(({ name }) => name === last[1]);
  const complete = /^".*"$/.test(last[2] ?? '');
  if (!active || complete) return { filled, active: undefined, before: text.slice(0, wordStart), typed: last[0] };
  const valueStart = wordStart + active.name.length + 1;
  return { filled, active, before: text.slice(0, valueStart), typed: text.slice(valueStart).replace(/^"/, '') };
}
