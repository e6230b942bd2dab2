import { describeKind } from '../../announcements/kinds/index.ts';
import type { Preview } from '../../deals/preview.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { announcementEntry } from '../../discord/cards/announcement-card.ts';
import { pagedCard } from '../../discord/cards/paged-card.ts';
import { buttons, type Card, type CardContext, settingsButton, smallLine } from '../../discord/cards/parts.ts';
import { dayLines, previewNotes } from '../../discord/cards/preview-lines.ts';
import { timestamp } from '../../discord/format.ts';
import { describeSource } from '../../discord/i18n/describe-source.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { act } from './actions.ts';

const MOST_SOURCE = 100;

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
      pageAction: (to) => act({ do: 'preview', subscriptionId: subscription.id, page: to }),
      menus: [buttons([settingsButton(subscription.id, translator)])],
    },
    context,
  );
}
