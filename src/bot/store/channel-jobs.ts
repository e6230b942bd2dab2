import PQueue from 'p-queue';
import type { Table } from '../../shared/storage/backend.ts';

/**
 * Jobs that wait for their turn in a channel. All are in memory, and every change is written through before it shows.
 */
export interface ChannelJobs<T> {
  channels(): string[];
  /** Oldest first. */
  pending(channelId: string): readonly T[];
  size(): number;
  /** All or nothing. A job replaces an earlier one with the same key. */
  add(jobs: readonly T[]): Promise<void>;
  /** Removes the job, unless another has replaced it meanwhile. */
  end(job: T): Promise<void>;
}

/** @param keyOf the key of a job: of two with the same key only the later one is done */
export async function openChannelJobs<T extends { channelId: string; queuedAtMs: number }>(
  table: Table<T>,
  keyOf: (job: T) => string,
): Promise<ChannelJobs<T>> {
  const byChannel = new Map<string, Map<string, T>>();
  const stored: T[] = [];
  for await (const [, job] of table.entries()) stored.push(job);
  for (const job of stored.sort((a, b) => a.queuedAtMs - b.queuedAtMs)) remember(job);
  /** One write at a time: a job that is added while its predecessor is removed must not be removed with it. */
  const writes = new PQueue({ concurrency: 1 });

  function remember(job: T): void {
    const jobs = byChannel.get(job.channelId) ?? new Map<string, T>();
    byChannel.set(job.channelId, jobs.set(keyOf(job), job));
  }

  return {
    channels: () => [...byChannel.keys()],
    pending: (channelId) => [...(byChannel.get(channelId)?.values() ?? [])],
    size: () => [...byChannel.values()].reduce((sum, jobs) => sum + jobs.size, 0),
    add: (jobs) =>
      writes.add(async () => {
        await table.setMany(jobs.map((job) => [keyOf(job), job]));
        for (const job of jobs) remember(job);
      }),
    end: (job) =>
      writes.add(async () => {
        const key = keyOf(job);
        const jobs = byChannel.get(job.channelId);
        if (jobs?.get(key) !== job) return;
        await table.delete(key);
        jobs.delete(key);
        if (jobs.size === 0) byChannel.delete(job.channelId);
      }),
  };
}
