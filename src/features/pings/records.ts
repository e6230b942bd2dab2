import { z } from 'zod';
import { DAY_MS } from '../../shared/time.ts';
import type { FeatureRecords } from '../../store/store.ts';
import { type InMemory, inMemory } from '../../store/table/records.ts';
import { type Changes, kind, type RecordOf, type State } from '../../store/table/state.ts';
import type { Ping } from './ping.ts';

const PANEL = z.object({
  /** Is in its menus. */
  id: z.string(),
  channelId: z.string(),
  /** A message of the channel that is older; null where none was known. */
  afterId: z.string().nullable(),
  /** null where it isn't known whether it was posted. */
  messageId: z.string().nullable(),
  /** Stands for what it shows; '' where that isn't known. */
  digest: z.string(),
});

/** A message in which a server's members take roles. It is recorded before it is posted. */
export type PingsPanel = z.output<typeof PANEL>;

const PINGS_PANELS = kind('pings-panels', { panels: z.array(PANEL).readonly() });

/** The panels of each server that has any: the last one is to stand, those before it are to be deleted. All are in memory. */
export type PingsPanelStore = Awaited<ReturnType<typeof openPingsPanels>>;

async function openPingsPanels(state: State) {
  const servers = await inMemory(state, PINGS_PANELS);
  const of = (guildId: string): readonly PingsPanel[] => servers.get(guildId)?.panels ?? [];
  function change(
    changes: Changes,
    guildId: string,
    to: (before: readonly PingsPanel[]) => readonly PingsPanel[],
  ): void {
    const panels = to(of(guildId));
    if (panels.length === 0) servers.delete(changes, guildId);
    else servers.set(changes, guildId, { panels });
  }
  return {
    of,
    guildIds: servers.keys,
    change,
    update: (guildId: string, to: Parameters<typeof change>[2]) =>
      state.commit((changes) => change(changes, guildId, to)),
  };
}

/** A role that is being made for a filter, by an id of its own. It is recorded before the request. */
const PENDING_ROLE = kind('pending-role', {
  guildId: z.string(),
  /** The subscription that is to ring it. */
  subscriptionId: z.string(),
  name: z.string(),
  filter: z.string(),
  /** A role of the server that is older. */
  afterId: z.string(),
  /** Epoch milliseconds. */
  sinceMs: z.number(),
});

export type PendingRole = RecordOf<typeof PENDING_ROLE>;

/** The days of which it is told how often a role was rung, and how long that it ever was is remembered. */
const RINGS_DAYS = 7;
const RUNG_DAYS = 30;

/** How often posts of a channel have rung a role, by the channel's id and the role's. */
const RINGS = kind(
  'rings',
  {
    roleId: z.string(),
    /** By the day: whole days since the epoch. */
    counts: z.record(z.string(), z.number()),
    /** The last one: epoch milliseconds. */
    lastMs: z.number(),
  },
  { kept: { ms: RUNG_DAYS * DAY_MS, since: ({ lastMs }) => lastMs } },
);

export type Rings = Awaited<ReturnType<typeof openRings>>;

/** The counts of the last seven days; a clock that was ahead has counted on days to come, which are left out. */
function recentIn(counts: Readonly<Record<string, number>>, today: number): [day: string, count: number][] {
  return Object.entries(counts).filter(([day]) => Number(day) <= today && today - Number(day) < RINGS_DAYS);
}

async function openRings(state: State) {
  const rings = await inMemory(state, RINGS);
  const byRole = rings.groupedBy(({ roleId }) => roleId);
  return {
    /** Counts each of the roles once. */
    note(changes: Changes, channelId: string, roleIds: readonly string[], nowMs: number): void {
      const today = Math.floor(nowMs / DAY_MS);
      for (const roleId of roleIds) {
        const key = `${channelId}/${roleId}`;
        const before = (changes.get(RINGS, key) ?? rings.get(key))?.counts ?? {};
        const counts = { ...Object.fromEntries(recentIn(before, today)), [today]: (before[today] ?? 0) + 1 };
        rings.set(changes, key, { roleId, counts, lastMs: nowMs });
      }
    },
    /** How often a role was rung on the last seven days, today among them; null where it never was, as far as is known. */
    of(roleId: string, nowMs: number): number | null {
      const today = Math.floor(nowMs / DAY_MS);
      const rows = [...(byRole.get(roleId)?.values() ?? [])];
      if (rows.length === 0) return null;
      return rows.flatMap(({ counts }) => recentIn(counts, today)).reduce((sum, [, count]) => sum + count, 0);
    },
  };
}

const PINGS = z.array(z.looseObject({ roleId: z.string(), filter: z.string(), kinds: z.array(z.string()) }));

/** A row from before there were several pings names one role, which each post mentions. */
function formerSubscription(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('mentionRoleId' in row)) return row;
  const { mentionRoleId: roleId, ...rest } = row;
  return { ...rest, pings: typeof roleId === 'string' ? [{ roleId, filter: '', kinds: [] }] : [] };
}

export const RECORDS: FeatureRecords = {
  kinds: [PINGS_PANELS, PENDING_ROLE, RINGS],
  subscriptionFields: { pings: (stored) => PINGS.safeParse(stored).data as Ping[] | undefined },
  formerSubscription,
  open: async (state) => ({
    pingsPanels: await openPingsPanels(state),
    pendingRoles: await inMemory(state, PENDING_ROLE),
    rings: await openRings(state),
  }),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    pingsPanels: PingsPanelStore;
    pendingRoles: InMemory<PendingRole>;
    rings: Rings;
  }
}
