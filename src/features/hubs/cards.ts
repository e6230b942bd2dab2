import type { Announcement } from '../../deals/announcement.ts';
import type { PublishingHindrance } from '../../deals/decision.ts';
import type { Preview } from '../../deals/preview.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { denseLine, namesInShort } from '../../discord/cards/announcement-card.ts';
import { pagedCard } from '../../discord/cards/paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  channelMenu,
  factsOf,
  type Line,
  smallLine,
} from '../../discord/cards/parts.ts';
import { dayLines, previewNotes } from '../../discord/cards/preview-lines.ts';
import { publishingText, stateLine } from '../../discord/cards/subscription-lines.ts';
import { timestamp } from '../../discord/format.ts';
import { sourceTitle } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { act } from './actions.ts';
import { FOLLOWING_CHANNELS } from './following.ts';
import type { Outage } from './records.ts';
import { isUnwatched } from './week.ts';

/** A hub as people of other servers see it: they may not see its channel. Foreign texts. */
export interface HubView {
  channelId: string;
  /** The names of its channel and its server. */
  name: string;
  server: string;
  description: string;
}

/** What a hub would have posted in the last week. */
export interface HubWeek {
  /** Undefined where nothing is known of it. */
  preview: Preview | undefined;
  /** The best of that, the best one first. */
  best: readonly Announcement[];
}

/** The room for the names of the best, in characters. */
const ROOM_OF_BEST = 200;

const nameOf = ({ name, server }: Pick<HubView, 'name' | 'server'>) =>
  `**#${escapeLine(name)}** · ${escapeLine(server)}`;

/** A page of the hubs, with a menu that opens one. @param weekOf that of each hub of the page */
export function followCard(
  { hubs, page, weekOf }: { hubs: readonly HubView[]; page: number; weekOf: (hub: HubView) => HubWeek | undefined },
  context: CardContext,
): Card {
  const { translator } = context;
  const choose = translator.t('follow.choose');
  return pagedCard(
    {
      accentColor: ACCENT.notice,
      title: translator.t('follow.title'),
      intro: hubs.length > 0 ? translator.t('follow.intro') : null,
      things: hubs,
      page,
      count: translator.t('follow.count', { count: hubs.length }),
      empty: translator.t('follow.none'),
      age: null,
      entry: (hub) => [nameOf(hub), escapeLine(hub.description), ...weekLines(weekOf(hub), translator)],
      pageAction: (to) => act({ do: 'follow', page: to }),
      open: {
        button: choose,
        placeholder: choose,
        choice: (hub) => ({
          label: `#${hub.name} · ${hub.server}`,
          description: hub.description,
          action: act({ do: 'follow-hub', hubId: hub.channelId }),
        }),
      },
    },
    context,
  );
}

function weekLines(week: HubWeek | undefined, translator: Translator): Line[] {
  if (!week?.preview) return [];
  if (isUnwatched(week.preview)) return [smallLine([translator.t('follow.new')])];
  const { days, entries } = week.preview;
  const most = Math.max(...days.map(({ count }) => count));
  const best = namesInShort(week.best, ROOM_OF_BEST, translator);
  return [
    smallLine([translator.t('follow.week', { count: entries.length, most })]),
    week.best.length > 0 ? smallLine([translator.t('follow.best', { names: best })]) : null,
  ];
}

/** One hub with its last week, and a menu of the channels that could follow it. */
export function followHubCard(hub: HubView, { preview, best }: HubWeek, context: CardContext): Card {
  const { translator } = context;
  const notes = preview
    ? previewNotes(preview, escapeLine(sourceTitle(preview.subscription.source, translator)), translator)
    : [];
  return card(ACCENT.notice, [
    [`## ${nameOf(hub)}`, escapeLine(hub.description)],
    preview && isUnwatched(preview) ? translator.t('follow.new') : null,
    preview && !isUnwatched(preview)
      ? [
          `**${translator.t('follow.days')}**`,
          ...dayLines(preview, translator),
          ...notes.map((note) => smallLine([note])),
        ]
      : null,
    best.length > 0 ? [`**${translator.t('follow.bestTitle')}**`, ...best.map((one) => denseLine(one, context))] : null,
    translator.t('follow.how'),
    channelMenu(act({ do: 'follow-to', hubId: hub.channelId }), translator.t('follow.where'), FOLLOWING_CHANNELS),
    buttons([actionButton(translator.t('follow.back'), act({ do: 'follow', page: 1 }))]),
  ]);
}

/** That a channel follows a hub now, or did so already. */
export function followedCard(
  hub: HubView,
  { channelId, isNew }: { channelId: string; isNew: boolean },
  { translator }: CardContext,
): Card {
  const values = { channel: `<#${channelId}>`, hub: nameOf(hub) };
  return card(ACCENT.notice, [
    isNew ? `✅ ${translator.t('follow.done', values)}` : translator.t('follow.already', values),
    smallLine([translator.t('follow.stop', { channel: values.channel })]),
    buttons([actionButton(translator.t('follow.back'), act({ do: 'follow', page: 1 }))]),
  ]);
}

/** A hub as the bot's operator sees it. */
export interface OperatedHub {
  channelId: string;
  /** null where the bot isn't in the server any more; foreign text. */
  server: string | null;
  description: string;
  subscriptions: readonly Subscription[];
  /** What keeps it from posting. */
  warnings: readonly LocalizedText[];
  publishing: { waiting: number; nextAtMs: number; because: PublishingHindrance } | null;
  /** The last time in which it could not publish; null where there was none lately. */
  outage: Outage | null;
}

/** A page of all hubs with what they post and what is wrong. @param lead the confirmation of the last change; '' for none */
export function hubsCard(
  { hubs, page, lead }: { hubs: readonly OperatedHub[]; page: number; lead: string },
  context: CardContext,
): Card {
  const { translator } = context;
  return pagedCard(
    {
      accentColor: ACCENT.notice,
      title: translator.t('hub.title'),
      intro: lead,
      things: hubs,
      page,
      count: translator.t('follow.count', { count: hubs.length }),
      empty: translator.t('hub.none'),
      age: null,
      entry: (hub) => operatedLines(hub, translator),
      pageAction: (to) => act({ do: 'hubs', page: to }),
    },
    context,
  );
}

function operatedLines(
  { channelId, server, description, subscriptions, warnings, publishing, outage }: OperatedHub,
  translator: Translator,
): Line[] {
  return [
    `**<#${channelId}>**${server === null ? '' : ` · ${escapeLine(server)}`}`,
    escapeLine(description),
    ...subscriptions.flatMap((subscription) => {
      const named = escapeLine(
        [sourceTitle(subscription.source, translator), subscription.filter].filter(Boolean).join(' · '),
      );
      return [smallLine([named]), stateLine(subscription, translator)];
    }),
    publishing ? `📣 ${publishingText(publishing, translator)}` : null,
    outage && outageLine(outage, translator),
    ...warnings.map((warning) => `⚠ ${translator.translate(warning)}`),
  ];
}

/** Says when nothing could be published, and what became of the deals that waited. */
function outageLine({ sinceMs, untilMs, waiting, posted, over }: Outage, translator: Translator): string {
  const from = timestamp(sinceMs, 'f');
  return factsOf([
    untilMs === null
      ? translator.t('hub.outage', { from })
      : translator.t('hub.outageOver', { from, until: timestamp(untilMs, 't') }),
    posted > 0 && translator.t('hub.outagePosted', { count: posted }),
    over > 0 && translator.t('hub.outageMissed', { count: over }),
    waiting.length > 0 && translator.t('hub.outageWaiting', { count: waiting.length }),
  ]);
}
