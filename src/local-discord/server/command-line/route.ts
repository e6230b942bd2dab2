import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord-api-types/v10';
import { OPTION } from '../numbers.ts';

/** A command and, below it, the group and subcommand that were named. */
export interface Route {
  command: APIApplicationCommand;
  path: APIApplicationCommandOption[];
  /** What can be given there: plain options, or the subcommands while none is named yet. */
  options: readonly APIApplicationCommandOption[];
}

/** Follows the names as far as they are known. */
export function followNames(names: readonly string[], commands: readonly APIApplicationCommand[]): Route | undefined {
  const command = commands.findLast((candidate) => candidate.type === 1 && candidate.name === names[0]);
  if (!command) return undefined;
  const route: Route = { command, path: [], options: command.options ?? [] };
  for (const name of names.slice(1)) {
    const next = route.options.find((option) => isNested(option) && option.name === name);
    if (!next) break;
    route.path.push(next);
    route.options = optionsOf(next);
  }
  return route;
}

/** Whether the option is a subcommand or a group of them. */
export function isNested(option: APIApplicationCommandOption): boolean {
  return option.type === OPTION.subcommand || option.type === OPTION.subcommandGroup;
}

function optionsOf(option: APIApplicationCommandOption): readonly APIApplicationCommandOption[] {
  return 'options' in option ? (option.options ?? []) : [];
}
