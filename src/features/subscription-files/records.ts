import { z } from 'zod';
import { DAY_MS } from '../../shared/time.ts';
import type { FeatureRecords } from '../../store/store.ts';
import { fields, type Kind, type State } from '../../store/table/state.ts';

/** A file that a person wants to import in a server, and has not applied yet. */
interface PreparedImport {
  id: string;
  /** The file as it was sent. */
  text: string;
  preparedAtMs: number;
}

/** Kept for a week: longer than anyone keeps the answer with the button on their screen. */
const IMPORT: Kind<PreparedImport> = {
  name: 'import',
  read: fields<PreparedImport>({ id: z.string(), text: z.string(), preparedAtMs: z.number() }),
  kept: { ms: 7 * DAY_MS, since: ({ preparedAtMs }) => preparedAtMs },
};

/** The last prepared import of each server. */
function openImports(state: State) {
  return {
    /** The server's, if it is the one with this id. */
    async find(guildId: string, id: string): Promise<PreparedImport | undefined> {
      const prepared = await state.get(IMPORT, guildId);
      return prepared?.id === id ? prepared : undefined;
    },
    /** Replaces what was prepared in the server before. */
    save: (guildId: string, prepared: PreparedImport) =>
      state.commit((changes) => changes.set(IMPORT, guildId, prepared)),
    remove: (guildId: string) => state.commit((changes) => changes.delete(IMPORT, guildId)),
  };
}

export const RECORDS: FeatureRecords = { kinds: [IMPORT], open: async (state) => ({ imports: openImports(state) }) };

declare module '../../store/store.ts' {
  interface FeatureStores {
    imports: ReturnType<typeof openImports>;
  }
}
