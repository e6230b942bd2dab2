import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { Records } from '../../store/table/records.ts';
import { fields, type Kind, type State } from '../../store/table/state.ts';

/** An announcement channel that the bot's operator recommends to other servers. */
export interface Hub {
  channelId: string;
  guildId: string;
  /** What it posts, in the operator's words. */
  description: string;
  addedAtMs: number;
}

const HUB: Kind<Hub> = {
  name: 'hub',
  read: fields<Hub>({
    channelId: z.string(),
    guildId: z.string(),
    description: z.string(),
    addedAtMs: z.number(),
  }),
};

/** The hubs, by their channels. All are in memory. */
async function openHubs(state: State) {
  const hubs = await Records.load(state, HUB);
  return {
    /** In the order in which they were added. */
    all: () => [...hubs.values()].sort((one, other) => one.addedAtMs - other.addedAtMs),
    get: (channelId: string) => hubs.get(channelId),
    has: (channelId: string) => hubs.get(channelId) !== undefined,
    save: (hub: Hub) => state.commit((changes) => hubs.set(changes, hub.channelId, hub)),
    remove: (channelId: string) => state.commit((changes) => hubs.delete(changes, channelId)),
  };
}

export const RECORDS: FeatureRecords = { kinds: [HUB], open: async (state) => ({ hubs: await openHubs(state) }) };

declare module '../../store/store.ts' {
  interface FeatureStores {
    hubs: Awaited<ReturnType<typeof openHubs>>;
  }
}
