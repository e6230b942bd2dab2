import { CatalogError } from '../src/bot/catalog/errors.ts';
import { remainingFor, reserveOf } from '../src/bot/catalog/throttle/rate-budget.ts';
import type { KnownOffer } from '../src/bot/deals/known-offer.ts';
import { sameResource } from '../src/bot/deals/subscription.ts';
import type { SearchCoverage } from '../src/bot/discord/cards/search-card.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { type ReadableFeed, readingOrder } from '../src/bot/offers/reading-order.ts';
import { ageMs } from '../src/shared/clock.ts';
import { UserError } from '../src/shared/errors.ts';
import type { CommandServices } from './shared.ts';

/** The feeds that one search reads at most: a request each, of the thousand that a day has. */
const MOST_READ = 3;
/** A feed that nobody follows is read again after this long: offers live for days. */
const GOOD_FOR_MS = 3 * 3_600_000;
/** A feed that could not be read is tried again after this long. */
const RETRY_AFTER_MS = 15 * 60_000;

/**
 * Reads the feeds that matter most to the words, of those that nobody follows and that were not read lately. Leaves
 * half of people's reserve to the other commands. Resolves when their offers can be found.
 * @throws UserError where the person's rate limit is spent before the first of them
 */
export async function readFeeds(
  words: string,
  found: readonly KnownOffer[],
  shared: CommandServices,
  context: CommandContext,
): Promise<void> {
  const feeds = readingOrder(unread(shared), words, found).slice(0, Math.min(MOST_READ, spendable(shared)));
  const polls = feeds.flatMap(({ feed }, index) => {
    try {
      context.spend();
    } catch (error) {
      if (index > 0 && error instanceof UserError) return [];
      throw error;
    }
    return [shared.poller.poll(`feed:${feed}`, 'interactive')];
  });
  for (const outcome of await Promise.allSettled(polls)) {
    // The poller has noted why, and the coverage tells it.
    if (outcome.status === 'rejected' && !(outcome.reason instanceof CatalogError)) throw outcome.reason as Error;
  }
  await shared.search.settled();
}

/** How much of the catalog the known offers cover. */
export function coverageOf(shared: CommandServices): SearchCoverage {
  const { feeds, poller, offers, catalog } = shared;
  const [isWanting, isAffordable] = [unread(shared).length > 0, spendable(shared) > 0];
  const polledAtMs = feeds.flatMap((feed) => offers.feedState(feed)?.polledAtMs ?? []);
  return {
    searched: polledAtMs.length,
    all: feeds.length,
    oldestMs: polledAtMs.length === 0 ? null : Math.min(...polledAtMs),
    unreadable: feeds.filter((feed) => poller.lastAttempt(`feed:${feed}`)?.hasFailed),
    hasMore: isWanting && isAffordable,
    quotaReturnsAtMs: isWanting && !isAffordable ? catalog.quota().portal.resetsAtMs : null,
  };
}

/** The feeds that nobody follows, and that were not read or tried lately. */
function unread({ feeds, offers, subscriptions, poller, clock }: CommandServices): ReadableFeed[] {
  const followed = new Set([...subscriptions.followers.all().keys()].map(sameResource));
  const nowMs = clock.now();
  return feeds.flatMap((feed): ReadableFeed[] => {
    const resource = `feed:${feed}` as const;
    const { polledAtMs = null, marketingName = null } = offers.feedState(feed) ?? {};
    const attempt = poller.lastAttempt(resource);
    const isRecent = polledAtMs !== null && ageMs(polledAtMs, nowMs) <= GOOD_FOR_MS;
    const isTried = attempt?.hasFailed === true && ageMs(attempt.atMs, nowMs) <= RETRY_AFTER_MS;
    return followed.has(sameResource(resource)) || isRecent || isTried ? [] : [{ feed, polledAtMs, marketingName }];
  });
}

/** The requests that searches may still make today. */
function spendable({ catalog }: CommandServices): number {
  const { spent, limit } = catalog.quota().portal;
  return Math.max(0, remainingFor('interactive', spent, limit) - Math.floor(reserveOf(limit) / 2));
}
