import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { IDS } from '../seed.ts';
import { isThread } from '../world.ts';
import { type RestContext, requireGuild } from './context.ts';

interface GuildParams {
  Params: { guildId: string };
}

interface MemberParams {
  Params: { guildId: string; userId: string };
}

/** https://discord.com/developers/docs/resources/guild */
export function guildRoutes(app: FastifyInstance, { world }: RestContext): void {
  app.get<GuildParams>('/guilds/:guildId', async (request) => {
    requireGuild(world, request.params.guildId);
    return { ...world.guild, roles: [...world.roles.values()], approximate_member_count: world.members.size };
  });

  app.get<GuildParams>('/guilds/:guildId/channels', async (request) => {
    requireGuild(world, request.params.guildId);
    return world.guildChannels().filter((channel) => !isThread(channel));
  });

  app.get<GuildParams>('/guilds/:guildId/roles', async (request) => {
    requireGuild(world, request.params.guildId);
    return [...world.roles.values()];
  });

  app.get<GuildParams>('/guilds/:guildId/members', async (request) => {
    requireGuild(world, request.params.guildId);
    return [...world.members.values()];
  });

  app.get<MemberParams>('/guilds/:guildId/members/:userId', async (request) => {
    requireGuild(world, request.params.guildId);
    const member = world.members.get(request.params.userId === '@me' ? IDS.application : request.params.userId);
    if (!member) throw new DiscordError('unknownMember');
    return member;
  });
}
