import { createHash } from 'node:crypto';
import type { CurrentState } from '../../announcements/current-state.ts';
import { hasStarted, isLive, subjectOf } from '../../announcements/kinds/index.ts';
import { judge } from '../../announcements/match/judge.ts';
import type { AnnouncementOf } from '../../deals/announcement.ts';
import type { DealEvent } from '../../deals/event.ts';
import type { FilterSubject } from '../../deals/filter/index.ts';
import { filterOf } from '../../deals/filter-of.ts';
import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { WantedEvent } from './decide.ts';
import { type CalendarEntry, calendarEntry } from './entry.ts';
import type { ScheduledEventRecord } from './records.ts';

/** An event that runs or is announced. */
export interface CalendarEvent extends Omit<WantedEvent, 'digest' | 'wantedBy'> {
  announcement: AnnouncementOf<'event-started'>;
}

/** The events as of the last poll. */
export interface CalendarEvents {
  /** Those that run or are announced. */
  events: readonly CalendarEvent[];
  /** The marks of all that are known, those that are over included. */
  known: ReadonlySet<string>;
  /** When the catalog answered: epoch milliseconds. */
  fetchedAtMs: number;
}

/** One answer could announce an event by mistake: an entry is made once a second one has. */
const LEAST_ANSWERS = 2;
/** What begins later is not announced yet. */
const MOST_AHEAD_MS = 365 * DAY_MS;
/** A later end stands for none. Discord fails on dates that are decades ahead. */
const NO_END_FROM_MS = Date.UTC(2050, 0);

/** The events that can stand in Events lists; null where they were not read since the start. */
export function eventsOf(currentState: Pick<CurrentState, 'seen' | 'toCome'>, nowMs: number): CalendarEvents | null {
  const seen = currentState.seen('events');
  if (!seen) return null;
  const begun = seen.announcements.map((announcement) => ({ announcement, isSure: true }));
  const toCome = currentState.toCome('events').map(({ announcement, answers }) => ({
    announcement,
    isSure: answers >= LEAST_ANSWERS && !hasStarted(announcement, nowMs),
  }));
  const all = [...begun, ...toCome].flatMap(({ announcement, isSure }) =>
    announcement.kind === 'event-started' ? [{ announcement, isSure }] : [],
  );
  const events = all.filter(({ announcement }) => {
    return isLive(announcement, nowMs) && (announcement.item.startDateMs ?? 0) <= nowMs + MOST_AHEAD_MS;
  });
  return {
    events: events.map(({ announcement, isSure }) => ({
      announcement,
      isSure,
      mark: markOf(announcement.subject),
      startMs: announcement.item.startDateMs,
      endMs: endOf(announcement.item),
    })),
    known: new Set(all.map(({ announcement }) => markOf(announcement.subject))),
    fetchedAtMs: seen.fetchedAtMs,
  };
}

/** What stands for an event in entries: 72 bits of a hash, so that it has one length and is safe in any text. */
function markOf(eventId: string): string {
  return createHash('sha256').update(eventId).digest('base64url').slice(0, 12);
}

function endOf({ startDateMs, endDateMs }: DealEvent): number | null {
  if (endDateMs === null || endDateMs >= NO_END_FROM_MS || endDateMs <= (startDateMs ?? 0)) return null;
  return endDateMs;
}

/** Whether a subscription puts its events into its server's Events list. */
export function hasCalendar({ isInCalendar, source, pausedBy }: Subscription): boolean {
  return isInCalendar === true && source.kind === 'events' && pausedBy === null;
}

type MarkedEntry = CalendarEntry & { digest: string };

/** Finds the events that subscriptions want, and what they show. What is computed for an event is kept as long as that. */
export class WantedEvents {
  readonly #settings: readonly Setting[];
  readonly #subjects = new WeakMap<DealEvent, FilterSubject>();
  readonly #entries = new WeakMap<DealEvent, Map<string, MarkedEntry>>();

  /** @param settings all those that a subscription can have */
  constructor(settings: readonly Setting[]) {
    this.#settings = settings;
  }

  /**
   * Those that any of a server's subscriptions wants; one whose filter can't be read wants none. The filter counts when the
   * entry is made: offers and prices of an event change while it runs. Whoever changes the subscription decides anew.
   */
  of(
    { events }: CalendarEvents,
    subscriptions: readonly Subscription[],
    records: readonly ScheduledEventRecord[],
    translator: Translator,
    nowMs: number,
  ): WantedEvent[] {
    const wishes = subscriptions
      .filter(hasCalendar)
      .map((subscription) => ({ subscription, filter: filterOf(subscription, this.#settings) }));
    if (wishes.length === 0) return [];
    const byMark = new Map(records.map((record) => [record.mark, record]));
    return events.flatMap((one) => {
      const judged = wishes.map(({ subscription, filter }) => {
        const then = { filter, subject: this.#subjectOf(one), atMs: nowMs };
        return { subscription, ...judge(one.announcement, subscription, then) };
      });
      const record = byMark.get(one.mark);
      const wantedBy = judged.flatMap(({ is, subscription }) => (is === 'wanted' ? [subscription.id] : []));
      const isKept = judged.some(({ is, subscription }) => is === 'filtered' && record && isFor(record, subscription));
      if (wantedBy.length === 0 && !isKept) return [];
      return [{ ...one, wantedBy, digest: this.entryOf(one, translator).digest }];
    });
  }

  entryOf({ announcement, mark, endMs }: CalendarEvent, translator: Translator): MarkedEntry {
    const { item } = announcement;
    const entries = this.#entries.get(item) ?? new Map<string, MarkedEntry>();
    this.#entries.set(item, entries);
    const known = entries.get(translator.locale);
    if (known) return known;
    const entry = calendarEntry(item, { mark, hasKnownEnd: endMs !== null }, translator);
    const digest = createHash('sha256').update(JSON.stringify(entry)).digest('base64url');
    entries.set(translator.locale, { ...entry, digest });
    return { ...entry, digest };
  }

  #subjectOf({ announcement }: CalendarEvent): FilterSubject {
    const subject = this.#subjects.get(announcement.item) ?? subjectOf(announcement);
    this.#subjects.set(announcement.item, subject);
    return subject;
  }
}

/** Whether an entry was made for a subscription as it is. */
function isFor({ wantedBy, madeAtMs }: ScheduledEventRecord, { id, changedAtMs = 0 }: Subscription): boolean {
  return wantedBy.includes(id) && changedAtMs <= madeAtMs;
}
