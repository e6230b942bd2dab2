import { hash } from 'node:crypto';
import type { Announcement } from '../deals/announcement.ts';
import { newestFirst } from '../deals/life.ts';
import { type ResourceKey, resourceOf, type Subscription } from '../deals/subscription.ts';
import { type DueTime, dueAt, sooner } from '../deals/timing.ts';
import type { Delivery } from '../store/deliveries.ts';

/** What is news to whom. */
export interface Match {
  announcement: Announcement;
  subscription: Subscription;
  /** The terms of its filter that say so, for people to read. */
  terms: string[];
}

/**
 * The id of an announcement in a channel: the same whenever and however often it is computed, however many of the
 * channel's subscriptions ask for it. 22 characters, of which Discord takes at most 25 as a nonce.
 */
export function deliveryId(
  channelId: string,
  { kind, subject, occurrence }: Pick<Announcement, 'kind' | 'subject' | 'occurrence'>,
): string {
  // An offer is new in a channel once, whether its product was there before or not.
  const event = kind === 'relisted' ? 'new-offer' : kind;
  const identity = [channelId, event, subject, ...(occurrence === '' ? [] : [occurrence])];
  return hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 22);
}

/**
 * One delivery for each announcement and channel, oldest thing first.
 * @param isLate whether they were found after a long gap between two looks
 */
export function deliveriesOf(matches: readonly Match[], nowMs: number, isLate = false): Delivery[] {
  const deliveries = new Map<string, Delivery>();
  const oldestFirst = newestFirst(
    matches.map((match) => ({ ...match, startDateMs: startOf(match.announcement) })),
  ).reverse();
  // Each is asked for once, not once for each match.
  const dueTimes = new Map<Subscription, DueTime>();
  const pairs = new Set<string>();
  for (const { subscription, announcement, terms } of oldestFirst) {
    const { id: subscriptionId, guildId, channelId } = subscription;
    const id = deliveryId(channelId, announcement);
    const wanted = dueTimes.get(subscription) ?? dueTimeOf(subscription, nowMs);
    dueTimes.set(subscription, wanted);
    const pair = `${id} ${subscriptionId}`;
    const isRepeated = pairs.has(pair);
    pairs.add(pair);
    const same = deliveries.get(id);
    if (same) {
      if (!isRepeated) same.matches.push({ subscriptionId, terms });
      Object.assign(same, sooner({ dueAtMs: same.dueAtMs, isDigest: same.isDigest }, wanted));
      continue;
    }
    deliveries.set(id, {
      version: 2,
      id,
      guildId,
      channelId,
      matches: [{ subscriptionId, terms }],
      announcement,
      alsoTells: [],
      createdAtMs: nowMs,
      sequence: deliveries.size,
      ...wanted,
      isLate,
    });
  }
  return [...deliveries.values()];
}

/** At once where a record's timing makes no sense: it must not hold up the others. */
function dueTimeOf({ timing }: Subscription, nowMs: number): DueTime {
  try {
    return dueAt(timing, nowMs);
  } catch {
    return { dueAtMs: nowMs, isDigest: false };
  }
}

/** Whether a subscription wants to be told such a thing at all, whatever its filter says. */
export function wants(
  { kinds, pausedBy, priceDropPercent, source }: Subscription,
  announcement: Announcement,
): boolean {
  if (pausedBy !== null || !kinds.includes(announcement.kind)) return false;
  if (announcement.kind === 'price-drop') {
    const [before, now] = [announcement.before.minimum, announcement.item.salePrice?.minimum ?? Infinity];
    // Prices are decimal fractions, which binary ones only come near to.
    return (before - now) * 100 >= before * priceDropPercent - 1e-6;
  }
  if (announcement.kind === 'event-started' && source.kind === 'events') {
    const { type, site } = announcement.item;
    const isOf = (wanted: readonly string[], value: string) => wanted.length === 0 || wanted.includes(value);
    return isOf(source.types, type) && isOf(source.sites, site?.split('.')[0] ?? '');
  }
  return true;
}

/** When the thing started, where it says so: epoch milliseconds. */
export function startOf({ item }: Announcement): number | null {
  return 'startDateMs' in item ? item.startDateMs : null;
}

/** Those that are at work, by the resource that tells what they want. */
export function followersOf(subscriptions: readonly Subscription[]): Map<ResourceKey, Subscription[]> {
  const followers = new Map<ResourceKey, Subscription[]>();
  for (const subscription of subscriptions) {
    if (subscription.pausedBy !== null) continue;
    const resource = resourceOf(subscription.source);
    const others = followers.get(resource);
    if (others) others.push(subscription);
    else followers.set(resource, [subscription]);
  }
  return followers;
}
