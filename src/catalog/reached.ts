import { type Ask, askServer } from '../shared/reachability.ts';

/** Asks both interfaces of the catalog for a sign of life, without a key: such requests count against no quota. */
export function askCatalog({ v2, portal }: Record<'v2' | 'portal', { url: string }>): Ask {
  return (signal) =>
    Promise.all([
      askServer(`${portal.url}/getoffers`, { method: 'OPTIONS', signal }),
      askServer(`${v2.url}/`, { method: 'OPTIONS', signal }),
    ]);
}
