import type { Preview } from '../../deals/preview.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { bar, timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';

const HALF_A_DAY_MS = 12 * HOUR_MS;

/**
 * `▰▰▰▰▱▱▱▱▱▱ **12** · 21 November 2026`; of a day in which nothing was read, that instead of a number. The timestamp is
 * noon, so that readers in most time zones see the right date.
 */
export function dayLines({ days, knownSinceMs, onlyListed }: Preview, translator: Translator): string[] {
  const most = Math.max(1, ...days.map(({ count }) => count));
  return days.map(({ startMs, count }, index) => {
    const endsMs = days[index + 1]?.startMs ?? Infinity;
    const isUnread = count === 0 && !onlyListed && (knownSinceMs === null || endsMs <= knownSinceMs);
    const text = isUnread ? `*${translator.t('preview.notMonitored')}*` : `**${translator.number(count)}**`;
    return `${bar((count / most) * 100)} ${text} · ${timestamp(startMs + HALF_A_DAY_MS, 'D')}`;
  });
}

/** Notes on the limits of the preview's data. @param source the source's name as safe Markdown */
export function previewNotes(
  { subscription, days, ...preview }: Preview,
  source: string,
  translator: Translator,
): string[] {
  const { isReadable, knownSinceMs, onlyListed, isCutOff } = preview;
  const { mode } = subscription.timing;
  const isKnownWhole = knownSinceMs !== null && knownSinceMs <= (days[0]?.startMs ?? 0);
  return [
    isReadable ? null : translator.t('preview.filterUnreadable'),
    knownSinceMs === null ? translator.t('preview.neverRead', { feed: source }) : null,
    knownSinceMs !== null && !isKnownWhole && !onlyListed
      ? translator.t('preview.knownSince', { at: timestamp(knownSinceMs, 'f') })
      : null,
    onlyListed ? translator.t('preview.ofPresent') : null,
    isCutOff ? translator.t('preview.cutOff') : null,
    mode === 'at-once' ? null : translator.t(`preview.digest.${mode}`),
  ].filter((note) => note !== null);
}
