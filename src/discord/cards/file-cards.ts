import { ComponentType } from 'discord-api-types/v10';
import type { Subscription } from '../../deals/subscription.ts';
import type { Action } from '../custom-id.ts';
import { sourceTitle } from '../i18n/describe-source.ts';
import type { Translator } from '../i18n/translator.ts';
import { escapeLine, inlineCode } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  dangerButton,
  linesOf,
  primaryButton,
  separator,
  smallLine,
  text,
} from './parts.ts';
import { settingsInShort } from './subscription-lines.ts';

/** The changes that an import would make in a server. */
export interface ImportView {
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
  const step = (name: 'apply' | 'cancel'): Action => ({ do: 'import', step: name, importId, digest });
  const apply = removed.length > 0 ? dangerButton : primaryButton;
  const lines = planLines(view, translator);
  return card(removed.length > 0 ? ACCENT.warning : ACCENT.notice, [
    text(
      [
        `## ${translator.t('import.title')}`,
        ...(isAnew ? [`⚠ ${translator.t('import.anew')}`] : []),
        countLine(view, translator),
      ].join('\n'),
    ),
    // Discord takes no empty text.
    ...(lines.length > 0 ? [text(lines.join('\n'))] : []),
    ...forecastParts(view, translator),
    buttons([
      apply(translator.t('button.apply'), step('apply')),
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

function planLines({ added, changed, removed }: ImportView, translator: Translator): string[] {
  const title = ({ source, channelId }: Subscription) =>
    `**${escapeLine(sourceTitle(source, translator))}** → <#${channelId}>`;
  const lines = [
    ...removed.map((one) => `🗑️ ${title(one)}`),
    ...changed.map(({ before, fields }) => `✏️ ${title(before)}: ${fields.map(inlineCode).join(', ')}`),
    ...added.map((one) => `➕ ${[title(one), ...settingsInShort(one, translator)].join(' · ')}`),
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
      const told = { channel: `<#${channelId}>`, before, after };
      return translator.t(isPartial ? 'import.forecastPartly' : 'import.forecast', told);
    });
  return [separator(), text([translator.t('import.lastDays'), ...lines].join('\n'))];
}

/** Why a file or its plan can't be used: a line for each reason. Takes Markdown that is already safe. */
export function refusedImportCard(problems: readonly string[], { translator }: CardContext): Card {
  return card(ACCENT.warning, [
    text([`⚠ ${translator.t('import.refused')}`, ...problems.map((problem) => `- ${problem}`)].join('\n')),
  ]);
}

const FILE = 'my-data.json';

/** A person's records, as a file. */
export function exportCard(data: object, { translator, nowMs }: CardContext): Card {
  const json = JSON.stringify({ exportedAt: new Date(nowMs).toISOString(), ...data }, null, 2);
  return {
    ...card(ACCENT.notice, [
      text(translator.t('myData.exported')),
      { type: ComponentType.File, file: { url: `attachment://${FILE}` } },
    ]),
    files: [{ name: FILE, content: Buffer.from(json) }],
  };
}

/** Asks whether to delete what is kept of a person. */
export function deleteDataCard({ translator }: CardContext): Card {
  return card(ACCENT.warning, [
    text(linesOf([`**${translator.t('myData.ask')}**`, translator.t('myData.kept')])),
    buttons([dangerButton(translator.t('button.deleteData'), { do: 'my-data-delete' })]),
  ]);
}
