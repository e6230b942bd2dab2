import { StoreError } from '../../src/shared/errors.ts';
import type { Backend, Table } from '../../src/shared/storage/backend.ts';
import type { TableOptions } from '../../src/shared/storage/contract.ts';

/** A backend whose writes fail from the `dieAt`-th on, as if the process were killed before it; counted from 1. */
export function mortal(backend: Backend, dieAt: number): Backend {
  let writes = 0;
  function write<T>(run: () => Promise<T>): Promise<T> {
    writes += 1;
    return writes >= dieAt ? Promise.reject(new StoreError('Killed.')) : run();
  }
  return {
    ...backend,
    table<T>(name: string, options?: TableOptions<T>): Table<T> {
      const table = backend.table<T>(name, options);
      return {
        ...table,
        set: (...row) => write(() => table.set(...row)),
        setMany: (rows, ttlMs) => (rows.length > 0 ? write(() => table.setMany(rows, ttlMs)) : Promise.resolve()),
        delete: (key) => write(() => table.delete(key)),
        deleteMany: (keys) => (keys.length > 0 ? write(() => table.deleteMany(keys)) : Promise.resolve()),
      };
    },
  };
}
