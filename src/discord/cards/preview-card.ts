import { describeKind } from '../../announcements/kinds/index.ts';
import type { Preview } from '../../deals/preview.ts';
import { bar, timestamp } from '../format.ts';
import { describeSource } from '../i18n/describe-source.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { announcementEntry } from './announcement-card.ts';
import { pagedCard } from './paged-card.ts';
import { actionButton, buttons, type Card, type CardContext, smallLine } from './parts.ts';

const MOST_SOURCE = 100;
const HALF_A_DAY_MS = 12 * 3_600_000;

/** A page of a subscription's preview, below the number of announcements per day. */
export function previewCard(preview: Preview, page: number, context: CardContext): Card {
  const { subscription, entries, lastReadMs } = preview;
  const { translator } = context;
  const source = escapeLine(clamp(describeSource(subscription.source, translator), MOST_SOURCE));
  return pagedCard(
    {
      accentColor: ACCENT.notice,
      title: [
        translator.t('preview.title', { source }),
        translator.t('preview.where', { channel: `<#${subscription.channelId}>` }),
        ...dayLines(preview, translator),
        ...previewNotes(preview, source, translator).map((note) => smallLine([note])),
      ].join('\n'),
      things: entries,
      page,
      count: translator.t('rollUp.title', { count: entries.length }),
      empty: translator.t('preview.none'),
      age: lastReadMs === null ? null : { fetchedAtMs: lastReadMs, isStale: false },
      entry: ({ announcement, atMs }) =>
        announcementEntry(
          announcement,
          context,
          smallLine([describeKind(announcement.kind, translator), timestamp(atMs, 'f')]),
        ),
      pageAction: (to) => ({ do: 'preview', subscriptionId: subscription.id, page: to }),
      menus: [
        buttons([
          actionButton(translator.t('button.settings'), {
            do: 'subscription',
            step: 'open',
            subscriptionId: subscription.id,
          }),
        ]),
      ],
    },
    context,
  );
}

/**
 * `▰▰▰▰▱▱▱▱▱▱ **12** · 21 November 2026`; of a day in which nothing was read, that instead of a number. The timestamp is
 * noon, so that readers in most time zones see the right date.
 */
export function dayLines({ days, knownSinceMs, isOfPresent }: Preview, translator: Translator): string[] {
  const most = Math.max(1, ...days.map(({ count }) => count));
  return days.map(({ startMs, count }, index) => {
    const endsMs = days[index + 1]?.startMs ?? Infinity;
    const isUnread = count === 0 && !isOfPresent && (knownSinceMs === null || endsMs <= knownSinceMs);
    const told = isUnread ? `*${translator.t('preview.notMonitored')}*` : `**${translator.number(count)}**`;
    return `${bar((count / most) * 100)} ${told} · ${timestamp(startMs + HALF_A_DAY_MS, 'D')}`;
  });
}

/** Notes on the limits of the preview's data. @param source the source's name as safe Markdown */
export function previewNotes(
  { subscription, days, ...preview }: Preview,
  source: string,
  translator: Translator,
): string[] {
  const { isReadable, knownSinceMs, isOfPresent, isCutOff } = preview;
  const { mode } = subscription.timing;
  const isKnownWhole = knownSinceMs !== null && knownSinceMs <= (days[0]?.startMs ?? 0);
  return [
    isReadable ? null : translator.t('why.filterUnreadable'),
    knownSinceMs === null ? translator.t('why.neverRead', { feed: source }) : null,
    knownSinceMs !== null && !isKnownWhole && !isOfPresent
      ? translator.t('preview.knownSince', { at: timestamp(knownSinceMs, 'f') })
      : null,
    isOfPresent ? translator.t('preview.ofPresent') : null,
    isCutOff ? translator.t('preview.cutOff') : null,
    mode === 'at-once' ? null : translator.t(`preview.digest.${mode}`),
  ].filter((note) => note !== null);
}
