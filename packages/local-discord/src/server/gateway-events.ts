import type { Gateway } from './gateway.ts';
import { asApiMessage, asCreatedMessage, withoutContent } from './messages.ts';
import { isAllowed } from './permissions.ts';
import { asApiEvent, eventsOf } from './scheduled-events.ts';
import { type Guild, IDS, type WorldChannel } from './seed.ts';
import { isDirect, isThread, type Membership, type World, type WorldChange } from './world.ts';

/** https://discord.com/developers/docs/topics/gateway#list-of-intents */
const INTENT = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildWebhooks: 1 << 5,
  guildMessages: 1 << 9,
  guildMessageReactions: 1 << 10,
  guildMessageTyping: 1 << 11,
  directMessages: 1 << 12,
  directMessageReactions: 1 << 13,
  directMessageTyping: 1 << 14,
  messageContent: 1 << 15,
  guildScheduledEvents: 1 << 16,
  guildMessagePolls: 1 << 24,
  directMessagePolls: 1 << 25,
} as const;

/** GUILD_CREATE: https://discord.com/developers/docs/events/gateway-events#guild-create */
export function guildCreate(world: World, at: Guild = world.first) {
  const { guild, roles, members: known } = at;
  const channels = world.guildChannels(guild.id);
  const members = [...known.values()];
  return {
    ...guild,
    roles: [...roles.values()],
    joined_at: members[0]?.joined_at,
    large: false,
    unavailable: false,
    member_count: members.length,
    members,
    channels: channels.filter((channel) => !isThread(channel)),
    threads: channels.filter(isThread),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: eventsOf(at).map((event) => asApiEvent(at, event, true)),
    soundboard_sounds: [],
  };
}

