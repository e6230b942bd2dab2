import type {
  APIApplicationCommand,
  APIDMChannel,
  APIGuild,
  APIGuildMember,
  APIRole,
  APIThreadChannel,
  APIUser,
} from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import { CHANNEL, MESSAGE_FLAG } from './numbers.ts';
import { hasPoll, type PageEvent, type PageMessage, type PollMessage } from './page-api.ts';
import { type Vote, withVote } from './polls.ts';
import { type ReactionChange, withReaction } from './reactions.ts';
import {
  botUser,
  type FollowerWebhook,
  firstChannels,
  firstMembers,
  firstRoles,
  GUILD,
  type Guild,
  type GuildChannel,
  NO_FLAGS,
  type WorldChannel,
  type WorldWebhook,
} from './seed.ts';
import { compareSnowflakes, type Snowflakes } from './snowflake.ts';

/** Whether the bot is in the server: a member, removed from it, or a member while Discord has an outage there. */
export type Membership = 'member' | 'removed' | 'unavailable';

/** A change, which listeners store, send or show. */
export type WorldChange =
  | { type: 'message-created'; message: PageMessage }
  | { type: 'message-edited'; message: PageMessage }
  | { type: 'message-deleted'; message: PageMessage }
  | { type: 'messages-deleted'; channel: WorldChannel; messageIds: string[] }
  | { type: 'reactions-changed'; message: PageMessage; change: ReactionChange }
  | { type: 'voted'; message: PageMessage; vote: Vote }
  | { type: 'typing'; channel: WorldChannel; personId: string; atMs: number }
  | { type: 'pins-changed'; channel: WorldChannel }
  | { type: 'channel-created'; channel: WorldChannel }
  | { type: 'channel-edited'; channel: WorldChannel }
  | { type: 'channel-deleted'; channel: WorldChannel; messageIds: string[] }
  | { type: 'member-edited'; guildId: string; member: APIGuildMember }
  | { type: 'role-created'; guildId: string; role: APIRole }
  | { type: 'role-edited'; guildId: string; role: APIRole }
  | { type: 'role-deleted'; guildId: string; role: APIRole }
  | { type: 'event-created'; guildId: string; event: PageEvent }
  | { type: 'event-edited'; guildId: string; event: PageEvent }
  | { type: 'event-deleted'; guildId: string; event: PageEvent }
  | { type: 'event-interest'; guildId: string; event: PageEvent; personId: string; isInterested: boolean }
  | { type: 'webhook-created'; guildId: string; webhook: WorldWebhook }
  | { type: 'webhook-edited'; guildId: string; webhook: WorldWebhook }
  | { type: 'webhook-deleted'; guildId: string; webhook: WorldWebhook }
  | { type: 'guild-created'; guildId: string }
  | { type: 'guild-edited'; guild: APIGuild }
  | { type: 'membership-changed'; membership: Membership }
  | { type: 'command-set'; command: APIApplicationCommand }
  | { type: 'command-deleted'; command: APIApplicationCommand };

/** A change that the bot made in the server, as its moderators read of it. */
export interface AuditEntry {
  action: 'role-created' | 'role-edited' | 'role-deleted' | 'member-roles-edited';
  /** The reason that the bot gave; null for none. */
  reason: string | null;
}

/** The number of entries of the audit log that are kept. */
const MOST_AUDIT_ENTRIES = 100;

export interface StoredWorld {
  channels: WorldChannel[];
  messages: PageMessage[];
  commands: APIApplicationCommand[];
  /** Empty where the file was written before roles were stored in it. */
  roles: APIRole[];
  /** The members whose look or roles in the server have been changed. */
  members: APIGuildMember[];
  events: PageEvent[];
  webhooks: WorldWebhook[];
}

export type PinnedMessage = PageMessage & { pinned: true; pinned_at: string };

export function isDirect(channel: WorldChannel): channel is APIDMChannel {
  return channel.type === CHANNEL.direct;
}

export function isThread(channel: WorldChannel): channel is APIThreadChannel {
  return channel.type === CHANNEL.publicThread || channel.type === CHANNEL.announcementThread;
}

/**
 * The server with its channels, messages and registered commands, and the servers that were made beside it, in memory. It
 * uses no network and no file.
 */
