import type { Answer } from '../src/bot/catalog/catalog.ts';
import { isUuid } from '../src/bot/catalog/wire.ts';
import { type KnownOffer, shownOffer } from '../src/bot/deals/known-offer.ts';
import type { Offer, OfferDetail } from '../src/bot/deals/offer.ts';
import { knownOfferCard } from '../src/bot/discord/cards/known-offer-card.ts';
import { offerDetailCard } from '../src/bot/discord/cards/offer-detail-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import type { Action, OfferSection } from '../src/bot/discord/custom-id.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { expectedSentence } from '../src/bot/discord/problems.ts';
import { ageMs } from '../src/shared/clock.ts';
import { UserError } from '../src/shared/errors.ts';
import { ageOf } from './known-offers.ts';
import { answerAge, knownThings } from './seen.ts';
import type { CommandServices } from './shared.ts';

type Detail = Answer<OfferDetail | null>;

const MINUTE_MS = 60_000;
/** Prices and stock change while one looks; the texts hardly ever do. */
const AGES_MS: Record<OfferSection, number> = {
  overview: 15 * MINUTE_MS,
  features: 360 * MINUTE_MS,
  story: 360 * MINUTE_MS,
  shipping: 360 * MINUTE_MS,
  stats: 60 * MINUTE_MS,
};

/** An offer lives for days, and its texts as long. */
const STILL_TRUE_MS = 24 * 60 * MINUTE_MS;

/** An offer in full; where the catalog does not tell it, what the bot knows of it, and why there is no more. */
export async function offerDetail(
  id: string,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  try {
    return await offerSection({ offerId: id, section: 'overview', part: 1 }, shared, translator, context);
  } catch (error) {
    const known = shared.offers.get(id);
    const reason = expectedSentence(error, translator);
    if (!known || reason === null) throw error;
    const view = { offer: shownOffer(known), reason, age: ageOf([known], shared) };
    return knownOfferCard(view, { translator, nowMs: shared.clock.now() });
  }
}

/**
 * A section of an offer's card.
 * @throws UserError where the catalog does not hold the offer any more, or never did
 */
export async function offerSection(
  { offerId, section, part }: Omit<Extract<Action, { do: 'offer-section' }>, 'do'>,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const { clock, offers } = shared;
  // Anybody can forge a button.
  if (!isUuid(offerId)) throw new UserError(message('offer.gone'));
  const known = offers.get(offerId);
  const { value, fetchedAtMs, isStale } = await detailOf(
    offerId,
    goodForMs(section, known, clock.now()),
    shared,
    context,
  );
  if (!value) throw new UserError(message('offer.gone'));
  const inEvent = await inEventOf(offerId, section, shared, context);
  return offerDetailCard(
    {
      offer: value,
      listed: known ? listedOf(known, value, fetchedAtMs) : null,
      inEvent,
      age: answerAge({ fetchedAtMs, isStale }, 'portal', shared.catalog),
      section,
      part,
    },
    { translator, nowMs: clock.now() },
  );
}

/** How old an answer may be. The overview tells the price: an answer from before that changed would be wrong. */
function goodForMs(section: OfferSection, known: KnownOffer | undefined, nowMs: number): number {
  const mostMs = AGES_MS[section];
  const changedAtMs = known?.prices.at(-1)?.atMs;
  return section === 'overview' && changedAtMs !== undefined ? Math.min(mostMs, ageMs(changedAtMs, nowMs)) : mostMs;
}

/** Whoever may ask no more for now is shown an older answer, where there is one; so is everybody once the day is spent. */
async function detailOf(
  id: string,
  maxAgeMs: number,
  { catalog }: CommandServices,
  context: CommandContext,
): Promise<Detail> {
  const { spent, limit } = catalog.quota().portal;
  // Nothing is gained by asking then, and the person would pay for it.
  if (spent >= limit) return catalog.offers.get(id, { lane: 'interactive', maxAgeMs });
  try {
    return await catalog.offers.get(id, context.asking(maxAgeMs));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const refuse = () => {
      throw error;
    };
    return catalog.offers.get(id, { lane: 'interactive', maxAgeMs: STILL_TRUE_MS, beforeRequest: refuse });
  }
}

/** As the feeds carry it; that it left them, or was sold out in them, counts unless the detail is newer and says it lives. */
function listedOf(known: KnownOffer, { isOfferLiveNow, isSoldOut }: OfferDetail, fetchedAtMs: number): Offer {
  const isRevived = isOfferLiveNow === true && !isSoldOut && (known.overAtMs ?? Infinity) <= fetchedAtMs;
  return isRevived ? { ...known.offer, isSoldOut: false } : shownOffer(known);
}

/** As the events that were seen carry it; only for its statistics is v2 asked. @throws UserError where there are none */
async function inEventOf(
  id: string,
  section: OfferSection,
  { catalog, currentState }: CommandServices,
  context: CommandContext,
) {
  const events = knownThings('events', currentState)?.map(({ item }) => item) ?? [];
  const seen = events.flatMap(({ offers }) => offers).find((offer) => offer.id === id) ?? null;
  if (section !== 'stats' || seen?.stats) return seen;
  const { value } = await catalog.events.offer(id, context.asking(AGES_MS.stats));
  if (!value?.stats) throw new UserError(message('offer.noStats'));
  return value;
}
