import type { APIApplicationCommand, APIRole } from 'discord-api-types/v10';
import PQueue from 'p-queue';
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
  /** Resolves when everything recorded so far is in the file; rejects when it could not be written. */
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

  // One write after the other, so that the last change of a row is the one that stays. After a failed write memory
  // and file differ: every later request fails too, until a restart begins from the file again.
  const writes = new PQueue({ concurrency: 1 });
  let failure: unknown = null;
  const write = (work: () => Promise<void>) => {
    void writes.add(async () => {
      if (failure === null) await work().catch((error: unknown) => (failure = error));
    });
  };
  // Behind what has been recorded so far, not behind what comes meanwhile.
  const settled = () =>
    writes.add(() => {
      if (failure !== null) throw failure;
    });

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
          if (isLasting(message)) write(() => messages.set(message.id, message));
          return;
        }
        case 'message-deleted':
          return write(() => messages.delete(change.message.id));
        case 'channel-created':
        case 'channel-edited': {
          // Taken now: a later change of the object is recorded by itself.
          const channel = structuredClone(change.channel);
          return write(() => channels.set(channel.id, channel));
        }
        case 'channel-deleted':
          return write(async () => {
            await channels.delete(change.channel.id);
            await messages.deleteMany(change.messageIds);
          });
        case 'role-created':
          return write(() => roles.set(change.role.id, change.role));
        case 'role-deleted':
          return write(() => roles.delete(change.role.id));
        case 'guild-edited':
        case 'membership-changed':
          return;
        case 'command-set':
          return write(() => commands.set(change.command.id, change.command));
        case 'command-deleted':
          return write(() => commands.delete(change.command.id));
      }
    },
    recordFirst(allChannels, allRoles) {
      write(() => channels.setMany(allChannels.map((channel) => [channel.id, channel])));
      write(() => roles.setMany([...allRoles].map((role) => [role.id, role])));
    },
    save: (attachmentId, file) => write(() => files.set(attachmentId, file)),
    find: (attachmentId) => files.get(attachmentId),
    settled,
    async close() {
      await writes.onIdle();
      await backend.close();
    },
  };
}
