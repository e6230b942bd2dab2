import { PermissionFlagsBits } from 'discord-api-types/v10';
import { described, named } from '../../src/bot/discord/i18n/command-words.ts';
import { message } from '../../src/bot/discord/i18n/translator.ts';
import { requireManager } from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { IN_SERVERS } from '../places.ts';
import type { Command } from '../shared.ts';
import { idChoices } from '../subscription/id-option.ts';
import type { Subcommand } from '../subscription/subcommand.ts';
import { botLook } from './bot.ts';
import { colorChoices, lookActions, lookForms, serverLook, subscriptionLook } from './posts.ts';

const SUBCOMMANDS: readonly Subcommand[] = [serverLook, subscriptionLook, botLook];

export const look: Command = {
  data: {
    ...named('command.look.name'),
    ...described('command.look'),
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    ...IN_SERVERS,
    options: SUBCOMMANDS.map(({ data }) => data),
  },
  answer: 'private',

  async execute(interaction, shared, translator, context) {
    const { guildId } = requireManager(interaction);
    const subcommand = SUBCOMMANDS.find(({ data }) => data.name === interaction.options.getSubcommand());
    if (!subcommand) throw new UserError(message('subscription.noSubcommand'));
    return subcommand.execute(interaction, guildId, shared, translator, context);
  },

  autocomplete(interaction, { subscriptions }, translator) {
    if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return [];
    const { name, value } = interaction.options.getFocused(true);
    return name === 'id'
      ? idChoices(value, interaction.guild, subscriptions, translator)
      : colorChoices(value, translator);
  },

  actions: lookActions,
  forms: lookForms,
};
