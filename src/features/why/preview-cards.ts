import { describeKind } from '../../announcements/kinds/index.ts';
import type { Preview } from '../../deals/preview.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { announcementEntry } from '../../discord/cards/announcement-card.ts';
import { pagedCard } from '../../discord/cards/paged-card.ts';
import {
  buttons,
  type Card,
  type CardContext,
  card,
  settingsButton,
  smallLine,
  together,
} from '../../discord/cards/parts.ts';
import { dayLines, previewNotes } from '../../discord/cards/preview-lines.ts';
import { headLines, type SubscriptionView } from '../../discord/cards/subscription-card.ts';
import { stateLine } from '../../discord/cards/subscription-lines.ts';
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

/**
 * A sample post of the subscription, and the problems that would prevent it. `sample` is the card of the post; null for
 * none.
 */
export function testCard(
  { subscription, warnings }: SubscriptionView,
  { sample, matching, all }: { sample: Card | null; matching: number; all: number },
  { translator }: CardContext,
): Card {
  const channel = `<#${subscription.channelId}>`;
  const isFit = warnings.length === 0 && stateLine(subscription, translator) === null;
  const counts = { count: matching, all };
  const report = card(ACCENT.notice, [
    headLines(subscription, warnings, translator),
    [
      isFit && `✅ ${translator.t('test.fit', { channel })}`,
      sample ? translator.t('test.matching', counts) : translator.t('test.nothing', { all }),
    ],
    buttons([settingsButton(subscription.id, translator)]),
  ]);
  return sample ? together(report, sample) : report;
}
