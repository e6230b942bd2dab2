import { z } from 'zod';
import type { Backend } from '../../shared/storage/backend.ts';

const COUNT = z.int().min(0);
const FIGURES = { owed: COUNT, there: COUNT, twice: COUNT, missing: COUNT };
const ROW = z.object({
  version: z.literal(1),
  atMs: z.number(),
  channels: COUNT,
  unread: COUNT,
  ...FIGURES,
  byServer: z.array(z.tuple([z.string(), z.object(FIGURES)])),
});

/** The findings of the last comparison of the channels with the ledger; servers with their figures by id. */
export type AuditRecord = Omit<z.output<typeof ROW>, 'version'>;

/** The last audit, which is in memory. */
export interface AuditStore {
  /** null before the first. */
  last(): AuditRecord | null;
  save(record: AuditRecord): Promise<void>;
}

export async function openAudits(backend: Backend): Promise<AuditStore> {
  const table = backend.table<z.output<typeof ROW>>('audits', { read: (row) => ROW.safeParse(row).data });
  let last: AuditRecord | null = (await table.get('last')) ?? null;
  return {
    last: () => last,
    async save(record) {
      last = record;
      await table.set('last', { version: 1, ...record });
    },
  };
}
