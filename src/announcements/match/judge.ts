import type { Announcement } from '../../deals/announcement.ts';
import type { Unwanted } from '../../deals/decision.ts';
import { askedFields, asksAbout, evaluate, type Filter, type FilterSubject } from '../../deals/filter/index.ts';
import { type ChoosingSetting, choicesOf } from '../../deals/filter-of.ts';
import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { subjectOf, unsuitedTo } from '../kinds/index.ts';

/** What is known of the thing when an announcement is made of it. */
export interface Knowledge {
  /** The fields that are not known yet. A subscription whose filter asks about one waits; roles are mentioned for known fields alone. */
  undecided?: readonly string[] | undefined;
  /** The fields that are known since the thing was announced: only subscriptions whose filter asks about one are left. */
  decided?: readonly string[] | undefined;
  /** When it became news: whoever came later is owed nothing. Absent: that doesn't count. Epoch milliseconds. */
  sinceMs?: number | undefined;
}

/** The moment for which is judged. */
export interface Then extends Knowledge {
  /** What the subscription takes, as `filterOf` compiles it; null where that can't be read. */
  filter: Filter | null;
  /** What filters see of the announcement; absent: it is made where a filter asks. */
  subject?: FilterSubject;
  /** Epoch milliseconds. */
  atMs: number;
}

/** `decided-before`: it was decided when the thing was announced. `paused`: it would be wanted else. */
export type Judgement = { is: 'wanted' | 'filtered' | 'decided-before' | 'paused' } | Unwanted;

/**
 * Judges whether a subscription wants an announcement, and what speaks against that: the first reason of those that hold.
 * It judges the subscription alone: whether the announcement is news and live, others say.
 */
export function judge(announcement: Announcement, subscription: Subscription, then: Then): Judgement {
  const { kinds, pausedBy, createdAtMs } = subscription;
  const { filter, subject, atMs, sinceMs = Number.POSITIVE_INFINITY } = then;
  if (createdAtMs > sinceMs) return { is: 'before-subscription', createdAtMs };
  if (!kinds.includes(announcement.kind)) return { is: 'kind-not-wanted' };
  const because = unsuitedTo(announcement, subscription);
  if (because) return { is: 'unsuited', because };
  if (!filter) return { is: 'filter-unreadable' };
  const open = whyNotDecided(filter, then);
  if (open) return open;
  if (!evaluate(filter, subject ?? subjectOf(announcement), atMs)) return { is: 'filtered' };
  return { is: pausedBy === null ? 'wanted' : 'paused' };
}

/** Why a filter is not decided by what is known, or was before; null where it is decided now. */
export function whyNotDecided(filter: Filter, { undecided, decided }: Knowledge): Judgement | null {
  const awaited = undecided ? askedFields(filter, undecided) : [];
  if (awaited.length > 0) return { is: 'undecided', fields: awaited };
  return decided && !asksAbout(filter, decided) ? { is: 'decided-before' } : null;
}

/** The terms of a subscription's filter, and its settings that choose, which an announcement fails: what `judge` calls `filtered`. */
export function refusing(
  announcement: Announcement,
  subscription: Subscription,
  settings: readonly Setting[],
  atMs: number,
): ChoosingSetting[] {
  const subject = subjectOf(announcement);
  const choices = choicesOf(subscription, settings) ?? [];
  return choices.filter(({ filter }) => !evaluate(filter, subject, atMs)).map(({ setting }) => setting);
}
