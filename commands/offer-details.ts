import type { Message, MessageSnapshot } from 'discord.js';
import { ApplicationCommandType } from 'discord-api-types/v10';
import { isUuid } from '../src/catalog/wire.ts';
import { shownOffer } from '../src/deals/known-offer.ts';
import type { Offer } from '../src/deals/offer.ts';
import { offerChoiceCard } from '../src/discord/cards/offer-choice-card.ts';
import type { Action } from '../src/discord/custom-id.ts';
import { leadsIn } from '../src/discord/links.ts';
import { named } from '../src/discord/words/command-words.ts';
import { say } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { offerDetail } from './offer-detail.ts';
import { ANYWHERE } from './places.ts';
import type { MessageMenuCommand, Shared } from './shared.ts';

/** In the menu of every message: what the offers are that it links to, or that a post of the bot's is about. */
export const offerDetails: MessageMenuCommand = {
  data: { type: ApplicationCommandType.Message, ...named('command.offerDetails.name'), ...ANYWHERE },
  answer: 'private',
  async execute(interaction, shared, words, turn) {
    const mentioned = await offersIn(interaction.targetMessage, shared);
    const [only] = mentioned.keys();
    if (only === undefined) throw new UserError(say('offerDetails.none'));
    if (mentioned.size === 1) return offerDetail(only, shared, words, turn);
    const choices = [...mentioned].map(([id, offer]) => ({ id, offer }));
    return offerChoiceCard(choices, { words, nowMs: shared.clock.now() });
  },
};

/** The offers that a message is about, by their ids, as far as they are known. */
async function offersIn(message: Message, shared: Shared): Promise<Map<string, Offer | null>> {
  const { offers } = shared;
  const { links, actions } = leadsIn([message, ...message.messageSnapshots.values()].map(partsOf));
  const mentioned = new Map<string, Offer | null>();
  for (const action of actions) {
    for (const [id, offer] of await aboutOf(action, shared)) {
      const known = offers.get(id);
      mentioned.set(id, known ? shownOffer(known) : offer);
    }
  }
  for (const link of links) {
    const known = offers.findByLink(link);
    if (known) mentioned.set(known.offer.id, shownOffer(known));
  }
  return mentioned;
}

/** A message's own texts, and what is forwarded with it, as Discord's API gives them. */
function partsOf({ content, embeds, components }: Message | MessageSnapshot): unknown {
  return [content, embeds.map((embed) => embed.toJSON()), components.map((component) => component.toJSON())];
}

async function aboutOf(action: Action, { deliveries }: Shared): Promise<[id: string, offer: Offer | null][]> {
  switch (action.do) {
    case 'offer':
    case 'offer-section':
      return isUuid(action.offerId) ? [[action.offerId.toLowerCase(), null]] : [];
    case 'roll-up':
    case 'roll-up-page': {
      const id = action.do === 'roll-up' ? action.deliveryId : action.rollUpId;
      const rollUp = await deliveries.findRollUp(id);
      const items = rollUp?.members.map(({ announcement }) => announcement.item) ?? [];
      return items.flatMap((item): [string, Offer][] => ('salePrice' in item ? [[item.id, item]] : []));
    }
    default:
      return [];
  }
}
