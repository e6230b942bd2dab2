import { StoreError } from '../../src/shared/errors.ts';
import type { Backend } from '../../src/store/table/backend.ts';

/** A backend whose writes fail from the `dieAt`-th on, as if the process were killed before it; counted from 1. */
export function mortal(backend: Backend, dieAt: number): Backend {
  let writes = 0;
  return {
    ...backend,
    write(rows) {
      writes += 1;
      return writes >= dieAt ? Promise.reject(new StoreError('Killed.')) : backend.write(rows);
    },
  };
}
