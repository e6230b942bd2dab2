import type { Interaction } from 'discord.js';
import type { OfferAim } from '../../src/bot/deals/watch.ts';
import { offerChoiceCard } from '../../src/bot/discord/cards/offer-choice-card.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { watchedCard, watchOfferCard, watchPriceForm } from '../../src/bot/discord/cards/watch-cards.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { escapeLine } from '../../src/bot/discord/markdown.ts';
import { UserError } from '../../src/shared/errors.ts';
import { knownEntities } from '../seen.ts';
import type { Command, CommandServices } from '../shared.ts';
import { addWatch, watchesOf } from './save.ts';
import { requireWatchable } from './watchable.ts';

/** The button of an offer's card, and what it leads to. All answers are private. */
export const offerActions = {
  watch: {
    answer: 'private',
    run: async ({ offerId }, interaction, shared, translator) => askForAim(offerId, interaction, shared, translator),
  },
  'watch-event': {
    answer: 'private',
    async run({ eventId }, interaction, shared, translator) {
      const events = knownEntities('events', shared.currentState) ?? [];
      const offers = events.find(({ item }) => item.id === eventId)?.item.offers ?? [];
      const [only, another] = offers;
      if (!only) throw new UserError(message('event.over'));
      if (!another) return askForAim(only.id, interaction, shared, translator);
      const choices = offers.map(({ id, title }) => ({ id, title, listed: null }));
      return offerChoiceCard(choices, { translator, nowMs: shared.clock.now() }, 'watch');
    },
  },
  'watch-for': {
    answer: 'update',
    async run({ offerId, aim }, interaction, shared, translator) {
      if (aim !== 'price') return watchOffer({ offerId, aim, below: null }, interaction, shared, translator);
      const { offer, product } = requireWatchable(offerId, shared);
      const own = watchesOf(interaction, shared).find(
        ({ watch }) => watch?.aim === aim && watch.product?.key === product.key,
      );
      return watchPriceForm(offer, own?.watch?.below ?? null, translator);
    },
  },
} satisfies Command['actions'];

export const offerForms = {
  'watch-for': {
    answer: 'update',
    run: async ({ offerId, aim }, interaction, shared, translator) =>
      watchOffer(
        { offerId, aim, below: writtenPrice(interaction.fields.getTextInputValue('price')) },
        interaction,
        shared,
        translator,
      ),
  },
} satisfies Command['forms'];

export async function askForAim(
  offerId: string,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const { offer, product } = requireWatchable(offerId, shared);
  const own = watchesOf(interaction, shared).filter(({ watch }) => watch?.product?.key === product.key);
  return watchOfferCard({ offer, own }, { translator, nowMs: shared.clock.now() });
}

/** Adds the watch, and answers with what it waits for. */
export async function watchOffer(
  { offerId, aim, below }: { offerId: string; aim: OfferAim; below: number | null },
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const { offer, product, source } = requireWatchable(offerId, shared);
  const watch = await addWatch({ source, filter: '', watch: { aim, product, below } }, interaction, shared);
  const closed = (shared.people.get(interaction.user.id)?.closed ?? null) !== null;
  return watchedCard(watch, { now: offer, matches: null, closed }, { translator, nowMs: shared.clock.now() });
}

/** @throws UserError where it is no price above nothing */
function writtenPrice(text: string): number {
  const typed = text.trim();
  const price = /^\$?\s*\d{1,9}([.,]\d{1,2})?\s*\$?$/.test(typed)
    ? Number(typed.replace(/[$\s]/g, '').replace(',', '.'))
    : 0;
  if (price <= 0) throw new UserError(message('limits.noPrice', { text: escapeLine(typed) }));
  return price;
}
