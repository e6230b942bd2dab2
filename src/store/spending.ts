import { z } from 'zod';
import type { SpendingStore, SpentRecord } from '../catalog/catalog.ts';
import { fields, type Kind } from './table/kind.ts';
import type { State } from './table/state.ts';

const SPENT: Kind<SpentRecord> = {
  name: 'spent',
  read: fields<SpentRecord>({ day: z.string(), spent: z.number(), tokens: z.number(), tokensAtMs: z.number() }),
};

/** The requests spent of each interface's daily quota. */
export function openSpending(state: State): SpendingStore {
  return {
    load: async (name) => (await state.get(SPENT, name)) ?? null,
    save: (name, record) => state.commit((changes) => changes.set(SPENT, name, record)),
  };
}
