import type { MentionFacts, Mentions, Sight } from '../../announcements/deliver/mentions.ts';
import { subjectOf } from '../../announcements/kinds/index.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { MentionOutcome } from '../../deals/decision.ts';
import {
  asksAbout,
  evaluate,
  explain,
  type Filter,
  type FilterSubject,
  parseFilter,
  subjectOfOffer,
} from '../../deals/filter/index.ts';
import type { Timing } from '../../deals/settings.ts';
import { openFrom } from '../../deals/timing.ts';
import { message } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { inlineCode } from '../../discord/markdown.ts';
import { type Ping, rolesRung } from './ping.ts';

/** The characters of a filter that /why shows. */
const MOST_FILTER = 60;

/** The roles that the pings of subscriptions ring. */
export const MENTIONS: Mentions = {
  begin() {
    const ringing = new Ringing();
    return ({ pings = [] }, announcement, sight) => ringing.rolesFor(pings, announcement, sight);
  },
  asks: ({ pings = [] }, fields) =>
    pings.some(({ filter }) => {
      const parsed = parseFilter(filter);
      return parsed.ok && asksAbout(parsed.filter, fields);
    }),
  has: ({ pings = [] }, roleId) => pings.some((ping) => ping.roleId === roleId),
  explain: ({ pings = [], timing }, facts) => pings.map((ping) => outcomeOf(ping, timing, facts)),
};

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

/** What a ping did with a post, or will do. */
function outcomeOf(ping: Ping, timing: Timing, facts: MentionFacts): MentionOutcome {
  const { roleId } = ping;
  const { postedAtMs, decided, mentioned } = facts;
  const rang = { roleId, isMentioned: true, because: message('why.ping.rang'), terms: [] };
  if (mentioned?.includes(roleId)) return rang;
  if (!decided.includes(roleId)) return { roleId, isMentioned: false, ...silenceOf(ping, facts) };
  if (postedAtMs === null) return { ...rang, because: message('why.ping.rings') };
  if (openFrom(timing, postedAtMs) > postedAtMs) {
    return { ...rang, isMentioned: false, because: message('why.ping.quiet') };
  }
  return mentioned ? { ...rang, isMentioned: false, because: message('why.ping.stopped') } : rang;
}

/** Why a ping is not for what happened. */
function silenceOf(
  { filter: text, kinds }: Ping,
  { announcement, offer, atMs }: MentionFacts,
): Pick<MentionOutcome, 'because' | 'terms'> {
  if (kinds.length > 0 && !kinds.includes(announcement.kind)) return { because: message('why.ping.kind'), terms: [] };
  const parsed = parseFilter(text);
  if (!parsed.ok) return { because: message('why.ping.unreadable'), terms: [] };
  const { holds, terms } = explain(parsed.filter, subjectOfOffer(offer), atMs);
  if (holds) return { because: message('why.ping.since'), terms: [] };
  return {
    because: message('why.ping.filter', { filter: inlineCode(clamp(text, MOST_FILTER)) }),
    terms: terms.filter((term) => !term.holds && term.isDecisive),
  };
}
