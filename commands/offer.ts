import type { Message, MessageSnapshot } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandType } from 'discord-api-types/v10';
import type { Answer } from '../src/catalog/catalog.ts';
import { isUuid } from '../src/catalog/fields.ts';
import { type KnownOffer, shownOffer } from '../src/deals/known-offer.ts';
import type { Offer, OfferDetail } from '../src/deals/offer.ts';
import { expectedSentence } from '../src/discord/answering.ts';
import { knownOfferCard, type MentionedOffer, offerChoiceCard } from '../src/discord/cards/offer-card.ts';
import { offerDetailCard } from '../src/discord/cards/offer-detail-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type { Action, OfferSection } from '../src/discord/custom-id.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { extractReferences, featureActionsIn } from '../src/discord/links.ts';
import { ageMs } from '../src/shared/clock.ts';
import { UserError } from '../src/shared/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/shared/time.ts';
import { ageOf, answerAge, knownEntities } from './known.ts';
import { mentionedOffer, offerChoices, offerOption, offersMeant } from './options.ts';
import { mayRefilter } from './own-subscriptions.ts';
import { partedWords, searchPage } from './search.ts';
import { ANYWHERE, type Command, type CommandServices, type MessageMenuCommand, type Request } from './shared.ts';
import { checking, fixable } from './typed-options.ts';

/** The maximum age of a cached answer by section: prices and stock change often, the texts hardly ever. */
const AGES_MS: Record<OfferSection, number> = {
  overview: 15 * MINUTE_MS,
  features: 360 * MINUTE_MS,
  story: 360 * MINUTE_MS,
  shipping: 360 * MINUTE_MS,
  stats: HOUR_MS,
};

/** The maximum age of an answer while the person is rate limited: an offer lives for days, and its texts as long. */
const STILL_TRUE_MS = DAY_MS;

const OPTIONS: APIApplicationCommandBasicOption[] = [offerOption(described('command.offer.offer'))];

const asked = fixable<Action & { do: 'offer-again' }>({
  options: OPTIONS,
  async answer(options, request) {
    const typed = options.get('offer') ?? '';
    const [best, ...others] = await checking('offer', () => offersMeant(typed, request));
    return others.length === 0
      ? offerDetail(best, request)
      : searchPage({ ...partedWords(typed, request), page: 1, order: 'relevance' }, request);
  },
});

export const offer: Command = {
  data: {
    name: 'offer',
    ...described('command.offer'),
    ...ANYWHERE,
    options: OPTIONS,
  },
  answer: 'public',
  execute: (request) => asked.ask({ do: 'offer-again' }, request),
  autocomplete: (request) => offerChoices(request.options.getFocused(), request),
  actions: {
    'offer-again': asked.button,
    offer: {
      answer: 'private',
      run: ({ offerId, deliveryId }, request) => offerDetail(offerId, request, deliveryId),
    },
    'offer-section': {
      answer: 'update',
      run: (action, request) => offerSection(action, request),
    },
  },
  forms: { 'offer-again': asked.form },
};

/**
 * A command in the menu of every message: shows the offers that the message links to, or that a post of the bot is
 * about.
 */
export const offerDetails: MessageMenuCommand = {
  data: { type: ApplicationCommandType.Message, ...named('command.offerDetails.name'), ...ANYWHERE },
  answer: 'private',
  async execute(request) {
    const mentioned = await offersIn(request.message, request.services);
    const [only, another] = mentioned;
    if (!only) throw new UserError(message('offerDetails.none'));
    if (!another) return offerDetail(only.id, request);
    return offerChoiceCard(mentioned, request.cardContext);
  },
};

/**
 * Fetches an offer in full. Where the catalog has no answer, shows the bot's own record and the reason.
 * @param openedFrom the announcement from which it is opened; null for none
 */
async function offerDetail(id: string, request: Request, openedFrom: string | null = null): Promise<Card> {
  try {
    return await offerSection({ offerId: id, section: 'overview', part: 1, openedFrom }, request);
  } catch (error) {
    const { services, translator, cardContext } = request;
    const known = services.offers.get(id);
    const reason = expectedSentence(error, translator);
    if (!known || reason === null) throw error;
    const view = {
      offer: shownOffer(known),
      openedFrom: await usefulTo(request, id, openedFrom),
      reason,
      age: ageOf([known], services),
    };
    return knownOfferCard(view, cardContext);
  }
}

/**
 * Renders a section of an offer's card.
 * @throws UserError where the catalog no longer has the offer, or never had it
 */
