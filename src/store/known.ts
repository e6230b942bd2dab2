import { z } from 'zod';
import type { ResourceKey } from '../deals/subscription.ts';
import { fields, type Kind } from './table/kind.ts';
import type { Changes, State } from './table/state.ts';

/** The record of one subject (an event, a dealcast, a poll) of one resource. */
export interface KnownRecord {
  firstSeenMs: number;
  /** Accurate to a day. */
  lastSeenMs: number;
  /** The fingerprint of its posts: they are edited when it changes. */
  face: string;
}

/** The known subjects of all non-feed resources. */
export interface KnownStore {
  /** The records of those of `subjects` that were seen in the resource. */
  among(resource: ResourceKey, subjects: readonly string[]): Promise<Map<string, KnownRecord>>;
  save(changes: Changes, resource: ResourceKey, records: ReadonlyMap<string, KnownRecord>): void;
}

/** Kept for 90 days without a sight: an entity that appears again after that is news. */
export const KNOWN: Kind<KnownRecord> = {
  name: 'known',
  read: fields<KnownRecord>({ firstSeenMs: z.number(), lastSeenMs: z.number(), face: z.string() }),
  kept: { ms: 90 * 24 * 3_600_000, since: ({ lastSeenMs }) => lastSeenMs },
};

export function openKnown(state: State): KnownStore {
  const keyOf = (resource: ResourceKey, subject: string) => `${resource}/${subject}`;
  return {
    async among(resource, subjects) {
      const records = await state.getMany(
        KNOWN,
        subjects.map((subject) => keyOf(resource, subject)),
      );
      return foundOf(subjects, records);
    },
    save(changes, resource, records) {
      for (const [subject, record] of records) changes.set(KNOWN, keyOf(resource, subject), record);
    },
  };
}

/** The records that were found, by their keys. */
export function foundOf<T>(keys: readonly string[], records: readonly (T | undefined)[]): Map<string, T> {
  return new Map(
    keys.flatMap((key, index) => {
      const record = records[index];
      return record === undefined ? [] : [[key, record] as const];
    }),
  );
}
