import type { Mentions, Sight } from '../../src/announcements/deliver/mentions.ts';
import { subjectOf } from '../../src/announcements/kinds/index.ts';
import type { Announcement } from '../../src/deals/announcement.ts';
import { asksAbout, evaluate, parseFilter } from '../../src/deals/filter/index.ts';

/** A role that posts for a subscription mention: for everything, or for some kinds, one subject or a filter alone. */
type Mentioned =
  | string
  | { roleId: string; kinds?: readonly Announcement['kind'][]; subject?: string; filter?: string };

declare module '../../src/deals/settings.ts' {
  interface SubscriptionFields {
    /** What a feature could add to subscriptions; tests alone do. */
    mentioned: readonly Mentioned[];
  }
}

const roleOf = (one: Mentioned) => (typeof one === 'string' ? one : one.roleId);

function filterOf(one: Mentioned) {
  const parsed = parseFilter(typeof one === 'string' ? '' : (one.filter ?? ''));
  if (!parsed.ok) throw new Error("A filter can't be read.");
  return parsed.filter;
}

function isFor(one: Mentioned, announcement: Announcement, { nowMs, undecided = [] }: Sight): boolean {
  if (typeof one === 'string') return true;
  const { kind, subject } = announcement;
  if (one.kinds?.includes(kind) === false || (one.subject ?? subject) !== subject) return false;
  const filter = filterOf(one);
  return !asksAbout(filter, undecided) && evaluate(filter, subjectOf(announcement), nowMs);
}

/** Has posts mention what `Subscription.mentioned` says. */
export const MENTIONED: Mentions = {
  begin:
    () =>
    ({ mentioned = [] }, announcement, sight) =>
      mentioned.filter((one) => isFor(one, announcement, sight)).map(roleOf),
  asks: ({ mentioned = [] }, fields) => mentioned.some((one) => asksAbout(filterOf(one), fields)),
  has: ({ mentioned = [] }, roleId) => mentioned.some((one) => roleOf(one) === roleId),
  explain: ({ mentioned = [] }, told) =>
    mentioned.map(roleOf).map((roleId) => ({
      roleId,
      isMentioned: told.mentioned?.includes(roleId) ?? told.decided.includes(roleId),
      because: { key: told.postedAtMs === null ? 'waits' : 'posted', values: {} },
      terms: [],
    })),
};
