import { isUuid } from '../src/catalog/wire.ts';
import { type KnownOffer, shownOffer } from '../src/deals/known-offer.ts';
import type { Offer, OfferDetail } from '../src/deals/offer.ts';
import { knownOfferCard } from '../src/discord/cards/known-offer-card.ts';
import { offerDetailCard } from '../src/discord/cards/offer-detail-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type { Turn } from '../src/discord/command.ts';
import type { Action, OfferSection } from '../src/discord/custom-id.ts';
import { expectedSentence } from '../src/discord/problems.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { ageOf } from './known-offers.ts';
import type { Shared } from './shared.ts';

const MINUTE_MS = 60_000;
/** Prices and stock change while one looks; the texts hardly ever do. */
const AGES_MS: Record<OfferSection, number> = {
  overview: 15 * MINUTE_MS,
  features: 360 * MINUTE_MS,
  story: 360 * MINUTE_MS,
  shipping: 360 * MINUTE_MS,
  stats: 60 * MINUTE_MS,
};

/** An offer in full; where the catalog does not tell it, what the bot knows of it, and why there is no more. */
export async function offerDetail(id: string, shared: Shared, words: Words, turn: Turn): Promise<Card> {
  try {
    return await offerSection({ offerId: id, section: 'overview', part: 1 }, shared, words, turn);
  } catch (error) {
    const known = shared.offers.get(id);
    const reason = expectedSentence(error, words);
    if (!known || reason === null) throw error;
    const view = { offer: shownOffer(known), reason, age: ageOf([known], shared) };
    return knownOfferCard(view, { words, nowMs: shared.clock.now() });
  }
}

/**
 * A section of an offer's card.
 * @throws UserError where the catalog does not hold the offer any more, or never did
 */
export async function offerSection(
  { offerId, section, part }: Omit<Extract<Action, { do: 'offer-section' }>, 'do'>,
  shared: Shared,
  words: Words,
  turn: Turn,
): Promise<Card> {
  const { catalog, clock, offers } = shared;
  // Anybody can forge a button.
  if (!isUuid(offerId)) throw new UserError(say('offer.gone'));
  const { value, fetchedAtMs, isStale } = await catalog.offers.get(offerId, turn.asking(AGES_MS[section]));
  if (!value) throw new UserError(say('offer.gone'));
  const known = offers.get(offerId);
  return offerDetailCard(
    {
      offer: value,
      listed: known ? listedOf(known, value, fetchedAtMs) : null,
      stats: section === 'stats' ? await statsOf(offerId, shared, turn) : null,
      age: { fetchedAtMs, isStale },
      section,
      part,
    },
    { words, nowMs: clock.now() },
  );
}

/** As the feeds carry it; that it left them, or was sold out in them, counts unless the detail is newer and says it lives. */
function listedOf(known: KnownOffer, { isOfferLiveNow, isSoldOut }: OfferDetail, fetchedAtMs: number): Offer {
  const isRevived = isOfferLiveNow === true && !isSoldOut && (known.overAtMs ?? Infinity) <= fetchedAtMs;
  return isRevived ? { ...known.offer, isSoldOut: false } : shownOffer(known);
}

async function statsOf(id: string, { catalog }: Shared, turn: Turn) {
  const { value } = await catalog.events.offer(id, turn.asking(AGES_MS.stats));
  if (!value?.stats) throw new UserError(say('offer.noStats'));
  return value.stats;
}
