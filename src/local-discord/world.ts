import type {
  APIApplicationCommand,
  APIGuildForumChannel,
  APIGuildMember,
  APINewsChannel,
  APIRole,
  APITextChannel,
  APIThreadChannel,
} from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import { CHANNEL, MESSAGE_FLAG } from './numbers.ts';
import type { PageMessage } from './page-api.ts';
import { firstChannels, GUILD, MEMBERS, ROLES } from './seed.ts';
import { compareSnowflakes } from './snowflake.ts';

export type WorldChannel = APITextChannel | APINewsChannel | APIGuildForumChannel | APIThreadChannel;

/** What happened, told to everyone who keeps, sends or shows it. */
export type WorldChange =
  | { type: 'message-created'; message: PageMessage }
  | { type: 'message-edited'; message: PageMessage }
  | { type: 'message-deleted'; message: PageMessage }
  | { type: 'channel-created'; channel: WorldChannel }
  | { type: 'channel-edited'; channel: WorldChannel }
  | { type: 'channel-deleted'; channel: WorldChannel; messageIds: string[] }
  | { type: 'command-set'; command: APIApplicationCommand }
  | { type: 'command-deleted'; command: APIApplicationCommand };

export interface StoredWorld {
  channels: WorldChannel[];
  messages: PageMessage[];
  commands: APIApplicationCommand[];
}

export function isThread(channel: WorldChannel): channel is APIThreadChannel {
  return channel.type === CHANNEL.publicThread || channel.type === CHANNEL.announcementThread;
}

/** The one server, its channels, messages and registered commands, in memory. Knows no network and no file. */
export class World {
  readonly guild = GUILD;
  readonly roles: ReadonlyMap<string, APIRole> = new Map(ROLES.map((role) => [role.id, role]));
  readonly members: ReadonlyMap<string, APIGuildMember> = new Map(MEMBERS);
  readonly #channels = new Map<string, WorldChannel>();
  readonly #messages = new Map<string, Map<string, PageMessage>>();
  readonly #commands = new Map<string, APIApplicationCommand>();
  readonly #listeners = new Set<(change: WorldChange) => void>();

  /** `stored` is what an earlier run left; without it the world begins with the first channels. */
  constructor(stored?: StoredWorld) {
    for (const channel of stored?.channels ?? firstChannels()) this.#channels.set(channel.id, channel);
    const messages = stored?.messages.toSorted((a, b) => compareSnowflakes(a.id, b.id)) ?? [];
    for (const message of messages) {
      this.#messagesOf(message.channel_id).set(message.id, message);
      const channel = this.#channels.get(message.channel_id);
      if (channel) channel.last_message_id = message.id;
    }
    for (const command of stored?.commands ?? []) this.#commands.set(command.id, command);
  }

  /** Calls `listener` with each change, after it was made. Returns what ends that. */
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

  channels(): WorldChannel[] {
    return [...this.#channels.values()];
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

  /** With its threads and every message in them. */
  deleteChannel(id: string): void {
    const channel = this.channel(id);
    const threads = this.channels().filter((other) => isThread(other) && other.parent_id === id);
    for (const thread of threads) this.deleteChannel(thread.id);
    const messageIds = this.messages(id).map((message) => message.id);
    this.#channels.delete(id);
    this.#messages.delete(id);
    this.#tell({ type: 'channel-deleted', channel, messageIds });
  }

  /** Oldest first, answers that only one person sees included. */
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
    this.#messagesOf(message.channel_id).set(message.id, message);
    const channel = this.#channels.get(message.channel_id);
    if (channel && message.visible_to === null) {
      channel.last_message_id = message.id;
      if (isThread(channel)) countMessage(channel, message);
    }
    this.#tell({ type: 'message-created', message });
  }

  setMessage(message: PageMessage): void {
    this.#messagesOf(message.channel_id).set(message.id, message);
    this.#tell({ type: 'message-edited', message });
  }

  deleteMessage(message: PageMessage): void {
    if (this.#messages.get(message.channel_id)?.delete(message.id)) this.#tell({ type: 'message-deleted', message });
  }

  /** Of the guild, or without one the global ones. */
  commands(guildId?: string): APIApplicationCommand[] {
    return [...this.#commands.values()].filter((command) => command.guild_id === guildId);
  }

  /** Of every channel, message and command. */
  *ids(): Iterable<string> {
    yield* this.#channels.keys();
    for (const messages of this.#messages.values()) yield* messages.keys();
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
  // The message a forum post starts with is not counted.
  if (message.id !== thread.id) thread.message_count = (thread.message_count ?? 0) + 1;
}

/** Whether others than one person see the message and it has its final content, so that it outlives a restart. */
export function isLasting(message: PageMessage): boolean {
  return message.visible_to === null && ((message.flags ?? 0) & MESSAGE_FLAG.loading) === 0;
}
