import { ApplicationIntegrationType, InteractionContextType } from 'discord-api-types/v10';

const { GuildInstall, UserInstall } = ApplicationIntegrationType;

/**
 * For commands that need no server: they also work in direct messages, and for people who have installed the bot for
 * themselves, in any server and any conversation.
 * @see https://discord.com/developers/docs/interactions/application-commands#interaction-contexts
 */
export const ANYWHERE = {
  integration_types: [GuildInstall, UserInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel],
};

/** For commands that work in servers only. */
export const IN_SERVERS = { integration_types: [GuildInstall], contexts: [InteractionContextType.Guild] };
