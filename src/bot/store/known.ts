import type { Backend } from '../../shared/storage/backend.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import { rowReader, sweep } from './rows.ts';

/** The record of one subject (an event, a dealcast, a poll) of one resource. */
export interface KnownRecord {
  version: 2;
  firstSeenMs: number;
  /** Accurate to a day. */
  lastSeenMs: number;
  /** The fingerprint of its posts: they are edited when it changes. null until it was first computed. */
  face: string | null;
}

/**
 * The known subjects of all non-feed resources, and the subjects of feeds from before offers were stored across feeds.
 */
export interface KnownStore {
  /** The records of those of `subjects` that were seen in the resource. */
  among(resource: ResourceKey, subjects: readonly string[]): Promise<Map<string, KnownRecord>>;
  /** All of them or, on an error, none. */
  save(resource: ResourceKey, records: ReadonlyMap<string, KnownRecord>): Promise<void>;
  /** Forgets subjects that were last seen before that moment. */
  sweep(beforeMs: number): Promise<void>;
}

export function openKnown(backend: Backend): KnownStore {
  const table = backend.table<KnownRecord>('known', {
    read: rowReader<KnownRecord>([2], { firstSeenMs: 'number', lastSeenMs: 'number' }),
  });
  const keyOf = (resource: ResourceKey, subject: string) => `${resource}/${subject}`;
  return {
    async among(resource, subjects) {
      const records = await table.getMany(subjects.map((subject) => keyOf(resource, subject)));
      return new Map(
        subjects.flatMap((subject, index) => {
          const record = records[index];
          return record ? [[subject, record] as const] : [];
        }),
      );
    },
    save: (resource, records) =>
      table.setMany([...records].map(([subject, record]) => [keyOf(resource, subject), record])),
    sweep: (beforeMs) => sweep(table, (record) => record.lastSeenMs < beforeMs),
  };
}
