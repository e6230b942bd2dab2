import type { Log } from '../../../shared/log.ts';
import { type Announcement, startOf } from '../../deals/announcement.ts';
import {
  evaluate,
  type Filter,
  type FilterSubject,
  matchedTerms,
  parseFilter,
  subjectOfDealcast,
  subjectOfEvent,
  subjectOfMonkeychat,
  subjectOfOffer,
  subjectOfPoll,
} from '../../deals/filter/index.ts';
import { newestFirst } from '../../deals/life.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { isTimeZone } from '../../deals/timing.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import { shownOf } from '../kinds/index.ts';
import type { Match } from '../outbox/enqueue.ts';
import type { News } from './match.ts';
import { matchKeyOf, wants } from './match.ts';
import { createMatcher } from './matcher.ts';

/** Matches announcements with subscriptions. */
export interface Audience {
  /** Matches each piece of news with every subscription that wants it. */
  of(news: readonly News[], nowMs: number): Match[];
  /** Matches the newest live announcements, as many as each subscription still has to catch up on. */
  catchUps(live: readonly Announcement[], subscriptions: readonly Subscription[], nowMs: number): Match[];
}

/** Keeps an index over the filters of the subscriptions up to date. */
export function createAudience(subscriptions: Pick<SubscriptionStore, 'all' | 'onChange'>, log: Log): Audience {
  const { filterOf, orNothing } = createRecordGuard(log);
  const matcher = createMatcher<Subscription>();

  function index(subscription: Subscription, { parse, isZone } = { parse: parseFilter, isZone: isTimeZone }): void {
    orNothing(subscription, () => {
      const filter = filterOf(subscription, parse);
      const key = matchKeyOf(subscription);
      const { timeZone } = subscription.timing;
      if (!isZone(timeZone)) {
        log.error({ subscription: subscription.id, timeZone }, 'unknown time zone: using UTC');
      }
      if (filter !== null) matcher.add({ member: subscription, key, filter });
      return [];
    });
  }

  function forget(subscription: Subscription): void {
    orNothing(subscription, () => {
      const parsed = parseFilter(subscription.filter);
      if (parsed.ok) matcher.remove({ member: subscription, key: matchKeyOf(subscription), filter: parsed.filter });
      return [];
    });
  }

  // Many subscriptions have the same filter, and most the same time zone.
  const memoized = { parse: memoize(parseFilter), isZone: memoize(isTimeZone) };
  for (const subscription of subscriptions.all()) index(subscription, memoized);
  subscriptions.onChange((_id, subscription, before) => {
    if (before) forget(before);
    if (subscription) index(subscription);
  });

  return {
    of: (news, nowMs) =>
      news.flatMap(({ announcements, resources }) => {
        const subject = subjectOf(announcements[0]);
        const matching = matcher.match(resources, subject, nowMs);
        return announcements.flatMap((announcement) =>
          matching.flatMap(({ filter, members }) =>
            members.flatMap((subscription) =>
              orNothing(subscription, () =>
                wants(subscription, announcement)
                  ? [{ announcement, subscription, terms: matchedTerms(filter, subject, nowMs) }]
                  : [],
              ),
            ),
          ),
        );
      }),
    catchUps(live, catchingUp, nowMs) {
      const newest = newestOf(live);
      return catchingUp.flatMap((subscription) => {
        const filter = filterOf(subscription);
        if (filter === null) return [];
        return orNothing(subscription, () =>
          newest
            .filter(
              ({ announcement, subject }) => wants(subscription, announcement) && evaluate(filter, subject, nowMs),
            )
            .slice(0, subscription.catchUp)
            .map(({ announcement, subject }) => ({
              announcement,
              subscription,
              terms: matchedTerms(filter, subject, nowMs),
            })),
        );
      });
    },
  };
}

/** Keeps the problems of one subscription's record from all others, and logs them. */
function createRecordGuard(log: Log) {
  return {
    /** null where it can't be read: then it is not known what is wanted, and nothing is announced. */
    filterOf: ({ id, filter }: Subscription, parse = parseFilter): Filter | null => {
      const parsed = parse(filter);
      if (parsed.ok) return parsed.filter;
      log.error({ subscription: id, filter, problem: parsed.problem }, 'a saved filter is invalid');
      return null;
    },
    /** A record that can't be evaluated matches nothing, and does not affect other subscriptions. */
    orNothing: ({ id }: Subscription, match: () => Match[]): Match[] => {
      try {
        return match();
      } catch (error) {
        log.error({ err: error, subscription: id }, 'a subscription could not be matched');
        return [];
      }
    },
  };
}

function memoize<R>(compute: (text: string) => R): (text: string) => R {
  const results = new Map<string, R>();
  return (text) => {
    const result = results.get(text) ?? compute(text);
    results.set(text, result);
    return result;
  };
}

/** The announcements with their filter subjects, newest first. */
function newestOf(live: readonly Announcement[]) {
  return newestFirst(
    live.map((announcement) => ({
      announcement,
      subject: subjectOf(announcement),
      startDateMs: startOf(announcement),
    })),
  );
}

/** The facts of an announcement that filters match. */
export function subjectOf(announcement: Announcement): FilterSubject {
  const { as, item } = shownOf(announcement);
  switch (as) {
    case 'offer':
      return subjectOfOffer(item);
    case 'event':
      return subjectOfEvent(item);
    case 'dealcast':
      return subjectOfDealcast(item);
    case 'poll':
      return subjectOfPoll(item);
    case 'monkeychat':
      return subjectOfMonkeychat(item);
  }
}
