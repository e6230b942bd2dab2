import type { Sight } from '../../announcements/deliver/mentions.ts';
import { subjectOf } from '../../announcements/kinds/index.ts';
import type { Announcement } from '../../deals/announcement.ts';
import { asksAbout, evaluate, type Filter, type FilterSubject, parseFilter } from '../../deals/filter/index.ts';
import { type Ping, rolesRung } from './ping.ts';

/**
 * Decides which roles announcements ring. Parses each filter once, and evaluates it once for each announcement. A filter that
 * asks about a field that isn't known yet isn't passed.
 */
export class Ringing {
  readonly #filters = new Map<string, Filter | null>();
  readonly #passed = new WeakMap<Announcement, (filter: string) => boolean>();

  /** @param sight the same for all calls with one announcement */
  rolesFor(pings: readonly Ping[], announcement: Announcement, sight: Sight): string[] {
    if (pings.length === 0) return [];
    const passes = this.#passed.get(announcement) ?? this.#passesFor(subjectOf(announcement), sight);
    this.#passed.set(announcement, passes);
    return rolesRung(pings, announcement.kind, passes);
  }

  #passesFor(subject: FilterSubject, { nowMs, undecided = [] }: Sight): (filter: string) => boolean {
    const known = new Map<string, boolean>();
    return (text) => {
      const filter = this.#parsed(text);
      const passes =
        known.get(text) ?? (filter !== null && !asksAbout(filter, undecided) && evaluate(filter, subject, nowMs));
      known.set(text, passes);
      return passes;
    };
  }

  /** null where it can't be read: then it is not known for what the role is wanted, and it isn't rung. */
  #parsed(text: string): Filter | null {
    const known = this.#filters.get(text);
    if (known !== undefined) return known;
    const parsed = parseFilter(text);
    const filter = parsed.ok ? parsed.filter : null;
    this.#filters.set(text, filter);
    return filter;
  }
}
