import type { Message, MessageSnapshot } from 'discord.js';
import { ApplicationCommandType } from 'discord-api-types/v10';
import { isUuid } from '../src/bot/catalog/wire.ts';
import { shownOffer } from '../src/bot/deals/known-offer.ts';
import { type MentionedOffer, offerChoiceCard } from '../src/bot/discord/cards/offer-choice-card.ts';
import type { Action } from '../src/bot/discord/custom-id.ts';
import { named } from '../src/bot/discord/i18n/command-words.ts';
import { message } from '../src/bot/discord/i18n/translator.ts';
import { extractReferences } from '../src/bot/discord/links.ts';
import { UserError } from '../src/shared/errors.ts';
import { offerDetail } from './offer-in-full.ts';
import { ANYWHERE } from './places.ts';
import { knownEntities } from './seen.ts';
import type { CommandServices, MessageMenuCommand } from './shared.ts';

/**
 * A command in the menu of every message: shows the offers that the message links to, or that a post of the bot is
 * about.
 */
export const offerDetails: MessageMenuCommand = {
  data: { type: ApplicationCommandType.Message, ...named('command.offerDetails.name'), ...ANYWHERE },
  answer: 'private',
  async execute(interaction, shared, translator, context) {
    const mentioned = await offersIn(interaction.targetMessage, shared);
    const [only, another] = mentioned;
    if (!only) throw new UserError(message('offerDetails.none'));
    if (!another) return offerDetail(only.id, shared, translator, context);
    return offerChoiceCard(mentioned, { translator, nowMs: shared.clock.now() });
  },
};

/** The offers that a message refers to, each once. */
export async function offersIn(message: Message, shared: CommandServices): Promise<MentionedOffer[]> {
  const { offers } = shared;
  const { links, actions } = extractReferences([message, ...message.messageSnapshots.values()].map(partsOf));
  const posted = (await Promise.all(actions.map((action) => aboutOf(action, shared)))).flat();
  const linked = links.map((link) => offers.findByLink(link)?.offer).filter((offer) => offer !== undefined);
  const mentioned = [...posted, ...linked].map(({ id, title }): [string, MentionedOffer] => {
    const known = offers.get(id);
    return [id, { id, title, listed: known ? shownOffer(known) : null }];
  });
  return [...new Map(mentioned).values()];
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
    case 'history':
      return isUuid(action.offerId) ? [{ id: action.offerId.toLowerCase(), title: null }] : [];
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
