import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import type { AnnouncementContext } from './context.ts';

const MOST_TERMS = 6;
const MOST_TERM = 60;

/** `matches feed Home and ssd`: the reason for an announcement; null where `matched` is empty. */
export function matchedPart({ matched, translator }: AnnouncementContext): string | null {
  const terms = [...new Set(matched)].slice(0, MOST_TERMS).map((term) => escapeLine(clamp(term, MOST_TERM)));
  return terms.length > 0 ? translator.t('announcement.matched', { what: translator.list(terms) }) : null;
}
