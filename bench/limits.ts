import type { SpendingStore } from '../src/catalog/catalog.ts';

/** Limits that nothing reaches. */
export const UNLIMITED = { rate: 1e9, burst: 1e9, quota: 1e9 };

/** The key of the catalog that is measured. */
export const KEY = 'bench';

/** Remembers nothing: what a store costs is the store's. */
export const NO_SPENDING: SpendingStore = { load: async () => null, save: async () => undefined };
