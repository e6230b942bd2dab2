import { isSameWish } from '../../src/deals/same-wish.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { describeSource } from '../../src/discord/words/describe-source.ts';
import { say, type Words } from '../../src/discord/words/words.ts';
import { UserError } from '../../src/errors.ts';
import type { SubscriptionStore } from '../../src/store/subscriptions.ts';

/** @throws UserError where the channel has another subscription that tells just the same */
export function requireUnique(wish: Subscription, subscriptions: SubscriptionStore, words: Words): void {
  const same = subscriptions.ofGuild(wish.guildId).find((other) => other.id !== wish.id && isSameWish(other, wish));
  if (!same) return;
  const told = { channel: `<#${wish.channelId}>`, source: describeSource(wish.source, words) };
  throw new UserError(say('subscription.twice', told));
}

/**
 * Changes a subscription, and leaves alone what the bot itself notes of it meanwhile. Resolves with what it is then.
 * @throws UserError where it would become the same as another
 */
export async function change(
  before: Subscription,
  alter: (subscription: Subscription) => Subscription,
  subscriptions: SubscriptionStore,
  words: Words,
): Promise<Subscription> {
  const after = alter(before);
  if (!isSameWish(before, after)) requireUnique(after, subscriptions, words);
  await subscriptions.update(before.id, alter);
  return subscriptions.get(before.id) ?? after;
}
