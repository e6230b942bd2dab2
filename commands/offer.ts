import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { offerDetailCard } from '../src/discord/cards/offer-detail-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type { Turn } from '../src/discord/command.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import type { OfferBook } from '../src/offers/offer-book.ts';
import { type Command, MAX_AGE_MS, type Shared } from './shared.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export const offer: Command = {
  data: {
    ...named('command.offer.name'),
    ...described('command.offer'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'id',
        ...described('command.offer.id'),
        required: true,
        max_length: 1000,
      },
    ],
  },
  answer: 'public',
  execute: async (interaction, shared, words, turn) =>
    offerDetail(idOf(interaction.options.getString('id', true).trim(), shared.offers), shared, words, turn),
  actions: {
    offer: {
      answer: 'private',
      run: ({ offerId }, _, shared, words, turn) => offerDetail(offerId, shared, words, turn),
    },
  },
};

function idOf(typed: string, offers: OfferBook): string {
  if (UUID.test(typed)) return typed.toLowerCase();
  if (!URL.canParse(typed)) {
    throw new UserError(say('offer.notAnId'));
  }
  const known = offers.findByLink(typed);
  if (!known) throw new UserError(say('offer.notSeen'));
  return known.offer.id;
}

async function offerDetail(id: string, { catalog, clock }: Shared, words: Words, turn: Turn): Promise<Card> {
  if (!UUID.test(id)) throw new UserError(say('offer.notAnId'));
  const { value, fetchedAtMs } = await catalog.offers.get(id, turn.asking(MAX_AGE_MS));
  if (!value) throw new UserError(say('offer.gone'));
  return offerDetailCard(value, fetchedAtMs, { words, nowMs: clock.now() });
}
