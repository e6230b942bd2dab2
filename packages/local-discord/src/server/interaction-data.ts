import type { APIApplicationCommand, APIAttachment } from 'discord-api-types/v10';
import type { GivenOption } from './command-line/parse.ts';
import { asApiMessage } from './messages.ts';
import { COMPONENT, CONTEXT, OPTION } from './numbers.ts';
import type { PageMessage } from './page-api.ts';
import { permissionsIn } from './permissions.ts';
import { IDS, type WorldChannel } from './seed.ts';
import { isDirect, type World } from './world.ts';

/** The entities that option values and choices refer to, as Discord sends them along. */
interface Resolved {
  users?: Record<string, unknown>;
  members?: Record<string, unknown>;
  roles?: Record<string, unknown>;
  channels?: Record<string, unknown>;
  messages?: Record<string, unknown>;
  attachments?: Record<string, unknown>;
}

/** Who asks the bot, and where. */
export interface Asked {
  personId: string;
  channel: WorldChannel;
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object */
export function interactionBase(world: World, personId: string, channel: WorldChannel): Record<string, unknown> {
  return {
    application_id: IDS.application,
    ...(isDirect(channel) ? userAlone(world, personId) : memberOf(world, personId, channel)),
    channel_id: channel.id,
    channel: partialChannel(world, personId, channel),
    version: 1,
    app_permissions: permissionsIn(world, IDS.application, channel).toString(),
    locale: world.localeOf(personId),
    entitlements: [],
    entitlement_sku_ids: [],
    attachment_size_limit: 10 * 1024 * 1024,
  };
}

/** The fields of an interaction in a server: the member and the guild. */
function memberOf(world: World, personId: string, channel: WorldChannel): object {
  const { guild, members } = world.guildAt(channel);
  const { id, features, preferred_locale: locale } = guild;
  return {
    guild_id: id,
    guild: { id, locale, features },
    guild_locale: locale,
    member: { ...members.get(personId), permissions: permissionsIn(world, personId, channel).toString() },
    authorizing_integration_owners: { 0: id },
    context: CONTEXT.guild,
  };
}

/** The same fields in direct messages with the bot, which belong to no server. */
function userAlone(world: World, personId: string): object {
  return {
    user: world.members.get(personId)?.user,
    authorizing_integration_owners: { 0: '0' },
    context: CONTEXT.botDirect,
  };
}

function partialChannel(world: World, personId: string, channel: WorldChannel): object {
  const shown = { ...channel, permission_overwrites: undefined };
  return { ...shown, permissions: permissionsIn(world, personId, channel).toString() };
}

export function commandData(
  world: World,
  asked: Asked,
  command: APIApplicationCommand,
  options: readonly GivenOption[],
  files: readonly APIAttachment[],
): Record<string, unknown> {
  const ids = referredTo(options);
  const attached = files.filter(({ id }) => ids.includes(id)).map((file) => [file.id, { ...file, ephemeral: true }]);
  const resolved = {
    ...resolve(world, asked, ids),
    ...(attached.length > 0 && { attachments: Object.fromEntries(attached) as Record<string, unknown> }),
  };
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
    ...(options.length > 0 && { options }),
    ...(Object.keys(resolved).length > 0 && { resolved }),
  };
}

/** The data of a command in a menu. */
function menuCommandData(
  command: APIApplicationCommand,
  targetId: string,
  resolved: Resolved,
): Record<string, unknown> {
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
    target_id: targetId,
    resolved,
  };
}

export function messageCommandData(command: APIApplicationCommand, message: PageMessage): Record<string, unknown> {
  return menuCommandData(command, message.id, { messages: { [message.id]: asApiMessage(message) } });
}

export function userCommandData(
  world: World,
  asked: Asked,
  command: APIApplicationCommand,
  userId: string,
): Record<string, unknown> {
  return menuCommandData(command, userId, resolve(world, asked, [userId]));
}

export function componentData(
  world: World,
  asked: Asked,
  component: Record<string, unknown>,
  values: readonly string[],
): Record<string, unknown> {
  const type = component['type'];
  const base = { id: component['id'], custom_id: component['custom_id'], component_type: type };
  if (type === COMPONENT.button) return base;
  return { ...base, values, ...(type !== COMPONENT.stringSelect && { resolved: resolve(world, asked, values) }) };
}

const REFERENCES: readonly number[] = [OPTION.user, OPTION.channel, OPTION.role, OPTION.mentionable, OPTION.attachment];

function referredTo(options: readonly GivenOption[]): string[] {
  return options.flatMap((option) => {
    if (option.options) return referredTo(option.options);
    return REFERENCES.includes(option.type) && option.focused !== true ? [String(option.value)] : [];
  });
}

/** Looks up the users, roles and channels with these ids that the channel's server has. */
export function resolve(world: World, { personId, channel: at }: Asked, ids: readonly string[]): Resolved {
  const resolved: Resolved = {};
  const { guild, members, roles } = world.guildAt(at);
  for (const id of ids) {
    const channel = world.guildChannels(guild.id).find((one) => one.id === id);
    const member = members.get(id);
    const role = roles.get(id);
    if (channel) resolved.channels = { ...resolved.channels, [id]: partialChannel(world, personId, channel) };
    else if (member) {
      const { user, deaf: _, mute: __, ...rest } = member;
      resolved.users = { ...resolved.users, [id]: user };
      resolved.members = { ...resolved.members, [id]: { ...rest, permissions: '0' } };
    } else if (role) resolved.roles = { ...resolved.roles, [id]: role };
  }
  return resolved;
}
