import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord-api-types/v10';
import { followNames, isNested } from './route.ts';
import { readCommandText } from './text.ts';

interface Place {
  /** The part that is typed already, up to the caret. */
  typed: string;
  /** The range that a chosen completion replaces: from `start` up to, not including, `end`, in UTF-16 units. */
  start: number;
  end: number;
}

/** The part of a command at the caret, with the values that fit there. */
export type Completion =
  | (Place & { kind: 'command'; commands: APIApplicationCommand[] })
  | (Place & { kind: 'subcommand'; command: APIApplicationCommand; subcommands: APIApplicationCommandOption[] })
  | (Place & {
      kind: 'option';
      command: APIApplicationCommand;
      path: readonly APIApplicationCommandOption[];
      /** Options without a value yet, required ones first. */
      options: APIApplicationCommandOption[];
    })
  | (Place & {
      kind: 'value';
      command: APIApplicationCommand;
      path: readonly APIApplicationCommandOption[];
      option: APIApplicationCommandOption;
    });

/**
 * Finds the part of a command at `caret` (in UTF-16 units, as an input's selectionStart). Returns null if the text is
 * no command or nothing known fits there.
 */
export function completionAt(
  text: string,
  caret: number,
  commands: readonly APIApplicationCommand[],
): Completion | null {
  if (!text.startsWith('/') || caret < 1) return null;
  const read = readCommandText(text);
  const holdsCaret = (word: { start: number; end: number }) => word.start <= caret && caret <= word.end;
  const name = read.names.find(holdsCaret) ?? read.strays.find(holdsCaret);
  const typedOption = read.options.find(holdsCaret);
  const before = read.names.filter((word) => word.end < caret).map((word) => word.text);

  const place: Place = name
    ? { typed: text.slice(name.start, caret), start: name.start, end: name.end }
    : { typed: '', start: caret, end: caret };
  const startsAsTyped = ({ name: candidate }: { name: string }) => candidate.startsWith(place.typed.toLowerCase());

  if (before.length === 0 && !typedOption) {
    const possible = commands.filter((command) => command.type === 1).filter(startsAsTyped);
    return { kind: 'command', ...place, commands: possible };
  }
  const route = followNames(before, commands);
  if (!route || route.path.length < before.length - 1) return null;
  const { command, path, options } = route;
  if (options.some(isNested)) {
    if (typedOption) return null;
    return { kind: 'subcommand', ...place, command, subcommands: options.filter(startsAsTyped) };
  }
  if (typedOption && caret >= typedOption.valueStart) {
    const option = options.find((candidate) => candidate.name === typedOption.name.toLowerCase());
    if (!option) return null;
    const start = typedOption.valueStart;
    const typed = text.slice(start, caret).replace(/^"/, '');
    return { kind: 'value', typed, start, end: typedOption.end, command, path, option };
  }
  const given = read.options.filter((word) => word !== typedOption).map((word) => word.name.toLowerCase());
  const here = typedOption
    ? { typed: text.slice(typedOption.start, caret), start: typedOption.start, end: typedOption.valueStart }
    : place;
  const open = options
    .filter((option) => !given.includes(option.name) && option.name.startsWith(here.typed.toLowerCase()))
    .toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false));
  return { kind: 'option', ...here, command, path, options: open };
}
