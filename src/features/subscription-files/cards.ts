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
import { clamp } from '../../discord/limits.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import { act } from './actions.ts';
import { entryOf } from './entry.ts';
import type { PlannedChange } from './plan.ts';

/** The changes that an import would make in a server. */
export interface ImportView {
  /** All that a subscription can have. */
  settings: readonly Setting[];
  added: readonly Subscription[];
  changed: readonly PlannedChange[];
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

/** Well below a card's limit. */
const MOST_LINES = 24;
const MOST_CHARACTERS = 2_800;
/** The characters of a value before and after. */
const MOST_VALUE = 60;
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
    ...changed.map((change) => `✏️ ${title(change.before)}: ${changesIn(change, settings, translator).join(', ')}`),
    ...added.map(
      (one) => `➕ ${[title(one), ...settingsInShort({ subscription: one, settings }, translator)].join(' · ')}`,
    ),
  ];
  let room = MOST_CHARACTERS;
  const shown = lines.slice(0, MOST_LINES).filter(({ length }) => {
    room -= length;
    return room >= 0;
  });
  const unshown = lines.length - shown.length;
  return unshown > 0 ? [...shown, smallLine([translator.t('rollUp.more', { count: unshown })])] : shown;
}

/** What changes, as it stands in files, before and after. */
function changesIn(
  { before, after, fields }: PlannedChange,
  settings: readonly Setting[],
  translator: Translator,
): string[] {
  const [one, other] = [entryOf(before, settings), entryOf(after, settings)];
  const shown = (value: unknown) => {
    if (value === undefined) return translator.t('import.unset');
    return inlineCode(clamp(typeof value === 'string' ? value : JSON.stringify(value), MOST_VALUE));
  };
  return fields.map((name) => `${inlineCode(name)} ${shown(one[name])} → ${shown(other[name])}`);
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
