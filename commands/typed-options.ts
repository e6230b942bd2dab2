import type { CommandInteractionOption } from 'discord.js';
import {
  type APIApplicationCommandBasicOption,
  type APIButtonComponentWithCustomId,
  ApplicationCommandOptionType,
} from 'discord-api-types/v10';
import { filterFromOptions } from '../src/deals/filter/index.ts';
import { isPage } from '../src/discord/action-table.ts';
import { ACCENT } from '../src/discord/cards/accent.ts';
import { form, type MistakeView, mistakeCard, presentValue, typedOn } from '../src/discord/cards/form.ts';
import { type Input, sinceOpened } from '../src/discord/cards/form-inputs.ts';
import { actionButton, buttons, type Card, card, fitting } from '../src/discord/cards/parts.ts';
import { FixableError, type Modal } from '../src/discord/command.ts';
import type { AnyAction } from '../src/discord/custom-id.ts';
import { requireTyped } from '../src/discord/filter-mistake.ts';
import { described } from '../src/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/discord/i18n/translator.ts';
import { LIMITS } from '../src/discord/limits.ts';
import { escapeLine } from '../src/discord/markdown.ts';
import { type LocalizedText, UserError } from '../src/shared/errors.ts';
import type { ChatRequest, ComponentRequest, FormRequest, ReadFilter, Request } from './shared.ts';

/** Options by name, as text; channels and roles as ids. In forms, an empty text is an input that was left empty. */
export type TypedOptions = ReadonlyMap<string, string>;

/** Buttons in the person's language; null for a way that isn't open. */
type WaysOn = (translator: Translator) => readonly (APIButtonComponentWithCustomId | null)[];

/** A mistake in options, which the person can fix in a form with all that they typed. */
export class InputError extends UserError {
  /** The options to fix. */
  readonly options: readonly string[];
  /** Other ways on, besides fixing it. */
  readonly buttons: WaysOn;