async function offerSection(
  { offerId, section, part, openedFrom }: Omit<Extract<Action, { do: 'offer-section' }>, 'do'>,
  request: Request,
): Promise<Card> {
  const { clock, offers, catalog } = request.services;
  // Anybody can forge a button.
  if (!isUuid(offerId)) throw new UserError(message('offer.gone'));
  const known = offers.get(offerId);
  const answer = await detailOf(offerId, goodForMs(section, known, clock.now()), request);
  if (!answer.value) throw new UserError(message('offer.gone'));
  const view = {
    offer: answer.value,
    listed: known ? listedOf(known, answer.value, answer.fetchedAtMs) : null,
    inEvent: await inEventOf(offerId, section, request),
    age: answerAge(answer, 'portal', catalog),
    section,
    part,
    openedFrom: await usefulTo(request, offerId, openedFrom),
  };
  return offerDetailCard(view, request.cardContext);
}

/** The announcement, where features have buttons for those who may change the filter behind it, as this person may. */
async function usefulTo(request: Request, offerId: string, announcementId: string | null): Promise<string | null> {
  const hasButtons = request.cardContext.offerButtons?.some((buttons) => buttons.ofAnnouncement !== undefined);
  if (announcementId === null || !hasButtons) return null;
  return (await mayRefilter(offerId, announcementId, request)) ? announcementId : null;
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
async function detailOf(id: string, maxAgeMs: number, request: Request): Promise<Answer<OfferDetail | null>> {
  const { catalog } = request.services;
  const { spent, limit } = catalog.quota().portal;
  // A request would fail now, and would still count against the person's rate limit.
  if (spent >= limit) return catalog.offers.get(id, { lane: 'interactive', maxAgeMs });
  try {
    return await catalog.offers.get(id, request.asking(maxAgeMs));
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
async function inEventOf(id: string, section: OfferSection, request: Request) {
  const { catalog, currentState, clock } = request.services;
  const known = knownEntities('events', currentState) ?? [];
  const events = known.map(({ item }) => currentState.stock.foretold(item, clock.now()));
  const seen = events.flatMap(({ offers }) => offers).find((offer) => offer.id === id) ?? null;
  if (section !== 'stats' || seen?.stats) return seen;
  const { value } = await catalog.events.offer(id, request.asking(AGES_MS.stats));
  if (!value?.stats) throw new UserError(message('offer.noStats'));
  return value;
}

/** The offers that a message refers to, each once. */
export async function offersIn(message: Message, services: CommandServices): Promise<MentionedOffer[]> {
  const { offers, actionTables } = services;
  const parts = [message, ...message.messageSnapshots.values()].map(partsOf);
  const { links, actions } = extractReferences(parts);
  const posted = (await Promise.all(actions.map((action) => aboutOf(action, services)))).flat();
  // Features call an offer's id as the core does.
  const added = featureActionsIn(parts, actionTables).flatMap((action) =>
    'offerId' in action ? offerWith(String(action.offerId)) : [],
  );
  const linked = links.map((link) => offers.findByLink(link)?.offer).filter((offer) => offer !== undefined);
  const mentioned = [...posted, ...added, ...linked].map(({ id, title }) => mentionedOffer(id, title, services));
  return [...new Map(mentioned.map((one) => [one.id, one])).values()];
}

/** The message's own content, or that of a forwarded message, as Discord's API sends it. */
function partsOf({ content, embeds, components }: Message | MessageSnapshot): unknown {
  return [content, embeds.map((embed) => embed.toJSON()), components.map((component) => component.toJSON())];
}

/** The offers that one of the bot's own buttons refers to; empty where it refers to none. */
async function aboutOf(
  action: Action,
  { deliveries, currentState }: CommandServices,
): Promise<Pick<MentionedOffer, 'id' | 'title'>[]> {
  switch (action.do) {
    case 'offer':
    case 'offer-section':
      return offerWith(action.offerId);
    case 'event':
    case 'event-page': {
      const events = knownEntities('events', currentState) ?? [];
      return events.find(({ item }) => item.id === action.eventId)?.item.offers ?? [];
    }
    case 'roll-up':
    case 'roll-up-page': {
      const rollUp = await deliveries.findRollUp(action.do === 'roll-up' ? action.deliveryId : action.rollUpId);
      const items = rollUp?.members.map(({ announcement }) => announcement.item) ?? [];
      return items.filter((item) => 'salePrice' in item);
    }
    default:
      return [];
  }
}

/** Anybody can forge a button. */
function offerWith(id: string): Pick<MentionedOffer, 'id' | 'title'>[] {
  return isUuid(id) ? [{ id: id.toLowerCase(), title: null }] : [];
}
