import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord-api-types/v10';
import { OPTION } from '../numbers.ts';

/** A command and, below it, the named subcommand group and subcommand. */
export interface Route {
  command: APIApplicationCommand;
  path: APIApplicationCommandOption[];
  /** The options that can be given next: plain options, or the subcommands while none is named yet. */
  options: readonly APIApplicationCommandOption[];
}

/** Follows the names through groups and subcommands until one is unknown. */
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

/** Whether the option is a subcommand or a subcommand group. */
export function isNested(option: APIApplicationCommandOption): boolean {
  return option.type === OPTION.subcommand || option.type === OPTION.subcommandGroup;
}

function optionsOf(option: APIApplicationCommandOption): readonly APIApplicationCommandOption[] {
  return 'options' in option ? (option.options ?? []) : [];
}