/** Dispatches a change to the bot as Discord does: none of a server that it is not in. */
export function dispatchChange(world: World, gateway: Gateway, change: WorldChange): void {
  const at = guildOfChange(world, change);
  if (at && !at.members.has(IDS.application)) return;
  switch (change.type) {
    case 'message-created':
    case 'message-edited': {
      const { message } = change;
      if (message.visible_to !== null || !botSees(world, message.channel_id)) return;
      const isNew = change.type === 'message-created';
      const channel = world.findChannel(message.channel_id);
      const member = channel && world.guildAt(channel).members.get(message.author.id);
      const shown = isNew ? asCreatedMessage(message) : asApiMessage(message);
      const { guild, intent } = whereabouts(world, message.channel_id);
      const event = { ...shown, ...guild, ...(guild.guild_id !== undefined && { member }) };
      const data = withoutContent(world, event);
      const lesser = data === event ? undefined : { lacking: INTENT.messageContent, data };
      gateway.dispatch(isNew ? 'MESSAGE_CREATE' : 'MESSAGE_UPDATE', event, intent, lesser);
      return;
    }
    case 'message-deleted': {
      const { id, channel_id, visible_to } = change.message;
      if (visible_to !== null || !botSees(world, channel_id)) return;
      const { guild, intent } = whereabouts(world, channel_id);
      gateway.dispatch('MESSAGE_DELETE', { id, channel_id, ...guild }, intent);
      return;
    }
    case 'messages-deleted': {
      const { channel, messageIds: ids } = change;
      if (!botSees(world, channel.id)) return;
      const { guild, intent } = whereabouts(world, channel.id);
      gateway.dispatch('MESSAGE_DELETE_BULK', { ids, channel_id: channel.id, ...guild }, intent);
      return;
    }
    case 'voted':
      dispatchVote(world, gateway, change);
      return;
    case 'reactions-changed':
      dispatchReaction(world, gateway, change);
      return;
    case 'typing': {
      const { channel, personId: user_id, atMs } = change;
      if (!botSees(world, channel.id)) return;
      const { guild } = whereabouts(world, channel.id);
      const member = guild.guild_id === undefined ? undefined : world.guildAt(channel).members.get(user_id);
      const event = {
        channel_id: channel.id,
        ...guild,
        user_id,
        timestamp: Math.floor(atMs / 1000),
        ...(member && { member }),
      };
      gateway.dispatch('TYPING_START', event, member ? INTENT.guildMessageTyping : INTENT.directMessageTyping);
      return;
    }
    case 'pins-changed': {
      const { channel } = change;
      if (!botSees(world, channel.id)) return;
      const guild = world.guildOf(channel.id);
      const last_pin_timestamp = 'last_pin_timestamp' in channel ? channel.last_pin_timestamp : null;
      const event = { ...guild, channel_id: channel.id, last_pin_timestamp };
      gateway.dispatch('CHANNEL_PINS_UPDATE', event, isDirect(channel) ? INTENT.directMessages : INTENT.guilds);
      return;
    }
    case 'channel-created':
      dispatchChannel(gateway, change.channel, 'CREATE', { newly_created: true });
      return;
    case 'channel-edited':
      dispatchChannel(gateway, change.channel, 'UPDATE', {});
      return;
    case 'channel-deleted':
      dispatchChannel(gateway, change.channel, 'DELETE', {});
      return;
    case 'member-edited': {
      // A bot gets its own member's updates whatever its intents.
      const intent = change.member.user.id === IDS.application ? INTENT.guilds : INTENT.guildMembers;
      gateway.dispatch('GUILD_MEMBER_UPDATE', { ...change.member, guild_id: change.guildId }, intent);
      return;
    }
    case 'role-created':
      gateway.dispatch('GUILD_ROLE_CREATE', { guild_id: change.guildId, role: change.role }, INTENT.guilds);
      return;
    case 'role-edited':
      gateway.dispatch('GUILD_ROLE_UPDATE', { guild_id: change.guildId, role: change.role }, INTENT.guilds);
      return;
    case 'role-deleted':
      gateway.dispatch('GUILD_ROLE_DELETE', { guild_id: change.guildId, role_id: change.role.id }, INTENT.guilds);
      return;
    case 'event-created':
    case 'event-edited':
    case 'event-deleted':
    case 'event-interest':
      dispatchEvent(world, gateway, change);
      return;
    case 'webhook-created':
    case 'webhook-edited':
    case 'webhook-deleted': {
      const { guild_id, channel_id } = change.webhook;
      gateway.dispatch('WEBHOOKS_UPDATE', { guild_id, channel_id }, INTENT.guildWebhooks);
      return;
    }
    case 'guild-created': {
      const added = world.findGuild(change.guildId);
      if (added) gateway.dispatch('GUILD_CREATE', guildCreate(world, added), INTENT.guilds);
      return;
    }
    case 'guild-edited':
      gateway.dispatch('GUILD_UPDATE', { ...change.guild, roles: [...world.roles.values()] }, INTENT.guilds);
      return;
    case 'membership-changed':
      dispatchMembership(world, gateway, change.membership);
      return;
    case 'command-set':
    case 'command-deleted':
  }
}

/** The server of a change; null where it is of none. */
export function guildOfChange(world: World, change: WorldChange): Guild | null {
  if ('guildId' in change) return world.findGuild(change.guildId) ?? null;
  if ('channel' in change) return world.guildAt(change.channel);
  const channel = 'message' in change ? world.findChannel(change.message.channel_id) : undefined;
  return channel ? world.guildAt(channel) : null;
}

/** https://discord.com/developers/docs/events/gateway-events#guild-scheduled-events */
function dispatchEvent(world: World, gateway: Gateway, change: Extract<WorldChange, { event: unknown }>): void {
  const { type, guildId, event } = change;
  const at = world.findGuild(guildId);
  if (!at) return;
  if (type === 'event-interest') {
    const data = { guild_scheduled_event_id: event.id, user_id: change.personId, guild_id: guildId };
    const what = change.isInterested ? 'ADD' : 'REMOVE';
    gateway.dispatch(`GUILD_SCHEDULED_EVENT_USER_${what}`, data, INTENT.guildScheduledEvents);
    return;
  }
  const what = { 'event-created': 'CREATE', 'event-edited': 'UPDATE', 'event-deleted': 'DELETE' }[type];
  gateway.dispatch(`GUILD_SCHEDULED_EVENT_${what}`, asApiEvent(at, event), INTENT.guildScheduledEvents);
}

