import { ageMs, type Clock } from '../../../shared/clock.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import type { PaceStore } from '../../store/paces.ts';

/** How long a try that nobody knows the outcome of may still arrive: well within what Discord remembers a nonce for. */
const MAY_ARRIVE_MS = 2 * 60_000;

/** The tries to post of which nobody knows whether Discord took them, by channel. */
export interface OpenTries {
  begin(channelId: string, id: string): void;
  /** Discord took it or refused it: it will not arrive any more. */
  end(channelId: string, id: string): void;
  /** What may still arrive in a channel, and until when: epoch milliseconds of the wall clock as it stands now. */
  mayArrive(channelId: string): ReadonlyMap<string, number>;
  /** Whether a try has had all its time since the channel was read: only reading it again tells that it did not arrive. */
  needReading(channelId: string): boolean;
  /** The channel was read from `startedMs` on, by the monotonic clock, and what was found in it has ended. */
  read(channelId: string, startedMs: number): void;
}

/** Knows the tries of a former run by their paces. @param paceOf names a channel's paces */
export function createOpenTries(
  deliveries: Pick<DeliveryStore, 'channels' | 'isPending'>,
  paces: Pick<PaceStore, 'of'>,
  paceOf: (channelId: string) => string,
  clock: Clock,
): OpenTries {
  /** The moment of each try, on the monotonic clock. */
  const tries = new Map<string, Map<string, number>>();
  const isOld = (atMs: number, nowMs = clock.monotonicMs()) => nowMs - atMs >= MAY_ARRIVE_MS;

  function begin(channelId: string, id: string, atMs = clock.monotonicMs()): void {
    const here = tries.get(channelId) ?? new Map<string, number>();
    tries.set(channelId, here.set(id, atMs));
  }

  function end(channelId: string, id: string): void {
    const here = tries.get(channelId);
    here?.delete(id);
    if (here?.size === 0) tries.delete(channelId);
  }

  for (const channelId of deliveries.channels()) {
    for (const { id, atMs } of paces.of(paceOf(channelId), clock.now())) {
      if (!deliveries.isPending(id)) continue;
      begin(channelId, id, clock.monotonicMs() - Math.min(MAY_ARRIVE_MS, ageMs(atMs, clock.now())));
    }
  }

  return {
    begin: (channelId, id) => begin(channelId, id),
    end,
    mayArrive(channelId) {
      const young = [...(tries.get(channelId) ?? [])].filter(([, atMs]) => !isOld(atMs));
      return new Map(young.map(([id, atMs]) => [id, clock.now() + atMs + MAY_ARRIVE_MS - clock.monotonicMs()]));
    },
    needReading: (channelId) => [...(tries.get(channelId)?.values() ?? [])].some((atMs) => isOld(atMs)),
    read(channelId, startedMs) {
      for (const [id, atMs] of tries.get(channelId) ?? []) if (isOld(atMs, startedMs)) end(channelId, id);
    },
  };
}
