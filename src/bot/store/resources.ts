import type { Backend } from '../../shared/storage/backend.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import { rowReader } from './rows.ts';

/** What is remembered of a resource between polls. */
export interface ResourceRecord {
  /** 1 where it was last polled before offers were known over all feeds: what it held is in the known subjects then. */
  version: 1 | 2;
  /** When it was first seen whole: nothing that it held then was news. */
  firstSeenMs: number;
  polledAtMs: number;
  /** Whether somebody was subscribed to it then. What appears while nobody is, is no news to whoever comes later. */
  isFollowed: boolean;
  /** Whether the catalog cut the last answer off. */
  isCutOff: boolean;
  /** Whether so much was missing from the last answer for the first time that a second look is to come soon. */
  isDoubtful?: boolean;
  /** The display name of a feed's category. */
  marketingName: string | null;
  /** At which times of the day it changes. Absent where nothing was learned yet. */
  learned?: LearnedTimes;
}

/** When in the day (UTC) things arrive in a resource, as far as polls have shown; what is older weighs less. */
export interface LearnedTimes {
  /** The moment as of which the weights are true: epoch milliseconds. */
  asOfMs: number;
  /** Days of watching. */
  days: number;
  /** Arrivals by the minute of the day (`0` to `1439`), for the minutes that stand out. */
  minutes: Readonly<Record<string, number>>;
  /** The other arrivals, by the hour of the day, 24 of them. */
  hours: readonly number[];
}

/** What was kept before resources were polled that nobody follows. */
type FirstResourceRecord = Pick<ResourceRecord, 'firstSeenMs' | 'polledAtMs'> & { version: 1 };

type ResourceRow = ResourceRecord | FirstResourceRecord;

/** The polled resources, all of them in memory. */
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
