import type { Deliverer } from '../../announcements/deliver/deliverer.ts';
import type { Explainer } from '../../announcements/explain/explain.ts';
import { deliveriesOf, type OutboxParts, putIn } from '../../announcements/outbox/enqueue.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../store/store.ts';

interface PostNowParts extends OutboxParts {
  explainer: Explainer;
  transact: Store['transact'];
  deliverer: Deliverer;
  clock: Clock;
}

/**
 * Posts an offer's newest change for a subscription now, whatever its filter, kinds and digest say. It goes through the
 * outbox under the id of the announcement, which is never posted twice; the hourly limit holds. Resolves with false
 * where nothing can be posted. Rejects with a StoreError.
 */
export async function postNow(offerId: string, subscription: Subscription, parts: PostNowParts): Promise<boolean> {
  const { explainer, transact, deliverer, clock } = parts;
  const announcement = await explainer.postable(offerId, subscription);
  if (!announcement) return false;
  const nowMs = clock.now();
  const wanted = deliveriesOf([{ announcement, subscription, terms: [] }], nowMs, false, {
    mentions: deliverer.mentions,
  }).map((delivery) => ({
    ...delivery,
    dueAtMs: nowMs,
    isDigest: false,
  }));
  // An offer that waits for a digest is in the outbox already, and is due now as well.
  const changed = await transact((changes) => putIn(parts, changes, wanted));
  deliverer.kick();
  return changed.length > 0;
}
