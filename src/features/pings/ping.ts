import type { AnnouncementKind } from '../../deals/announcement.ts';
import type { Subscription } from '../../deals/subscription.ts';

/** A role that a subscription's posts mention. A subscription has at most one ping of each role. */
export interface Ping {
  roleId: string;
  /** In the filter language; '' for every post of the subscription. */
  filter: string;
  /** Empty for all that the subscription announces. One that it doesn't announce is never posted, so it rings for none. */
  kinds: AnnouncementKind[];
  /**
   * Why members may take the role themselves: the bot made it for that, or somebody who may give it set it up. Absent
   * where neither is known.
   */
  offeredAs?: 'made' | 'given';
}

/** The most pings that a subscription can have. */
export const MOST_PINGS = 10;

/**
 * The roles that an announcement rings for a subscription, by the subscription's pings.
 * @param passes whether the announcement passes a filter, given as its text; not asked for ''
 */
export function rolesRung(
  pings: readonly Ping[],
  kind: AnnouncementKind,
  passes: (filter: string) => boolean,
): string[] {
  return pings
    .filter(({ kinds }) => kinds.length === 0 || kinds.includes(kind))
    .filter(({ filter }) => filter === '' || passes(filter))
    .map(({ roleId }) => roleId);
}

/** The pings with this one, in place of the former one of `formerId`, or after the others. A role stays offered. */
export function withPing(pings: readonly Ping[], ping: Ping, formerId: string | null): Ping[] {
  const place = pings.findIndex(({ roleId }) => roleId === formerId);
  return stillOffered(place < 0 ? [...pings, ping] : pings.with(place, ping), pings);
}

/** The pings, each role offered to members as it was before. */
export function stillOffered(pings: readonly Ping[], before: readonly Ping[]): Ping[] {
  return pings.map((ping) => {
    const offeredAs = ping.offeredAs ?? before.find(({ roleId }) => roleId === ping.roleId)?.offeredAs;
    return offeredAs ? { ...ping, offeredAs } : ping;
  });
}

/** The pings, each role offered to members that was or that the person may give. */
export function offeredBy(pings: readonly Ping[], mayGive: (roleId: string) => boolean): Ping[] {
  return pings.map((ping) => (!ping.offeredAs && mayGive(ping.roleId) ? { ...ping, offeredAs: 'given' } : ping));
}

/** The pings of a subscription. */
export const pingsOf = ({ pings = [] }: Pick<Subscription, 'pings'>): Ping[] => pings;

declare module '../../deals/settings.ts' {
  interface SubscriptionFields {
    pings: Ping[];
  }
}
