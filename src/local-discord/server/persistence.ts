import type { APIApplicationCommand, APIGuildMember, APIRole } from 'discord-api-types/v10';
import { openBackend } from '../../shared/storage/backend.ts';
import type { AttachmentStore, StoredFile } from './attachments.ts';
import type { PageMessage } from './page-api.ts';
import type { WorldChannel } from './seed.ts';
import { isLasting, type StoredWorld, type WorldChange } from './world.ts';

export interface Persistence extends AttachmentStore {
  /** Loads the state of an earlier run; undefined when the file is new. */
  load(): Promise<StoredWorld | undefined>;
  /** Starts to write a change. */
  record(change: WorldChange): void;
  /** Starts to write the channels and roles that exist before any change. */
  recordFirst(channels: readonly WorldChannel[], roles: Iterable<APIRole>): void;
  /**
   * Resolves when everything recorded so far is in the file. Rejects when a write failed; the next call tries it again.
   */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes that are not in the file yet, oldest first: the last one of each row. A write that fails stays, and is tried
 * again.
 */
class PendingWrites {
  readonly #writes = new Map<string, () => Promise<void>>();
  #settling: Promise<void> = Promise.resolve();

  add(row: string, write: () => Promise<void>): void {
    // The write goes to the end, since it may undo earlier writes to other rows, as the deletion of a channel does.
    this.#writes.delete(row);
    this.#writes.set(row, write);
    // The next caller of `settled` gets the failure.
    this.settled().catch(() => undefined);
  }

  settled(): Promise<void> {
    this.#settling = this.#settling.catch(() => undefined).then(() => this.#writeAll());
    return this.#settling;
  }

  async #writeAll(): Promise<void> {
    for (const [row, write] of this.#writes) {
      await write();
      // The row may have changed again during the write.
      if (this.#writes.get(row) === write) this.#writes.delete(row);
    }
  }
}

/** Stores the server in the state file, one row per channel, role, message, command and attached file. */
export function createPersistence(stateUrl: string): Persistence {
  const backend = openBackend(stateUrl);
  const channels = backend.table<WorldChannel>('discord_channels');
  const messages = backend.table<PageMessage>('discord_messages');
  const commands = backend.table<APIApplicationCommand>('discord_commands');
  const roles = backend.table<APIRole>('discord_roles');
  const members = backend.table<APIGuildMember>('discord_members');
  const files = backend.table<StoredFile>('discord_files');

  const writes = new PendingWrites();
  /** Files on their way to the state: clients fetch one as soon as they are told of it. */
  const unwritten = new Map<string, StoredFile>();
  const write = (row: string, work: () => Promise<void>) => writes.add(row, work);

  return {
    async load() {
      const stored: StoredWorld = { channels: [], messages: [], commands: [], roles: [], members: [] };
      for await (const [, channel] of channels.entries()) stored.channels.push(channel);
      for await (const [, message] of messages.entries()) stored.messages.push(message);
      for await (const [, command] of commands.entries()) stored.commands.push(command);
      for await (const [, role] of roles.entries()) stored.roles.push(role);
      for await (const [, member] of members.entries()) stored.members.push(member);
      return stored.channels.length > 0 ? stored : undefined;
    },
    record(change) {
      switch (change.type) {
        case 'message-created':
        case 'message-edited': {
          // An edit makes a new message, so this one does not change before it is written.
          const { message } = change;
          if (isLasting(message)) write(`message ${message.id}`, () => messages.set(message.id, message));
          return;
        }
        case 'message-deleted':
          return write(`message ${change.message.id}`, () => messages.delete(change.message.id));
        case 'channel-created':
        case 'channel-edited': {
          // The copy is taken now, because a later change of the object is recorded separately.
          const channel = structuredClone(change.channel);
          return write(`channel ${channel.id}`, () => channels.set(channel.id, channel));
        }
        case 'channel-deleted':
          return write(`channel ${change.channel.id}`, async () => {
            await channels.delete(change.channel.id);
            await messages.deleteMany(change.messageIds);
          });
        case 'member-edited':
          return write(`member ${change.member.user.id}`, () => members.set(change.member.user.id, change.member));
        case 'role-created':
          return write(`role ${change.role.id}`, () => roles.set(change.role.id, change.role));
        case 'role-deleted':
          return write(`role ${change.role.id}`, () => roles.delete(change.role.id));
        case 'guild-edited':
        case 'membership-changed':
          return;
        case 'command-set':
          return write(`command ${change.command.id}`, () => commands.set(change.command.id, change.command));
        case 'command-deleted':
          return write(`command ${change.command.id}`, () => commands.delete(change.command.id));
      }
    },
    recordFirst(allChannels, allRoles) {
      write('first channels', () => channels.setMany(allChannels.map((channel) => [channel.id, channel])));
      write('first roles', () => roles.setMany([...allRoles].map((role) => [role.id, role])));
    },
    save(attachmentId, file) {
      unwritten.set(attachmentId, file);
      write(`file ${attachmentId}`, async () => {
        await files.set(attachmentId, file);
        unwritten.delete(attachmentId);
      });
    },
    find: async (attachmentId) => unwritten.get(attachmentId) ?? files.get(attachmentId),
    settled: () => writes.settled(),
    async close() {
      await writes.settled().catch(() => undefined);
      await backend.close();
    },
  };
}
