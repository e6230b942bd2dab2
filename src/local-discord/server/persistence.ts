import type { APIApplicationCommand, APIGuildMember, APIRole } from 'discord-api-types/v10';
import { createLog } from '../../shared/log.ts';
import { openBackend } from '../../shared/storage/backend.ts';
import type { Kind } from '../../shared/storage/kind.ts';
import { type Changes, State } from '../../shared/storage/state.ts';
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

const kindOf = <T>(name: string): Kind<T> => ({ name, read: (row) => (row as T | null) ?? undefined });
const CHANNEL = kindOf<WorldChannel>('channel');
const MESSAGE = kindOf<PageMessage>('message');
const COMMAND = kindOf<APIApplicationCommand>('command');
const ROLE = kindOf<APIRole>('role');
const MEMBER = kindOf<APIGuildMember>('member');
const FILE = kindOf<StoredFile>('file');

/** Stores the server in the state file, one row per channel, role, message, command and attached file. */
export function createPersistence(stateUrl: string): Persistence {
  const backend = openBackend(stateUrl);
  const state = new State(backend, { log: createLog('silent') });

  const writes = new PendingWrites();
  /** Files on their way to the state: clients fetch one as soon as they are told of it. */
  const unwritten = new Map<string, StoredFile>();
  const commit = (row: string, decide: (changes: Changes) => void) => writes.add(row, () => state.commit(decide));
  function set<T>(kind: Kind<T>, key: string, value: T): void {
    commit(`${kind.name} ${key}`, (changes) => changes.set(kind, key, value));
  }
  function remove(kind: { name: string }, key: string): void {
    commit(`${kind.name} ${key}`, (changes) => changes.delete(kind, key));
  }

  return {
    async load() {
      const stored: StoredWorld = { channels: [], messages: [], commands: [], roles: [], members: [] };
      for await (const [, channel] of state.entries(CHANNEL)) stored.channels.push(channel);
      for await (const [, message] of state.entries(MESSAGE)) stored.messages.push(message);
      for await (const [, command] of state.entries(COMMAND)) stored.commands.push(command);
      for await (const [, role] of state.entries(ROLE)) stored.roles.push(role);
      for await (const [, member] of state.entries(MEMBER)) stored.members.push(member);
      return stored.channels.length > 0 ? stored : undefined;
    },
    record: (change) => record(change, { set, remove, commit }),
    recordFirst(allChannels, allRoles) {
      const roles = [...allRoles];
      commit('first channels and roles', (changes) => {
        for (const channel of allChannels) changes.set(CHANNEL, channel.id, channel);
        for (const role of roles) changes.set(ROLE, role.id, role);
      });
    },
    save(attachmentId, file) {
      unwritten.set(attachmentId, file);
      writes.add(`file ${attachmentId}`, async () => {
        await state.commit((changes) => changes.set(FILE, attachmentId, file));
        unwritten.delete(attachmentId);
      });
    },
    find: async (attachmentId) => unwritten.get(attachmentId) ?? state.get(FILE, attachmentId),
    settled: () => writes.settled(),
    async close() {
      await writes.settled().catch(() => undefined);
      await backend.close();
    },
  };
}

/** Starts to write rows. */
interface Rows {
  set: <T>(kind: Kind<T>, key: string, record: T) => void;
  remove: (kind: { name: string }, key: string) => void;
  /** @param row what the changes are about: they replace those that are not written yet */
  commit: (row: string, decide: (changes: Changes) => void) => void;
}

/** Starts to write a change of the server. */
function record(change: WorldChange, { set, remove, commit }: Rows): void {
  switch (change.type) {
    case 'message-created':
    case 'message-edited': {
      // An edit makes a new message, so this one does not change before it is written.
      const { message } = change;
      if (isLasting(message)) set(MESSAGE, message.id, message);
      return;
    }
    case 'message-deleted':
      remove(MESSAGE, change.message.id);
      return;
    case 'channel-created':
    case 'channel-edited': {
      // The copy is taken now, because a later change of the object is recorded separately.
      const channel = structuredClone(change.channel);
      set(CHANNEL, channel.id, channel);
      return;
    }
    case 'channel-deleted':
      commit(`channel ${change.channel.id}`, (changes) => {
        changes.delete(CHANNEL, change.channel.id);
        for (const id of change.messageIds) changes.delete(MESSAGE, id);
      });
      return;
    case 'member-edited':
      set(MEMBER, change.member.user.id, change.member);
      return;
    case 'role-created':
      set(ROLE, change.role.id, change.role);
      return;
    case 'role-deleted':
      remove(ROLE, change.role.id);
      return;
    case 'guild-edited':
    case 'membership-changed':
      return;
    case 'command-set':
      set(COMMAND, change.command.id, change.command);
      return;
    case 'command-deleted':
      remove(COMMAND, change.command.id);
      return;
  }
}
