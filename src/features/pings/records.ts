import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { Records } from '../../store/table/records.ts';
import { type Changes, fields, type Kind, type State } from '../../store/table/state.ts';
import type { Ping } from './ping.ts';

/** A message in which a server's members take roles. It is recorded before it is posted. */
export interface PingsPanel {
  /** Is in its menus. */
  id: string;
  channelId: string;
  /** A message of the channel that is older; null where none was known. */
  afterId: string | null;
  /** null where it isn't known whether it was posted. */
  messageId: string | null;
  /** Stands for what it shows; '' where that isn't known. */
  digest: string;
}

const PINGS_PANELS: Kind<{ panels: readonly PingsPanel[] }> = {
  name: 'pings-panels',
  read: fields<{ panels: readonly PingsPanel[] }>({
    panels: z.array(
      z.looseObject({
        id: z.string(),
        channelId: z.string(),
        afterId: z.string().nullable(),
        messageId: z.string().nullable(),
        digest: z.string(),
      }),
    ),
  }),
};

/** The panels of each server that has any: the last one is to stand, those before it are to be deleted. All are in memory. */
export type PingsPanelStore = Awaited<ReturnType<typeof openPingsPanels>>;

async function openPingsPanels(state: State) {
  const servers = await Records.load(state, PINGS_PANELS);
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
    guildIds: () => [...servers.keys()],
    change,
    update: (guildId: string, to: Parameters<typeof change>[2]) =>
      state.commit((changes) => change(changes, guildId, to)),
  };
}

/** A role that is being made for a filter. It is recorded before the request. */
export interface PendingRole {
  guildId: string;
  /** The subscription that is to ring it. */
  subscriptionId: string;
  name: string;
  filter: string;
  /** A role of the server that is older. */
  afterId: string;
  /** Epoch milliseconds. */
  sinceMs: number;
}

const PENDING_ROLE: Kind<PendingRole> = {
  name: 'pending-role',
  read: fields<PendingRole>({
    guildId: z.string(),
    subscriptionId: z.string(),
    name: z.string(),
    filter: z.string(),
    afterId: z.string(),
    sinceMs: z.number(),
  }),
};

/** The roles that are being made, by ids of their own. All are in memory. */
export type PendingRoleStore = Awaited<ReturnType<typeof openPendingRoles>>;

async function openPendingRoles(state: State) {
  const roles = await Records.load(state, PENDING_ROLE);
  return {
    all: () => [...roles.entries()],
    save: (id: string, role: PendingRole) => state.commit((changes) => roles.set(changes, id, role)),
    remove: (id: string) => state.commit((changes) => roles.delete(changes, id)),
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
  kinds: [PINGS_PANELS, PENDING_ROLE],
  subscriptionFields: { pings: (stored) => PINGS.safeParse(stored).data as Ping[] | undefined },
  formerSubscription,
  open: async (state) => ({
    pingsPanels: await openPingsPanels(state),
    pendingRoles: await openPendingRoles(state),
  }),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    pingsPanels: PingsPanelStore;
    pendingRoles: PendingRoleStore;
  }
}
