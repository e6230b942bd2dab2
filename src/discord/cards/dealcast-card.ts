import type { Dealcast } from '../../deals/dealcast.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, link, markdownOf } from '../markdown.ts';
import { ACCENT, actionButton, buttons, type Card, card, linkButton, pictured, separator, text } from './parts.ts';

const MOST_TITLE = 200;
const MOST_TEASER = 600;
const MOST_TEXT = 2000;

/** The lines that tell of a dealcast wherever it is shown. */
export function dealcastLines(dealcast: Dealcast): string[] {
  return [
    `### ${link(clamp(dealcast.title, MOST_TITLE), watchUrl(dealcast))}`,
    clampMarkdown(markdownOf(dealcast.teaser ?? '', dealcast.blogUrl), MOST_TEASER),
    [
      '-# Dealcast',
      dealcast.site && escapeLine(clamp(dealcast.site, 80)),
      dealcast.startDateMs !== null && timestamp(dealcast.startDateMs, 'D'),
      dealcast.views !== null && `${dealcast.views.toLocaleString('en-US')} views`,
    ]
      .filter(Boolean)
      .join(' · '),
  ].filter((line) => line !== '');
}

function watchUrl(dealcast: Dealcast): string | null {
  return dealcast.youTubeUrl ?? dealcast.mp4Url ?? dealcast.blogUrl;
}

/** The card that announces a dealcast; `subject` and `deliveryId` go into its button. */
export function dealcastCard(dealcast: Dealcast, subject: string, deliveryId: string): Card {
  return card(ACCENT.dealcast, [
    pictured(dealcastLines(dealcast), dealcast.thumbnail?.url ?? null, dealcast.title),
    buttons([
      linkButton('Watch', dealcast.youTubeUrl ?? dealcast.mp4Url),
      linkButton('Read', dealcast.blogUrl),
      linkButton('Discussion', dealcast.discussionUrl),
      actionButton('Details', { do: 'dealcast', subject, deliveryId }),
    ]),
  ]);
}

/** A dealcast with its whole text. */
export function dealcastDetailCard(dealcast: Dealcast): Card {
  const body = clampMarkdown(markdownOf(dealcast.text ?? '', dealcast.blogUrl), MOST_TEXT);
  return card(ACCENT.dealcast, [
    pictured(dealcastLines(dealcast), dealcast.thumbnail?.url ?? null, dealcast.title),
    body ? separator() : null,
    body ? text(body) : null,
    buttons([
      linkButton('YouTube', dealcast.youTubeUrl),
      linkButton('MP4', dealcast.mp4Url),
      linkButton('Blog', dealcast.blogUrl),
      linkButton('Discussion', dealcast.discussionUrl),
    ]),
  ]);
}
