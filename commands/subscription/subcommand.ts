import type { ChatInputCommandInteraction } from 'discord.js';
import type { APIApplicationCommandSubcommandOption } from 'discord-api-types/v10';
import type { Reply, Turn } from '../../src/bot/discord/command.ts';
import type { Words } from '../../src/bot/discord/i18n/translator.ts';
import type { Shared } from '../shared.ts';

/**
 * One subcommand of `/subscription`; only people who may manage the server get here. What its buttons and forms do is
 * listed in `index.ts`.
 */
export interface Subcommand {
  data: APIApplicationCommandSubcommandOption;
  execute(
    interaction: ChatInputCommandInteraction,
    guildId: string,
    shared: Shared,
    words: Words,
    turn: Turn,
  ): Promise<Reply>;
}
