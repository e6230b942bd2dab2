import type { Backend } from '../../shared/storage/backend.ts';
import type { SpendingStore, SpentRecord } from '../catalog/catalog.ts';

/** undefined where it is none. */
function read(row: unknown): SpentRecord | undefined {
  const { day, spent, tokens, tokensAtMs } = Object(row ?? {}) as Partial<SpentRecord>;
  const isOne = typeof day === 'string' && [spent, tokens, tokensAtMs].every((number) => typeof number === 'number');
  return isOne ? (row as SpentRecord) : undefined;
}

/** What has been spent of each interface's day. */
export function openSpending(backend: Backend): SpendingStore {
  const table = backend.table<SpentRecord>('spending', { read, isDurable: true });
  return {
    load: async (name) => (await table.get(name)) ?? null,
    save: (name, record) => table.set(name, record),
  };
}
