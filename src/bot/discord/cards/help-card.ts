import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { type Card, card, separator, text } from './parts.ts';

/** The reader of the help: somebody who may manage the server, somebody who may not, or somebody in direct messages. */
export type Reader = 'manager' | 'member' | 'direct';

export interface HelpView {
  reader: Reader;
  /** Whether the reader's server has subscriptions. */
  hasSubscriptions: boolean;
  /** Mentions of `/subscription add` and, as `looking`, `/feed`: safe Markdown. */
  subscribing: string;
  looking: string;
  commands: readonly CommandHelp[];
}

export interface CommandHelp {
  /** The command's mention and its required options: safe Markdown. */
  usage: string;
  /** null for a command in a message's menu. */
  description: string | null;
}

/** Also the first example in `docs/filters.md`. The sentence above it on the card describes what it matches. */
export const FILTER_EXAMPLE = 'ssd -refurb* price:<50 off:>=40';

/** The first steps, and a list of commands. */
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
