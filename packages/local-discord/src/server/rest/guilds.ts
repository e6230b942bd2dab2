import type { APIGuildMember } from 'discord-api-types/v10';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { readImageData } from '../member-pictures.ts';
import { isNamed } from '../members.ts';
import { MOST_ROLES, requireAssignable, requireManageRoles, requireOwned, roleOf } from '../roles.ts';
import { type Guild, IDS, role } from '../seed.ts';
import { compareSnowflakes } from '../snowflake.ts';
import { Field } from '../validate/form.ts';
import { isThread } from '../world.ts';
import { bodyOf } from './body.ts';
import { type RestContext, requireGuild } from './context.ts';
import { limited } from './limit.ts';

interface GuildParams {
  Params: { guildId: string };
}

interface RoleParams {
  Params: { guildId: string; roleId: string };
}

interface MemberRoleParams {
  Params: { guildId: string; userId: string; roleId: string };
}

interface MemberParams {
  Params: { guildId: string; userId: string };
}

/** https://discord.com/developers/docs/resources/guild */
export function guildRoutes(app: FastifyInstance, context: RestContext): void {
  const { world, snowflakes } = context;
  app.get<GuildParams>('/guilds/:guildId', async (request) => {
    const { guild, roles, members } = requireGuild(world, request.params.guildId);
    return { ...guild, roles: [...roles.values()], approximate_member_count: members.size };
  });

  app.get<GuildParams>('/guilds/:guildId/channels', async (request) => {
    const { guild } = requireGuild(world, request.params.guildId);
    return world.guildChannels(guild.id).filter((channel) => !isThread(channel));
  });

  app.get<GuildParams>('/guilds/:guildId/roles', async (request) => {
    return [...requireGuild(world, request.params.guildId).roles.values()];
  });

  app.get<RoleParams>('/guilds/:guildId/roles/:roleId', async ({ params }) =>
    roleOf(requireGuild(world, params.guildId), params.roleId),
  );

  app.post<GuildParams>('/guilds/:guildId/roles', async (request) => {
    const at = requireGuild(world, request.params.guildId);
    requireManageRoles(at);
    const form = new Field(bodyOf(request).json);
    const name = form.at('name').string({ max: 100 }) ?? 'new role';
    const permissions = form.at('permissions').bits() ?? 0n;
    const mentionable = form.at('mentionable').boolean() ?? false;
    const color = form.at('color').integer({ min: 0, max: 0xffffff }) ?? 0;
    form.done();
    requireOwned(at, permissions);
    if (at.roles.size >= MOST_ROLES) throw new DiscordError('tooManyRoles');
    world.recordAudit({ action: 'role-created', reason: reasonOf(request) });
    return world.addRole(role(snowflakes.next(), name, 1, permissions, { mentionable, color }), at);
  });

  app.patch<RoleParams>('/guilds/:guildId/roles/:roleId', async (request) => {
    const at = requireGuild(world, request.params.guildId);
    const before = roleOf(at, request.params.roleId);
    requireManageRoles(at, before);
    const form = new Field(bodyOf(request).json);
    const name = form.at('name').string({ max: 100 });
    const permissions = form.at('permissions').bits();
    const mentionable = form.at('mentionable').isAbsent ? undefined : form.at('mentionable').boolean();
    form.done();
    if (permissions !== undefined) requireOwned(at, permissions);
    world.recordAudit({ action: 'role-edited', reason: reasonOf(request) });
    return world.editRole(before.id, {
      ...(name !== undefined && { name }),
      ...(permissions !== undefined && { permissions: permissions.toString() }),
      ...(mentionable !== undefined && { mentionable }),
    });
  });

  app.delete<RoleParams>('/guilds/:guildId/roles/:roleId', async (request, reply) => {
    const at = requireGuild(world, request.params.guildId);
    const gone = roleOf(at, request.params.roleId);
    requireAssignable(at, gone);
    requireManageRoles(at, gone);
    world.recordAudit({ action: 'role-deleted', reason: reasonOf(request) });
    world.deleteRole(gone.id);
    return reply.code(204).send();
  });

  for (const [method, has] of [
    ['PUT', true],
    ['DELETE', false],
  ] as const) {
    app.route<MemberRoleParams>({
      method,
      url: '/guilds/:guildId/members/:userId/roles/:roleId',
      preHandler: limited(context, 'memberRoles'),
      handler: async (request, reply) => {
        const { guildId, userId, roleId } = request.params;
        const at = requireGuild(world, guildId);
        const member = at.members.get(userId);
        if (!member) throw new DiscordError('unknownMember');
        const given = roleOf(at, roleId);
        requireAssignable(at, given);
        requireManageRoles(at, given);
        const others = member.roles.filter((id) => id !== roleId);
        if (member.roles.includes(roleId) !== has) {
          world.recordAudit({ action: 'member-roles-edited', reason: reasonOf(request) });
          world.editMember(userId, { roles: has ? [...others, roleId] : others }, at);
        }
        return reply.code(204).send();
      },
    });
  }

  app.get<GuildParams & MemberQuery>('/guilds/:guildId/members', async ({ params, query }) => {
    // https://discord.com/developers/docs/resources/guild#list-guild-members: "restricted according to whether the intent is enabled"
    if (!context.privilegedIntents.includes('guildMembers')) throw new DiscordError('missingAccess');
    const { members } = requireGuild(world, params.guildId);
    const form = new Field({ after: query.after });
    const after = form.at('after').snowflake() ?? '0';
    form.done();
    const later = [...members.values()].filter(({ user }) => compareSnowflakes(user.id, after) > 0);
    return later.toSorted((a, b) => compareSnowflakes(a.user.id, b.user.id)).slice(0, limitOf(query));
  });

  app.get<GuildParams & MemberQuery>('/guilds/:guildId/members/search', async ({ params, query }) => {
    const { members } = requireGuild(world, params.guildId);
    return [...members.values()].filter((member) => isNamed(member, query.query ?? '')).slice(0, limitOf(query));
  });

  app.get<MemberParams>('/guilds/:guildId/members/:userId', async (request) => {
    const { members } = requireGuild(world, request.params.guildId);
    const member = members.get(request.params.userId === '@me' ? IDS.application : request.params.userId);
    if (!member) throw new DiscordError('unknownMember');
    return member;
  });

  // The client encodes the @, so the id is a parameter here.
  app.patch<MemberParams>('/guilds/:guildId/members/:userId', async (request) => {
    const at = requireGuild(world, request.params.guildId);
    if (request.params.userId !== '@me') throw new DiscordError('missingPermissions');
    return editOwnMember(context, at, new Field(bodyOf(request).json));
  });
}

