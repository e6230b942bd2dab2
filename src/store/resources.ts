import { z } from 'zod';
import type { ResourceKey } from '../deals/subscription.ts';
import { fields, type Kind } from './table/kind.ts';
import { Records } from './table/records.ts';
import type { Changes, State } from './table/state.ts';

/** The record of a resource between polls. */
export interface ResourceRecord {
  /** When it was first read whole: nothing that it held then was news. */
  firstSeenMs: number;
  polledAtMs: number;
  /**
   * Whether somebody was subscribed to it then. Entities that appear while nobody is are not news to later subscribers.
   */
  isFollowed: boolean;
  /** Whether the catalog truncated the last answer. */
  isCutOff: boolean;
  /** Whether so much was missing from the last answer for the first time that a second poll should follow soon. */
  isDoubtful?: boolean;
  /** The display name of a feed's category. */
  marketingName: string | null;
  /** The times of day at which it changes. Absent where nothing was learned yet. */
  learned?: LearnedTimes;
}

/**
 * The times of day (UTC) at which entities arrive in a resource, as far as polls have shown; older arrivals weigh less.
 */
export interface LearnedTimes {
  /** The moment for which the weights are valid: epoch milliseconds. */
  asOfMs: number;
  /** Days of observation. */
  days: number;
  /** Arrivals by the minute of the day (`0` to `1439`), for the minutes that stand out. */
  minutes: Readonly<Record<string, number>>;
  /** The other arrivals, by the hour of the day: 24 numbers. */
  hours: readonly number[];
}

/** The polled resources, all in memory. */
export interface ResourceStore {
  keys(): ResourceKey[];
  get(resource: ResourceKey): ResourceRecord | undefined;
  save(changes: Changes, resource: ResourceKey, record: ResourceRecord): void;
}

const RESOURCE: Kind<ResourceRecord> = {
  name: 'resource',
  read: fields<ResourceRecord>({
    firstSeenMs: z.number(),
    polledAtMs: z.number(),
    isFollowed: z.boolean(),
    isCutOff: z.boolean(),
  }),
};

export async function openResources(state: State): Promise<ResourceStore> {
  const resources = await Records.load(state, RESOURCE);
  return {
    keys: () => [...resources.keys()] as ResourceKey[],
    get: (resource) => resources.get(resource),
    save: (changes, resource, record) => resources.set(changes, resource, record),
  };
}
