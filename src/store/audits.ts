import { z } from 'zod';
import type { Kind } from './table/kind.ts';
import { Records } from './table/records.ts';
import type { State } from './table/state.ts';

const COUNT = z.int().min(0);
const FIGURES = { owed: COUNT, there: COUNT, twice: COUNT, missing: COUNT };
const ROW = z.object({
  atMs: z.number(),
  channels: COUNT,
  unread: COUNT,
  ...FIGURES,
  byServer: z.array(z.tuple([z.string(), z.object(FIGURES)])),
});

/** The findings of the last comparison of the channels with the ledger; servers with their figures by id. */
export type AuditRecord = z.output<typeof ROW>;

/** The last audit, which is in memory. */
export interface AuditStore {
  /** null before the first. */
  last(): AuditRecord | null;
  save(record: AuditRecord): Promise<void>;
}

const AUDIT: Kind<AuditRecord> = { name: 'audit', read: (row) => ROW.safeParse(row).data };
const KEY = 'last';

export async function openAudits(state: State): Promise<AuditStore> {
  const audits = await Records.load(state, AUDIT);
  return {
    last: () => audits.get(KEY) ?? null,
    save: (record) => state.commit((changes) => audits.set(changes, KEY, record)),
  };
}
