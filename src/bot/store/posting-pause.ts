import type { Backend } from '../../shared/storage/backend.ts';
import { rowReader } from './rows.ts';

interface PauseRow {
  version: 1;
  /** When the application's owner paused all posting: epoch milliseconds. */
  sinceMs: number;
}

/** Whether the application's owner has paused all posting. It is in memory, and a change is stored before it counts. */
export interface PostingPauseStore {
  /** Since when posting is paused: epoch milliseconds; null where it is not. */
  sinceMs(): number | null;
  /** A pause that has begun already goes on. */
  begin(nowMs: number): Promise<void>;
  end(): Promise<void>;
}

const KEY = 'pause';

export async function openPostingPause(backend: Backend): Promise<PostingPauseStore> {
  const read = rowReader<PauseRow>([1], { sinceMs: 'number' });
  const table = backend.table<PauseRow>('posting_pause', { read, isDurable: true });
  let sinceMs = (await table.get(KEY))?.sinceMs ?? null;
  return {
    sinceMs: () => sinceMs,
    async begin(nowMs) {
      const since = sinceMs ?? nowMs;
      await table.set(KEY, { version: 1, sinceMs: since });
      sinceMs = since;
    },
    async end() {
      await table.delete(KEY);
      sinceMs = null;
    },
  };
}
