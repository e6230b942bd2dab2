import type { Backend } from '../../shared/storage/backend.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import { rowReader, sweep } from './rows.ts';

/** What is known of one subject (an event, a dealcast, a poll) of one resource. */
export interface KnownRecord {
  version: 2;
  firstSeenMs: number;
  /** To the day. */
  lastSeenMs: number;
  /** What its posts show of it: they are made anew when this changes. null until it has been looked at. */
  face: string | null;
}

/** What was kept before posts were kept up to date. */
interface FirstKnownRecord {
  version: 1;
  firstSeenMs: number;
}

/** The known subjects of all resources but feeds, and of feeds those from before offers were known over all feeds. */
export interface KnownStore {
  /** What is known of those of `subjects` that have been seen in the resource. */
  among(resource: ResourceKey, subjects: readonly string[]): Promise<Map<string, KnownRecord>>;
  /** All of them or, on an error, none. */
  save(resource: ResourceKey, records: ReadonlyMap<string, KnownRecord>): Promise<void>;
  /** Forgets what was last seen before a moment. */
  sweep(beforeMs: number): Promise<void>;
}

export function openKnown(backend: Backend): KnownStore {
  const table = backend.table<KnownRecord | FirstKnownRecord>('known', {
    read: rowReader<KnownRecord | FirstKnownRecord>([1, 2], { firstSeenMs: 'number' }),
  });
  const keyOf = (resource: ResourceKey, subject: string) => `${resource}/${subject}`;
  return {
    async among(resource, subjects) {
      const records = await table.getMany(subjects.map((subject) => keyOf(resource, subject)));
      return new Map(
        subjects.flatMap((subject, index) => {
          const record = records[index];
          return record ? [[subject, upgraded(record)] as const] : [];
        }),
      );
    },
    save: (resource, records) =>
      table.setMany([...records].map(([subject, record]) => [keyOf(resource, subject), record])),
    sweep: (beforeMs) => sweep(table, (record) => upgraded(record).lastSeenMs < beforeMs),
  };
}

function upgraded(record: KnownRecord | FirstKnownRecord): KnownRecord {
  return record.version === 2 ? record : { ...record, version: 2, lastSeenMs: record.firstSeenMs, face: null };
}
