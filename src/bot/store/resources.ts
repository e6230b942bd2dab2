import type { Backend } from '../../shared/storage/backend.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import { rowReader } from './rows.ts';

/** The record of a resource between polls. */
export interface ResourceRecord {
  /** 1 where it was last polled before offers were stored across feeds: then its contents are in the known subjects. */
  version: 1 | 2;
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

/** The record from before resources without followers were polled. */
type FirstResourceRecord = Pick<ResourceRecord, 'firstSeenMs' | 'polledAtMs'> & { version: 1 };

type ResourceRow = ResourceRecord | FirstResourceRecord;

/** The polled resources, all in memory. */
export interface ResourceStore {
  keys(): ResourceKey[];
  get(resource: ResourceKey): ResourceRecord | undefined;
  save(resource: ResourceKey, record: ResourceRecord): Promise<void>;
}

export async function openResources(backend: Backend): Promise<ResourceStore> {
  const table = backend.table<ResourceRow>('resources', {
    read: rowReader<ResourceRow>([1, 2], { firstSeenMs: 'number', polledAtMs: 'number' }),
  });
  const records = new Map<ResourceKey, ResourceRecord>();
  for await (const [key, record] of table.entries()) records.set(key as ResourceKey, upgraded(record));
  return {
    keys: () => [...records.keys()],
    get: (resource) => records.get(resource),
    async save(resource, record) {
      await table.set(resource, record);
      records.set(resource, record);
    },
  };
}

function upgraded(record: ResourceRow): ResourceRecord {
  return { isFollowed: true, isCutOff: false, marketingName: null, ...record };
}