/** https://discord.com/developers/docs/events/gateway-events#message-reaction-add and those that follow it */
function dispatchReaction(
  world: World,
  gateway: Gateway,
  { message, change }: Extract<WorldChange, { type: 'reactions-changed' }>,
): void {
  if (message.visible_to !== null || !botSees(world, message.channel_id)) return;
  const { guild } = whereabouts(world, message.channel_id);
  const intent = guild.guild_id === undefined ? INTENT.directMessageReactions : INTENT.guildMessageReactions;
  const at = { channel_id: message.channel_id, message_id: message.id, ...guild };
  switch (change.do) {
    case 'remove-all':
      gateway.dispatch('MESSAGE_REACTION_REMOVE_ALL', at, intent);
      return;
    case 'remove-emoji':
      gateway.dispatch('MESSAGE_REACTION_REMOVE_EMOJI', { ...at, emoji: change.emoji }, intent);
      return;
    default: {
      const { emoji, personId: user_id } = change;
      const one = { ...at, user_id, emoji, burst: false, type: 0 };
      const channel = world.channel(message.channel_id);
      const member = guild.guild_id === undefined ? undefined : world.guildAt(channel).members.get(user_id);
      const added = { ...one, ...(member && { member }), message_author_id: message.author.id };
      if (change.do === 'add') gateway.dispatch('MESSAGE_REACTION_ADD', added, intent);
      else gateway.dispatch('MESSAGE_REACTION_REMOVE', one, intent);
    }
  }
}

/** https://discord.com/developers/docs/events/gateway-events#polls */
function dispatchVote(
  world: World,
  gateway: Gateway,
  { message, vote }: Extract<WorldChange, { type: 'voted' }>,
): void {
  if (!botSees(world, message.channel_id)) return;
  const { guild } = whereabouts(world, message.channel_id);
  const intent = guild.guild_id === undefined ? INTENT.directMessagePolls : INTENT.guildMessagePolls;
  const at = { channel_id: message.channel_id, message_id: message.id, ...guild };
  const event = vote.isGiven ? 'MESSAGE_POLL_VOTE_ADD' : 'MESSAGE_POLL_VOTE_REMOVE';
  gateway.dispatch(event, { ...at, user_id: vote.personId, answer_id: vote.answerId }, intent);
}

/** https://discord.com/developers/docs/events/gateway-events#guild-delete */
function dispatchMembership(world: World, gateway: Gateway, membership: Membership): void {
  const { id } = world.guild;
  const left = membership === 'unavailable' ? { id, unavailable: true } : { id };
  if (membership === 'member') gateway.dispatch('GUILD_CREATE', guildCreate(world), INTENT.guilds);
  else gateway.dispatch('GUILD_DELETE', left, INTENT.guilds);
}

/** The server of a channel, which direct messages do not have, and the intent that receives its messages. */
function whereabouts(world: World, channelId: string): { guild: { guild_id?: string }; intent: number } {
  const guild = world.guildOf(channelId);
  return { guild, intent: guild.guild_id === undefined ? INTENT.directMessages : INTENT.guildMessages };
}

/**
 * Discord dispatches no event for direct channels:
 * https://discord.com/developers/docs/events/gateway-events#channel-create
 */
function dispatchChannel(gateway: Gateway, channel: WorldChannel, what: string, more: object): void {
  if (isDirect(channel)) return;
  const kind = isThread(channel) ? 'THREAD' : 'CHANNEL';
  gateway.dispatch(`${kind}_${what}`, { ...channel, ...(isThread(channel) && more) }, INTENT.guilds);
}

function botSees(world: World, channelId: string): boolean {
  const channel = world.findChannel(channelId);
  return channel !== undefined && isAllowed(world, IDS.application, channel, 0n);
}
