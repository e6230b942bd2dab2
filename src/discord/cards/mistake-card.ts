import { type APIMessageTopLevelComponent, type APITextDisplayComponent, ComponentType } from 'discord-api-types/v10';
import type { Action } from '../custom-id.ts';
import { codeBlock, inlineCode } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { actionButton, buttons, type Card, type CardContext, card, primaryButton, text } from './parts.ts';

export interface MistakeView {
  /** The mistake, as safe Markdown. */
  sentence: string;
  /** Everything that the person typed, by option; the options to fix come first. */
  typed: ReadonlyMap<string, string>;
  /** Opens the form again. */
  fix: Action;
  /** The subscription whose settings were changed; null for a new one. */
  subscriptionId: string | null;
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
export function mistakeCard({ sentence, typed, fix, subscriptionId }: MistakeView, { translator }: CardContext): Card {
  const [wrong = ''] = typed.keys();
  const written = [...typed].filter(([, value]) => value !== '');
  return card(ACCENT.warning, [
    { ...text(`⚠ **${wrong}** · ${sentence}`), id: HEADING_ID },
    written.length > 0 ? text(translator.t('filter.written')) : null,
    ...written.map(([option, value], index) =>
      option === 'filter' ? { ...text(codeBlock(value)), id: FILTER_ID } : typedText(option, value, index),
    ),
    buttons([
      primaryButton(translator.t('button.fix'), fix),
      subscriptionId === null
        ? null
        : actionButton(translator.t('button.settings'), { do: 'subscription', step: 'open', subscriptionId }),
    ]),
  ]);
}

function typedText(option: string, value: string, index: number): APITextDisplayComponent {
  return { ...text(`**${option}** ${shown(option, value)}`), id: FILTER_ID + 1 + index };
}

function shown(option: string, value: string): string {
  if (option === 'role') return `<@&${value}>`;
  return option === 'channel' ? `<#${value}>` : inlineCode(value);
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
