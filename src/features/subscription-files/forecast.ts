import { deliveryId } from '../../announcements/kinds/index.ts';
import type { Preview } from '../../deals/preview.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { channelsOf, type Plan } from './plan.ts';

/** The announcements that a channel would have got in the last seven days. */
export interface ChannelForecast {
  channelId: string;
  before: number;
  after: number;
  /** Whether not all is known: a source was never read, or of its past only what is still listed. */
  isPartial: boolean;
}

/**
 * Compares what the last seven days would have posted with the subscriptions as they are and as the plan leaves them, in
 * each channel in which it changes something. What several subscriptions want in a channel is posted once.
 * @param stored all subscriptions of these servers
 */
export async function forecast(
  plan: Plan,
  stored: readonly Subscription[],
  preview: (subscription: Subscription) => Promise<Preview>,
): Promise<ChannelForecast[]> {
  const after = [
    ...stored.filter(({ id }) => !isTouched(plan, id)),
    ...plan.added,
    ...plan.changed.map((change) => change.after),
  ];
  const forecasts: ChannelForecast[] = [];
  for (const channelId of channelsOf(plan)) {
    const [one, other] = [await postsOf(stored), await postsOf(after)];
    forecasts.push({
      channelId,
      before: one.ids.size,
      after: other.ids.size,
      isPartial: one.isPartial || other.isPartial,
    });

    async function postsOf(subscriptions: readonly Subscription[]) {
      const ids = new Set<string>();
      let isPartial = false;
      for (const subscription of subscriptions) {
        if (subscription.channelId !== channelId || subscription.pausedBy !== null) continue;
        const { entries, knownSinceMs, onlyListed } = await preview(subscription);
        isPartial ||= knownSinceMs === null || onlyListed;
        for (const { announcement } of entries) ids.add(deliveryId(channelId, announcement));
      }
      return { ids, isPartial };
    }
  }
  return forecasts;
}

const isTouched = ({ changed, removed }: Plan, id: string) =>
  removed.some((one) => one.id === id) || changed.some(({ before }) => before.id === id);
