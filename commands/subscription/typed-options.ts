import type { ChatInputCommandInteraction, CommandInteractionOption, ModalSubmitInteraction } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Input } from '../../src/bot/discord/cards/form.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { LIMITS } from '../../src/bot/discord/limits.ts';
import { UserError } from '../../src/shared/errors.ts';

/** Options by name, as text; channels and roles as ids. In forms, an empty text is an input that was left empty. */
export type TypedOptions = ReadonlyMap<string, string>;

/** A mistake in options, which the person can fix in a form with all that they typed. */
export class InputError extends UserError {
  /** The options to fix. */
  readonly options: readonly string[];

  constructor(options: readonly string[], ...[sentence, more]: ConstructorParameters<typeof UserError>) {
    super(sentence, more);
    this.options = options;
  }
}

/** Runs a check of an option: a UserError that it throws becomes an InputError. */
export async function checking<T>(option: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof InputError || error.localized === null) throw error;
    throw new InputError([option], error.localized, { cause: error });
  }
}

/** The options of a subcommand, apart from `id`. */
export function typedIn({ options }: ChatInputCommandInteraction): TypedOptions {
  return new Map(
    leaves(options.data)
      .filter(({ name }) => name !== 'id')
      .map(({ name, value }) => [name, String(value)]),
  );
}

function leaves(options: readonly CommandInteractionOption[]): CommandInteractionOption[] {
  return options.flatMap((option) => (option.options ? leaves(option.options) : [option]));
}

/** The inputs of a form; of a menu the choice, '' for none. */
export function typedInForm({ fields }: ModalSubmitInteraction): TypedOptions {
  return new Map(
    fields.fields.map((field, name) => {
      if ('value' in field) return [name, String(field.value)];
      return [name, 'values' in field ? (field.values[0] ?? '') : ''];
    }),
  );
}

/** The options with a value; text without spaces around it. */
export function withoutEmpty(typed: TypedOptions): TypedOptions {
  return new Map([...typed].map(([name, text]) => [name, text.trim()] as const).filter(([, text]) => text !== ''));
}

/** The longest number that can be entered. */
const MOST_DIGITS = 20;

/** The input of a form for an option of a command, with its name and its description. */
export function inputOf(option: APIApplicationCommandBasicOption, typed: string, translator: Translator): Input {
  const { name, description, description_localizations: descriptions } = option;
  const about = { name, label: name, description: localized(descriptions, translator) ?? description };
  const text = { ...about, takes: 'text', example: '', value: typed, most: MOST_DIGITS } as const;
  switch (option.type) {
    case ApplicationCommandOptionType.String: {
      if (!('choices' in option) || !option.choices) return { ...text, most: option.max_length ?? LIMITS.choiceValue };
      const options = option.choices.map((choice) => ({
        label: localized(choice.name_localizations, translator) ?? choice.name,
        value: choice.value,
        isChosen: choice.value === typed,
      }));
      return { ...about, takes: 'choice', options };
    }
    case ApplicationCommandOptionType.Boolean: {
      const options = [
        { label: translator.t('form.yes'), value: 'true', isChosen: typed === 'true' },
        { label: translator.t('form.no'), value: 'false', isChosen: typed === 'false' },
      ];
      return { ...about, takes: 'choice', options };
    }
    case ApplicationCommandOptionType.Role:
      return { ...about, takes: 'role', chosen: typed };
    case ApplicationCommandOptionType.Channel:
      return { ...about, takes: 'channel', chosen: typed, types: option.channel_types ?? [] };
    default:
      return text;
  }
}

function localized(
  texts: Readonly<Partial<Record<string, string | null>>> | null | undefined,
  { locale }: Translator,
): string | null {
  return texts?.[locale] ?? null;
}
