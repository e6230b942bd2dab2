import type { Dealcast } from '../../deals/dealcast.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, link, markdownOf } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { AnnouncementContext, CardContext, Happened } from './context.ts';
import { matchedPart } from './matched.ts';
import { actionButton, buttons, type Card, card, linkButton, pictured, separator, smallLine, text } from './parts.ts';

const MOST_TITLE = 200;
const MOST_TEASER = 600;
const MOST_TEXT = 2000;

/** The lines that tell of a dealcast wherever it is shown. */
export function dealcastLines(dealcast: Dealcast, { words }: CardContext, matched: string | null = null): string[] {
  return [
    `### ${link(clamp(dealcast.title, MOST_TITLE), watchUrl(dealcast))}`,
    clampMarkdown(markdownOf(dealcast.teaser ?? '', dealcast.blogUrl), MOST_TEASER),
    smallLine([
      words.t('dealcast.kind'),
      dealcast.site && escapeLine(clamp(dealcast.site, 80)),
      dealcast.startDateMs !== null ? timestamp(dealcast.startDateMs, 'D') : null,
      dealcast.views !== null ? words.t('dealcast.views', { count: dealcast.views }) : null,
      matched,
    ]),
  ].filter((line) => line !== '');
}

function watchUrl(dealcast: Dealcast): string | null {
  return dealcast.youTubeUrl ?? dealcast.mp4Url ?? dealcast.blogUrl;
}

/** The card that announces a dealcast. */
export function newDealcastCard(
  { item: dealcast, subject }: { item: Dealcast; subject: string },
  happened: Happened,
  context: AnnouncementContext,
): Card {
  const { words, deliveryId } = context;
  return card(happened.accent, [
    pictured(dealcastLines(dealcast, context, matchedPart(context)), dealcast.thumbnail?.url ?? null, dealcast.title),
    buttons([
      linkButton(words.t('button.watch'), dealcast.youTubeUrl ?? dealcast.mp4Url),
      linkButton(words.t('button.read'), dealcast.blogUrl),
      linkButton(words.t('button.discussion'), dealcast.discussionUrl),
      actionButton(words.t('button.details'), { do: 'dealcast', subject, deliveryId }),
    ]),
  ]);
}

/** A dealcast with its whole text. */
export function dealcastDetailCard(dealcast: Dealcast, context: CardContext): Card {
  const { words } = context;
  const body = clampMarkdown(markdownOf(dealcast.text ?? '', dealcast.blogUrl), MOST_TEXT);
  return card(ACCENT.dealcast, [
    pictured(dealcastLines(dealcast, context), dealcast.thumbnail?.url ?? null, dealcast.title),
    body ? separator() : null,
    body ? text(body) : null,
    buttons([
      linkButton(words.t('button.youTube'), dealcast.youTubeUrl),
      linkButton(words.t('button.mp4'), dealcast.mp4Url),
      linkButton(words.t('button.blog'), dealcast.blogUrl),
      linkButton(words.t('button.discussion'), dealcast.discussionUrl),
    ]),
  ]);
}
