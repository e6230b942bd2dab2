import type { Setting } from '../src/deals/settings.ts';
import type { Command as AnyCommand } from '../src/discord/command.ts';
import { event, events } from './events.ts';
import { feed } from './feed.ts';
import { createHelp } from './help.ts';
import { offer, offerDetails } from './offer.ts';
import { search } from './search.ts';
import type { CommandServices, FeatureCommands } from './shared.ts';
import { status } from './status.ts';
import { withSubcommands } from './subcommands.ts';
import { settingsOf } from './subscription/flags.ts';
import { createSubscriptionCommand } from './subscription/index.ts';
import { things } from './things.ts';

/** The core's commands but /help. */
const commandsOfCore = (settings: readonly Setting[]): readonly AnyCommand<CommandServices>[] => [
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
export function commandsWith(features: readonly FeatureCommands[]): readonly AnyCommand<CommandServices>[] {
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
