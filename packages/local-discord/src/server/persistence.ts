import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { APIApplicationCommand, APIGuildMember, APIRole } from 'discord-api-types/v10';
import { Database } from 'sqlite3';
import type { AttachmentStore, StoredFile } from './attachments.ts';
import type { PageEvent, PageMessage } from './page-api.ts';
import type { WorldChannel, WorldWebhook } from './seed.ts';
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
  readonly #writes = new Map<string, () => Promise<unknown>>();
  #settling: Promise<void> = Promise.resolve();

  add(row: string, write: () => Promise<unknown>): void {
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

/** The value of each kind's rows. A row's key is `kind:id`. */
interface Stored {
  channel: WorldChannel;
  message: PageMessage;
  command: APIApplicationCommand;
  role: APIRole;
  member: APIGuildMember;
  event: PageEvent;
  webhook: WorldWebhook;
  file: StoredFile;
}
type Kind = keyof Stored;

/** The file can't be read or written. */
class StorageError extends Error {}

/** The longest wait for another process that has the file locked, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Stores the server in the file, one row per channel, role, message, scheduled event, webhook, command and file.
 * @param stateUrl `sqlite://` and the file's path; the file and its folder are created where they don't exist
 */
export function createPersistence(stateUrl: string): Persistence {
  const path = stateUrl.replace(/^sqlite:\/\//, '');
  const file = openFile(path);
  const writes = new PendingWrites();
  /** Files on their way to the state: clients fetch one as soon as they are told of it. */
  const unwritten = new Map<string, StoredFile>();
  const write = (row: string, run: () => Promise<unknown>) => writes.add(row, () => named('write', path, run));
  const rows: Rows = {
    set: (kind, id, value) => write(`${kind}:${id}`, () => file.set([[`${kind}:${id}`, value]])),
    remove: (keys) => write(keys[0] ?? '', () => file.remove(keys)),
  };

  /** The rows but for files, which are read when they are asked for. */
  async function rowsByKind(): Promise<Map<string, unknown[]>> {
    const byKind = new Map<string, unknown[]>();
    for (const { key, value } of await file.read("key NOT LIKE 'file:%'")) {
      const kind = key.split(':', 1)[0] ?? '';
      const ofKind = byKind.get(kind) ?? [];
      ofKind.push(value);
      byKind.set(kind, ofKind);
    }
    return byKind;
  }

  return {
    async load() {
      const byKind = await named('read', path, rowsByKind);
      const of = <K extends Kind>(kind: K) => (byKind.get(kind) ?? []) as Stored[K][];
      const channels = of('channel');
      if (channels.length === 0) return undefined;
      return {
        channels,
        messages: of('message'),
        commands: of('command'),
        roles: of('role'),
        members: of('member'),
        events: of('event'),
        webhooks: of('webhook'),
      };
    },
    record: (change) => record(change, rows),
    recordFirst(channels, allRoles) {
      const ofChannels = channels.map((channel) => [`channel:${channel.id}`, structuredClone(channel)] as const);
      const ofRoles = [...allRoles].map((role) => [`role:${role.id}`, structuredClone(role)] as const);
      // A file that has any channel has them all.
      write('first channels and roles', () => file.set([...ofChannels, ...ofRoles]));
    },
    save(attachmentId, attached) {
      unwritten.set(attachmentId, attached);
      write(`file:${attachmentId}`, async () => {
        await file.set([[`file:${attachmentId}`, attached]]);
        unwritten.delete(attachmentId);
      });
    },
    async find(attachmentId) {
      const [found] = unwritten.has(attachmentId)
        ? [{ value: unwritten.get(attachmentId) }]
        : await named('read', path, () => file.read('key = ?', `file:${attachmentId}`));
      return found?.value as StoredFile | undefined;
    },
    settled: () => writes.settled(),
    async close() {
      await writes.settled().catch(() => undefined);
      // Where the file could not be opened there is nothing to close.
      await file.close().catch(() => undefined);
    },
  };
}

/** A table of JSON values by their keys, in a SQLite file that is made where there is none. The first call opens it. */
function openFile(path: string) {
  let opening: Promise<Database> | undefined;
  async function open(): Promise<Database> {
    mkdirSync(dirname(path), { recursive: true });
    const opened = await new Promise<Database>((resolve, reject) => {
      const database = new Database(path, (error) => (error ? reject(error) : resolve(database)));
    });
    opened.configure('busyTimeout', BUSY_TIMEOUT_MS);
    // A killed process leaves a whole file; only a power cut may lose the last writes.
    await promisify(opened.exec.bind(opened))(
      'PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE IF NOT EXISTS rows (key TEXT PRIMARY KEY, value TEXT)',
    );
    return opened;
  }
  async function query(sql: string, parameter?: string): Promise<unknown[]> {
    opening ??= open();
    const database = await opening;
    return new Promise((resolve, reject) => {
      database.all(sql, parameter === undefined ? [] : [parameter], (error, found) =>
        error ? reject(error) : resolve(found),
      );
    });
  }
  return {
    async read(where: string, parameter?: string): Promise<{ key: string; value: unknown }[]> {
      const found = await query(`SELECT key, value FROM rows WHERE ${where} ORDER BY key`, parameter);
      return (found as { key: string; value: string }[]).map(({ key, value }) => ({ key, value: JSON.parse(value) }));
    },
    /** Writes all of them or none. */
    set: (rows: readonly (readonly [string, unknown])[]) =>
      query('INSERT OR REPLACE INTO rows SELECT value ->> 0, value -> 1 FROM json_each(?)', JSON.stringify(rows)),
    /** Deletes all of them or none. */
    remove: (keys: readonly string[]) =>
      query('DELETE FROM rows WHERE key IN (SELECT value FROM json_each(?))', JSON.stringify(keys)),
    async close(): Promise<void> {
      const database = await opening;
      if (database) await promisify(database.close.bind(database))();
    },
  };
}

/** Names the file where something fails. */
async function named<R>(doing: 'read' | 'write', path: string, run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (cause) {
    throw new StorageError(`Could not ${doing} ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Starts to write rows. */
interface Rows {
  set: <K extends Kind>(kind: K, id: string, value: Stored[K]) => void;
  /** Deletes rows, all at once. */
  remove: (keys: readonly `${Kind}:${string}`[]) => void;
}

/** Starts to write a change of the server. */
function record(change: WorldChange, { set, remove }: Rows): void {
  switch (change.type) {
    case 'message-created':
    case 'message-edited':
    case 'reactions-changed':
    case 'voted': {
      // An edit makes a new message, so this one does not change before it is written.
      const { message } = change;
      if (isLasting(message)) set('message', message.id, message);
      return;
    }
    case 'message-deleted':
      remove([`message:${change.message.id}`]);
      return;
    case 'messages-deleted':
      remove(change.messageIds.map((id) => `message:${id}` as const));
      return;
    case 'channel-created':
    case 'channel-edited': {
      // The copy is taken now, because a later change of the object is recorded separately.
      const channel = structuredClone(change.channel);
      set('channel', channel.id, channel);
      return;
    }
    case 'channel-deleted':
      // The channel with all of its messages.
      remove([`channel:${change.channel.id}`, ...change.messageIds.map((id) => `message:${id}` as const)]);
      return;
    case 'member-edited':
      set('member', change.member.user.id, change.member);
      return;
    case 'role-created':
    case 'role-edited':
      set('role', change.role.id, change.role);
      return;
    case 'role-deleted':
      remove([`role:${change.role.id}`]);
      return;
    case 'event-created':
    case 'event-edited':
    case 'event-interest':
      set('event', change.event.id, change.event);
      return;
    case 'event-deleted':
      remove([`event:${change.event.id}`]);
      return;
    case 'webhook-created':
    case 'webhook-edited':
      set('webhook', change.webhook.id, change.webhook);
      return;
    case 'webhook-deleted':
      remove([`webhook:${change.webhook.id}`]);
      return;
    case 'pins-changed':
    case 'typing':
    case 'guild-created':
    case 'guild-edited':
    case 'membership-changed':
      return;
    case 'command-set':
      set('command', change.command.id, change.command);
      return;
    case 'command-deleted':
      remove([`command:${change.command.id}`]);
      return;
  }
}
