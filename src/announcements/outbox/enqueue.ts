import { type Announcement, newestAnnouncedFirst } from '../../deals/announcement.ts';
import { pacingOf, type Timing } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { type DueTime, dueAt, sooner } from '../../deals/timing.ts';
import { flatMapInTurns, type TurnOptions } from '../../shared/turns.ts';
import { asTried, type Delivery, type DeliveryMatch, idsOf, rolesOf } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import { type Mentions, NO_MENTIONS, type RolesOf } from '../deliver/mentions.ts';
import { addReply } from '../deliver/replying.ts';
import { deliveryId, entityKey, partOf, rankOf } from '../kinds/index.ts';

/** A subscription and an announcement that it wants. */
export interface Match {
  announcement: Announcement;
  subscription: Subscription;
  /** The matching terms of its filter, for people to read. */
  terms: string[];
  /** The fields that are not known yet of what is announced. */
  undecided?: readonly string[] | undefined;
  /** Set where it has been announced for the subscription, and only the roles that are mentioned are decided now. */
  isForRoles?: true;
  /** Set where a new subscription catches up on it: a digest does so at once. */
  isCatchUp?: true;
}

/** A match in the form in which a delivery stores it, and its subscription. */
type Ringer = { match: DeliveryMatch; subscription: Subscription };

/** The most matches in a row, so that no server can make rows grow without bound. */
const MOST_MATCHES = 100;
/** The most matches that keep their terms: a card shows fewer. */
const MOST_WITH_TERMS = 10;

/** The circumstances in which matches were found. */
export interface Occasion {
  nowMs: number;
  /** Whether they were found after a long gap between two polls. */
  isLate: boolean;
}

type SubscriptionOf = (id: string) => Subscription | undefined;

export interface OutboxParts {
  deliveries: Store['deliveries'];
  subscriptions: Store['subscriptions'];
  /** Absent: no roles are mentioned in replies to what is posted already. */
  replied?: Pick<Store, 'posts' | 'replies'>;
  /** Absent: no subscription has anything posted apart. */
  isApart?: IsApart;
  /** Absent: no post mentions anybody. */
  mentions?: Mentions;
}

/** What decides how an announcement is posted for a subscription. */
interface Rules extends Pick<OutboxParts, 'isApart' | 'mentions'> {
  /** The result of one `Mentions.begin` for several calls; absent: each call begins anew. */
  rolesOf?: RolesOf;
}

/** Whether a subscription has an announcement posted at once and by itself: it waits for no digest. */
type IsApart = (announcement: Announcement, subscription: Subscription) => boolean;

/**
 * Enqueues one delivery for each announcement and channel, as `putIn` does. Rejects with a StoreError, or with the
 * signal's reason.
 */
export async function enqueue(
  parts: OutboxParts,
  changes: Changes,
  matches: readonly Match[],
  occasion: Occasion & TurnOptions,
): Promise<Delivery[]> {
  const { isApart, mentions = NO_MENTIONS } = parts;
  const rolesOf = mentions.begin();
  const byChannel = new Map<string, Match[]>();
  for (const match of matches) {
    const { channelId } = match.subscription;
    const others = byChannel.get(channelId);
    if (others) others.push(match);
    else byChannel.set(channelId, [match]);
  }
  const { nowMs, isLate } = occasion;
  const found = await flatMapInTurns(
    byChannel.values(),
    (some) => deliveriesOf(some, nowMs, isLate, { ...(isApart && { isApart }), rolesOf }),
    occasion,
  );
  const put = await putIn(parts, changes, found);
  const ids = new Set(put.flatMap(idsOf));
  await oweReplies(
    parts,
    changes,
    found.filter(({ id }) => !ids.has(id)),
    nowMs,
  );
  return put;
}

/** Owes replies to posts that stand already, for the roles of subscriptions that they were not made for. */
async function oweReplies(
  { deliveries, replied }: OutboxParts,
  changes: Changes,
  found: readonly Delivery[],
  nowMs: number,
): Promise<void> {
  const late = found.filter(({ id, matches }) => !deliveries.isPending(id) && rolesOf(matches).length > 0);
  if (!replied || late.length === 0) return;
  const { posts, replies } = replied;
  const about = await posts.about([...new Set(late.map(({ announcement }) => entityKey(announcement)))]);
  for (const delivery of late) {
    const isPostOf = ({ channelId, deliveryId, alsoTells }: Post) =>
      channelId === delivery.channelId && [deliveryId, ...alsoTells].includes(delivery.id);
    const post = about.get(entityKey(delivery.announcement))?.find(isPostOf);
    if (post) addReply(changes, replies, post, delivery, nowMs);
  }
}

/**
 * Enqueues deliveries in a commit that may read. New ones are merged into one for each entity. A waiting delivery that is
 * found again gets the new matches, and the earliest due time. Resolves with the new and changed deliveries; rejects with a
 * StoreError.
 */
