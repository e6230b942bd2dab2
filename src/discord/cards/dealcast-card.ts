import { type Dealcast, dealcastSubject } from '../../deals/dealcast.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, link, markdownOf } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { type AnnouncementContext, announced, type Happened, matchedPart } from './announced.ts';
import { type ListView, pagedCard } from './paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  linkButton,
  pictured,
  separator,
  smallLine,
  text,
} from './parts.ts';

const MOST_TITLE = 200;
const MOST_TEASER = 600;
const MOST_TEXT = 2000;

/** The lines that describe a dealcast, on any card. */
export function dealcastLines(dealcast: Dealcast, { translator }: CardContext): string[] {
  const views = dealcast.views === null ? null : translator.t('dealcast.views', { count: dealcast.views });
  return [...headLines(dealcast), smallLine([translator.t('dealcast.kind'), ...dealcastFacts(dealcast), views])];
}

function headLines(dealcast: Dealcast): string[] {
  return [
    `### ${link(clamp(dealcast.title, MOST_TITLE), watchUrl(dealcast))}`,
    clampMarkdown(markdownOf(dealcast.teaser ?? '', dealcast.blogUrl), MOST_TEASER),
  ].filter((line) => line !== '');
}

/** Without the views, which change all the time. */
function dealcastFacts({ site, startDateMs }: Dealcast): (string | null)[] {
  return [site && escapeLine(clamp(site, 80)), startDateMs === null ? null : timestamp(startDateMs, 'D')];
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
  return announced(
    {
      happened,
      lines: headLines(dealcast),
      picture: { url: dealcast.thumbnail?.url ?? null, description: dealcast.title },
      smallPrint: [...dealcastFacts(dealcast), matchedPart(context)],
      buttons: [
        linkButton(translator.t('button.watch'), dealcast.youTubeUrl ?? dealcast.mp4Url),
        actionButton(translator.t('button.details'), { do: 'dealcast', subject, deliveryId }),
        linkButton(translator.t('button.read'), dealcast.blogUrl),
        linkButton(translator.t('button.discussion'), dealcast.discussionUrl),
      ],
    },
    context,
  );
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

export interface DealcastsView extends ListView {
  dealcasts: readonly Dealcast[];
}

/** A page of the featured dealcasts. */
export function dealcastsCard({ dealcasts, page, age }: DealcastsView, context: CardContext): Card {
  const { translator } = context;
  return pagedCard(
    {
      accentColor: ACCENT.dealcast,
      title: translator.t('dealcasts.title'),
      things: dealcasts,
      page,
      count: translator.t('list.dealcasts', { count: dealcasts.length }),
      empty: translator.t('dealcasts.none'),
      age,
      entry: (dealcast) =>
        pictured(dealcastLines(shortenedCast(dealcast), context), dealcast.thumbnail?.url ?? null, dealcast.title),
      pageAction: (to) => ({ do: 'dealcasts', page: to }),
      open: {
        button: translator.t('button.details'),
        choice: (dealcast) => ({
          label: dealcast.title,
          ...(dealcast.site !== null && { description: dealcast.site }),
          action: { do: 'dealcast', subject: dealcastSubject(dealcast), deliveryId: null },
        }),
      },
    },
    context,
  );
}

function shortenedCast(dealcast: Dealcast): Dealcast {
  return { ...dealcast, title: clamp(dealcast.title, 80), teaser: null };
}
