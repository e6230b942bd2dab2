import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { Records } from '../../store/table/records.ts';
import { fields, type Kind, type State } from '../../store/table/state.ts';

/** Something that needs the person who runs the bot now. */
export interface Alert {
  /** When it was noticed: epoch milliseconds. */
  sinceMs: number;
  /** Whether they were told of it. */
  isTold: boolean;
}

const ALERT: Kind<Alert> = { name: 'alert', read: fields<Alert>({ sinceMs: z.number(), isTold: z.boolean() }) };

/** What needs the person who runs the bot, by its name. All are in memory. */
export type AlertStore = Awaited<ReturnType<typeof openAlerts>>;

async function openAlerts(state: State) {
  const alerts = await Records.load(state, ALERT);
  return {
    all: () => [...alerts.entries()],
    /** @param alert null where it is over */
    save: (name: string, alert: Alert | null) =>
      state.commit((changes) => (alert ? alerts.set(changes, name, alert) : alerts.delete(changes, name))),
  };
}

export const RECORDS: FeatureRecords = { kinds: [ALERT], open: async (state) => ({ alerts: await openAlerts(state) }) };

declare module '../../store/store.ts' {
  interface FeatureStores {
    alerts: AlertStore;
  }
}
