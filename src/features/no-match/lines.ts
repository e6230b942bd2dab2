import { candidatesIn } from '../../../commands/known.ts';
import type { CommandServices, Request } from '../../../commands/shared.ts';
import { sampleOf } from '../../announcements/explain/dry-run.ts';
import { type Filter, parseFilter, partsOf, termsOf } from '../../deals/filter/index.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { message } from '../../discord/i18n/translator.ts';
import { inlineCode } from '../../discord/markdown.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { nearestFilter } from './nearest.ts';

/** The most parts of a filter of which is tried how much matches without them. */
const MOST_TRIED = 10;

/** Says that nothing matches now, what the last seven days would have had, and which part of the filter costs most. */
export async function linesWithout(
  subscription: Subscription,
  count: number,
  request: Request,
): Promise<LocalizedText[]> {
  const { services } = request;
  const parsed = parseFilter(subscription.filter);
  if (subscription.filter === '' || !parsed.ok) return [];
  const { entries, knownSinceMs } = await services.explainer.preview(subscription);
  const none =
    knownSinceMs === null ? message('noMatch.yet', { count }) : message('noMatch.now', { count, week: entries.length });
  const costly = await costliestIn(parsed.filter, subscription, services);
  const meant = nearestFilter(subscription.filter, services.search);
  return [
    none,
    ...(meant === null ? [] : [message('feed.meant', { filter: inlineCode(meant) })]),
    ...(costly ? [message('noMatch.without', costly)] : []),
  ];
}

/** The part without which most would match, and how many; null where none alone makes the difference. */
async function costliestIn(filter: Filter, subscription: Subscription, services: CommandServices) {
  const { settings, clock } = services;
  // Regular expressions take too long to be tried again and again.
  if (termsOf(filter.root).some(({ test }) => test.kind === 'regex')) return null;
  const live = await candidatesIn(subscription.source, services);
  const tried = partsOf(filter)
    .slice(0, MOST_TRIED)
    .map(({ part, rest }) => {
      const { matching } = sampleOf({ ...subscription, filter: rest }, live?.candidates ?? [], settings, clock.now());
      return { part: inlineCode(part), without: matching };
    });
  const [most] = tried.toSorted((a, b) => b.without - a.without);
  return most && most.without > 0 ? most : null;
}
