import {
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  InteractionContextType,
} from 'discord-api-types/v10';
import { candidatesIn } from '../../../commands/known.ts';
import { filterChoices, idChoices } from '../../../commands/options.ts';
import type { FeatureCommand, Subcommand } from '../../../commands/shared.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { TABLE } from './actions.ts';
import { pingActions, pingForms } from './edit.ts';
import { make, makeActions } from './make.ts';
import { panel } from './panel.ts';
import { ownPings, takeActions } from './take.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const FOR_MANAGERS: readonly Subcommand[] = [panel, make];

/** The roles that posts ring: members take and leave them, managers make them. */
export const pings: FeatureCommand<typeof TABLE> = {
  table: TABLE,
  data: {
    name: 'pings',
    ...described('command.pings'),
    integration_types: [ApplicationIntegrationType.GuildInstall],
    contexts: [InteractionContextType.Guild],
    options: [
      { type: ApplicationCommandOptionType.Subcommand, name: 'mine', ...described('command.pings.mine') },
      ...FOR_MANAGERS.map(({ data }) => data),
    ],
  },
  answer: 'private',
  async execute(request) {
    const name = request.options.getSubcommand();
    if (name === 'mine') return ownPings(request);
    const manager = request.asManager();
    const subcommand = FOR_MANAGERS.find(({ data }) => data.name === name);
    if (!subcommand) throw new UserError(message('subscription.noSubcommand'));
    return subcommand.execute(manager);
  },
  async autocomplete(request) {
    const { options, services } = request;
    if (!request.isManager) return [];
    const { name, value } = options.getFocused(true);
    if (name === 'id') return idChoices(value, request);
    const found = services.subscriptions.get(options.getString('id') ?? '');
    const live = found?.guildId === request.server ? await candidatesIn(found.source, services) : null;
    return filterChoices(value, live, request);
  },
  actions: { ...takeActions, ...makeActions, ...pingActions },
  forms: pingForms,
};
