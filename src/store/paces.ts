import type { Backend } from './backend.ts';
import { sweep } from './sweep.ts';

/** When something was last done somewhere, by what it was done to. */
interface PaceRecord {
  version: 1;
  times: { id: string; atMs: number }[];
}

/** How far back anybody asks. */
const LONGEST_MS = 3_600_000;

/**
 * How often something was done in the past hour, kept so that a restart does not forget it. `place` names what is
 * counted and where: `post/…` a channel, `publish/…` a channel, `edit/…` a message.
 */
export interface PaceStore {
  /** What was done there within the past hour, oldest first. */
  of(place: string, nowMs: number): readonly { id: string; atMs: number }[];
  /** Written before it is done, so that a crash can't make it count less. What is done again counts once. */
  note(place: string, id: string, nowMs: number): Promise<void>;
  /** What came to nothing does not count. */
  forget(place: string, id: string): Promise<void>;
  sweep(nowMs: number): Promise<void>;
}

export async function openPaces(backend: Backend): Promise<PaceStore> {
  const table = backend.table<PaceRecord>('paces');
  const paces = new Map<string, PaceRecord>();
  for await (const [place, record] of table.entries()) paces.set(place, record);
  const recent = (place: string, nowMs: number) =>
    (paces.get(place)?.times ?? []).filter(({ atMs }) => atMs > nowMs - LONGEST_MS && atMs <= nowMs);
  return {
    of: recent,
    async note(place, id, nowMs) {
      const times = [...recent(place, nowMs).filter((time) => time.id !== id), { id, atMs: nowMs }];
      await table.set(place, { version: 1, times });
      paces.set(place, { version: 1, times });
    },
    async forget(place, id) {
      const times = paces.get(place)?.times ?? [];
      const others = times.filter((time) => time.id !== id);
      if (others.length === times.length) return;
      await table.set(place, { version: 1, times: others });
      paces.set(place, { version: 1, times: others });
    },
    async sweep(nowMs) {
      const isOutdated = ({ times }: PaceRecord) => times.every(({ atMs }) => atMs <= nowMs - LONGEST_MS);
      for (const [place, record] of paces) if (isOutdated(record)) paces.delete(place);
      await sweep(table, isOutdated);
    },
  };
}
