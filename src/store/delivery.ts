import { hash } from 'node:crypto';
import type { Announcement, RollUpReason } from '../deals/announcement.ts';

/** One announcement on its way to one channel. */
export interface Delivery {
  /** Deterministic: always the same for the same announcement and channel. */
  id: string;
  guildId: string;
  channelId: string;
  /** The subscriptions that want it. */
  matches: DeliveryMatch[];
  announcement: Announcement;
  /**
   * The ids of the deliveries for the same entity from the same poll: this post stands for them, and they end with it.
   */
  alsoTells: string[];
  createdAtMs: number;
  /** The order among deliveries of the same moment. */
  sequence: number;
  /** Not to be posted before this moment: epoch milliseconds. */
  dueAtMs: number;
  /** Whether it waits for a digest, to be posted together with others. */
  isDigest: boolean;
  /**
   * Whether it was detected after a long gap between two polls. Many such deliveries become one post of those still
   * live.
   */
  isLate: boolean;
}

/** A subscription that wants an announcement, and the matching terms of its filter, for people to read. */
export interface DeliveryMatch {
  subscriptionId: string;
  terms: string[];
  /** The roles that a post of the announcement mentions for it, as decided when it was enqueued; absent for none. */
  roleIds?: string[];
  /**
   * Set while no try has included it: it joined a delivery that waited already, or holds roles that were decided later for
   * a subscription that has another row. While an earlier try may stand in the channel, no repetition includes it.
   */
  isUntried?: true;
  /** How many further subscriptions want it that are not listed. Set only in the last entry of a list that was cut. */
  unlisted?: number;
}

/** Many announcements for one channel in a single post. */
export interface RollUp {
  /** Derived from the ids of its contents. */
  id: string;
  guildId: string;
  channelId: string;
  members: RollUpMember[];
  /** The ids of all deliveries that end with it: its members, and those that they stand for. */
  replaces: string[];
  createdAtMs: number;
  reason: RollUpReason;
}

export interface RollUpMember {
  deliveryId: string;
  announcement: Announcement;
  /** As in `Delivery`. */
  alsoTells: string[];
  matches: DeliveryMatch[];
}

/** How a delivery ended. */
export interface LedgerEntry {
  channelId: string;
  /** `over`, `gone` (the channel no longer exists) and `refused` were not posted. */
  outcome: 'posted' | 'over' | 'gone' | 'refused';
  /** The location of the message; null where there is none. */
  messageChannelId: string | null;
  messageId: string | null;
  /** The roll-up that it was posted in; null where it has a post of its own. */
  rollUpId: string | null;
  endedAtMs: number;
  /**
   * The delivery was found in the channel and was not in the state, whose last writes were lost or which is an older
   * copy. When it is detected again, it is recorded as a post, so that it is kept up to date.
   */
  isFound?: true;
  /** When its message was found to be deleted: epoch milliseconds; absent while it stands. */
  deletedAtMs?: number;
}

/** How a delivery ended, without the fields that the store adds. */
export type Ending = Pick<LedgerEntry, 'outcome' | 'messageChannelId' | 'messageId' | 'endedAtMs'>;

/** The ids of all deliveries that end with this one, itself included. */
export function idsOf({ id, alsoTells }: Pick<Delivery, 'id' | 'alsoTells'>): string[] {
  return [id, ...alsoTells];
}

/** The delivery with the matches that all of its tries so far have included. */
export function asTried(delivery: Delivery): Delivery {
  return { ...delivery, matches: delivery.matches.filter(({ isUntried }) => !isUntried) };
}

/**
 * The delivery with all of its matches, for its next try once no earlier one can stand in the channel. Roles that joined
 * later are in their subscription's row from then on.
 */
export function asNextTry(delivery: Delivery): Delivery {
  const rows = new Map<string, DeliveryMatch>();
  for (const match of delivery.matches.map(triedMatch)) {
    const row = rows.get(match.subscriptionId);
    const roleIds = [...new Set([...(row?.roleIds ?? []), ...(match.roleIds ?? [])])];
    rows.set(match.subscriptionId, { ...match, ...row, ...(roleIds.length > 0 && { roleIds }) });
  }
  return { ...delivery, matches: [...rows.values()] };
}

/** The roles of the matches. */
export function rolesOf(matches: readonly DeliveryMatch[]): string[] {
  return matches.flatMap(({ roleIds = [] }) => roleIds);
}

/** The match, once a try has included it. */
export function triedMatch(match: DeliveryMatch): DeliveryMatch {
  const { isUntried: _, ...tried } = match;
  return tried;
}

/** A delivery as a member of a roll-up. */
export function memberOf({ id, announcement, alsoTells, matches }: Delivery): RollUpMember {
  return { deliveryId: id, announcement, alsoTells, matches };
}

/** A roll-up of these deliveries. Its id derives from its contents: the same deliveries always give the same id. */
export function rollUpOf(deliveries: readonly [Delivery, ...Delivery[]], reason: RollUpReason): RollUp {
  const [{ guildId, channelId }] = deliveries;
  const ids = deliveries.map(({ id }) => id).sort();
  return {
    id: hash('sha256', JSON.stringify(['roll-up', channelId, ids]), 'base64url').slice(0, 22),
    guildId,
    channelId,
    members: deliveries.map((delivery) => memberOf(asNextTry(delivery))),
    replaces: deliveries.flatMap(idsOf),
    createdAtMs: Math.min(...deliveries.map(({ createdAtMs }) => createdAtMs)),
    reason,
  };
}
