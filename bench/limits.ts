/** Limits that nothing reaches. */
export const UNLIMITED = { rate: 1e9, burst: 1e9, quota: 1e9 };

/** The key of the catalog that is measured. */
export const KEY = 'bench';
