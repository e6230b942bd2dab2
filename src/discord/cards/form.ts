import {
  type APIButtonComponentWithCustomId,
  type APIComponentInLabel,
  type APIMessageTopLevelComponent,
  type APITextDisplayComponent,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord-api-types/v10';
import { type FeatureAction, isPage } from '../action-table.ts';
import type { Modal } from '../command.ts';
import { type Action, type AnyAction, encodeAction, encodeMarked, GO_TO_PAGE } from '../custom-id.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp, LIMITS } from '../limits.ts';
import { codeBlock, escapeLine, inlineCode } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { type Input, markOf, openingValue } from './form-inputs.ts';
import { buttons, type Card, card, primaryButton, selectOption, settingsButton, text } from './parts.ts';

/**
 * A form of at most five optional inputs; the action receives the values.
 * @param present the inputs with the stored values, where those may change until the form is sent; see `sinceOpened`
 * @see https://discord.com/developers/docs/components/reference#label
 */
export function form(
  action: AnyAction,
  title: string,
  inputs: readonly Input[],
  present: readonly Input[] | null = null,
): Modal {
  return {
    modal: {
      custom_id: present === null ? encodeAction(action) : encodeMarked(markOf(present), action),
      title: clamp(title, LIMITS.formLabel),
      components: inputs.slice(0, LIMITS.formInputs).map((input) => ({
        type: ComponentType.Label,
        label: clamp(input.label, LIMITS.formLabel),
        ...(input.description && { description: clamp(input.description, LIMITS.menuLabel) }),
        component: componentOf(input),
      })),
    },
  };
}

function componentOf(input: Input): APIComponentInLabel {
  const optional = { custom_id: input.name, required: false };
  const atMostOne = { min_values: 0, max_values: 1 };
  switch (input.takes) {
    case 'text': {
      const { example, value, most, isLong } = input;
      return {
        ...optional,
        type: ComponentType.TextInput,
        style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
        ...(example !== '' && { placeholder: clamp(example, LIMITS.inputPlaceholder) }),
        max_length: Math.min(most, LIMITS.inputText),
        ...(value !== '' && { value: value.slice(0, Math.min(most, LIMITS.inputText)) }),
      };
    }
    case 'choice':
      return {
        ...optional,
        ...atMostOne,
        ...(input.most !== undefined && { max_values: input.most }),
        type: ComponentType.StringSelect,
        options: input.options.slice(0, LIMITS.menuOptions).map(selectOption),
      };
    case 'role':
      return {
        ...optional,
        ...atMostOne,
        type: ComponentType.RoleSelect,
        ...(input.chosen !== '' && {
          default_values: [{ id: input.chosen, type: SelectMenuDefaultValueType.Role }],
        }),
      };
    case 'channel':
      return {
        ...optional,
        ...atMostOne,
        type: ComponentType.ChannelSelect,
        channel_types: [...input.types],
        ...(input.chosen !== '' && {
          default_values: [{ id: input.chosen, type: SelectMenuDefaultValueType.Channel }],
        }),
      };
  }
}

export interface MistakeView {
  /** The mistake, as safe Markdown. */
  sentence: string;
  /** Everything that the person typed, by option; the options to fix come first. */
  typed: ReadonlyMap<string, string>;
  /** Opens the form again. */
  fix: AnyAction;
  /** The subscription whose settings were changed; null for a new one. */
  subscriptionId: string | null;
  /** Other ways on; null for one that isn't open. */
  ways: readonly (APIButtonComponentWithCustomId | null)[];
}

/**
 * The component `id` of the text that holds a filter, as a code block of its own. Texts of other options have the ids
 * after it, and begin with the option's name.
 */
const FILTER_ID = 7001;
const MOST_OPTIONS = 25;
/** The component `id` of the first text, which names the option to fix: it may have no value yet. */
const HEADING_ID = FILTER_ID - 1;

/** A mistake in a form or in options. The card keeps all that was typed, so that it can be fixed after a restart. */
export function mistakeCard({ sentence, typed, fix, subscriptionId, ways }: MistakeView, translator: Translator): Card {
  const [wrong = ''] = typed.keys();
  const written = typedTexts(typed);
  return card(ACCENT.warning, [
    { ...text(`⚠ **${wrong}** · ${sentence}`), id: HEADING_ID },
    written.length > 0 ? translator.t('filter.written') : null,
    ...written,
    buttons([
      primaryButton(translator.t('button.fix'), fix),
      subscriptionId === null ? null : settingsButton(subscriptionId, translator),
      ...ways,
    ]),
  ]);
}

/** What was typed, as texts of a card, from which `typedOn` reads it when one of the card's buttons is pressed. */
export function typedTexts(typed: ReadonlyMap<string, string>): APITextDisplayComponent[] {
  const written = [...typed].filter(([, value]) => value !== '');
  return written.map(([option, value], index) =>
    option === 'filter' ? { ...text(codeBlock(value)), id: FILTER_ID } : typedText(option, value, index),
  );
}

function typedText(option: string, value: string, index: number): APITextDisplayComponent {
  return { ...text(`**${option}** ${shown(option, value)}`), id: FILTER_ID + 1 + index };
}

function shown(option: string, value: string): string {
  if (option === 'role') return `<@&${value}>`;
  return option === 'channel' ? `<#${value}>` : inlineCode(value);
}

/** What an input would show now, as safe Markdown; null for nothing. */
export function presentValue(input: Input): string | null {
  if (input.takes === 'choice') {
    const chosen = input.options.filter(({ isChosen }) => isChosen);
    return chosen.length === 0 ? null : chosen.map(({ label }) => escapeLine(label)).join(', ');
  }
  const value = openingValue(input);
  return value === '' ? null : shown(input.takes, value);
}

const HEADING = /^⚠ \*\*([a-z-]+)\*\* · /;
const FENCED = /^```\n([\s\S]*)\n```$/;
const NAMED = /^\*\*([a-z-]+)\*\* (?:—|`([^`]*)`|<(?:@&|#)(\d+)>)$/;

/** The person's input, from the card of a mistake, in its order; nothing for other messages. */
export function typedOn(components: readonly APIMessageTopLevelComponent[]): Map<string, string> {
  const texts = components
    .flatMap((top) => (top.type === ComponentType.Container ? top.components : []))
    .filter((part) => part.type === ComponentType.TextDisplay);
  return new Map(
    texts.flatMap(({ id = 0, content }): [string, string][] => {
      if (id === HEADING_ID) return [[HEADING.exec(content)?.[1] ?? '', '']];
      if (id === FILTER_ID) return [['filter', asTyped(FENCED.exec(content)?.[1])]];
      if (id < FILTER_ID || id > FILTER_ID + MOST_OPTIONS) return [];
      const [, option, code, entityId] = NAMED.exec(content) ?? [];
      return option === undefined ? [] : [[option, asTyped(code ?? entityId)]];
    }),
  );
}

/** The text as it was typed: `codeBlock` and `inlineCode` had replaced backticks, which would have ended the code. */
function asTyped(code: string | undefined): string {
  return (code ?? '').replaceAll('ˋ', '`');
}