  constructor(
    options: readonly string[],
    sentence: LocalizedText,
    { buttons: ways = () => [], ...cause }: ErrorOptions & { buttons?: WaysOn } = {},
  ) {
    super(sentence, cause);
    this.options = options;
    this.buttons = ways;
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
function typedInForm({ fields }: FormRequest): TypedOptions {
  return new Map(
    fields.fields.map((field, name) => {
      if ('value' in field) return [name, String(field.value)];
      return [name, 'values' in field ? field.values.join() : ''];
    }),
  );
}

/**
 * The inputs of a form, of which those that the person left alone have their present values.
 * @param present the inputs as the form would open now
 */
export function typedSinceOpened(request: FormRequest, present: readonly Input[]) {
  const { typed, clash } = sinceOpened(request.mark, typedInForm(request), present);
  return {
    typed,
    /** @throws InputError where the person and somebody else have changed the same one */
    requireNoClash: () => {
      if (clash === null) return;
      const value = presentValue(clash);
      throw new InputError(
        [clash.name],
        value === null ? message('meanwhile.cleared') : message('meanwhile.changed', { value }),
      );
    },
  };
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

/** The options that hold a filter, or words beside one. */
type FilterOption = 'filter' | 'words';

/** How a filter was read that somebody typed in another form than its own, and the words themselves, as a filter. */
interface Reading extends ReadFilter {
  asWords: string;
}

/** null for what is in its own form. */
function readingOf(typed: string | undefined, request: Request): Reading | null {
  const read = typed === undefined ? null : request.services.readFilter(typed, request);
  return read && { ...read, asWords: filterFromOptions({ words: typed ?? '' }) };
}

/** The options with the filter that was typed in another form in its own, and how each was read. */
function inOwnForm(
  typed: TypedOptions,
  options: readonly FilterOption[],
  request: Request,
): { typed: TypedOptions; readings: Reading[] } {
  const readings: Reading[] = [];
  const filters = options.flatMap((name) => {
    const read = readingOf(typed.get(name), request);
    if (read) readings.push(read);
    return read ? [[name, read.filter] as const] : [];
  });
  if (readings.length === 0) return { typed, readings };
  const after = new Map([...typed, ...filters]);
  // Words that hold a field are a filter.
  const words = filters.find(([name]) => name === 'words')?.[1];
  if (words !== undefined) {
    after.delete('words');
    after.set('filter', `${words} ${after.get('filter') ?? ''}`.trim());
  }
  return { typed: after, readings };
}

/** Takes the words themselves for the filter instead. */
export type AsWords = (words: string) => AnyAction;

/** The answer to what was done with a filter, and what takes the words themselves instead of how they were read. */
interface Done {
  answer: Card;
  asWords: AsWords;
}

/**
 * A filter that somebody typed, and what adds to the answer how it was read.
 * @throws UserError that describes its mistake
 */
export function typedFilter(written: string, request: Request) {
  const typed = written.trim();
  const read = readingOf(typed, request);
  return {
    filter: requireTyped(read?.filter ?? typed),
    noted: (answer: Card, asWords: AsWords) => withReadings(read ? [read] : [], { answer, asWords }, request),
  };
}

/**
 * A card below the line that says how its filter was read, with a button that takes the words themselves, where it can carry
 * them.
 */
export function withReading(
  { note, forWords }: ReadFilter,
  asWords: AnyAction | null,
  answer: Card,
  { t }: Request,
): Card {
  const button = asWords && actionButton(t('button.asWords'), asWords);
  const line = button && button.custom_id.length <= LIMITS.customId ? [note, buttons([button])] : [[note, forWords]];
  const reading = card(ACCENT.notice, line);
  return fitting({ ...answer, components: [...reading.components, ...answer.components] });
}

function withReadings(readings: readonly Reading[], done: Card | Done, request: Request): Card {
  const { answer, asWords } = 'answer' in done ? done : { answer: done, asWords: null };
  return readings.reduceRight(
    (below, read) => withReading(read, asWords?.(read.asWords) ?? null, below, request),
    answer,
  );
}

/** Does what was asked; where an option has a mistake, answers with a card from which it can be fixed. */
export async function orMistake(
  mistake: Omit<MistakeView, 'sentence' | 'ways'>,
  request: Request,
  work: (typed: TypedOptions) => Promise<Card | Done>,
  options: readonly FilterOption[] = ['words', 'filter'],
): Promise<Card> {
  try {
    return await orFixable(mistake, request, work, options);
  } catch (error) {
    if (!(error instanceof FixableError)) throw error;
    return error.cardFor(request.translator);
  }
}

/**
 * The same where others see the answer: the card is the person's. A filter that was typed in another form is in its own for
 * `work`, and the answer says so.
 * @throws FixableError where an option has a mistake
 */
async function orFixable(
  mistake: Omit<MistakeView, 'sentence' | 'ways'>,
  request: Request,
  work: (typed: TypedOptions) => Promise<Card | Done>,
  options: readonly FilterOption[],
): Promise<Card> {
  const own = inOwnForm(mistake.typed, options, request);
  try {
    return withReadings(own.readings, await work(own.typed), request);
  } catch (error) {
    if (!(error instanceof InputError) || error.localized === null) throw error;
    const { localized, buttons: ways } = error;
    const typed = wrongFirst(own.typed, error.options);
    const cardFor = (translator: Translator) =>
      mistakeCard({ ...mistake, sentence: translator.translate(localized), typed, ways: ways(translator) }, translator);
    throw new FixableError(cardFor, localized, { cause: error });
  }
}

/** A command that is asked with options, and again with the form of those that had a mistake. */
interface Fixable<A extends AnyAction> {
  options: readonly APIApplicationCommandBasicOption[];
  /** Answers what is asked with the options. @throws InputError where one has a mistake */
  answer: (typed: TypedOptions, request: Request, action: A) => Promise<Card>;
  /** Whether `answer` itself brings what is typed into a filter's own form. */
  readsItself?: true;
}

/** The ways to ask a command whose mistakes can be fixed in place. */
export function fixable<A extends AnyAction>({ options, answer, readsItself }: Fixable<A>) {
  const filters: readonly FilterOption[] = readsItself ? [] : ['filter'];
  const mistake = (fix: A, typed: TypedOptions) => ({ fix, typed, subscriptionId: null });
  return {
    /** Asks it with what was typed. @param action the button that opens the form after a mistake */
    ask(action: A, request: ChatRequest): Promise<Card> {
      const typed = typedIn(request);
      return orFixable(mistake(action, typed), request, (read) => answer(read, request, action), filters);
    },
    button: {
      answer: 'update',
      run: async (action: A, request: ComponentRequest) =>
        optionsForm(action, options, typedAbove(request), request.translator),
    },
    form: {
      answer: 'update',
      run(action: A, request: FormRequest): Promise<Card> {
        const typed = typedTogether(request);
        return orMistake(mistake(action, typed), request, (read) => answer(read, request, action), filters);
      },
    },
  } as const;
}

/** The page of a list, which `pageIn` reads. */
export const PAGE_OPTION: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.Integer,
  name: 'page',
  ...described('command.feed.page'),
  min_value: 1,
  max_value: 1000,
};

/** @throws InputError where it is no page's number */
export function pageIn(typed: TypedOptions): number {
  const text = typed.get('page') ?? '1';
  if (!isPage(text)) throw new InputError(['page'], message('list.noPage', { text: escapeLine(text) }));
  return Number(text);
}

/** The order in which the form shows the options: it takes five. */
function wrongFirst(typed: TypedOptions, wrong: readonly string[]): TypedOptions {
  return new Map([...wrong.map((option) => [option, typed.get(option) ?? ''] as const), ...typed]);
}

/** A form with the first five of the options that were typed. */
export function optionsForm(
  action: AnyAction,
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
