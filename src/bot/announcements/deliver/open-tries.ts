import { ageMs, type Clock } from '../../../shared/clock.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import type { PaceStore } from '../../store/paces.ts';

/**
 * How long an attempt with an unknown outcome may still arrive: well within the time that Discord remembers a nonce.
 */
const MAY_ARRIVE_MS = 2 * 60_000;

/** The post attempts, by channel, of which the outcome is not known. */
export interface OpenTries {
  begin(channelId: string, id: string): void;
  /** Removes an attempt: Discord accepted or refused it, so it can't arrive any more. */
  end(channelId: string, id: string): void;
  /**
   * The attempts that may still arrive in a channel, each with the end of that time: epoch milliseconds, by the wall
   * clock as it is set now.
   */
  mayArrive(channelId: string): ReadonlyMap<string, number>;
  /**
   * Whether an attempt's time has passed since the channel was last read: only another read shows that it did not
   * arrive.
   */
  needReading(channelId: string): boolean;
  /**
   * Removes the attempts that a read of the channel has settled. `startedMs` is when the read began, in monotonic
   * milliseconds; deliveries that it found have ended.
   */
  read(channelId: string, startedMs: number): void;
}

/** Restores the open attempts of an earlier run from its paces. @param paceOf names a channel's paces */
export function createOpenTries(
  deliveries: Pick<DeliveryStore, 'channels' | 'isPending'>,
  paces: Pick<PaceStore, 'of'>,
  paceOf: (channelId: string) => string,
  clock: Clock,
): OpenTries {
  /** When each attempt was made: monotonic milliseconds. */
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
