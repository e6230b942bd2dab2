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
import type { Source, Subscription } from '../../deals/subscription.ts';
import { isTimeZone } from '../../deals/timing.ts';
import type { Log } from '../../shared/log.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import { shownOf } from '../kinds/index.ts';
import type { Match } from '../outbox/enqueue.ts';
import type { MatchKey, News } from './match.ts';
import { matchKeyOf, wants } from './match.ts';
import { createMatcher } from './matcher.ts';

/** Matches announcements with subscriptions. */
export interface Audience {
  /**
   * Matches each piece of news with every subscription that wants it. Yields after each match, so that other work can run
   * meanwhile; the subscriptions must not change until it returns.
   */
  of(news: readonly News[], nowMs: number): Generator<void, Match[]>;
  /** Matches the newest live announcements, as many as each subscription still has to catch up on. */
  catchUps(live: readonly Announcement[], subscriptions: readonly Subscription[], nowMs: number): Match[];
}

/** Subscriptions by resource and by filter, which may be invalid. */
type Groups = Map<MatchKey, Map<string, Subscription[]>>;

/** Keeps an index over the filters of the subscriptions up to date. */
export function createAudience(subscriptions: Pick<SubscriptionStore, 'all' | 'onChange'>, log: Log): Audience {
  const guard = createRecordGuard(log);
  const { filterOf, orNothing } = guard;
  const matcher = createMatcher<Subscription>();

  function index(added: readonly Subscription[]): void {
    // Many have the same filter, even of different resources.
    const parse = memoize(parseFilter);
    for (const [key, byFilter] of groupsOf(added, guard)) {
      for (const [text, members] of byFilter) {
        orNothing(members, () => {
          const filter = filterOf(text, members, parse);
          if (filter !== null) matcher.add({ members, key, filter });
          return [];
        });
      }
    }
  }

  function forget(subscription: Subscription): void {
    orNothing([subscription], () => {
      const parsed = parseFilter(subscription.filter);
      if (parsed.ok) matcher.remove({ members: [subscription], key: matchKeyOf(subscription), filter: parsed.filter });
      return [];
    });
  }

  index(subscriptions.all());
  subscriptions.onChange((_id, subscription, before) => {
    if (before) forget(before);
    if (subscription) index([subscription]);
  });

  return {
    *of(news, nowMs) {
      const matches: Match[] = [];
      for (const { announcements, resources } of news) {
        const subject = subjectOf(announcements[0]);
        const matching = matcher.match(resources, subject, nowMs);
        for (const announcement of announcements) {
          for (const { filter, members } of matching) {
            for (const subscription of members) {
              yield;
              const wanted = orNothing([subscription], () =>
                wants(subscription, announcement)
                  ? [{ announcement, subscription, terms: matchedTerms(filter, subject, nowMs) }]
                  : [],
              );
              matches.push(...wanted);
            }
          }
        }
      }
      return matches;
    },
    catchUps(live, catchingUp, nowMs) {
      const newest = newestOf(live);
      return catchingUp.flatMap((subscription) => {
        const filter = filterOf(subscription.filter, [subscription]);
        if (filter === null) return [];
        return orNothing([subscription], () =>
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

/** Groups subscriptions that can be indexed together, because a start with a million of them takes less time so. */
function groupsOf(
  added: readonly Subscription[],
  { checkZone, orNothing }: ReturnType<typeof createRecordGuard>,
): Groups {
  const groups: Groups = new Map();
  const isZone = memoize(isTimeZone);
  // The store gives subscriptions their sources in common.
  const keyOfSource = memoize((source: Source) => matchKeyOf({ source }));
  for (const subscription of added) {
    orNothing([subscription], () => {
      checkZone(subscription, isZone);
      const key = subscription.watch ? matchKeyOf(subscription) : keyOfSource(subscription.source);
      const byFilter = groups.get(key) ?? new Map<string, Subscription[]>();
      groups.set(key, byFilter);
      const members = byFilter.get(subscription.filter);
      if (members) members.push(subscription);
      else byFilter.set(subscription.filter, [subscription]);
      return [];
    });
  }
  return groups;
}

/** Keeps the problems of some subscriptions' records from all others, and logs them. */
function createRecordGuard(log: Log) {
  return {
    /**
     * The filter that all of them have; null where it can't be read: then it is not known what is wanted, and nothing is
     * announced.
     */
    filterOf: (filter: string, members: readonly Subscription[], parse = parseFilter): Filter | null => {
      const parsed = parse(filter);
      if (parsed.ok) return parsed.filter;
      for (const { id } of members) {
        log.error({ subscription: id, filter, problem: parsed.problem }, 'a saved filter is invalid');
      }
      return null;
    },
    checkZone: ({ id, timing: { timeZone } }: Subscription, isZone: (timeZone: string) => boolean): void => {
      if (!isZone(timeZone)) log.error({ subscription: id, timeZone }, 'unknown time zone: using UTC');
    },
    /** Records that can't be evaluated match nothing, and do not affect other subscriptions. */
    orNothing: (members: readonly Pick<Subscription, 'id'>[], match: () => Match[]): Match[] => {
      try {
        return match();
      } catch (error) {
        for (const { id } of members)
          log.error({ err: error, subscription: id }, 'a subscription could not be matched');
        return [];
      }
    },
  };
}

function memoize<V, R>(compute: (value: V) => R): (value: V) => R {
  const results = new Map<V, R>();
  return (value) => {
    const known = results.get(value);
    if (known !== undefined) return known;
    const result = compute(value);
    results.set(value, result);
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
