import { HELP_TOPICS, type HelpTopic } from '../custom-id.ts';
import type { Translator } from '../i18n/translator.ts';
import { codeBlock, escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  factsOf,
  type Line,
  subscriptionsButton,
} from './parts.ts';

/** The reader of the help: somebody who may manage the server, somebody who may not, or somebody in direct messages. */
export type Reader = 'manager' | 'member' | 'direct';

export interface HelpView {
  topic: HelpTopic;
  reader: Reader;
  /** Whether the reader's server has subscriptions. */
  hasSubscriptions: boolean;
  /** Features' additions to the lines of the first page. */
  added: readonly HelpLines[];
  commands: readonly CommandHelp[];
}

/** Additions to lines of the help's first page, behind the core's own, where the reader sees the line: safe Markdown. */
export interface HelpLines {
  /** Ways to find a deal. */
  find?: string | undefined;
  /** Ways to see what is on. */
  browse?: string | undefined;
  /** Ways to post deals in a channel. */
  follow?: string | undefined;
  /** Commands about posts, and about subscriptions. */
  manage?: string | undefined;
  /** Ways to see whether all works. */
  check?: string | undefined;
}

export interface CommandHelp {
  /** The command's mention and its required options: safe Markdown. */
  usage: string;
  /** null for a command in a message's menu. */
  description: string | null;
}

/** Also the first example in `docs/filters.md`. The sentence above it on the card describes what it matches. */
export const FILTER_EXAMPLE = 'ssd -refurb* price:<50 off:>=40';

/** The bot's abilities in at most six lines, or one of the topics that its buttons open. */
export function helpCard(view: HelpView, { translator }: CardContext): Card {
  const { topic, reader } = view;
  return card(ACCENT.notice, [
    [`## ${translator.t(`help.title.${topic}`)}`, ...linesOf(view, translator)],
    buttons([
      ...HELP_TOPICS.map((to) =>
        actionButton(translator.t(`button.help.${to}`), { do: 'help', topic: to }, to === topic),
      ),
      reader === 'manager' ? subscriptionsButton(translator) : null,
    ]),
  ]);
}

function linesOf(view: HelpView, translator: Translator): Line[] {
  const { topic, reader, commands } = view;
  switch (topic) {
    case 'start':
      return firstLines(view, translator);
    case 'commands':
      return commands.map(
        ({ usage, description }) => `${usage} ${escapeLine(description ?? translator.t('help.messageMenu'))}`,
      );
    case 'filters':
      return [
        translator.t('help.filter'),
        codeBlock(FILTER_EXAMPLE),
        translator.t(reader === 'manager' ? 'help.filterPlaces' : 'help.filterPlace'),
      ];
  }
}

function firstLines({ reader, hasSubscriptions, added }: HelpView, translator: Translator): Line[] {
  const isManager = reader === 'manager';
  const line = (text: string, name: keyof HelpLines) => factsOf([text, ...added.map((lines) => lines[name])]);
  return [
    line(translator.t('help.find'), 'find'),
    line(translator.t('help.browse'), 'browse'),
    translator.t('help.message', { command: translator.t('command.offerDetails.name') }),
    ...(isManager
      ? [
          line(translator.t(hasSubscriptions ? 'help.follow' : 'help.subscribe'), 'follow'),
          line(translator.t('help.manage'), 'manage'),
        ]
      : []),
    reader === 'member' && !hasSubscriptions ? translator.t('help.askManager') : null,
    line(translator.t('help.check'), 'check'),
    reader === 'direct' ? translator.t('help.direct') : null,
  ];
}
