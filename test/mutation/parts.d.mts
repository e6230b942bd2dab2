export const PARTS: Readonly<Record<string, { mutate: string[]; tests: string[]; testTimeoutMs?: number }>>;
