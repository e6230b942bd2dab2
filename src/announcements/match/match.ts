import { type Announcement, newestAnnouncedFirst } from '../../deals/announcement.ts';
import {
  asksAbout,
  type Filter,
  type FilterSubject,
  matchedTerms,
  parseFilter,
  TOLD,
} from '../../deals/filter/index.ts';
import { filterOf } from '../../deals/filter-of.ts';
import type { Setting } from '../../deals/settings.ts';
import { type ResourceKey, resourceOf, type Subscription, sameResource } from '../../deals/subscription.ts';
import { isTimeZone } from '../../deals/timing.ts';
import type { Log } from '../../shared/log.ts';
import { flatMapInTurns, type TurnOptions } from '../../shared/turns.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import { type Mentions, NO_MENTIONS } from '../deliver/mentions.ts';
import { subjectOf } from '../kinds/index.ts';
import { goesByFilter } from '../kinds/of-source.ts';
import type { Match } from '../outbox/enqueue.ts';
import { FilterIndex } from './filter-index.ts';
import { judge, type Knowledge, type Then, whyNotDecided } from './judge.ts';

/** The announcements of one entity, and the resources whose followers get them. */
export interface News extends Knowledge {
  /** They show the entity in the same state, so that filters are matched once for all of them. */
  announcements: readonly [Announcement, ...Announcement[]];
  /** As `sameResource` makes them. */
  resources: readonly ResourceKey[];
}

/** A subscription that the index has selected for an announcement, and the input of its judgement. */
interface Selected {
  announcement: Announcement;
  subscription: Subscription;
  /** Whether it has been announced for the subscription, and only the roles that are mentioned are decided now. */
  isForRoles: boolean;
  by: Then & { filter: Filter; subject: FilterSubject };
}

/**
 * Matches announcements with subscriptions, by an index over their filters that follows each change of them.
 */
export class Audience {
  readonly #index = new FilterIndex<Subscription>();
  /** The settings that add terms to filters; the others are skipped, because there may be 100,000 subscriptions. */
  readonly #choosing: readonly Setting[];
  readonly #mentions: Pick<Mentions, 'asks'>;
  readonly #log: Log;
  /** Whether the subscriptions of a part need what only an offer itself tells; absent since one of them was changed. */
  readonly #needing = new Map<ResourceKey, boolean>();

  /** @param settings all those that a subscription can have */
  constructor(
    subscriptions: Pick<SubscriptionStore, 'all' | 'onChange'>,
    settings: readonly Setting[],
    log: Log,
    mentions: Pick<Mentions, 'asks'> = NO_MENTIONS,
  ) {
    this.#mentions = mentions;
    this.#choosing = settings.filter((setting) => 'terms' in setting);
    this.#log = log;
    this.#add(subscriptions.all());
    subscriptions.onChange((_id, subscription, before) => {
      if (before) this.#remove(before);
      if (subscription) this.#add([subscription]);
    });
  }

  /** Whether anything that is announced of a resource depends on what only an offer itself tells. */
  needsTold(resource: ResourceKey): boolean {
    const part = sameResource(resource);
    const asks = (subscription: Subscription) => this.#mentions.asks(subscription, [TOLD]);
    const needs =
      this.#needing.get(part) ??
      this.#index.groupsIn(part).some(({ filter, members }) => asksAbout(filter, [TOLD]) || members.some(asks));
    this.#needing.set(part, needs);
    return needs;
  }