interface MemberQuery {
  Querystring: { limit?: string; after?: string; query?: string };
}

/** How many members are asked for: https://discord.com/developers/docs/resources/guild#list-guild-members */
function limitOf({ limit }: MemberQuery['Querystring']): number {
  const form = new Field({ limit: limit === undefined ? 1 : Number(limit) });
  const number = form.at('limit').integer({ min: 1, max: 1000 }) ?? 1;
  form.done();
  return number;
}

/** https://discord.com/developers/docs/resources/guild#modify-current-member */
function editOwnMember({ world, persistence }: RestContext, at: Guild, form: Field): APIGuildMember {
  const nick = form.at('nick').string({ max: 32 });
  form.at('bio').string({ max: 190 });
  const [avatar, banner] = [readImageData(form.at('avatar')), readImageData(form.at('banner'))];
  form.done();
  for (const picture of [avatar, banner]) if (picture) persistence.save(picture.hash, picture.file);
  const change = {
    ...(form.at('nick').value !== undefined && { nick: nick || null }),
    ...(avatar !== undefined && { avatar: avatar?.hash ?? null }),
    ...(banner !== undefined && { banner: banner?.hash ?? null }),
  };
  return world.editMember(IDS.application, change, at);
}

/** Why the bot does it, for the server's audit log: https://discord.com/developers/docs/resources/audit-log */
function reasonOf({ headers }: FastifyRequest): string | null {
  const reason = headers['x-audit-log-reason'];
  return typeof reason === 'string' ? decodeURIComponent(reason) : null;
}
