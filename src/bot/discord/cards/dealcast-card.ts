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

/** The lines that describe a dealcast, on any card. */
export function dealcastLines(
  dealcast: Dealcast,
  { translator }: CardContext,
  matched: string | null = null,
): string[] {
  return [
    `### ${link(clamp(dealcast.title, MOST_TITLE), watchUrl(dealcast))}`,
    clampMarkdown(markdownOf(dealcast.teaser ?? '', dealcast.blogUrl), MOST_TEASER),
    smallLine([
      translator.t('dealcast.kind'),
      dealcast.site && escapeLine(clamp(dealcast.site, 80)),
      dealcast.startDateMs !== null ? timestamp(dealcast.startDateMs, 'D') : null,
      dealcast.views !== null ? translator.t('dealcast.views', { count: dealcast.views }) : null,
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
  const { translator, deliveryId } = context;
  return card(happened.accent, [
    pictured(dealcastLines(dealcast, context, matchedPart(context)), dealcast.thumbnail?.url ?? null, dealcast.title),
    buttons([
      linkButton(translator.t('button.watch'), dealcast.youTubeUrl ?? dealcast.mp4Url),
      linkButton(translator.t('button.read'), dealcast.blogUrl),
      linkButton(translator.t('button.discussion'), dealcast.discussionUrl),
      actionButton(translator.t('button.details'), { do: 'dealcast', subject, deliveryId }),
    ]),
  ]);
}

/** A dealcast with its full text. */
export function dealcastDetailCard(dealcast: Dealcast, context: CardContext): Card {
  const { translator } = context;
  const body = clampMarkdown(markdownOf(dealcast.text ?? '', dealcast.blogUrl), MOST_TEXT);
  return card(ACCENT.dealcast, [
    pictured(dealcastLines(dealcast, context), dealcast.thumbnail?.url ?? null, dealcast.title),
    body ? separator() : null,
    body ? text(body) : null,
    buttons([
      linkButton(translator.t('button.youTube'), dealcast.youTubeUrl),
      linkButton(translator.t('button.mp4'), dealcast.mp4Url),
      linkButton(translator.t('button.blog'), dealcast.blogUrl),
      linkButton(translator.t('button.discussion'), dealcast.discussionUrl),
    ]),
  ]);
}
