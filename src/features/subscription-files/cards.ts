import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  dangerButton,
  primaryButton,
  separator,
  smallLine,
} from '../../discord/cards/parts.ts';
import { settingsInShort } from '../../discord/cards/subscription-lines.ts';
import { sourceTitle } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import { act } from './actions.ts';

/** The changes that an import would make in a server. */
export interface ImportView {
  /** All that a subscription can have. */
  settings: readonly Setting[];
  added: readonly Subscription[];
  changed: readonly { before: Subscription; after: Subscription; fields: readonly string[] }[];
  removed: readonly Subscription[];
  unchanged: number;
  /** The announcements that each channel would have got in the last seven days. */
  forecasts: readonly { channelId: string; before: number; after: number; isPartial: boolean }[];
  /** The import that the buttons apply or cancel, and the plan that is shown. */
  importId: string;
  digest: string;
  /** Whether this plan replaces one that was shown before. */
  isAnew: boolean;
}

/** Well below a card's limit, with one line each. */
const MOST_LINES = 24;
const MOST_CHANNELS = 8;

/** The plan of an import, with the buttons that apply or cancel it. */
export function importCard(view: ImportView, { translator }: CardContext): Card {
  const { importId, digest, removed, isAnew } = view;
  const step = (name: 'apply' | 'cancel') => act({ do: 'import', step: name, importId, digest });
  const apply = removed.length > 0 ? dangerButton : primaryButton;
  const lines = planLines(view, translator);
  return card(removed.length > 0 ? ACCENT.warning : ACCENT.notice, [
    [
      `## ${translator.t('import.title')}`,
      isAnew ? `⚠ ${translator.t('import.anew')}` : null,
      countLine(view, translator),
    ],
    // Discord takes no empty text.
    lines.length > 0 ? lines : null,
    ...forecastParts(view, translator),
    buttons([
      apply(translator.t('button.applyImport'), step('apply')),
      actionButton(translator.t('button.cancel'), step('cancel')),
    ]),
  ]);
}

function countLine(
  { added, changed, removed, unchanged }: Omit<ImportView, 'forecasts'>,
  translator: Translator,
): string {
  return translator.t('import.counts', {
    added: added.length,
    changed: changed.length,
    removed: removed.length,
    unchanged,
  });
}

function planLines({ added, changed, removed, settings }: ImportView, translator: Translator): string[] {
  const title = ({ source, channelId }: Subscription) =>
    `**${escapeLine(sourceTitle(source, translator))}** → <#${channelId}>`;
  const lines = [
    ...removed.map((one) => `🗑️ ${title(one)}`),
    ...changed.map(({ before, fields }) => `✏️ ${title(before)}: ${fields.map(inlineCode).join(', ')}`),
    ...added.map(
      (one) => `➕ ${[title(one), ...settingsInShort({ subscription: one, settings }, translator)].join(' · ')}`,
    ),
  ];
  const unshown = lines.length - MOST_LINES;
  return unshown > 0
    ? [...lines.slice(0, MOST_LINES), smallLine([translator.t('rollUp.more', { count: unshown })])]
    : lines;
}

function forecastParts({ forecasts }: ImportView, translator: Translator) {
  if (forecasts.length === 0) return [];
  const lines = forecasts
    .toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
    .slice(0, MOST_CHANNELS)
    .map(({ channelId, before, after, isPartial }) => {
      const values = { channel: `<#${channelId}>`, before, after };
      return translator.t(isPartial ? 'import.forecastPartly' : 'import.forecast', values);
    });
  return [separator(), [translator.t('import.lastDays'), ...lines]];
}

/** Why a file or its plan can't be used: a line for each reason. Takes Markdown that is already safe. */
export function refusedImportCard(problems: readonly string[], { translator }: CardContext): Card {
  return card(ACCENT.warning, [[`⚠ ${translator.t('import.refused')}`, ...problems.map((problem) => `- ${problem}`)]]);
}
