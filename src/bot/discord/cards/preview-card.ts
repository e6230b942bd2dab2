import { describeKind } from '../../announcements/kinds/index.ts';
import type { Preview } from '../../deals/preview.ts';
import { bar, timestamp } from '../format.ts';
import { describeSource } from '../i18n/describe-source.ts';
import type { Words } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { pagedCard } from './paged-card.ts';
import { actionButton, buttons, type Card, smallLine } from './parts.ts';
import { announcementEntry } from './roll-up-card.ts';

const MOST_SOURCE = 100;
const HALF_A_DAY_MS = 12 * 3_600_000;

/** A page of what a subscription would have announced, below how much it would have been each day. */
export function previewCard(preview: Preview, page: number, context: CardContext): Card {
  const { subscription, entries, lastReadMs } = preview;
  const { words } = context;
  const source = escapeLine(clamp(describeSource(subscription.source, words), MOST_SOURCE));
  return pagedCard(
    {
      accentColor: ACCENT.notice,
      title: [
        words.t('preview.title', { source }),
        words.t('preview.where', { channel: `<#${subscription.channelId}>` }),
        ...dayLines(preview, words),
        ...notes(preview, source, words).map((note) => smallLine([note])),
      ].join('\n'),
      things: entries,
      page,
      count: words.t('rollUp.title', { count: entries.length }),
      empty: words.t('preview.none'),
      age: lastReadMs === null ? null : { fetchedAtMs: lastReadMs, isStale: false },
      entry: ({ announcement, atMs }) =>
        announcementEntry(
          announcement,
          context,
          smallLine([describeKind(announcement.kind, words), timestamp(atMs, 'f')]),
        ),
      pageAction: (to) => ({ do: 'preview', subscriptionId: subscription.id, page: to }),
      menus: [
        buttons([
          actionButton(words.t('button.settings'), {
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

/** `▰▰▰▰▱▱▱▱▱▱ **12** · 21 November 2026`, as the day is called where its reader lives: most of it is told by its noon. */
function dayLines({ days }: Preview, words: Words): string[] {
  const most = Math.max(1, ...days.map(({ count }) => count));
  return days.map(
    ({ startMs, count }) =>
      `${bar((count / most) * 100)} **${words.number(count)}** · ${timestamp(startMs + HALF_A_DAY_MS, 'D')}`,
  );
}

/** How far that is to be believed. */
function notes({ subscription, days, ...preview }: Preview, source: string, words: Words): string[] {
  const { isReadable, knownSinceMs, isOfPresent, isCutOff } = preview;
  const { mode } = subscription.timing;
  const isKnownWhole = knownSinceMs !== null && knownSinceMs <= (days[0]?.startMs ?? 0);
  return [
    isReadable ? null : words.t('why.filterUnreadable'),
    knownSinceMs === null ? words.t('why.neverRead', { feed: source }) : null,
    knownSinceMs !== null && !isKnownWhole && !isOfPresent
      ? words.t('preview.knownSince', { at: timestamp(knownSinceMs, 'f') })
      : null,
    isOfPresent ? words.t('preview.ofPresent') : null,
    isCutOff ? words.t('preview.cutOff') : null,
    mode === 'at-once' ? null : words.t(`preview.digest.${mode}`),
  ].filter((note) => note !== null);
}
