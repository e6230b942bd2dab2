import type { Setting } from '../src/deals/settings.ts';
import { type Command as AnyCommand, type ChatCommand, isChatCommand } from '../src/discord/command.ts';
import { event, events } from './events.ts';
import { feed } from './feed.ts';
import { createHelp } from './help.ts';
import { offer, offerDetails } from './offer.ts';
import { search } from './search.ts';
import type { AddedSubcommand, AutocompleteRequest, ChatRequest, CommandServices, FeatureCommands } from './shared.ts';
import { status } from './status.ts';
import { settingsOf } from './subscription/flags.ts';
import { createSubscriptionCommand } from './subscription/index.ts';
import { things } from './things.ts';

type Command = AnyCommand<CommandServices>;

/** The core's commands but /help. */
const commandsOfCore = (settings: readonly Setting[]): readonly Command[] => [
  feed,
  search,
  offer,
  offerDetails,
  events,
  event,
  ...things,
  createSubscriptionCommand(settings),
  status,
];

/** All commands: the core's, those of features, and /help, which lists all. */
export function commandsWith(features: readonly FeatureCommands[]): readonly Command[] {
  const help = createHelp({
    commands: () => all,
    added: (request) => features.flatMap((feature) => feature.helpLines?.(request) ?? []),
  });
  const placed = (before: string | undefined) =>
    features.filter(({ commandsBefore }) => commandsBefore === before).flatMap(({ commands = [] }) => commands);
  const ofCore = commandsOfCore(settingsOf(features)).flatMap((command) => [...placed(command.data.name), command]);
  const all = withSubcommands(
    [...ofCore, ...placed(undefined), help],
    features.flatMap(({ subcommands = [] }) => subcommands),
  );
  return all;
}

/** The commands with the subcommands that features add to them. */
function withSubcommands(commands: readonly Command[], added: readonly AddedSubcommand[]): readonly Command[] {
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
