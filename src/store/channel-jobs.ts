import type { Kind } from './table/kind.ts';
import { Records } from './table/records.ts';
import type { Changes, State } from './table/state.ts';

/** Jobs that wait for their turn in a channel. All are in memory. */
export interface ChannelJobs<T> {
  channels(): string[];
  /** Oldest first. */
  pending(channelId: string): readonly T[];
  size(): number;
  /** A job replaces an earlier one with the same key. */
  add(changes: Changes, jobs: readonly T[]): void;
  /** Removes the job, unless another has replaced it meanwhile. */
  end(changes: Changes, job: T): void;
}

/** @param keyOf the key of a job: of two with the same key only the later one is done */
export async function openChannelJobs<T extends { channelId: string; queuedAtMs: number }>(
  state: State,
  kind: Kind<T>,
  keyOf: (job: T) => string,
): Promise<ChannelJobs<T>> {
  const byChannel = new Map<string, Map<string, T>>();
  const records = await Records.load(state, kind, (key, job, before) => {
    const channelId = (job ?? before)?.channelId ?? '';
    const jobs = byChannel.get(channelId) ?? new Map<string, T>();
    if (job) byChannel.set(channelId, jobs.set(key, job));
    else if (jobs.delete(key) && jobs.size === 0) byChannel.delete(channelId);
  });
  return {
    channels: () => [...byChannel.keys()],
    pending: (channelId) => [...(byChannel.get(channelId)?.values() ?? [])].sort((a, b) => a.queuedAtMs - b.queuedAtMs),
    size: () => [...byChannel.values()].reduce((sum, jobs) => sum + jobs.size, 0),
    add(changes, jobs) {
      for (const job of jobs) records.set(changes, keyOf(job), job);
    },
    end(changes, job) {
      if (records.get(keyOf(job)) === job) records.delete(changes, keyOf(job));
    },
  };
}
