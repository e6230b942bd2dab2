import {
  DEALCAST_RULES,
  type Dealcast,
  dealcastSubject,
  isLaterDealcast,
  mayBeSameDealcast,
} from '../../deals/dealcast.ts';
import { hearEntity } from '../../deals/entity-belief.ts';
import { subjectOfDealcast } from '../../deals/filter/index.ts';
import { newestFirst } from '../../deals/life.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { clampMarkdown, markdownOf } from '../../discord/markdown.ts';
import { HOUR_MS } from '../../shared/time.ts';
import type { ThingKind } from './kind.ts';
import { dayFact, headingOf, siteFact } from './thing-view.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-dealcast': { item: Dealcast };
  }
}

const MOST_TITLE = { post: 200, list: 80, announcements: 100, card: 200 } as const;
const MOST_TEASER = 600;
const MOST_TEXT = 2000;

/** A featured video that is new. It has no end. */
export const newDealcast: ThingKind<'new-dealcast'> = {
  madeFrom: 'entity',
  source: 'dealcasts',
  entity: 'dealcast',
  isDefault: true,
  accent: ACCENT.dealcast,
  badge: 'dealcast.kind',
  symbol: '🎬',
  announce: (dealcast) => ({
    kind: 'new-dealcast',
    subject: dealcastSubject(dealcast),
    occurrence: '',
    item: dealcast,
  }),
  hasStarted: (dealcast, nowMs) => dealcast.startDateMs === null || dealcast.startDateMs <= nowMs,
  isLive: () => true,
  fingerprint: ({ title, teaser }) => JSON.stringify([title, teaser]),
  hear: (heard, said) => hearEntity(heard, said, DEALCAST_RULES),
  mayBeSameAs: mayBeSameDealcast,
  isOther: isLaterDealcast,
  goodForMs: HOUR_MS,
  shown: ({ item }) => ({ as: 'dealcast', item, thing: newDealcast }),
  filterSubject: subjectOfDealcast,
  inOrder: newestFirst,
  view({ title, site, startDateMs, teaser, text, views, thumbnail, ...urls }, place, translator) {
    const address = urls.youTubeUrl ?? urls.mp4Url ?? urls.blogUrl;
    const isInList = place === 'list' || place === 'announcements';
    const short = isInList ? null : clampMarkdown(markdownOf(teaser ?? '', urls.blogUrl), MOST_TEASER) || null;
    const usual = [siteFact(site), dayFact(startDateMs, translator)];
    // Views change all the time, so that a post has none.
    const watched = views === null ? null : translator.t('dealcast.views', { count: views });
    return {
      title,
      address,
      hint: site,
      picture: { url: thumbnail?.url ?? null, description: title },
      lines: [headingOf(title, MOST_TITLE[place], address), short],
      facts: place === 'post' ? usual : [translator.t('dealcast.kind'), ...usual, watched],
      body: place === 'card' ? clampMarkdown(markdownOf(text ?? '', urls.blogUrl), MOST_TEXT) : '',
    };
  },
  opening: 'button.details',
  postButtons: ({ youTubeUrl, mp4Url, blogUrl, discussionUrl }) => [
    { label: 'button.watch', url: youTubeUrl ?? mp4Url },
    'opening',
    { label: 'button.read', url: blogUrl },
    { label: 'button.discussion', url: discussionUrl },
  ],
  cardButtons: ({ youTubeUrl, mp4Url, blogUrl, discussionUrl }) => [
    { label: 'button.youTube', url: youTubeUrl },
    { label: 'button.mp4', url: mp4Url },
    { label: 'button.blog', url: blogUrl },
    { label: 'button.discussion', url: discussionUrl },
  ],
};
