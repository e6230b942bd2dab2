import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { GivenOption } from './command-line/parse.ts';
import { COMPONENT, OPTION } from './numbers.ts';
import { permissionsIn } from './permissions.ts';
import { IDS } from './seed.ts';
import type { World, WorldChannel } from './world.ts';

/** The objects that option values and choices refer to, as Discord sends them along. */
interface Resolved {
  users?: Record<string, unknown>;
  members?: Record<string, unknown>;
  roles?: Record<string, unknown>;
  channels?: Record<string, unknown>;
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object */
export function interactionBase(world: World, personId: string, channel: WorldChannel): Record<string, unknown> {
  const locale = world.guild.preferred_locale;
  return {
    application_id: IDS.application,
    guild_id: world.guild.id,
    guild: { id: world.guild.id, locale, features: world.guild.features },
    guild_locale: locale,
    channel_id: channel.id,
    channel: partialChannel(world, personId, channel),
    member: memberIn(world, personId, channel),
    version: 1,
    app_permissions: permissionsIn(world, IDS.application, channel).toString(),
    locale,
    entitlements: [],
    entitlement_sku_ids: [],
    authorizing_integration_owners: { 0: world.guild.id },
    context: 0,
    attachment_size_limit: 10 * 1024 * 1024,
  };
}

function memberIn(world: World, personId: string, channel: WorldChannel): object {
  return { ...world.members.get(personId), permissions: permissionsIn(world, personId, channel).toString() };
}

function partialChannel(world: World, personId: string, channel: WorldChannel): object {
  const { permission_overwrites: _, ...rest } = channel;
  return { ...rest, permissions: permissionsIn(world, personId, channel).toString() };
}

export function commandData(
  world: World,
  personId: string,
  command: APIApplicationCommand,
  options: readonly GivenOption[],
): Record<string, unknown> {
  const resolved = resolve(world, personId, referredTo(options));
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
    ...(options.length > 0 && { options }),
    ...(Object.keys(resolved).length > 0 && { resolved }),
  };
}

export function componentData(
  world: World,
  personId: string,
  component: Record<string, unknown>,
  values: readonly string[],
): Record<string, unknown> {
  const type = component['type'];
  const base = { id: component['id'], custom_id: component['custom_id'], component_type: type };
  if (type === COMPONENT.button) return base;
  return { ...base, values, ...(type !== COMPONENT.stringSelect && { resolved: resolve(world, personId, values) }) };
}

const REFERENCES: readonly number[] = [OPTION.user, OPTION.channel, OPTION.role, OPTION.mentionable];

function referredTo(options: readonly GivenOption[]): string[] {
  return options.flatMap((option) => {
    if (option.options) return referredTo(option.options);
    return REFERENCES.includes(option.type) && option.focused !== true ? [String(option.value)] : [];
  });
}

function resolve(world: World, personId: string, ids: readonly string[]): Resolved {
  const resolved: Resolved = {};
  for (const id of ids) {
    const channel = world.findChannel(id);
    const member = world.members.get(id);
    const role = world.roles.get(id);
    if (channel) resolved.channels = { ...resolved.channels, [id]: partialChannel(world, personId, channel) };
    else if (member) {
      const { user, deaf: _, mute: __, ...rest } = member;
      resolved.users = { ...resolved.users, [id]: user };
      resolved.members = { ...resolved.members, [id]: { ...rest, permissions: '0' } };
    } else if (role) resolved.roles = { ...resolved.roles, [id]: role };
  }
  return resolved;
}
