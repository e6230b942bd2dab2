import type { SpendingStore, SpentRecord } from '../catalog/catalog.ts';
import type { Backend } from './backend.ts';

/** What has been spent of each interface's day. */
export function openSpending(backend: Backend): SpendingStore {
  const table = backend.table<SpentRecord>('spending');
  return {
    load: async (name) => (await table.get(name)) ?? null,
    save: (name, record) => table.set(name, record),
  };
}
