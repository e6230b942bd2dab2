import type { CommandInteractionOption } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { form, type Input, type MistakeView, mistakeCard, typedOn } from '../../src/discord/cards/form.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import type { Modal } from '../../src/discord/command.ts';
import type { Action } from '../../src/discord/custom-id.ts';
import type { Translator } from '../../src/discord/i18n/translator.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { ChatRequest, ComponentRequest, FormRequest, Request } from '../shared.ts';

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
export function typedIn({ options }: ChatRequest): TypedOptions {
  return new Map(
    leaves(options.data)
      .filter(({ name }) => name !== 'id')
      .map(({ name, value }) => [name, String(value)]),
  );
}

function leaves(options: readonly CommandInteractionOption[]): CommandInteractionOption[] {
  return options.flatMap((option) => (option.options ? leaves(option.options) : [option]));
}

/** The inputs of a form; of a menu the choices with commas between them, '' for none. */
export function typedInForm({ fields }: FormRequest): TypedOptions {
  return new Map(
    fields.fields.map((field, name) => {
      if ('value' in field) return [name, String(field.value)];
      return [name, 'values' in field ? field.values.join() : ''];
    }),
  );
}

/** The options with a value; text without spaces around it. */
function withoutEmpty(typed: TypedOptions): TypedOptions {
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

/** Does what was asked; where an option has a mistake, answers with a card from which it can be fixed. */
export async function orMistake(
  mistake: Omit<MistakeView, 'sentence'>,
  { translator, cardContext }: Request,
  work: () => Promise<Card>,
): Promise<Card> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InputError) || error.localized === null) throw error;
    const sentence = translator.translate(error.localized);
    const typed = wrongFirst(mistake.typed, error.options);
    return mistakeCard({ ...mistake, sentence, typed }, cardContext);
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
export function typedAbove({ message }: ComponentRequest | FormRequest): TypedOptions {
  return typedOn((message?.components ?? []).map((component) => component.toJSON()));
}

/** All options of a card of a mistake, as they are after its form; those that were emptied are not given. */
export function typedTogether(request: FormRequest): TypedOptions {
  return withoutEmpty(new Map([...typedAbove(request), ...typedInForm(request)]));
}
