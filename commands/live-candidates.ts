import { asNew, type Candidate, withSubject } from '../src/bot/announcements/explain/dry-run.ts';
import type { Announcement } from '../src/bot/deals/announcement.ts';
import { resourceOf, type Source } from '../src/bot/deals/subscription.ts';
import type { CommandServices } from './shared.ts';

export interface LiveCandidates {
  candidates: readonly Candidate[];
  /** When the source was read: epoch milliseconds. */
  readAtMs: number;
}

/**
 * Cached until the list changes, because people type several letters in a second: making them for 12,400 offers takes
 * a quarter of a second.
 */
const kept = new WeakMap<readonly unknown[], readonly Candidate[]>();

function candidatesOf<T>(list: readonly T[], asAnnounced: (one: T) => Announcement): readonly Candidate[] {
  const candidates = kept.get(list) ?? list.map((one) => withSubject(asAnnounced(one)));
  kept.set(list, candidates);
  return candidates;
}

/** The known entities of a source; null where no poll has read it yet. Makes no request. */
export function candidatesIn(
  source: Source,
  { offers, currentState }: Pick<CommandServices, 'offers' | 'currentState'>,
): LiveCandidates | null {
  if (source.kind === 'feed') {
    const state = offers.feedState(source.feed);
    return state && { candidates: candidatesOf(offers.live(source.feed), asNew), readAtMs: state.polledAtMs };
  }
  const seen = currentState.seen(resourceOf(source));
  return (
    seen && { candidates: candidatesOf(seen.announcements, (announcement) => announcement), readAtMs: seen.fetchedAtMs }
  );
}
