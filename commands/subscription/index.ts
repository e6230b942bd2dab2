import type { AutocompleteInteraction } from 'discord.js';
import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord-api-types/v10';

import { SOURCE_KINDS, type Source } from '../../src/bot/deals/subscription.ts';
import { timeZonesLike } from '../../src/bot/deals/time-of-day.ts';
import { described, named } from '../../src/bot/discord/i18n/command-words.ts';
import { message } from '../../src/bot/discord/i18n/translator.ts';
import { knownTarget, requireManager } from '../../src/bot/discord/permissions.ts';
import type { SubscriptionStore } from '../../src/bot/store/subscriptions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { feedChoices, feedNamed } from '../feed-option.ts';
import { filterChoices } from '../filter-choices.ts';
import { candidatesIn } from '../live-candidates.ts';
import { IN_SERVERS } from '../places.ts';
import type { Command, CommandServices } from '../shared.ts';
import { addActions, addForms, addSubcommands } from './add.ts';
import { duplicateActions } from './duplicate.ts';
import { edit } from './edit.ts';
import { exporting } from './export.ts';
import { idChoices } from './id-option.ts';
import { importActions, importing } from './import.ts';
import { list, listActions } from './list.ts';
import { pause } from './pause.ts';
import { preview, previewActions } from './preview.ts';
import { remove } from './remove.ts';
import { resume } from './resume.ts';
import { panelActions, panelForms } from './steps.ts';
import type { Subcommand } from './subcommand.ts';
import { subscribeActions } from './subscribe.ts';
import { test } from './test.ts';

/** The subcommands outside of groups, in the order in which people see them. */
const SUBCOMMANDS: readonly Subcommand[] = [edit, list, pause, resume, test, preview, remove, exporting, importing];

export const subscription: Command = {
  data: {
    ...named('command.subscription.name'),
    ...described('command.subscription'),
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    ...IN_SERVERS,
    options: [
      {
        type: ApplicationCommandOptionType.SubcommandGroup,
        name: 'add',
        ...described('command.subscription.add'),
        options: addSubcommands.map(({ data }) => data),
      },
      ...SUBCOMMANDS.map(({ data }) => data),
    ],
  },
  answer: 'private',

  async execute(interaction, shared, translator, context) {
    const { guildId } = requireManager(interaction);
    const { options } = interaction;
    const group = options.getSubcommandGroup() === 'add' ? addSubcommands : SUBCOMMANDS;
    const subcommand = group.find(({ data }) => data.name === options.getSubcommand());
    if (!subcommand) throw new UserError(message('subscription.noSubcommand'));
    return subcommand.execute(interaction, guildId, shared, translator, context);
  },

  /** An option means the same in every subcommand. */
  autocomplete(interaction, shared, translator) {
    if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return [];
    const { feeds, subscriptions, clock } = shared;
    const { name, value } = interaction.options.getFocused(true);
    switch (name) {
      case 'feed':
        return feedChoices(value, feeds);
      case 'id':
        return idChoices(value, interaction.guild, subscriptions, translator);
      case 'time-zone':
        return timeZonesLike(value).map((zone) => ({ name: zone, value: zone }));
      case 'tag':
        return tagChoices(value, interaction, subscriptions);
      case 'filter': {
        const source = sourceTyped(interaction, shared);
        return filterChoices(value, source && candidatesIn(source, shared), translator, clock.now());
      }
      default:
        return [];
    }
  },

  actions: {
    ...addActions,
    ...duplicateActions,
    ...importActions,
    ...listActions,
    ...panelActions,
    ...previewActions,
    ...subscribeActions,
  },
  forms: { ...addForms, ...panelForms },
};

/** The source of the subscription that is being added or edited; null where it is not chosen yet. */
function sourceTyped(
  { options, guildId }: AutocompleteInteraction,
  { feeds, subscriptions }: CommandServices,
): Source | null {
  const edited = subscriptions.get(options.getString('id') ?? '');
  if (edited) return edited.guildId === guildId ? edited.source : null;
  const kind = SOURCE_KINDS.find((candidate) => candidate === options.getSubcommand());
  if (kind === 'feed') {
    const feed = feedNamed(options.getString('feed') ?? '', feeds);
    return feed === undefined ? null : { kind, feed };
  }
  return kind === 'events' ? { kind, types: [], sites: [] } : kind ? { kind } : null;
}

/** The tags of the chosen forum whose names contain the input. */
function tagChoices(
  typed: string,
  interaction: AutocompleteInteraction,
  subscriptions: SubscriptionStore,
): { name: string; value: string }[] {
  const edited = subscriptions.get(interaction.options.getString('id') ?? '');
  const ownChannelId = edited?.guildId === interaction.guildId ? edited?.channelId : undefined;
  const given = interaction.options.get('channel')?.value;
  const channelId = typeof given === 'string' ? given : (ownChannelId ?? interaction.channelId);
  return (knownTarget(interaction, channelId)?.tags ?? [])
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ id, name }) => ({ name, value: id }));
}
