import { z } from 'zod';
import { DAY_MS } from '../../shared/time.ts';
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

/** How long a list tells of an outage. */
const TOLD_FOR_MS = 7 * DAY_MS;

/** The last time in which a hub could not publish, by the hub's channel. */
const OUTAGE = kind(
  'hub-outage',
  {
    sinceMs: z.number(),
    /** null while it lasts. */
    untilMs: z.number().nullable(),
    /** The ids of the deliveries that waited then, and still wait. */
    waiting: z.array(z.string()).readonly(),
    /** How many of those that waited were posted, and how many were over before they could be. */
    posted: z.number(),
    over: z.number(),
  },
  { kept: { ms: TOLD_FOR_MS, since: ({ sinceMs, untilMs }) => untilMs ?? sinceMs } },
);

export type Outage = RecordOf<typeof OUTAGE>;

/** The hubs in the order in which they were added. */
export const inOrder = (hubs: InMemory<Hub>): Hub[] => hubs.all().sort((one, other) => one.addedAtMs - other.addedAtMs);

export const RECORDS: FeatureRecords = {
  kinds: [HUB, OUTAGE],
  open: async (state) => ({ hubs: await inMemory(state, HUB), outages: await inMemory(state, OUTAGE) }),
};

declare module '../../store/store.ts' {
  interface FeatureStores {
    hubs: InMemory<Hub>;
    outages: InMemory<Outage>;
  }
}
