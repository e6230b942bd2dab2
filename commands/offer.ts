import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { offerDetailCard } from '../src/discord/cards/offer-detail-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { UserError } from '../src/errors.ts';
import type { OfferBook } from '../src/offers/offer-book.ts';
import { type Command, MAX_AGE_MS, type Shared } from './shared.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export const offer: Command = {
  data: {
    name: 'offer',
    description: 'One offer in full',
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'id',
        description: 'The offer’s id, or a link to it',
        required: true,
        max_length: 1000,
      },
    ],
  },
  answer: 'public',
  execute: async (interaction, shared) =>
    offerDetail(idOf(interaction.options.getString('id', true).trim(), shared.offers), shared),
  actions: {
    offer: { answer: 'private', run: ({ offerId }, _, shared) => offerDetail(offerId, shared) },
  },
};

function idOf(typed: string, offers: OfferBook): string {
  if (UUID.test(typed)) return typed.toLowerCase();
  if (!URL.canParse(typed)) {
    throw new UserError(
      'That is neither an offer’s id (like 01234567-89ab-cdef-0123-456789abcdef) nor a link to an offer.',
    );
  }
  const known = offers.findByLink(typed);
  if (!known)
    throw new UserError('None of the offers that the bot has seen is at that link. `/feed` shows what is live.');
  return known.offer.id;
}

async function offerDetail(id: string, { catalog }: Shared): Promise<Card> {
  if (!UUID.test(id)) throw new UserError('That is not an offer’s id.');
  const { value, fetchedAtMs } = await catalog.offers.get(id, { lane: 'interactive', maxAgeMs: MAX_AGE_MS });
  if (!value) throw new UserError('This offer is gone: the catalog does not hold it any more.');
  return offerDetailCard(value, fetchedAtMs);
}
