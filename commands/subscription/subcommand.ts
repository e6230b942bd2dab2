import type { ChatInputCommandInteraction } from 'discord.js';
import type { APIApplicationCommandSubcommandOption } from 'discord-api-types/v10';
import type { CommandContext, Reply } from '../../src/bot/discord/command.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { CommandServices } from '../shared.ts';

/**
 * One subcommand of `/subscription`; only people who may manage the server get here. The handlers of its buttons and
 * forms are listed in `index.ts`.
 */
export interface Subcommand {
  data: APIApplicationCommandSubcommandOption;
  execute(
    interaction: ChatInputCommandInteraction,
    guildId: string,
    shared: CommandServices,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
}
