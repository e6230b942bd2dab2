import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import type { AnnouncementContext } from './context.ts';

const MOST_TERMS = 6;
const MOST_TERM = 60;

/** `matches feed Home and ssd`, or the person's watches: the reason for an announcement; null where `matched` is empty. */
export function matchedPart({ matched, isWatch = false, translator }: AnnouncementContext): string | null {
  const terms = [...new Set(matched)].slice(0, MOST_TERMS).map((term) => escapeLine(clamp(term, MOST_TERM)));
  if (terms.length === 0) return null;
  const what = translator.list(terms);
  return isWatch
    ? `🔔 ${translator.t('announcement.watched', { what })}`
    : translator.t('announcement.matched', { what });
}
