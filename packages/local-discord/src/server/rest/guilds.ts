import type { APIGuildMember } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { readImageData } from '../member-pictures.ts';
import { IDS } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { isThread } from '../world.ts';
import { bodyOf } from './body.ts';
import { type RestContext, requireGuild } from './context.ts';

interface GuildParams {
  Params: { guildId: string };
}

interface MemberParams {
  Params: { guildId: string; userId: string };
}

/** https://discord.com/developers/docs/resources/guild */
export function guildRoutes(app: FastifyInstance, context: RestContext): void {
  const { world } = context;
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

  // The client encodes the @, so the id is a parameter here.
  app.patch<MemberParams>('/guilds/:guildId/members/:userId', async (request) => {
    requireGuild(world, request.params.guildId);
    if (request.params.userId !== '@me') throw new DiscordError('missingPermissions');
    return editOwnMember(context, new Field(bodyOf(request).json));
  });
}

/** https://discord.com/developers/docs/resources/guild#modify-current-member */
function editOwnMember({ world, persistence }: RestContext, form: Field): APIGuildMember {
  const nick = form.at('nick').string({ max: 32 });
  form.at('bio').string({ max: 190 });
  const [avatar, banner] = [readImageData(form.at('avatar')), readImageData(form.at('banner'))];
  form.done();
  for (const picture of [avatar, banner]) if (picture) persistence.save(picture.hash, picture.file);
  return world.editMember(IDS.application, {
    ...(form.at('nick').value !== undefined && { nick: nick || null }),
    ...(avatar !== undefined && { avatar: avatar?.hash ?? null }),
    ...(banner !== undefined && { banner: banner?.hash ?? null }),
  });
}
