import type {
  APIDMChannel,
  APIGuildForumChannel,
  APINewsChannel,
  APITextChannel,
  APIThreadChannel,
} from 'discord-api-types/v10';

/** A channel of the server, a thread included. */
export type GuildChannel = APITextChannel | APINewsChannel | APIGuildForumChannel | APIThreadChannel;

export type WorldChannel = GuildChannel | APIDMChannel;