const INPUT = 'page';
const MOST_DIGITS = 5;

/** An action that shows a page of a list. */
export type PageAction = Extract<Action, { page: number }> | (FeatureAction & { page: number });
type PageFields = { getTextInputValue(name: string): string };

/** Asks for the page of a list to open; an empty input means the shown one. */
export function pageForm(action: PageAction, translator: Translator): Modal {
  const { modal } = form(action, translator.t('list.goTo'), [
    {
      takes: 'text',
      name: INPUT,
      label: translator.t('form.page'),
      example: String(action.page),
      value: '',
      most: MOST_DIGITS,
    },
  ]);
  return { modal: { ...modal, custom_id: encodeMarked(GO_TO_PAGE, action) } };
}

/** The action with the page that the person entered; null where that is not a page's number. */
export function withWrittenPage<A extends { page: number }>(action: A, fields: PageFields): A | null {
  const text = writtenPage(fields);
  if (text === '') return action;
  return isPage(text) ? { ...action, page: Number(text) } : null;
}

/** Says what is wrong with the page that was entered, and opens the form again. */
export function pageMistakeCard(action: PageAction, fields: PageFields, translator: Translator): Card {
  const fix = primaryButton(translator.t('button.fix'), action);
  return card(ACCENT.warning, [
    `⚠ ${translator.t('list.noPage', { text: escapeLine(writtenPage(fields)) })}`,
    buttons([{ ...fix, custom_id: encodeMarked(GO_TO_PAGE, action) }]),
  ]);
}

const writtenPage = (fields: PageFields) => fields.getTextInputValue(INPUT).trim();
