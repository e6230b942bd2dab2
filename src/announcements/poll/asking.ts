import type { Answer } from '../../catalog/catalog.ts';
import { withDeadline } from '../../catalog/demand.ts';
import { CatalogError, CatalogTimeoutError } from '../../catalog/errors.ts';
import { type AskedOffer, toldTerms } from '../../deals/asking.ts';
import type { OfferDetail, OfferTerms } from '../../deals/offer.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import { entityKey } from '../kinds/index.ts';
import type { Doubts } from './doubts.ts';
import { requestsForOffers } from './planner.ts';
import { type Context, commitFound, type PollResult, type Told } from './poll-once.ts';

// The requests for single offers: before news is posted, and where feeds leave a doubt.

/** For so long news waits at most for what offers say of themselves: people see it late then. */
export const LONGEST_CONFIRMING_MS = 10_000;

/**
 * Asks for offers whose news is held, so that posts make their claims at once and not in an edit. They are posted in any
 * case. Rejects with a StoreError.
 */
export async function confirmNews(context: Context, doubts: Doubts, { held, enqueued }: PollResult): Promise<void> {
  const { catalog, currentState, clock } = context;
  try {
    const nowMs = clock.now();
    const due = new Set(
      enqueued.filter(({ dueAtMs }) => dueAtMs <= nowMs).map(({ announcement }) => announcement.subject),
    );
    const ids = doubts.news(
      held.filter((id) => due.has(id)),
      requestsForOffers(catalog.quota().portal),
    );
    if (ids.length > 0) await beforePosting(context, (until) => askAbout(context, ids, until));
  } finally {
    currentState.release(held);
  }
}

/**
 * Asks offers what it takes to have them, as long as requests for news are left. Of those that don't answer in time, filters
 * count nothing as excluded. Rejects with the signal's reason.
 */
export async function termsAskedOf(ids: readonly string[], context: Context, doubts: Doubts): Promise<Told> {
  const told = new Map<string, OfferTerms>();
  if (ids.length === 0) return told;
  const left = [...ids];
  const next = () => left.splice(0, doubts.news(left, requestsForOffers(context.catalog.quota().portal)).length);
  await beforePosting(context, async (until) => {
    while (left.length > 0 && !until.aborted) {
      const asked = next();
      if (asked.length === 0) return;
      for (const [id, answer] of await answersOf(context, asked, until)) {
        const terms = toldTerms(answer);
        if (terms) told.set(id, terms);
      }
    }
  });
  return told;
}

/** Lets offers be asked before they are posted, for `LONGEST_CONFIRMING_MS` at most. Rejects with what is no failure of the catalog's. */
async function beforePosting(
  { clock, log, signal }: Context,
  ask: (until: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const timedOut = () => new CatalogTimeoutError('Offers did not answer in time.');
  try {
    await withDeadline(clock, LONGEST_CONFIRMING_MS, signal, timedOut, ask);
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    log.debug({ reason: error.message }, 'offers are posted before they have answered');
  }
}

/**
 * Asks for offers that are in doubt, in one request, and settles what they tell. Resolves with whether any has answered;
 * rejects with a StoreError.
 */
export async function settleDoubts(context: Context, doubts: Doubts): Promise<boolean> {
  const { catalog, offers, store, clock, signal } = context;
  const perDay = requestsForOffers(catalog.quota().portal);
  const ids = doubts.next(offers.all(), isOwedIn(store.deliveries), perDay, clock.now());
  return ids.length > 0 && (await askAbout(context, ids, signal));
}

/** Asks for offers, and settles what they tell. Resolves with whether any has answered; rejects with a StoreError. */
async function askAbout(context: Context, ids: readonly string[], signal: AbortSignal): Promise<boolean> {
  const answers = await answersOf(context, ids, signal);
  if (answers.size === 0) return false;
  await settleAnswers(context, answers);
  return true;
}

/** Asks offers what they say of themselves. Resolves with the answers by their ids; those are left out that don't come. */
async function answersOf(
  { catalog, log }: Context,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, AskedOffer | null>> {
  const options = { lane: 'announcement', maxAgeMs: 0, signal } as const;
  const asked = await Promise.allSettled(ids.map((id) => catalog.offers.get(id, options)));
  const answers = new Map<string, AskedOffer | null>();
  for (const [index, answer] of asked.entries()) {
    const id = ids[index] ?? '';
    if (answer.status === 'fulfilled') answers.set(id, askedIn(id, answer.value));
  }
  log.debug({ asked: ids.length, answered: answers.size }, 'asked for offers');
  return answers;
}

/** What an offer says of itself in an answer; null where it no longer exists. */
export function askedIn(id: string, { value: detail, unreadable }: Answer<OfferDetail | null>): AskedOffer | null {
  return detail && { detail, unreadable: new Set(unreadable?.fields?.get(id)) };
}

/** Enqueues what follows from what offers say of themselves. Rejects with a StoreError. */
export function settleAnswers(context: Context, answers: ReadonlyMap<string, AskedOffer | null>): Promise<void> {
  const { ofOffers, alone, clock } = context;
  return alone(async () => {
    const nowMs = clock.now();
    await commitFound(context, await ofOffers.asked(answers, nowMs), { nowMs });
  });
}

/** Whether a delivery of an offer waits. The outbox is read when that is asked first. */
function isOwedIn(deliveries: DeliveryStore): (offerId: string) => boolean {
  let owed: ReadonlySet<string> | null = null;
  return (offerId) => {
    owed ??= new Set(
      deliveries.channels().flatMap((id) => deliveries.pending(id).map(({ announcement }) => entityKey(announcement))),
    );
    return owed.has(`offer:${offerId}`);
  };
}
