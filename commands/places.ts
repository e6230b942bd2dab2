import { ApplicationIntegrationType, InteractionContextType } from 'discord-api-types/v10';

/**
 * For commands that need no server: they also work in the direct messages with the bot.
 * @see https://discord.com/developers/docs/interactions/application-commands#interaction-contexts
 */
export const ANYWHERE = {
  integration_types: [ApplicationIntegrationType.GuildInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
};
