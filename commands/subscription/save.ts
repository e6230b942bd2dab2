import { isSameRequest } from '../../src/bot/deals/same-request.ts';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import { describeSource } from '../../src/bot/discord/i18n/describe-source.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { SubscriptionStore } from '../../src/bot/store/subscriptions.ts';
import { type LocalizedText, UserError } from '../../src/shared/errors.ts';
import type { CommandServices } from '../shared.ts';
import { requireSubscription } from './id-option.ts';
import { InputError } from './typed-options.ts';

/** Another subscription that announces the same in the channel. */
export function sameIn(subscriptions: SubscriptionStore, request: Subscription): Subscription | undefined {
  return subscriptions
    .ofGuild(request.guildId)
    .find((other) => other.id !== request.id && isSameRequest(other, request));
}

/** The sentence that the channel has such a subscription. */
export function saidTwice({ channelId, source }: Subscription, translator: Translator): LocalizedText {
  return message('subscription.twice', { channel: `<#${channelId}>`, source: describeSource(source, translator) });
}

/** @throws InputError where the channel has another subscription that announces the same */
export function requireUnique(request: Subscription, subscriptions: SubscriptionStore, translator: Translator): void {
  if (sameIn(subscriptions, request)) throw new InputError(['filter'], saidTwice(request, translator));
}

/** @throws UserError where the server has reached its limit of subscriptions */
export function requireRoom(
  { guildId }: Subscription,
  { subscriptions, mostSubscriptions: most }: CommandServices,
): void {
  if (subscriptions.ofGuild(guildId).length >= most) throw new UserError(message('subscription.tooMany', { most }));
}

/**
 * Changes a subscription, records when, and keeps what the bot recorded about it in the meantime. Resolves with the
 * result.
 * @throws UserError where it would duplicate another subscription, or was removed in the meantime
 */
export async function change(
  before: Subscription,
  alter: (subscription: Subscription) => Subscription,
  { subscriptions, deliverer, clock }: CommandServices,
  translator: Translator,
): Promise<Subscription> {
  const changedAtMs = clock.now();
  const checked = (current: Subscription) => {
    const after = { ...alter(current), changedAtMs };
    if (!isSameRequest(current, after)) requireUnique(after, subscriptions, translator);
    return after;
  };
  await subscriptions.update(before.id, checked);
  // The change (a tag, for example) may fix what blocked the channel's posts.
  deliverer.retry(before.channelId);
  return requireSubscription(before.id, before.guildId, subscriptions);
}