export async function putIn(
  { deliveries, subscriptions, isApart }: OutboxParts,
  changes: Changes,
  found: readonly Delivery[],
): Promise<Delivery[]> {
  const bounded = (delivery: Delivery) => ({
    ...delivery,
    matches: listedMatches(delivery, (id) => subscriptions.get(id), isApart),
  });
  const whole = found.map(asTried).filter(({ matches }) => matches.length > 0);
  const fresh = await deliveries.add(changes, whole, (some) => onePostEach(some).map(bounded));
  const joined = deliveries.join(changes, found, (waiting, more) => {
    const after = joinedTo(waiting, more);
    return after === waiting ? waiting : bounded(after);
  });
  return [...fresh, ...joined];
}

/** One delivery for each announcement and channel, oldest entity first. */
export function deliveriesOf(
  matches: readonly Match[],
  nowMs: number,
  isLate = false,
  { isApart, mentions = NO_MENTIONS, rolesOf = mentions.begin() }: Rules = {},
): Delivery[] {
  const deliveries = new Map<string, Delivery>();
  const matchesOf = new Map<string, Map<string, Ringer>>();
  const dueTimes = new Map<Subscription, DueTime>();
  for (const match of newestAnnouncedFirst(matches).reverse()) {
    const { subscription, announcement, terms, undecided, isForRoles, isCatchUp = false } = match;
    const id = deliveryId(subscription.channelId, announcement);
    const same = deliveries.get(id);
    const matching = matchesOf.get(id) ?? new Map<string, Ringer>();
    const roleIds = rolesOf(subscription, announcement, { nowMs, undecided });
    const rung = union(matching.get(subscription.id)?.match.roleIds, roleIds);
    const row = {
      subscriptionId: subscription.id,
      terms,
      ...(rung.length > 0 && { roleIds: rung }),
      ...(isForRoles && { isUntried: isForRoles }),
    };
    matching.delete(subscription.id);
    matchesOf.set(id, matching.set(subscription.id, { match: row, subscription }));
    const usual = dueTimeOf(subscription, dueTimes, nowMs);
    const isAlone = isApart?.(announcement, subscription) === true;
    const wanted =
      isAlone || isCatchUp ? { ...atOnceDueAt(subscription, nowMs), isDigest: usual.isDigest && !isAlone } : usual;
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
  for (const delivery of deliveries.values()) {
    const matching = matchesOf.get(delivery.id) ?? new Map<string, Ringer>();
    const rows = [...matching.values()].map(({ match }) => match);
    const row = { ...delivery, matches: rows };
    delivery.matches = listedMatches(row, (id) => matching.get(id)?.subscription, isApart);
  }
  return [...deliveries.values()];
}

/**
 * The matches that a row lists. Where there are too many, those that decide how it is posted come first: each that adds
 * a role, a tag, publishing or a post apart, then one for each different way to be posted.
 */
function listedMatches(
  { announcement, matches }: Pick<Delivery, 'announcement' | 'matches'>,
  subscriptionOf: SubscriptionOf,
  isApart: IsApart | undefined,
): DeliveryMatch[] {
  if (matches.length <= MOST_WITH_TERMS) return matches;
  const isCut = matches.length > MOST_MATCHES;
  const isOneApart = (subscription: Subscription) => isApart?.(announcement, subscription) === true;
  const listed = isCut ? decidingFirst(matches, subscriptionOf, isOneApart).slice(0, MOST_MATCHES) : matches;
  const unlisted = unlistedIn(matches) + matches.length - listed.length;
  return listed.map((match, index) => {
    const { unlisted: _, ...row } = match;
    const terms = index < MOST_WITH_TERMS ? row.terms : [];
    return { ...row, terms, ...(unlisted > 0 && index === listed.length - 1 && { unlisted }) };
  });
}

function unlistedIn(matches: readonly DeliveryMatch[]): number {
  return matches.reduce((sum, { unlisted = 0 }) => sum + unlisted, 0);
}

function decidingFirst(
  matches: readonly DeliveryMatch[],
  subscriptionOf: SubscriptionOf,
  isApart: (subscription: Subscription) => boolean,
): DeliveryMatch[] {
  const seen = new Set<string>();
  const addsOne = (values: readonly unknown[]) => {
    const fresh = values.map((value) => JSON.stringify(value)).filter((value) => !seen.has(value));
    for (const value of fresh) seen.add(value);
    return fresh.length > 0;
  };
  const ranks = matches.map(({ subscriptionId, roleIds = [] }) => {
    const subscription = subscriptionOf(subscriptionId);
    if (!subscription) return 2;
    const { tagIds, isPublished } = subscription;
    const roles = roleIds.map((id) => ['role', id]);
    const flags = [
      ['published', isPublished],
      ['apart', isApart(subscription)],
    ];
    const added = addsOne([...roles, ...flags, ...tagIds.map((id) => ['tag', id])]);
    return added ? 0 : addsOne([pacingOf(subscription)]) ? 1 : 2;
  });
  return [0, 1, 2].flatMap((rank) => matches.filter((_, index) => ranks[index] === rank));
}

/** When a subscription's matches are due: computed once for each subscription, not once for each match. */
function dueTimeOf(subscription: Subscription, known: Map<Subscription, DueTime>, nowMs: number): DueTime {
  const due = known.get(subscription) ?? orNow(subscription.timing, nowMs);
  known.set(subscription, due);
  return due;
}

/** When is due what waits for no digest, but for the end of quiet hours. */
function atOnceDueAt({ timing }: Subscription, nowMs: number): DueTime {
  return orNow({ ...timing, mode: 'at-once' }, nowMs);
}

/** When a timing's next post is due: now where it can't be evaluated, so that it does not hold up other deliveries. */
function orNow(timing: Timing, nowMs: number): DueTime {
  try {
    return dueAt(timing, nowMs);
  } catch {
    return { dueAtMs: nowMs, isDigest: false };
  }
}

/**
 * Merges the deliveries that were detected together into one for each entity in a channel: the kind that ranks first
 * stands for the others.
 */
function onePostEach(deliveries: readonly Delivery[]): Delivery[] {
  const posts = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const place = `${delivery.channelId} ${entityKey(delivery.announcement)}`;
    const others = posts.get(place) ?? [];
    const separate = others.filter((other) => !isOneWith(delivery, other));
    const joined = others
      .filter((other) => isOneWith(delivery, other))
      .reduce((one, other) => together(other, one), delivery);
    posts.set(place, [...separate, joined]);
  }
  return [...posts.values()].flat();
}

