import { type ChatCommand, type Command, isChatCommand } from '../src/discord/command.ts';
import type { AddedSubcommand, AutocompleteRequest, ChatRequest, CommandServices } from './shared.ts';

type AnyCommand = Command<CommandServices>;

/** The commands with the subcommands that features add to them. */
export function withSubcommands(
  commands: readonly AnyCommand[],
  added: readonly AddedSubcommand[],
): readonly AnyCommand[] {
  return commands.map((command) => {
    const own = added.filter(({ to }) => to === command.data.name);
    return own.length > 0 && isChatCommand(command) ? extended(command, own) : command;
  });
}

function extended<C extends ChatCommand<CommandServices, { do: string }>>(
  command: C,
  added: readonly AddedSubcommand[],
): C {
  const options = [...(command.data.options ?? [])];
  for (const { after, data } of added) {
    const place = options.findIndex(({ name }) => name === after);
    options.splice(place < 0 ? options.length : place + 1, 0, data);
  }
  const chosenIn = ({ options: chosen }: ChatRequest | AutocompleteRequest) =>
    chosen.getSubcommandGroup(false) === null
      ? added.find(({ data }) => data.name === chosen.getSubcommand(false))
      : undefined;
  return {
    ...command,
    data: { ...command.data, options },
    execute: (request) => (chosenIn(request) ?? command).execute(request),
    autocomplete(request) {
      const subcommand = chosenIn(request);
      return (subcommand?.autocomplete ? subcommand : command).autocomplete?.(request) ?? [];
    },
  };
}
