import { hash } from 'node:crypto';
import { type Announcement, startOf } from '../../deals/announcement.ts';
import { newestFirst } from '../../deals/life.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { type DueTime, dueAt, sooner } from '../../deals/timing.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import type { Delivery, DeliveryMatch } from '../../store/delivery.ts';
import type { Changes } from '../../store/table/state.ts';
import { kindOf } from '../kinds/index.ts';
import { onePostEach } from './one-post.ts';

/** A subscription and an announcement that it wants. */
export interface Match {
  announcement: Announcement;
  subscription: Subscription;
  /** The matching terms of its filter, for people to read. */
  terms: string[];
}

/** The most matches in a row, so that no server can make rows grow without bound. */
const MOST_MATCHES = 100;
/** The most matches that keep their terms: a card shows fewer. */
const MOST_WITH_TERMS = 10;

/**
 * The id of an announcement in a channel. It is deterministic: always the same, however many of the channel's
 * subscriptions want the announcement. 22 characters; Discord takes at most 25 as a nonce.
 */
export function deliveryId(
  channelId: string,
  { kind, subject, occurrence }: Pick<Announcement, 'kind' | 'subject' | 'occurrence'>,
): string {
  const identity = [channelId, kindOf({ kind }).insteadOf ?? kind, subject, ...(occurrence === '' ? [] : [occurrence])];
  return hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 22);
}

/**
 * Enqueues one delivery for each announcement and channel, and merges the new ones about the same entity into one, in a
 * commit that may read. Resolves with the enqueued deliveries; rejects with a StoreError.
 * @param isLate whether they were detected after a long gap between two polls
 */
export function enqueue(
  deliveries: Pick<DeliveryStore, 'add'>,
  changes: Changes,
  matches: readonly Match[],
  nowMs: number,
  isLate: boolean,
): Promise<Delivery[]> {
  return deliveries.add(changes, deliveriesOf(matches, nowMs, isLate), onePostEach);
}

/**
 * One delivery for each announcement and channel, oldest entity first.
 * @param isLate whether they were detected after a long gap between two polls
 */
export function deliveriesOf(matches: readonly Match[], nowMs: number, isLate = false): Delivery[] {
  const deliveries = new Map<string, Delivery>();
  const matchesOf = new Map<string, Map<string, Match>>();
  // Computed once for each subscription, not once for each match.
  const dueTimes = new Map<Subscription, DueTime>();
  const oldestFirst = newestFirst(
    matches.map((match) => ({ ...match, startDateMs: startOf(match.announcement) })),
  ).reverse();
  for (const match of oldestFirst) {
    const { subscription, announcement } = match;
    const id = deliveryId(subscription.channelId, announcement);
    const same = deliveries.get(id);
    const matching = matchesOf.get(id) ?? new Map<string, Match>();
    matching.delete(subscription.id);
    matchesOf.set(id, matching.set(subscription.id, match));
    const wanted = dueTimes.get(subscription) ?? dueTimeOf(subscription, nowMs);
    dueTimes.set(subscription, wanted);
    const { dueAtMs, isDigest } = same ? sooner(same, wanted) : wanted;
    deliveries.set(id, {
      id,
      guildId: subscription.guildId,
      channelId: subscription.channelId,
      matches: [],
      announcement,
      alsoTells: [],
      createdAtMs: nowMs,
      sequence: same?.sequence ?? deliveries.size,
      dueAtMs,
      isDigest,
      isLate,
    });
  }
  return [...deliveries.values()].map((delivery) => ({
    ...delivery,
    matches: listedMatches([...(matchesOf.get(delivery.id)?.values() ?? [])]),
  }));
}

/**
 * The matches that a row lists. Where there are too many, those that decide how it is posted come first: each that adds
 * a role, a tag or publishing, then one for each different way to be posted.
 */
function listedMatches(matches: readonly Match[]): DeliveryMatch[] {
  const unlisted = matches.length - MOST_MATCHES;
  const listed = unlisted > 0 ? decidingFirst(matches).slice(0, MOST_MATCHES) : matches;
  return listed.map(({ subscription, terms }, index) => ({
    subscriptionId: subscription.id,
    terms: index < MOST_WITH_TERMS ? terms : [],
    ...(unlisted > 0 && index === MOST_MATCHES - 1 && { unlisted }),
  }));
}

function decidingFirst(matches: readonly Match[]): Match[] {
  const seen = new Set<string>();
  const addsOne = (values: readonly unknown[]) => {
    const fresh = values.map((value) => JSON.stringify(value)).filter((value) => !seen.has(value));
    for (const value of fresh) seen.add(value);
    return fresh.length > 0;
  };
  const ranks = matches.map(({ subscription: { mentionRoleId, tagIds, isPublished, timing, mostPerHour } }) => {
    const added = addsOne([['role', mentionRoleId], ['published', isPublished], ...tagIds.map((id) => ['tag', id])]);
    return added ? 0 : addsOne([[timing, mostPerHour]]) ? 1 : 2;
  });
  return [0, 1, 2].flatMap((rank) => matches.filter((_, index) => ranks[index] === rank));
}

/** Instant where a record's timing can't be evaluated, so that it does not hold up other deliveries. */
function dueTimeOf({ timing }: Subscription, nowMs: number): DueTime {
  try {
    return dueAt(timing, nowMs);
  } catch {
    return { dueAtMs: nowMs, isDigest: false };
  }
}
