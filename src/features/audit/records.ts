import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { inMemory } from '../../store/table/records.ts';
import type { Changes, Kind, State } from '../../store/table/state.ts';

const COUNT = z.int().min(0);
const FIGURES = { owed: COUNT, there: COUNT, twice: COUNT, missing: COUNT, untrue: COUNT.default(0) };
const AUDIT_ROW = z.object({
  atMs: z.number(),
  channels: COUNT,
  unread: COUNT,
  ...FIGURES,
  byServer: z.array(z.tuple([z.string(), z.object(FIGURES)])),
});

/** The findings of the last comparison of the channels with the ledger; servers with their figures by id. */
type AuditRecord = z.output<typeof AUDIT_ROW>;

const AUDIT: Kind<AuditRecord> = { name: 'audit', read: (row) => AUDIT_ROW.safeParse(row).data };
const LAST_AUDIT = 'last';

const AUDITED_ROW = z.object({
  guildId: z.string(),
  /** When the channel was last asked for, and whether it could be read. */
  atMs: z.number(),
  isRead: z.boolean(),
  /** Up to when its posts have been judged: epoch milliseconds. */
  untilMs: z.number(),
  ...FIGURES,
});

/** The findings of the last audit of a channel. */
export type AuditedChannel = z.output<typeof AUDITED_ROW>;

const AUDITED: Kind<AuditedChannel> = { name: 'audited-channel', read: (row) => AUDITED_ROW.safeParse(row).data };

/** The last audit, and how far it is. All is in memory. */
async function openAudits(state: State) {
  const audits = await inMemory(state, AUDIT);
  const channels = await inMemory(state, AUDITED);
  return {
    /** null before the first. */
    last: () => audits.get(LAST_AUDIT) ?? null,
    /** undefined for a channel that was never asked for. */
    channel: channels.get,
    /**
     * @param audited the channels that were asked for
     * @param isAudited whether something is posted in a channel at all: others are forgotten
     */
    save: (
      record: AuditRecord,
      audited: ReadonlyMap<string, AuditedChannel> = new Map(),
      isAudited: (channelId: string) => boolean = () => true,
    ) =>
      state.commit((changes) => {
        audits.set(changes, LAST_AUDIT, record);
        for (const [channelId, one] of audited) channels.set(changes, channelId, one);
        for (const channelId of channels.keys()) if (!isAudited(channelId)) channels.delete(changes, channelId);
      }),
    /** Removes a server, or a person's place, from the last one: its sums stay. */
    forget(changes: Changes, guildId: string): void {
      for (const [channelId, audited] of channels.entries()) {
        if (audited.guildId === guildId) channels.delete(changes, channelId);
      }
      const last = audits.get(LAST_AUDIT);
      if (!last) return;
      audits.set(changes, LAST_AUDIT, { ...last, byServer: last.byServer.filter(([id]) => id !== guildId) });
    },
  };
}

export const RECORDS: FeatureRecords = {
  kinds: [AUDIT, AUDITED],
  open: async (state) => ({ audits: await openAudits(state) }),
  forgetPlace: (changes, place, { audits }) => audits.forget(changes, place),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    audits: Awaited<ReturnType<typeof openAudits>>;
  }
}