export class World {
  readonly bot: APIUser;
  readonly #first: Guild = { guild: GUILD, roles: new Map(), members: new Map(), events: new Map() };
  readonly #guilds = new Map([[GUILD.id, this.#first]]);
  /** In the first server. It is not stored: after a restart the bot is a member again. */
  #membership: Membership = 'member';
  /** Settings that people have chosen; they are not stored. */
  readonly #locales = new Map<string, string>();
  readonly #closedToMessages = new Set<string>();
  readonly #channels = new Map<string, WorldChannel>();
  readonly #messages = new Map<string, Map<string, PageMessage>>();
  /** The channels of the messages whose poll may be open, by the message's id. */
  readonly #openPolls = new Map<string, string>();
  readonly #commands = new Map<string, APIApplicationCommand>();
  readonly #webhooks = new Map<string, WorldWebhook>();
  /** The newest entries, oldest first; they are not stored. */
  readonly #audit: AuditEntry[] = [];
  readonly #listeners = new Set<(change: WorldChange) => void>();

  /** @param stored state of an earlier run; without it the world begins with the first channels */
  constructor(stored?: StoredWorld, bot: APIUser = botUser('Bot')) {
    this.bot = bot;
    for (const [id, member] of firstMembers(bot)) this.#first.members.set(id, member);
    for (const channel of stored?.channels ?? firstChannels()) this.#channels.set(channel.id, channel);
    for (const role of stored?.roles.length ? stored.roles : firstRoles(bot)) this.#first.roles.set(role.id, role);
    const messages = stored?.messages.toSorted((a, b) => compareSnowflakes(a.id, b.id)) ?? [];
    for (const message of messages) {
      this.#notePoll(message);
      this.#messagesOf(message.channel_id).set(message.id, message);
      const channel = this.#channels.get(message.channel_id);
      if (channel) channel.last_message_id = message.id;
    }
    for (const channel of this.#channels.values()) this.#tellLastPin(channel);
    for (const member of stored?.members ?? []) this.#first.members.set(member.user.id, member);
    for (const event of stored?.events ?? []) this.#first.events.set(event.id, event);
    for (const webhook of stored?.webhooks ?? []) this.#webhooks.set(webhook.id, webhook);
    for (const command of stored?.commands ?? []) this.#commands.set(command.id, command);
  }

  /** Calls `listener` with each change after it was made. Returns a function that removes it. */
  onChange(listener: (change: WorldChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(change: WorldChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #messagesOf(channelId: string): Map<string, PageMessage> {
    const known = this.#messages.get(channelId);
    if (known) return known;
    const fresh = new Map<string, PageMessage>();
    this.#messages.set(channelId, fresh);
    return fresh;
  }

  /** The server that is stored, and that the page shows. */
  get first(): Guild {
    return this.#first;
  }

  get guild(): APIGuild {
    return this.#first.guild;
  }

  guilds(): Guild[] {
    return [...this.#guilds.values()];
  }

  findGuild(id: string): Guild | undefined {
    return this.#guilds.get(id);
  }

  /** The server of a channel; the first one for direct messages, whose people are all members there. */
  guildAt(channel: WorldChannel): Guild {
    return (isDirect(channel) ? undefined : this.#guilds.get(channel.guild_id ?? '')) ?? this.#first;
  }

  /** The server that has a role. @throws Error where there is no such role */
  guildWith(roleId: string): Guild {
    const found = this.guilds().find(({ roles }) => roles.has(roleId));
    if (!found) throw new Error(`Local Discord has no role ${roleId}.`);
    return found;
  }

  /** Adds a server. It is not stored. */
  addGuild(added: Guild): void {
    this.#guilds.set(added.guild.id, added);
    this.#tell({ type: 'guild-created', guildId: added.guild.id });
  }

  /** Sets the first server's language, which its interactions carry as `guild_locale`. */
  setGuildLocale(locale: string): void {
    this.#first.guild = { ...this.guild, preferred_locale: locale as APIGuild['preferred_locale'] };
    this.#tell({ type: 'guild-edited', guild: this.guild });
  }

  /** The members of the first server: everybody. */
  get members(): ReadonlyMap<string, APIGuildMember> {
    return this.#first.members;
  }

  /** Changes how a member looks in a server, or which roles they have there. */
  editMember(
    id: string,
    change: Partial<Pick<APIGuildMember, 'nick' | 'avatar' | 'banner' | 'roles'>>,
    { guild, members } = this.#first,
  ): APIGuildMember {
    const before = members.get(id);
    if (!before) throw new Error(`Local Discord has no member ${id}.`);
    const member = { ...before, ...change };
    members.set(id, member);
    this.#tell({ type: 'member-edited', guildId: guild.id, member });
    return member;
  }

  get membership(): Membership {
    return this.#membership;
  }

  setMembership(membership: Membership): void {
    this.#membership = membership;
    this.#tell({ type: 'membership-changed', membership });
  }

  get auditLog(): readonly AuditEntry[] {
    return this.#audit;
  }

  recordAudit(entry: AuditEntry): void {
    this.#audit.push(entry);
    if (this.#audit.length > MOST_AUDIT_ENTRIES) this.#audit.shift();
  }

  /** The roles of the first server. */
  get roles(): ReadonlyMap<string, APIRole> {
    return this.#first.roles;
  }

  /** Adds a role below all others of a server: the others move up. */
  addRole(role: APIRole, { guild, roles } = this.#first): APIRole {
    for (const other of roles.values()) {
      if (other.id !== guild.id) this.editRole(other.id, { position: other.position + 1 });
    }
    const added = { ...role, position: 1 };
    roles.set(added.id, added);
    this.#tell({ type: 'role-created', guildId: guild.id, role: added });
    return added;
  }

  /** @throws Error where there is no such role */
  editRole(id: string, change: Partial<APIRole>): APIRole {
    const { guild, roles } = this.guildWith(id);
    const role = { ...(roles.get(id) as APIRole), ...change };
    roles.set(id, role);
    this.#tell({ type: 'role-edited', guildId: guild.id, role });
    return role;
  }

  /** @throws Error where there is no such role */
  deleteRole(id: string): void {
    const at = this.guildWith(id);
    const role = at.roles.get(id) as APIRole;
    at.roles.delete(id);
    for (const [memberId, { roles }] of at.members) {
      if (roles.includes(id)) this.editMember(memberId, { roles: roles.filter((other) => other !== id) }, at);
    }
    this.#tell({ type: 'role-deleted', guildId: at.guild.id, role });
  }

  /** Adds a scheduled event to its server, or replaces it. */
  setEvent(event: PageEvent): void {
    const { guild, events } = this.#guildOf(event);
    const type = events.has(event.id) ? 'event-edited' : 'event-created';
    events.set(event.id, event);
    this.#tell({ type, guildId: guild.id, event });
  }

  deleteEvent(event: PageEvent): void {
    const { guild, events } = this.#guildOf(event);
    if (events.delete(event.id)) this.#tell({ type: 'event-deleted', guildId: guild.id, event });
  }

  /** Sets whether a person is interested in a scheduled event. */
  setInterest(before: PageEvent, personId: string, isInterested: boolean): void {
    if (before.interested.includes(personId) === isInterested) return;
    const { guild, events } = this.#guildOf(before);
    const others = before.interested.filter((id) => id !== personId);
    const event = { ...before, interested: isInterested ? [...others, personId] : others };
    events.set(event.id, event);
    this.#tell({ type: 'event-interest', guildId: guild.id, event, personId, isInterested });
  }

  #guildOf({ guild_id: id }: PageEvent): Guild {
    const found = this.#guilds.get(id);
    if (!found) throw new Error(`Local Discord has no server ${id}.`);
    return found;
  }

  /** The language of the person's app: the server's until they choose one. */
  localeOf(personId: string): string {
    return this.#locales.get(personId) ?? this.guild.preferred_locale;
  }

  setLocale(personId: string, locale: string): void {
    this.#locales.set(personId, locale);
  }

  takesDirectMessages(personId: string): boolean {
    return !this.#closedToMessages.has(personId);
  }

  setDirectMessages(personId: string, open: boolean): void {
    if (open) this.#closedToMessages.delete(personId);
    else this.#closedToMessages.add(personId);
  }

  /** All channels, including those between the bot and one person. */
  channels(): WorldChannel[] {
    return [...this.#channels.values()];
  }

  /** The channels of a server; without one, of all servers. */
  guildChannels(guildId?: string): GuildChannel[] {
    return this.channels()
      .filter((channel) => !isDirect(channel))
      .filter((channel) => guildId === undefined || channel.guild_id === guildId);
  }

  /** The id of a channel's server, as events carry it; empty for direct messages. */
  guildOf(channelId: string): { guild_id?: string } {
    const channel = this.#channels.get(channelId);
    return channel && isDirect(channel) ? {} : { guild_id: channel ? this.guildAt(channel).guild.id : this.guild.id };
  }

  /** Finds the channel between the bot and a person, if one was opened. */
  findDirectChannel(personId: string): APIDMChannel | undefined {
    return this.channels()
      .filter(isDirect)
      .find(({ recipients }) => recipients?.some(({ id }) => id === personId));
  }

  findChannel(id: string): WorldChannel | undefined {
    return this.#channels.get(id);
  }

  /** @throws DiscordError 10003 */
  channel(id: string): WorldChannel {
    const channel = this.#channels.get(id);
    if (!channel) throw new DiscordError('unknownChannel');
    return channel;
  }

  addChannel(channel: WorldChannel): void {
    this.#channels.set(channel.id, channel);
    this.#tell({ type: 'channel-created', channel });
  }

  setChannel(channel: WorldChannel): void {
    this.#channels.set(channel.id, channel);
    this.#tell({ type: 'channel-edited', channel });
  }

  /** Deletes a channel with its threads, every message in them, and what it follows. */
  deleteChannel(id: string): void {
    const channel = this.channel(id);
    const threads = this.channels().filter((other) => isThread(other) && other.parent_id === id);
    for (const thread of threads) this.deleteChannel(thread.id);
    for (const webhook of this.webhooks(id)) this.deleteWebhook(webhook);
    const messageIds = this.messages(id).map((message) => message.id);
    this.#channels.delete(id);
    this.#messages.delete(id);
    this.#tell({ type: 'channel-deleted', channel, messageIds });
  }

  /** The channel's messages, oldest first, including answers that only one person sees. */
  messages(channelId: string): PageMessage[] {
    return [...(this.#messages.get(channelId)?.values() ?? [])];
  }

  findMessage(channelId: string, messageId: string): PageMessage | undefined {
    return this.#messages.get(channelId)?.get(messageId);
  }

  /** @throws DiscordError 10008, also for an answer that only one person sees */
  message(channelId: string, messageId: string): PageMessage {
    const message = this.findMessage(channelId, messageId);
    if (!message || message.visible_to !== null) throw new DiscordError('unknownMessage');
    return message;
  }

  addMessage(message: PageMessage): void {
    this.#notePoll(message);
    this.#messagesOf(message.channel_id).set(message.id, message);
    const channel = this.#channels.get(message.channel_id);
    if (channel && message.visible_to === null) {
      channel.last_message_id = message.id;
      if (isThread(channel)) countMessage(channel, message);
    }
    this.#tell({ type: 'message-created', message });
  }

  setMessage(message: PageMessage): void {
    this.#notePoll(message);
    this.#messagesOf(message.channel_id).set(message.id, message);
    this.#tell({ type: 'message-edited', message });
  }

  deleteMessage(message: PageMessage): void {
    if (this.#messages.get(message.channel_id)?.delete(message.id)) this.#tell({ type: 'message-deleted', message });
  }

  /** Deletes those of the messages that the channel has. */
  deleteMessages(channel: WorldChannel, messageIds: readonly string[]): void {
    const gone = messageIds.filter((id) => this.#messages.get(channel.id)?.delete(id));
    if (gone.length > 0) this.#tell({ type: 'messages-deleted', channel, messageIds: gone });
  }

  /** @throws DiscordError 30010 beyond twenty emojis */
  react(message: PageMessage, change: ReactionChange): void {
    const changed = withReaction(message, change);
    if (changed === message) return;
    this.#messagesOf(message.channel_id).set(message.id, changed);
    this.#tell({ type: 'reactions-changed', message: changed, change });
  }

  /** Gives or takes back a vote in the poll of a message, as it is by then. */
  vote({ channel_id, id }: PollMessage, vote: Vote): void {
    const message = this.message(channel_id, id);
    if (!hasPoll(message)) return;
    const changed = withVote(message, vote);
    this.#messagesOf(channel_id).set(id, changed);
    this.#tell({ type: 'voted', message: changed, vote });
  }

  /** The messages whose poll has not ended. */
  openPolls(): PollMessage[] {
    return [...this.#openPolls].flatMap(([id, channelId]) => {
      const message = this.findMessage(channelId, id);
      if (message && hasPoll(message)) return [message];
      // It was deleted meanwhile, or its channel.
      this.#openPolls.delete(id);
      return [];
    });
  }

  #notePoll(message: PageMessage): void {
    if (hasPoll(message) && !message.poll.results?.is_finalized) this.#openPolls.set(message.id, message.channel_id);
    else this.#openPolls.delete(message.id);
  }

  type(channel: WorldChannel, personId: string, atMs: number): void {
    this.#tell({ type: 'typing', channel, personId, atMs });
  }

  /** The channel's pinned messages, the one that was pinned last first. */
  pins(channelId: string): PinnedMessage[] {
    const pinned = this.messages(channelId).filter((message): message is PinnedMessage => message.pinned);
    return pinned.toSorted((a, b) => (a.pinned_at < b.pinned_at ? 1 : -1));
  }

  /** Pins a message at a time, or unpins it (null). */
  setPinned(message: PageMessage, at: string | null): void {
    const { pinned_at: _, ...rest } = message;
    const channel = this.channel(message.channel_id);
    this.setMessage(at === null ? { ...rest, pinned: false } : { ...rest, pinned: true, pinned_at: at });
    this.#tellLastPin(channel);
    this.#tell({ type: 'pins-changed', channel });
  }

  /** Has a channel say when it got its newest pin. */
  #tellLastPin(channel: WorldChannel): void {
    if (channel.type !== CHANNEL.forum) channel.last_pin_timestamp = this.pins(channel.id)[0]?.pinned_at ?? null;
  }

  /** The webhooks of a channel, the oldest first. */
  webhooks(channelId: string): WorldWebhook[] {
    return [...this.#webhooks.values()].filter((webhook) => webhook.channel_id === channelId);
  }

  /** The webhooks that bring what a channel publishes. */
  followers(channelId: string): FollowerWebhook[] {
    const isOf = (one: WorldWebhook): one is FollowerWebhook =>
      'source_channel' in one && one.source_channel?.id === channelId;
    return [...this.#webhooks.values()].filter(isOf);
  }

  findWebhook(id: string): WorldWebhook | undefined {
    return this.#webhooks.get(id);
  }

  /** Adds a webhook to its channel, or replaces it. */
  setWebhook(webhook: WorldWebhook): void {
    const type = this.#webhooks.has(webhook.id) ? 'webhook-edited' : 'webhook-created';
    this.#webhooks.set(webhook.id, webhook);
    this.#tell({ type, guildId: webhook.guild_id, webhook });
  }

  deleteWebhook(webhook: WorldWebhook): void {
    if (!this.#webhooks.delete(webhook.id)) return;
    this.#tell({ type: 'webhook-deleted', guildId: webhook.guild_id, webhook });
  }

  /** The commands of the guild, or without one the global commands. */
  commands(guildId?: string): APIApplicationCommand[] {
    return [...this.#commands.values()].filter((command) => command.guild_id === guildId);
  }

  /** The ids of every channel, message, scheduled event, webhook and command. */
  *ids(): Iterable<string> {
    yield* this.#channels.keys();
    for (const messages of this.#messages.values()) yield* messages.keys();
    for (const { events } of this.#guilds.values()) yield* events.keys();
    yield* this.#webhooks.keys();
    for (const command of this.#commands.values()) yield* [command.id, command.version];
  }

  /** Global and guild commands together, as people see them. */
  allCommands(): APIApplicationCommand[] {
    return [...this.#commands.values()];
  }

  setCommand(command: APIApplicationCommand): void {
    this.#commands.set(command.id, command);
    this.#tell({ type: 'command-set', command });
  }

  deleteCommand(command: APIApplicationCommand): void {
    this.#commands.delete(command.id);
    this.#tell({ type: 'command-deleted', command });
  }
}

function countMessage(thread: APIThreadChannel, message: PageMessage): void {
  thread.total_message_sent = (thread.total_message_sent ?? 0) + 1;
  // The message that starts a forum post is not counted.
  if (message.id !== thread.id) thread.message_count = (thread.message_count ?? 0) + 1;
}

/** Whether the message outlives a restart: more than one person sees it, and it has its final content. */
export function isLasting(message: PageMessage): boolean {
  return message.visible_to === null && ((message.flags ?? 0) & MESSAGE_FLAG.loading) === 0;
}

/** Returns the channel between the bot and the person, and creates it if it does not exist. */
export function openDirectChannel(world: World, snowflakes: Snowflakes, person: APIUser): APIDMChannel {
  const known = world.findDirectChannel(person.id);
  if (known) return known;
  const channel: APIDMChannel = {
    id: snowflakes.next(),
    type: CHANNEL.direct,
    name: null,
    flags: NO_FLAGS,
    last_message_id: null,
    recipients: [person],
  };
  world.addChannel(channel);
  return channel;
}
