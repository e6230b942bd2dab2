import type { Subscription } from '../../deals/subscription.ts';
import type { Clock } from '../../shared/clock.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import type { Store } from '../../store/store.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { deliveriesOf, onePostEach } from '../outbox/enqueue.ts';
import type { Explainer } from './explain.ts';

export interface PostNowParts {
  explainer: Pick<Explainer, 'postable'>;
  transact: Store['transact'];
  deliveries: Pick<DeliveryStore, 'add' | 'hasten'>;
  deliverer: Pick<Deliverer, 'kick'>;
  clock: Clock;
}

/**
 * Posts an offer's newest change for a subscription now, whatever its filter, kinds and digest say. It goes through the
 * outbox under the id of the announcement, which is never posted twice; the hourly limit holds. Resolves with false
 * where nothing can be posted. Rejects with a StoreError.
 */
export async function postNow(
  offerId: string,
  subscription: Subscription,
  { explainer, transact, deliveries, deliverer, clock }: PostNowParts,
): Promise<boolean> {
  const announcement = await explainer.postable(offerId, subscription);
  if (!announcement) return false;
  const nowMs = clock.now();
  const wanted = deliveriesOf([{ announcement, subscription, terms: [] }], nowMs).map((delivery) => ({
    ...delivery,
    dueAtMs: nowMs,
    isDigest: false,
  }));
  const isPosted = await transact(async (changes) => {
    const added = await deliveries.add(changes, wanted, onePostEach);
    // An offer that waits for a digest is in the outbox already.
    const hastened = wanted.map(({ channelId, id }) => deliveries.hasten(changes, channelId, id, nowMs));
    return added.length > 0 || hastened.includes(true);
  });
  deliverer.kick();
  return isPosted;
}
