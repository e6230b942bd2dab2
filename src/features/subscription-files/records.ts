import { z } from 'zod';
import { DAY_MS } from '../../shared/time.ts';
import type { FeatureRecords } from '../../store/store.ts';
import { stored } from '../../store/table/records.ts';
import { kind, type State } from '../../store/table/state.ts';

/**
 * The last file that a person wanted to import in a server, by the server, until it's applied. It's kept for a week: longer
 * than anyone keeps the answer with the button on their screen.
 */
const IMPORT = kind(
  'import',
  {
    id: z.string(),
    /** The file as it was sent. */
    text: z.string(),
    preparedAtMs: z.number(),
  },
  { kept: { ms: 7 * DAY_MS, since: ({ preparedAtMs }) => preparedAtMs } },
);

const openImports = (state: State) => stored(state, IMPORT);

export const RECORDS: FeatureRecords = { kinds: [IMPORT], open: async (state) => ({ imports: openImports(state) }) };

declare module '../../store/store.ts' {
  interface FeatureStores {
    imports: ReturnType<typeof openImports>;
  }
}
