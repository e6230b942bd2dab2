import { z } from 'zod';
import { fields, type Kind } from './table/kind.ts';
import { Records } from './table/records.ts';
import type { State } from './table/state.ts';

interface Pause {
  /** When the application's owner paused all posting: epoch milliseconds. */
  sinceMs: number;
}

/** Whether the application's owner has paused all posting. It is in memory. */
export interface PostingPauseStore {
  /** Since when posting is paused: epoch milliseconds; null where it is not. */
  sinceMs(): number | null;
  /** A pause that has begun already goes on. */
  begin(nowMs: number): Promise<void>;
  end(): Promise<void>;
}

const PAUSE: Kind<Pause> = { name: 'posting-pause', read: fields<Pause>({ sinceMs: z.number() }) };
const KEY = 'all';

export async function openPostingPause(state: State): Promise<PostingPauseStore> {
  const pauses = await Records.load(state, PAUSE);
  const sinceMs = () => pauses.get(KEY)?.sinceMs ?? null;
  return {
    sinceMs,
    begin: (nowMs) => state.commit((changes) => pauses.set(changes, KEY, { sinceMs: sinceMs() ?? nowMs })),
    end: () => state.commit((changes) => pauses.delete(changes, KEY)),
  };
}
