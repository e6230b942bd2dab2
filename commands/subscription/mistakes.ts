import type { ModalSubmitInteraction } from 'discord.js';
import type { APIApplicationCommandBasicOption } from 'discord-api-types/v10';
import { form } from '../../src/bot/discord/cards/form.ts';
import { type MistakeView, mistakeCard, typedOn } from '../../src/bot/discord/cards/mistake-card.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import type { ComponentInteraction, Modal } from '../../src/bot/discord/command.ts';
import type { Action } from '../../src/bot/discord/custom-id.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { LIMITS } from '../../src/bot/discord/limits.ts';
import type { CommandServices } from '../shared.ts';
import { InputError, inputOf, type TypedOptions, typedInForm, withoutEmpty } from './typed-options.ts';

/** Does what was asked; where an option has a mistake, answers with a card from which it can be fixed. */
export async function orMistake(
  mistake: Omit<MistakeView, 'sentence'>,
  { clock }: Pick<CommandServices, 'clock'>,
  translator: Translator,
  work: () => Promise<Card>,
): Promise<Card> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InputError) || error.localized === null) throw error;
    const sentence = translator.translate(error.localized);
    const typed = wrongFirst(mistake.typed, error.options);
    return mistakeCard({ ...mistake, sentence, typed }, { translator, nowMs: clock.now() });
  }
}

/** The order in which the form shows the options: it takes five. */
function wrongFirst(typed: TypedOptions, wrong: readonly string[]): TypedOptions {
  return new Map([...wrong.map((option) => [option, typed.get(option) ?? ''] as const), ...typed]);
}

/** A form with the first five of the options that were typed. */
export function optionsForm(
  action: Action,
  options: readonly APIApplicationCommandBasicOption[],
  typed: TypedOptions,
  translator: Translator,
): Modal {
  const inputs = [...typed].flatMap(([name, text]) => {
    const option = options.find((candidate) => candidate.name === name);
    return option ? [inputOf(option, text, translator)] : [];
  });
  return form(action, translator.t('form.fixTitle'), inputs.slice(0, LIMITS.formInputs));
}

/** Reads the texts that were typed before from the card of the mistake. */
export function typedAbove({ message }: ComponentInteraction | ModalSubmitInteraction): TypedOptions {
  return typedOn((message?.components ?? []).map((component) => component.toJSON()));
}

/** All options of a card of a mistake, as they are after its form; those that were emptied are not given. */
export function typedTogether(interaction: ModalSubmitInteraction): TypedOptions {
  return withoutEmpty(new Map([...typedAbove(interaction), ...typedInForm(interaction)]));
}
