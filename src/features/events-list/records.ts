import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { Records } from '../../store/table/records.ts';
import { type Changes, fields, type Kind, type State } from '../../store/table/state.ts';

/** An entry of a server's Events list that the bot has made. */
export interface ScheduledEventRecord {
  guildId: string;
  /** Stands for the catalog's event; the entry has it, too. */
  mark: string;
  /** Discord's. */
  id: string;
  /** Stands for what it shows; '' where that isn't known. */
  digest: string;
  /** Its times as Discord was last told them: epoch milliseconds. */
  startMs: number;
  endMs: number;
  /** Whether Discord shows it as running. */
  isBegun: boolean;
  /** Whether a moderator has deleted or ended it: it isn't made again while the event lasts. */
  isDeclined: boolean;
  /** The ids of the subscriptions for which it was made; empty where that isn't known. */
  wantedBy: readonly string[];
  /** When it was made, and when what it shows was last changed: epoch milliseconds. */
  madeAtMs: number;
  changedAtMs: number;
}

const SCHEDULED_EVENT: Kind<ScheduledEventRecord> = {
  name: 'scheduled-event',
  read: fields<ScheduledEventRecord>({
    guildId: z.string(),
    mark: z.string(),
    id: z.string(),
    digest: z.string(),
    startMs: z.number(),
    endMs: z.number(),
    isBegun: z.boolean(),
    isDeclined: z.boolean(),
    wantedBy: z.array(z.string()),
    madeAtMs: z.number(),
    changedAtMs: z.number(),
  }),
};

/** The entries of the servers' Events lists, one for each server and event. All are in memory. */
async function openScheduledEvents(state: State) {
  const records = await Records.load(state, SCHEDULED_EVENT);
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