/** Two different parts of an entity do not stand for each other; the whole entity stands for each of its parts. */
function isOneWith({ announcement: one }: Delivery, { announcement: other }: Delivery): boolean {
  const parts = [partOf(one), partOf(other)];
  return parts.includes(null) || parts[0] === parts[1];
}

function together(one: Delivery, other: Delivery): Delivery {
  const [first, second] = rankOf(one.announcement) <= rankOf(other.announcement) ? [one, other] : [other, one];
  return {
    ...first,
    ...sooner(
      { dueAtMs: first.dueAtMs, isDigest: first.isDigest },
      { dueAtMs: second.dueAtMs, isDigest: second.isDigest },
    ),
    matches: joined(first.matches, second.matches),
    alsoTells: [...first.alsoTells, second.id, ...second.alsoTells],
  };
}

/**
 * Adds matches that were found later to a waiting delivery, and makes it due at the earliest of their times. A subscription
 * that is listed already keeps its roles, because later news of an offer mentions nobody; those that are decided only now
 * are a row of their own until a try includes them.
 */
function joinedTo(waiting: Delivery, found: readonly Delivery[]): Delivery {
  const known = new Set(waiting.matches.map(({ subscriptionId }) => subscriptionId));
  const all = found.reduce<DeliveryMatch[]>((some, { matches }) => joined(some, matches), []);
  const more = all.flatMap((match) => {
    if (!known.has(match.subscriptionId)) return match.isUntried ? [] : [match];
    return match.isUntried ? withoutRolesOf(waiting, match) : [];
  });
  const first = found.filter(({ matches }) => matches.some(({ isUntried }) => !isUntried)).reduce(sooner, waiting);
  if (more.length === 0 && first === waiting) return waiting;
  const { dueAtMs, isDigest, isLate, createdAtMs } = first;
  return {
    ...waiting,
    dueAtMs,
    isDigest,
    isLate,
    createdAtMs,
    matches: [...waiting.matches, ...more.map((match) => ({ ...match, isUntried: true as const }))],
  };
}

/** The match with the roles alone that the delivery does not mention for its subscription; empty for none. */
function withoutRolesOf({ matches }: Delivery, match: DeliveryMatch): DeliveryMatch[] {
  const own = matches.filter(({ subscriptionId }) => subscriptionId === match.subscriptionId);
  const mentioned = new Set(own.flatMap(({ roleIds = [] }) => roleIds));
  const roleIds = (match.roleIds ?? []).filter((roleId) => !mentioned.has(roleId));
  return roleIds.length > 0 ? [{ ...match, roleIds }] : [];
}

/** The matches of both lists, each subscription once, with the roles of both. */
function joined(first: readonly DeliveryMatch[], second: readonly DeliveryMatch[]): DeliveryMatch[] {
  const others = new Map(second.map((match) => [match.subscriptionId, match]));
  const named = new Set(first.map(({ subscriptionId }) => subscriptionId));
  return [
    ...first.map((match) => {
      const roleIds = union(match.roleIds, others.get(match.subscriptionId)?.roleIds);
      return roleIds.length > 0 ? { ...match, roleIds } : match;
    }),
    ...second.filter(({ subscriptionId }) => !named.has(subscriptionId)),
  ];
}

function union(one: readonly string[] = [], other: readonly string[] = []): string[] {
  return [...new Set([...one, ...other])];
}
