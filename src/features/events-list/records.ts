import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { inMemory } from '../../store/table/records.ts';
import { type Changes, kind, type RecordOf, type State } from '../../store/table/state.ts';

const SCHEDULED_EVENT = kind('scheduled-event', {
  guildId: z.string(),
  /** Stands for the catalog's event; the entry has it, too. */
  mark: z.string(),
  /** Discord's. */
  id: z.string(),
  /** Stands for what it shows; '' where that isn't known. */
  digest: z.string(),
  /** Its times as Discord has them: epoch milliseconds. */
  startMs: z.number(),
  endMs: z.number(),
  /** Whether Discord shows it as running. */
  isBegun: z.boolean(),
  /** Whether a moderator has deleted or ended it: it isn't made again while the event lasts. */
  isDeclined: z.boolean(),
  /** The ids of the subscriptions for which it was made; empty where that isn't known. */
  wantedBy: z.array(z.string()).readonly(),
  /** When it was made, and when what it shows was last changed: epoch milliseconds. */
  madeAtMs: z.number(),
  changedAtMs: z.number(),
});

/** An entry of a server's Events list that the bot has made. */
export type ScheduledEventRecord = RecordOf<typeof SCHEDULED_EVENT>;

/** The entries of the servers' Events lists, one for each server and event. All are in memory. */
async function openScheduledEvents(state: State) {
  const records = await inMemory(state, SCHEDULED_EVENT);
  const byServer = records.groupedBy(({ guildId }) => guildId);
  const keyOf = ({ guildId, mark }: Pick<ScheduledEventRecord, 'guildId' | 'mark'>) => `${guildId}/${mark}`;
  return {
    guildIds: () => [...byServer.keys()],
    /** A server's. */
    of: (guildId: string): readonly ScheduledEventRecord[] => [...(byServer.get(guildId)?.values() ?? [])],
    set: (changes: Changes, record: ScheduledEventRecord) => records.set(changes, keyOf(record), record),
    delete: (changes: Changes, record: Pick<ScheduledEventRecord, 'guildId' | 'mark'>) =>
      records.delete(changes, keyOf(record)),
  };
}

export const RECORDS: FeatureRecords = {
  kinds: [SCHEDULED_EVENT],
  open: async (state) => ({ scheduledEvents: await openScheduledEvents(state) }),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    scheduledEvents: Awaited<ReturnType<typeof openScheduledEvents>>;
  }
}
