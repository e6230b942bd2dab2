import { ApplicationCommandType } from 'discord-api-types/v10';
import { offerChoiceCard } from '../../src/bot/discord/cards/offer-choice-card.ts';
import { named } from '../../src/bot/discord/i18n/command-words.ts';
import { message } from '../../src/bot/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';
import { offersIn } from '../offer-details.ts';
import { ANYWHERE } from '../places.ts';
import type { MessageMenuCommand } from '../shared.ts';
import { askForAim } from './offer.ts';

/** A command in the menu of every message: watches an offer that the message refers to. */
export const watchThis: MessageMenuCommand = {
  data: { type: ApplicationCommandType.Message, ...named('command.watchThis.name'), ...ANYWHERE },
  answer: 'private',
  async execute(interaction, shared, translator) {
    const mentioned = await offersIn(interaction.targetMessage, shared);
    const [only, another] = mentioned;
    if (!only) throw new UserError(message('offerDetails.none'));
    if (!another) return askForAim(only.id, interaction, shared, translator);
    return offerChoiceCard(mentioned, { translator, nowMs: shared.clock.now() }, 'watch');
  },
};
