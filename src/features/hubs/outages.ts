import { MINUTE_MS } from '../../shared/time.ts';
import { idsOf } from '../../store/delivery.ts';
import type { Store } from '../../store/store.ts';
import type { Outage } from './records.ts';

/** A publication takes this long where nothing is wrong; a hub's next post waits for it. */
const USUAL_MS = 15 * MINUTE_MS;
/** The most deliveries of an outage that are followed. */
const MOST_FOLLOWED = 500;

/** Looks at each hub: notes since when it can't publish and what waits meanwhile, and what became of that. */
export async function noteOutages({ hubs, outages, publications, deliveries }: Store, nowMs: number): Promise<void> {
  for (const { channelId } of hubs.all()) {
    const [oldest] = publications.pending(channelId);
    const isStuck = oldest !== undefined && nowMs - oldest.queuedAtMs > USUAL_MS;
    const last = outages.get(channelId);
    const goesOn = last?.untilMs === null;
    if (!isStuck && !last) continue;
    const rollUp = deliveries.pendingRollUp(channelId);
    const pending = [...deliveries.pending(channelId).flatMap(idsOf), ...(rollUp ? rollUp.replaces : [])];
    const before = isStuck && !goesOn ? begun(oldest.queuedAtMs) : last;
    if (!before) continue;
    const waiting = isStuck ? [...new Set([...before.waiting, ...pending])].slice(0, MOST_FOLLOWED) : before.waiting;
    const ended = await Promise.all(
      waiting.filter((id) => !pending.includes(id)).map(async (id) => ({ id, entry: await deliveries.ended(id) })),
    );
    const after: Outage = {
      ...before,
      untilMs: isStuck ? null : (before.untilMs ?? nowMs),
      waiting: waiting.filter((id) => pending.includes(id)),
      posted: before.posted + ended.filter(({ entry }) => entry?.outcome === 'posted').length,
      over: before.over + ended.filter(({ entry }) => entry?.outcome === 'over').length,
    };
    if (JSON.stringify(after) !== JSON.stringify(last)) await outages.save(channelId, after);
  }
}

const begun = (sinceMs: number): Outage => ({ sinceMs, untilMs: null, waiting: [], posted: 0, over: 0 });
