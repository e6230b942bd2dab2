import { GatewayDispatchEvents as Event, type GatewayDispatchPayload, type Snowflake } from 'discord-api-types/v10';

/**
 * A server as a GUILD_CREATE event describes it: as much of it as the bot's decisions need, or that it is unavailable.
 * @see https://discord.com/developers/docs/events/gateway-events#guild-create
 */
export interface GuildState {
  id: Snowflake;
  unavailable?: boolean;
  roles?: readonly Identified[];
  channels?: readonly Identified[];
  threads?: readonly Thread[];
  members?: readonly Member[];
  [field: string]: unknown;
}

interface Identified {
  id: Snowflake;
}
interface Thread extends Identified {
  parent_id?: Snowflake | null;
  thread_metadata?: { archived: boolean } | undefined;
}
interface Member {
  user?: Identified | undefined;
}

/** Parts of a GUILD_CREATE event that no decision needs, and that can be large. */
const UNNEEDED = [
  'emojis',
  'stickers',
  'presences',
  'voice_states',
  'stage_instances',
  'guild_scheduled_events',
  'soundboard_sounds',
] as const;

/** The id of the server that an event concerns; null where it concerns none. */
export function guildIdOf({ t, d }: GatewayDispatchPayload): Snowflake | null {
  if (t === Event.GuildCreate || t === Event.GuildUpdate || t === Event.GuildDelete) return d.id;
  return typeof d === 'object' && d !== null && 'guild_id' in d && typeof d.guild_id === 'string' ? d.guild_id : null;
}

/** A server without the parts that no decision needs; of its members only the bot itself. */
function neededOf(guild: GuildState, ownId: Snowflake): GuildState {
  const needed = Object.fromEntries(
    Object.entries(guild).filter(([field]) => !UNNEEDED.some((name) => name === field)),
  );
  return { ...needed, id: guild.id, members: (guild.members ?? []).filter(({ user }) => user?.id === ownId) };
}

/**
 * A server after an event of it: the same object where the event changes nothing of it, null where the bot is no longer
 * in it.
 * @param before null where nothing was known of it
 */
export function guildAfter(
  before: GuildState | null,
  dispatch: GatewayDispatchPayload,
  ownId: Snowflake,
): GuildState | null {
  const { t, d } = dispatch;
  if (t === Event.GuildCreate) return neededOf(d as unknown as GuildState, ownId);
  if (before === null) return null;
  switch (t) {
    case Event.GuildUpdate:
      return { ...before, ...neededOf(d as unknown as GuildState, ownId), members: before.members ?? [] };
    case Event.GuildDelete:
      return d.unavailable === true ? { ...before, unavailable: true } : null;
    case Event.GuildRoleCreate:
    case Event.GuildRoleUpdate:
      return { ...before, roles: withOne(before.roles, d.role) };
    case Event.GuildRoleDelete:
      return { ...before, roles: without(before.roles, d.role_id) };
    case Event.ChannelCreate:
    case Event.ChannelUpdate:
      return { ...before, channels: withOne(before.channels, d) };
    case Event.ChannelDelete:
      return {
        ...before,
        channels: without(before.channels, d.id),
        threads: (before.threads ?? []).filter(({ parent_id }) => parent_id !== d.id),
      };
    case Event.ThreadCreate:
    case Event.ThreadUpdate:
      return { ...before, threads: active(withOne(before.threads, d as Thread)) };
    case Event.ThreadDelete:
      return { ...before, threads: without(before.threads, d.id) };
    case Event.ThreadListSync: {
      const others = (before.threads ?? []).filter(
        ({ parent_id }) => d.channel_ids !== undefined && !d.channel_ids.includes(parent_id ?? ''),
      );
      return { ...before, threads: active([...others, ...(d.threads as Thread[])]) };
    }
    case Event.GuildMemberUpdate: {
      if (d.user.id !== ownId) return before;
      const [member] = before.members ?? [];
      return { ...before, members: [{ ...member, ...d }] };
    }
    default:
      return before;
  }
}

function withOne<T extends Identified>(list: readonly T[] | undefined, one: T): T[] {
  return [...without(list, one.id), one];
}

function without<T extends Identified>(list: readonly T[] | undefined, id: Snowflake): T[] {
  return (list ?? []).filter((one) => one.id !== id);
}

/** A GUILD_CREATE event lists no archived threads, and their number has no limit. */
function active(threads: readonly Thread[]): Thread[] {
  return threads.filter(({ thread_metadata }) => thread_metadata?.archived !== true);
}
