import type { Backend } from '../../shared/storage/backend.ts';
import { rowReader, sweep } from './rows.ts';

/** A file that a person wants to import in a server, and has not applied yet. */
export interface PreparedImport {
  version: 1;
  id: string;
  /** The file as it was sent. */
  text: string;
  preparedAtMs: number;
}

/** The last prepared import of each server. */
export interface ImportStore {
  /** The server's, if it is the one with this id. */
  find(guildId: string, id: string): Promise<PreparedImport | undefined>;
  /** Replaces what was prepared in the server before. */
  save(guildId: string, prepared: PreparedImport): Promise<void>;
  remove(guildId: string): Promise<void>;
  /** Forgets what nobody has applied for a week. */
  sweep(nowMs: number): Promise<void>;
}

/** How long a prepared import can be applied: longer than anyone keeps the answer with the button on their screen. */
const KEPT_MS = 7 * 24 * 3_600_000;

const read = rowReader<PreparedImport>([1], { id: 'string', text: 'string', preparedAtMs: 'number' });

export function openImports(backend: Backend): ImportStore {
  const table = backend.table<PreparedImport>('imports', { read, isDurable: true });
  return {
    async find(guildId, id) {
      const prepared = await table.get(guildId);
      return prepared?.id === id ? prepared : undefined;
    },
    save: (guildId, prepared) => table.set(guildId, prepared),
    remove: (guildId) => table.delete(guildId),
    // A moment in the future tells nothing: the clock has been set back since.
    sweep: (nowMs) => sweep(table, ({ preparedAtMs }) => Math.abs(nowMs - preparedAtMs) > KEPT_MS),
  };
}
