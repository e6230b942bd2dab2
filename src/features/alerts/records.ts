import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { type InMemory, inMemory } from '../../store/table/records.ts';
import { kind, type RecordOf } from '../../store/table/state.ts';

/** Something that needs the person who runs the bot now, by its name. */
const ALERT = kind('alert', {
  /** When it was noticed: epoch milliseconds. */
  sinceMs: z.number(),
  /** Whether they were told of it. */
  isTold: z.boolean(),
});

export type Alert = RecordOf<typeof ALERT>;

export type AlertStore = InMemory<Alert>;

export const RECORDS: FeatureRecords = {
  kinds: [ALERT],
  open: async (state) => ({ alerts: await inMemory(state, ALERT) }),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    alerts: AlertStore;
  }
}
