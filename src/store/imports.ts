import { z } from 'zod';
import { fields, type Kind } from './table/kind.ts';
import type { State } from './table/state.ts';

/** A file that a person wants to import in a server, and has not applied yet. */
export interface PreparedImport {
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
}

/** Kept for a week: longer than anyone keeps the answer with the button on their screen. */
export const IMPORT: Kind<PreparedImport> = {
  name: 'import',
  read: fields<PreparedImport>({ id: z.string(), text: z.string(), preparedAtMs: z.number() }),
  kept: { ms: 7 * 24 * 3_600_000, since: ({ preparedAtMs }) => preparedAtMs },
};

export function openImports(state: State): ImportStore {
  return {
    async find(guildId, id) {
      const prepared = await state.get(IMPORT, guildId);
      return prepared?.id === id ? prepared : undefined;
    },
    save: (guildId, prepared) => state.commit((changes) => changes.set(IMPORT, guildId, prepared)),
    remove: (guildId) => state.commit((changes) => changes.delete(IMPORT, guildId)),
  };
}
