import type { Mentions } from '../../src/announcements/deliver/mentions.ts';
import type { Announcement } from '../../src/deals/announcement.ts';

/** A role that posts for a subscription mention: for everything, or for some kinds or one subject alone. */
type Mentioned = string | { roleId: string; kinds?: readonly Announcement['kind'][]; subject?: string };

declare module '../../src/deals/settings.ts' {
  interface SubscriptionFields {
    /** What a feature could add to subscriptions; tests alone do. */
    mentioned: readonly Mentioned[];
  }
}

const roleOf = (one: Mentioned) => (typeof one === 'string' ? one : one.roleId);

function isFor(one: Mentioned, { kind, subject }: Announcement): boolean {
  if (typeof one === 'string') return true;
  return (one.kinds?.includes(kind) ?? true) && (one.subject ?? subject) === subject;
}

/** Has posts mention what `Subscription.mentioned` says. */
export const MENTIONED: Mentions = {
  begin:
    () =>
    ({ mentioned = [] }, announcement) =>
      mentioned.filter((one) => isFor(one, announcement)).map(roleOf),
  asks: () => false,
  has: ({ mentioned = [] }, roleId) => mentioned.some((one) => roleOf(one) === roleId),
  explain: ({ mentioned = [] }, told) =>
    mentioned.map(roleOf).map((roleId) => ({
      roleId,
      isMentioned: told.mentioned?.includes(roleId) ?? told.decided.includes(roleId),
      because: { key: told.postedAtMs === null ? 'waits' : 'posted', values: {} },
      terms: [],
    })),
};