  /**
   * Matches each piece of news with every subscription that wants it: the index selects, `judge` decides. Other work runs
   * meanwhile; the subscriptions must not change until it resolves. Rejects with the signal's reason.
   */
  of(news: readonly News[], nowMs: number, turns: TurnOptions): Promise<Match[]> {
    const selected = this.#selected(news, nowMs);
    return flatMapInTurns(selected, (one) => this.#orNothing(one.subscription, () => matchOf(one)), turns);
  }

  /** The subscriptions that the index selects for each announcement. */
  *#selected(news: readonly News[], nowMs: number): Generator<Selected> {
    for (const one of news) {
      const { announcements, resources } = one;
      const subject = subjectOf(announcements[0]);
      const groups = this.#index.match(resources, subject, nowMs).flatMap(({ filter, members }) => {
        const open = whyNotDecided(filter, one);
        if (!open) return [{ by: { ...one, filter, subject, atMs: nowMs }, members, isForRoles: false }];
        const mentioning = open.is === 'decided-before' ? this.#mentioning(members, one) : [];
        const { decided: _, ...then } = one;
        return [{ by: { ...then, filter, subject, atMs: nowMs }, members: mentioning, isForRoles: true }];
      });
      for (const announcement of announcements) {
        for (const { by, members, isForRoles } of groups) {
          for (const subscription of members) yield { announcement, subscription, isForRoles, by };
        }
      }
    }
  }

  /** The subscriptions that the news was announced for, and whose roles depend on fields that are known only now. */
  #mentioning(members: Iterable<Subscription>, { decided = [] }: News): Subscription[] {
    return [...members].filter((subscription) => this.#mentions.asks(subscription, decided));
  }

  /** Matches the newest live announcements, as many as each subscription still has to catch up on. */
  catchUps(live: readonly Announcement[], catchingUp: readonly Subscription[], nowMs: number): Match[] {
    const newest = this.#newestFor(catchingUp, live, ({ catchUp }) => catchUp, nowMs);
    return newest.map((match) => ({ ...match, isCatchUp: true }));
  }

  /** Matches all of these live announcements with the subscriptions, whenever they began. */
  allOf(live: readonly Announcement[], subscriptions: readonly Subscription[], nowMs: number): Match[] {
    return this.#newestFor(subscriptions, live, () => live.length, nowMs);
  }

  #newestFor(
    subscriptions: readonly Subscription[],
    live: readonly Announcement[],
    most: (subscription: Subscription) => number,
    nowMs: number,
  ): Match[] {
    if (subscriptions.length === 0) return [];
    const newest = newestAnnouncedFirst(
      live.map((announcement) => ({ announcement, subject: subjectOf(announcement) })),
    );
    return subscriptions.flatMap((subscription) =>
      this.#orNothing(subscription, () => {
        const filter = this.#filterOf(subscription);
        if (filter === null) return [];
        const isWanted = ({ announcement, subject }: (typeof newest)[number]) =>
          judge(announcement, subscription, { filter, subject, atMs: nowMs }).is === 'wanted';
        return newest
          .filter(isWanted)
          .slice(0, most(subscription))
          .map(({ announcement, subject }) => ({
            announcement,
            subscription,
            terms: matchedTerms(filter, subject, nowMs),
          }));
      }),
    );
  }

  #add(added: readonly Subscription[]): void {
    // Many subscriptions have the same filter and time zone, so each is parsed once.
    const parse = memoize(parseFilter);
    const isZone = memoize(isTimeZone);
    for (const subscription of added) {
      this.#orNothing(subscription, () => {
        if (!goesByFilter(subscription)) return [];
        const { id, timing } = subscription;
        if (!isZone(timing.timeZone)) {
          this.#log.error({ subscription: id, timeZone: timing.timeZone }, 'unknown time zone: using UTC');
        }
        const filter = this.#filterOf(subscription, parse);
        if (filter !== null) this.#index.add(subscription, partOf(subscription), filter);
        this.#needing.delete(partOf(subscription));
        return [];
      });
    }
  }

  #remove(subscription: Subscription): void {
    this.#orNothing(subscription, () => {
      const filter = filterOf(subscription, this.#choosing);
      if (filter) this.#index.remove(subscription, partOf(subscription), filter);
      this.#needing.delete(partOf(subscription));
      return [];
    });
  }

  /** A subscription's filter; null where it can't be read, and the subscription then gets nothing. */
  #filterOf(subscription: Subscription, parse = parseFilter): Filter | null {
    const found = filterOf(subscription, this.#choosing, parse);
    if (found) return found;
    const { id, filter } = subscription;
    const own = parse(filter);
    this.#log.error({ subscription: id, filter, problem: own.ok ? null : own.problem }, 'a saved filter is invalid');
    return null;
  }

  /** A record that can't be evaluated matches nothing, and does not affect other subscriptions. */
  #orNothing({ id }: Subscription, match: () => Match[]): Match[] {
    try {
      return match();
    } catch (error) {
      this.#log.error({ err: error, subscription: id }, 'a subscription could not be matched');
      return [];
    }
  }
}

/** The part of the filter index in which a subscription stands. */
function partOf({ source }: Subscription): ResourceKey {
  return sameResource(resourceOf(source));
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

function matchOf({ announcement, subscription, isForRoles, by }: Selected): Match[] {
  if (judge(announcement, subscription, by).is !== 'wanted') return [];
  const { filter, subject, atMs, undecided } = by;
  const terms = isForRoles ? [] : matchedTerms(filter, subject, atMs);
  return [{ announcement, subscription, terms, undecided, ...(isForRoles && { isForRoles }) }];
}
