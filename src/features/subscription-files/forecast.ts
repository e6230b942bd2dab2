import { deliveryId } from '../../announcements/kinds/index.ts';
import type { Preview } from '../../deals/preview.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import { groupedBy } from './grouped.ts';
import { channelsOf, type Plan } from './plan.ts';

/** The announcements that a channel would have got in the last seven days. */
export interface ChannelForecast {
  channelId: string;
  before: number;
  after: number;
  /** Whether not all is known: a source was never read, or of its past only what is still listed. */
  isPartial: boolean;
}

/** The most channels of a plan that are compared: each takes a look at all offers of a week. */
export const MOST_CHANNELS = 100;

/**
 * Compares what the last seven days would have posted with the subscriptions as they are and as the plan leaves them, in
 * the first channels in which it changes something. What several subscriptions want in a channel is posted once.
 */
export async function forecast(
  plan: Plan,
  stored: Pick<SubscriptionStore, 'ofGuild'>,
  preview: (subscription: Subscription) => Promise<Preview>,
  onChannel: (number: number, of: number) => void = () => undefined,
): Promise<ChannelForecast[]> {
  const touched = new Set([...plan.changed.map(({ before }) => before.id), ...plan.removed.map(({ id }) => id)]);
  const come = groupedBy([...plan.added, ...plan.changed.map(({ after }) => after)], ({ channelId }) => channelId);
  const channels = [...channelsOf(plan)].slice(0, MOST_CHANNELS);
  const forecasts: ChannelForecast[] = [];
  for (const [index, [channelId, guildId]] of channels.entries()) {
    onChannel(index + 1, channels.length);
    const own = stored.ofGuild(guildId).filter((one) => one.channelId === channelId);
    const stay = own.filter(({ id }) => !touched.has(id));
    const [staying, going, coming] = [
      await postsOf(stay, channelId, preview),
      await postsOf(
        own.filter(({ id }) => touched.has(id)),
        channelId,
        preview,
      ),
      await postsOf(come.get(channelId) ?? [], channelId, preview),
    ];
    forecasts.push({
      channelId,
      before: new Set([...staying.ids, ...going.ids]).size,
      after: new Set([...staying.ids, ...coming.ids]).size,
      isPartial: staying.isPartial || going.isPartial || coming.isPartial,
    });
  }
  return forecasts;
}

/** Returns the ids of the posts that these subscriptions would have made in a channel. */
async function postsOf(
  subscriptions: readonly Subscription[],
  channelId: string,
  preview: (subscription: Subscription) => Promise<Preview>,
): Promise<{ ids: string[]; isPartial: boolean }> {
  const previews: Preview[] = [];
  for (const one of subscriptions) if (one.pausedBy === null) previews.push(await preview(one));
  return {
    ids: previews.flatMap(({ entries }) => entries.map(({ announcement }) => deliveryId(channelId, announcement))),
    isPartial: previews.some(({ knownSinceMs, onlyListed }) => knownSinceMs === null || onlyListed),
  };
}
