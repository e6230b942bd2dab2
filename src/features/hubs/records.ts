import { z } from 'zod';
import type { FeatureRecords } from '../../store/store.ts';
import { type InMemory, inMemory } from '../../store/table/records.ts';
import { kind, type RecordOf } from '../../store/table/state.ts';

/** An announcement channel that the bot's operator recommends to other servers, by its id. */
const HUB = kind('hub', {
  channelId: z.string(),
  guildId: z.string(),
  /** What it posts, in the operator's words. */
  description: z.string(),
  addedAtMs: z.number(),
});

export type Hub = RecordOf<typeof HUB>;

/** The hubs in the order in which they were added. */
export const inOrder = (hubs: InMemory<Hub>): Hub[] => hubs.all().sort((one, other) => one.addedAtMs - other.addedAtMs);

export const RECORDS: FeatureRecords = {
  kinds: [HUB],
  open: async (state) => ({ hubs: await inMemory(state, HUB) }),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    hubs: InMemory<Hub>;
  }
}
