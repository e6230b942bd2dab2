import { ApplicationIntegrationType, InteractionContextType } from 'discord-api-types/v10';

const { GuildInstall } = ApplicationIntegrationType;

/**
 * For commands that need no server: they also work in direct messages with the bot.
 * @see https://discord.com/developers/docs/interactions/application-commands#interaction-contexts
 */
export const ANYWHERE = {
  integration_types: [GuildInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
};

/** For commands that work in servers only. */
export const IN_SERVERS = { integration_types: [GuildInstall], contexts: [InteractionContextType.Guild] };
