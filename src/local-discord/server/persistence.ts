import type { APIApplicationCommand, APIRole } from 'discord-api-types/v10';
import { openBackend } from '../../shared/storage/backend.ts';
import type { AttachmentStore, StoredFile } from './attachments.ts';
import type { WorldChannel } from './channel.ts';
import type { PageMessage } from './page-api.ts';
import { isLasting, type StoredWorld, type WorldChange } from './world.ts';

export interface Persistence extends AttachmentStore {
  /** What an earlier run left; undefined when the file is new. */
  load(): Promise<StoredWorld | undefined>;
  /** Begins to write what changed. */
  record(change: WorldChange): void;
  /** Begins to write what was there before any change was told. */
  recordFirst(channels: readonly WorldChannel[], roles: Iterable<APIRole>): void;
  /** Resolves when everything recorded so far is in the file; rejects when it could not be written: the next call tries again. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Keeps the server in the state file, one row per channel, role, message, command and attached file. */
export function createPersistence(stateUrl: string): Persistence {
  const backend = openBackend(stateUrl);
  const channels = backend.table<WorldChannel>('discord_channels');
  const messages = backend.table<PageMessage>('discord_messages');
  const commands = backend.table<APIApplicationCommand>('discord_commands');
  const roles = backend.table<APIRole>('discord_roles');
  const files = backend.table<StoredFile>('discord_files');

  /** Writes that are not in the file yet, oldest first: of each row the last one. One that fails stays, and is tried again. */
  const pending = new Map<string, () => Promise<void>>();
  let settling: Promise<void> = Promise.resolve();

  async function writePending(): Promise<void> {
    for (const [row, work] of pending) {
      await work();
      // It may have changed once more meanwhile.
      if (pending.get(row) === work) pending.delete(row);
    }
  }

  function settled(): Promise<void> {
    settling = settling.catch(() => undefined).then(writePending);
    return settling;
  }

  function write(row: string, work: () => Promise<void>): void {
    // At the end: what was begun for other rows before may be undone by this, as by a channel that is deleted.
    pending.delete(row);
    pending.set(row, work);
    // The next who waits for `settled` gets the failure.
    settled().catch(() => undefined);
  }

  return {
    async load() {
      const stored: StoredWorld = { channels: [], messages: [], commands: [], roles: [] };
      for await (const [, channel] of channels.entries()) stored.channels.push(channel);
      for await (const [, message] of messages.entries()) stored.messages.push(message);
      for await (const [, command] of commands.entries()) stored.commands.push(command);
      for await (const [, role] of roles.entries()) stored.roles.push(role);
      return stored.channels.length > 0 ? stored : undefined;
    },
    record(change) {
      switch (change.type) {
        case 'message-created':
        case 'message-edited': {
          // An edit makes a new message, so this one stays as it is until it is written.
          const { message } = change;
          if (isLasting(message)) write(`message ${message.id}`, () => messages.set(message.id, message));
          return;
        }
        case 'message-deleted':
          return write(`message ${change.message.id}`, () => messages.delete(change.message.id));
        case 'channel-created':
        case 'channel-edited': {
          // Taken now: a later change of the object is recorded by itself.
          const channel = structuredClone(change.channel);
          return write(`channel ${channel.id}`, () => channels.set(channel.id, channel));
        }
        case 'channel-deleted':
          return write(`channel ${change.channel.id}`, async () => {
            await channels.delete(change.channel.id);
            await messages.deleteMany(change.messageIds);
          });
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
    save: (attachmentId, file) => write(`file ${attachmentId}`, () => files.set(attachmentId, file)),
    find: (attachmentId) => files.get(attachmentId),
    settled,
    async close() {
      await settled().catch(() => undefined);
      await backend.close();
    },
  };
}
