import { PermissionFlagsBits } from 'discord-api-types/v10';
import { requireManager } from '../../src/discord/permissions.ts';
import { described, named } from '../../src/discord/words/command-words.ts';
import { say } from '../../src/discord/words/words.ts';
import { UserError } from '../../src/errors.ts';
import { feedChoices } from '../feed-option.ts';
import type { Command } from '../shared.ts';
import { add } from './add.ts';
import { idChoices } from './id-option.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import type { Subcommand } from './subcommand.ts';

/** Every subcommand there is, in the order in which people are shown them. */
const SUBCOMMANDS: readonly Subcommand[] = [add, list, remove];

export const subscription: Command = {
  data: {
    ...named('command.subscription.name'),
    ...described('command.subscription'),
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    contexts: [0],
    options: SUBCOMMANDS.map(({ data }) => data),
  },
  answer: 'private',

  async execute(interaction, shared, words, turn) {
    const { guildId } = requireManager(interaction);
    const name = interaction.options.getSubcommand();
    const subcommand = SUBCOMMANDS.find(({ data }) => data.name === name);
    if (!subcommand) throw new UserError(say('subscription.noSubcommand'));
    return subcommand.execute(interaction, guildId, shared, words, turn);
  },

  /** An option means the same in every subcommand. */
  autocomplete(interaction, { feeds, subscriptions }, words) {
    if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return [];
    const { name, value } = interaction.options.getFocused(true);
    switch (name) {
      case 'feed':
        return feedChoices(value, feeds);
      case 'id':
        return idChoices(value, interaction.guild, subscriptions, words);
      default:
        return [];
    }
  },
};
