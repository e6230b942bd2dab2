import { isSameRequest } from '../../src/deals/same-request.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { describeSource } from '../../src/discord/i18n/describe-source.ts';
import { message, type Translator } from '../../src/discord/i18n/translator.ts';
import { type LocalizedText, UserError } from '../../src/shared/errors.ts';
import { requireSubscription } from '../options.ts';
import type { CommandServices, ManagerRequest } from '../shared.ts';
import { InputError } from '../typed-options.ts';

/** Another subscription that announces the same in the channel. */
export function sameIn({ subscriptions, settings }: CommandServices, wanted: Subscription): Subscription | undefined {
  const isSame = (other: Subscription) => other.id !== wanted.id && isSameRequest(other, wanted, settings);
  return subscriptions.ofGuild(wanted.guildId).find(isSame);
}

/** The sentence that the channel has such a subscription. */
export function saidTwice({ channelId, source }: Subscription, translator: Translator): LocalizedText {
  return message('subscription.twice', { channel: `<#${channelId}>`, source: describeSource(source, translator) });
}

/** @throws InputError where the channel has another subscription that announces the same */
export function requireUnique(wanted: Subscription, { services, translator }: ManagerRequest): void {
  if (sameIn(services, wanted)) throw new InputError(['filter'], saidTwice(wanted, translator));
}

/** The subscription as it is saved for the person. */
export function savedBy(subscription: Subscription, request: ManagerRequest): Subscription {
  return request.services.fields.reduce((one, field) => field.savedBy?.(one, request) ?? one, subscription);
}

/** @throws UserError where the server has reached its limit of subscriptions */
export function requireRoom({ server, services }: ManagerRequest): void {
  const { subscriptions, mostSubscriptions: most } = services;
  if (subscriptions.ofGuild(server).length >= most) throw new UserError(message('subscription.tooMany', { most }));
}

/**
 * Changes a subscription, records when, and keeps what the bot recorded about it in the meantime. Resolves with the
 * result.
 * @throws UserError where it would duplicate another subscription, or was removed in the meantime
 */
export async function change(
  before: Subscription,
  alter: (subscription: Subscription) => Subscription,
  request: ManagerRequest,
): Promise<Subscription> {
  const { subscriptions, settings, deliverer, clock } = request.services;
  const changedAtMs = clock.now();
  const checked = (current: Subscription) => {
    const after = { ...savedBy(alter(current), request), changedAtMs };
    if (!isSameRequest(current, after, settings)) requireUnique(after, request);
    return after;
  };
  await subscriptions.update(before.id, checked);
  // The change (a tag, for example) may fix what blocked the channel's posts.
  deliverer.retry(before.channelId);
  return requireSubscription(before.id, request);
}
