import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { type Card, card, separator, text } from './parts.ts';

/** Who reads the help: whoever manages a server or not, or somebody in the direct messages. */
export type Reader = 'manager' | 'member' | 'direct';

export interface HelpView {
  reader: Reader;
  /** Whether something is announced where the reader is. */
  hasSubscriptions: boolean;
  /** What `/subscription add` and `/feed` are called by: safe Markdown. */
  subscribing: string;
  looking: string;
  commands: readonly CommandHelp[];
}

export interface CommandHelp {
  /** What it is called by, and what has to be filled in: safe Markdown. */
  usage: string;
  /** null of a command in a message's menu. */
  description: string | null;
}

/** It is what `docs/filters.md` begins with, too; the sentence above it on the card says what it takes. */
export const FILTER_EXAMPLE = 'ssd -refurb* price:<50 off:>=40';

/** How to start, and what there is. */
export function helpCard(view: HelpView, context: CardContext): Card {
  const { translator } = context;
  const first = firstSteps(view, context);
  return card(ACCENT.notice, [
    text(`## ${translator.t('help.title')}`),
    first.length > 0 ? text(`### ${translator.t('help.firstSteps')}\n${first.join('\n')}`) : null,
    text(
      `### ${translator.t('help.commands')}\n${view.commands.map((command) => commandLine(command, context)).join('\n')}`,
    ),
    separator(),
    text(`### ${translator.t('help.filters')}\n${translator.t('help.filter')}\n\`\`\`\n${FILTER_EXAMPLE}\n\`\`\``),
  ]);
}

function firstSteps(
  { reader, hasSubscriptions, subscribing, looking }: HelpView,
  { translator }: CardContext,
): string[] {
  if (reader === 'direct') return [translator.t('help.direct')];
  if (hasSubscriptions) return [];
  const key = reader === 'manager' ? 'help.subscribe' : 'help.askManager';
  return [`1. ${translator.t(key, { command: subscribing })}`, `2. ${translator.t('help.look', { command: looking })}`];
}

function commandLine({ usage, description }: CommandHelp, { translator }: CardContext): string {
  return `${usage} ${escapeLine(description ?? translator.t('help.messageMenu'))}`;
}
