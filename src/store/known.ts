import type { ResourceKey } from '../deals/subscription.ts';
import type { Backend } from './backend.ts';

/** What has been seen of one subject (an offer, an event, a dealcast) in one resource. */
export interface KnownRecord {
  version: 1;
  firstSeenMs: number;
}

/** Which subjects of which resource have been seen. */
export interface KnownStore {
  /** Those of `subjects` that have been seen in the resource. */
  among(resource: ResourceKey, subjects: readonly string[]): Promise<Set<string>>;
  /** All of them or, on an error, none. */
  add(resource: ResourceKey, subjects: readonly string[], firstSeenMs: number): Promise<void>;
}

export function openKnown(backend: Backend): KnownStore {
  const table = backend.table<KnownRecord>('known');
  const keyOf = (resource: ResourceKey, subject: string) => `${resource}/${subject}`;
  return {
    async among(resource, subjects) {
      const records = await table.getMany(subjects.map((subject) => keyOf(resource, subject)));
      return new Set(subjects.filter((_, index) => records[index] !== undefined));
    },
    add: (resource, subjects, firstSeenMs) =>
      table.setMany(subjects.map((subject) => [keyOf(resource, subject), { version: 1, firstSeenMs }])),
  };
}
