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
import { answerAge, knownEntities } from './seen.ts';
import type { CommandServices } from './shared.ts';

type Detail = Answer<OfferDetail | null>;

const MINUTE_MS = 60_000;
/** The maximum age of a cached answer by section: prices and stock change often, the texts hardly ever. */
const AGES_MS: Record<OfferSection, number> = {
  overview: 15 * MINUTE_MS,
  features: 360 * MINUTE_MS,
  story: 360 * MINUTE_MS,
  shipping: 360 * MINUTE_MS,
  stats: 60 * MINUTE_MS,
};

/** The maximum age of an answer while the person is rate limited: an offer lives for days, and its texts as long. */
const STILL_TRUE_MS = 24 * 60 * MINUTE_MS;

/** Fetches an offer in full. Where the catalog has no answer, shows the bot's own record and the reason. */
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
 * Renders a section of an offer's card.
 * @throws UserError where the catalog no longer has the offer, or never had it
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

/**
 * The maximum age of a cached answer, in milliseconds. The overview shows the price: it needs an answer from after the
 * last known change.
 */
function goodForMs(section: OfferSection, known: KnownOffer | undefined, nowMs: number): number {
  const mostMs = AGES_MS[section];
  const changedAtMs = known?.prices.at(-1)?.atMs;
  return section === 'overview' && changedAtMs !== undefined ? Math.min(mostMs, ageMs(changedAtMs, nowMs)) : mostMs;
}

/**
 * Fetches an offer. Once the person's rate limit or the day's quota is spent, serves an older answer where there is
 * one.
 */
async function detailOf(
  id: string,
  maxAgeMs: number,
  { catalog }: CommandServices,
  context: CommandContext,
): Promise<Detail> {
  const { spent, limit } = catalog.quota().portal;
  // A request would fail now, and would still count against the person's rate limit.
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

/**
 * The offer as feeds list it. A recorded end or sold-out state stands unless the detail is newer and says that the
 * offer is live.
 */
function listedOf(known: KnownOffer, { isOfferLiveNow, isSoldOut }: OfferDetail, fetchedAtMs: number): Offer {
  const isRevived = isOfferLiveNow === true && !isSoldOut && (known.overAtMs ?? Infinity) <= fetchedAtMs;
  return isRevived ? { ...known.offer, isSoldOut: false } : shownOffer(known);
}

/**
 * The offer as known events list it; v2 is asked for its statistics only.
 * @throws UserError where there are none
 */
async function inEventOf(
  id: string,
  section: OfferSection,
  { catalog, currentState, clock }: CommandServices,
  context: CommandContext,
) {
  const known = knownEntities('events', currentState) ?? [];
  const events = known.map(({ item }) => currentState.stock.foretold(item, clock.now()));
  const seen = events.flatMap(({ offers }) => offers).find((offer) => offer.id === id) ?? null;
  if (section !== 'stats' || seen?.stats) return seen;
  const { value } = await catalog.events.offer(id, context.asking(AGES_MS.stats));
  if (!value?.stats) throw new UserError(message('offer.noStats'));
  return value;
}
