import type { Backend } from '../../shared/storage/backend.ts';
import type { SpendingStore, SpentRecord } from '../catalog/catalog.ts';

/** undefined where the row is malformed. */
function read(row: unknown): SpentRecord | undefined {
  const { day, spent, tokens, tokensAtMs } = Object(row ?? {}) as Partial<SpentRecord>;
  const isOne = typeof day === 'string' && [spent, tokens, tokensAtMs].every((number) => typeof number === 'number');
  return isOne ? (row as SpentRecord) : undefined;
}

/** The requests spent of each interface's daily quota. */
export function openSpending(backend: Backend): SpendingStore {
  const table = backend.table<SpentRecord>('spending', { read, isDurable: true });
  return {
    load: async (name) => (await table.get(name)) ?? null,
    save: (name, record) => table.set(name, record),
  };
}
