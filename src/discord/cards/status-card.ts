import type { InterfaceHealth, QuotaStatus } from '../../catalog/catalog.ts';
import type { DoubtsOfDay } from '../../catalog/doubt-counts.ts';
import type { ResourceDrift } from '../../catalog/drift.ts';
import {
  type CatalogError,
  CatalogHttpError,
  CatalogRateLimitedError,
  CatalogSchemaError,
  CatalogTimeoutError,
} from '../../catalog/errors.ts';
import type { PublishingHindrance } from '../../deals/decision.ts';
import { feedName, isFeed, type ResourceKey, type Subscription } from '../../deals/subscription.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/time.ts';
import { bar, timestamp } from '../format.ts';
import { sourceTitle } from '../i18n/describe-source.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine, inlineCode } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  factsOf,
  type Line,
  separator,
  smallLine,
  subscriptionsButton,
} from './parts.ts';
import { limitText, publishingText, stateLine, timingInShort } from './subscription-lines.ts';

/** Whether the bot works. */
export interface Wellness {
  isWell: boolean;
  /** Since when the application's owner has paused all posting: epoch milliseconds; null where that is not so. */
  pausedSinceMs: number | null;
  /** The catalog's interfaces whose requests of the day are used up, and when they return. */
  usedUp: readonly UsedUp[];
  /** Why the state can't be written; null while it can. */
  stateProblem: 'disk-full' | 'disk-failed' | 'read-only' | 'unreachable' | null;
}

/** An interface of the catalog whose requests of the day are used up until then: epoch milliseconds. */
export interface UsedUp {
  name: 'portal' | 'v2';
  resetsAtMs: number;
}

/** The answers that members of a server look for: whether the bot works, what it posts where, and when it polls next. */
export interface StatusView extends Wellness {
  /** The subscriptions whose channels the reader sees, in display order; null in direct messages. */
  places: readonly PlaceStatus[] | null;
  /** Whether the reader manages the server, and so may open the bot's own figures. */
  isManager: boolean;
  /** Features' lines for those who manage the server. */
  more: readonly string[];
}

/** A subscription's state. All moments are epoch milliseconds. */
export interface PlaceStatus {
  subscription: Subscription;
  /** The state of its source; null where that was never polled. */
  resource: PolledResource | null;
  /** Deliveries that wait for its channel, and since when the channel's hourly limit holds them back. */
  pending: number;
  limit: { waiting: number; nextPostAtMs: number } | null;
  /** Posts that wait to be published there, when the next one is, and why; null where none waits. */
  publishing: { waiting: number; nextAtMs: number; because: PublishingHindrance } | null;
  /** Why roles that it pings aren't rung, and what Discord keeps answering with an error. */
  troubles: readonly LocalizedText[];
}

/** The bot's own figures, for those who manage a server. All moments are epoch milliseconds. */
export interface BotStatusView extends Wellness {
  interfaces: readonly InterfaceStatus[];
  resources: readonly PolledResource[];
  doubts: DoubtsStatus;
  deliveries: DeliveryFigures;
  versions: { dealbell: string; node: string; discordJs: string };
  startedAtMs: number;
  /** How often a process has taken the state, this one included. */
  epoch: number;
}

export interface InterfaceStatus {
  name: 'portal' | 'v2';
  health: InterfaceHealth;
  quota: QuotaStatus;
  plannedPolls: number;
  /** When the quota runs out at the present rate; null where it lasts. */
  projectedEndMs: number | null;
}

export interface PolledResource {
  resource: ResourceKey;
  /** null before the first successful poll. */
  polledAtMs: number | null;
  isCutOff: boolean;
  /** The number of live offers; null where the resource is not a feed. */
  offers: number | null;
  /** null where the last poll succeeded. */
  failure: { sinceMs: number } | null;
  /** null where nobody follows the resource. */
  plan: PollPlan | null;
  /** What the bot can't read of its answers. */
  drift: ResourceDrift;
}

/** Changes that one answer of the catalog claims and the bot doesn't believe yet. */
export interface DoubtsStatus {
  today: DoubtsOfDay;
  waiting: number;
  /** What feeds have said for more than an hour although something else is believed: of most offers first. */
  lasting: { offers: number; fields: readonly { resource: ResourceKey; field: string }[] };
}

interface PollPlan {
  /** null where the quota has to return first. */
  nextPollMs: number | null;
  worstDelayMs: number;
}

/** The outcomes of announcements, in display order. */
const OUTCOMES = ['posted', 'over', 'gone', 'refused'] as const;

export interface DeliveryFigures {
  /** Counted since the start of the process. */
  ended: Readonly<Record<(typeof OUTCOMES)[number], number>>;
  postedToday: number;
  pending: number;
  /** When the longest overdue announcement was due; null where none is due. */
  oldestDueAtMs: number | null;
  blockedChannels: number;
  /** Channels at their hourly limit, and when the first may post again; null where none is. */
  limitedChannels: number;
  /** Posts and edits that Discord keeps answering with an error. */
  setAside: number;
  nextRoomAtMs: number | null;
  editsPending: number;
  publicationsPending: number;
}

/** Well below a card's limit, with one or two lines each. */
const MOST_RESOURCES = 16;
const MOST_PLACES = 12;

/** Whether the bot works, and what it posts where. */
export function statusCard(view: StatusView, { translator, nowMs }: CardContext): Card {
  const { places, isManager, more } = view;
  return card(view.isWell ? ACCENT.offer : ACCENT.warning, [
    wellnessLines(view, translator),
    places === null
      ? translator.t('status.direct')
      : [`### ${translator.t('status.server')}`, ...placesLines(places, translator, nowMs)],
    ...more.map((line) => smallLine([line])),
    buttons([
      actionButton(translator.t('button.refresh'), { do: 'status', of: 'server' }),
      isManager ? subscriptionsButton(translator) : null,
      isManager ? actionButton(translator.t('button.botStatus'), { do: 'status', of: 'bot' }) : null,
    ]),
  ]);
}

function wellnessLines({ isWell, usedUp, stateProblem, pausedSinceMs }: Wellness, translator: Translator): Line[] {
  return [
    `## ${translator.t('status.title')}`,
    `${isWell ? '🟢' : '🟠'} ${translator.t(isWell ? 'status.well' : 'status.unwell')}`,
    ...usedUpLines(usedUp, translator),
    stateProblem ? `🔴 ${translator.t(`status.state.${stateProblem}`)}` : null,
    pausedSinceMs === null ? null : `⏸ ${translator.t('status.paused', { at: timestamp(pausedSinceMs, 'R') })}`,
  ];
}

/** The cause of what is late, once: for the whole catalog, or for the part that it concerns. */
function usedUpLines([first, second]: readonly UsedUp[], translator: Translator): string[] {
  if (!first) return [];
  const line = translator.t('status.usedUpUntil', { at: timestamp(first.resetsAtMs, 't') });
  return [`⏳ ${second ? line : `**${translator.t(`status.${first.name}`)}**: ${line}`}`];
}

function placesLines(places: readonly PlaceStatus[], translator: Translator, nowMs: number): Line[] {
  if (places.length === 0) return [translator.t('status.nothingPosted')];
  const unshown = places.length - MOST_PLACES;
  return [
    ...places.slice(0, MOST_PLACES).flatMap((place) => placeLines(place, translator, nowMs)),
    unshown > 0 ? smallLine([translator.t('rollUp.more', { count: unshown })]) : null,
  ];
}

function placeLines(
  { subscription, resource, pending, limit, publishing, troubles }: PlaceStatus,
  translator: Translator,
  nowMs: number,
): Line[] {
  return [
    `**${escapeLine(sourceTitle(subscription.source, translator))}** → <#${subscription.channelId}>`,
    stateLine(subscription, translator),
    ...troubles.map((trouble) => `⚠ ${translator.translate(trouble)}`),
    resource?.failure ? noAnswer(resource.failure, translator, nowMs) : null,
    limit ? `⏳ ${limitText(limit, translator)}` : null,
    publishing ? `📣 ${publishingText(publishing, translator)}` : null,
    subscription.pausedBy === null
      ? smallLine([
          resource?.plan ? nextCheck(resource.plan, translator, nowMs) : translator.t('status.neverSeen'),
          resource?.plan && delayOf(resource.plan, translator),
          ...timingInShort(subscription, translator),
          pending > 0 && !limit ? translator.t('status.waiting', { count: pending }) : null,
        ])
      : null,
  ];
}

function noAnswer({ sinceMs }: NonNullable<PolledResource['failure']>, translator: Translator, nowMs: number): string {
  const at = timestamp(sinceMs, nowMs - sinceMs < DAY_MS ? 't' : 'f');
  return `⚠ ${translator.t('status.noAnswerSince', { at })}`;
}

const SOON_MS = MINUTE_MS;

/** A time of day, because the card isn't updated: "in 3 seconds" would soon read as "5 minutes ago". */
function nextCheck({ nextPollMs }: PollPlan, translator: Translator, nowMs: number): string {
  if (nextPollMs === null) return translator.t('status.nextTomorrow');
  return nextPollMs <= nowMs + SOON_MS
    ? translator.t('status.nextSoon')
    : translator.t('status.next', { at: timestamp(nextPollMs, 't') });
}

function delayOf({ nextPollMs, worstDelayMs }: PollPlan, translator: Translator): string | null {
  return nextPollMs === null ? null : translator.t('status.delay', { span: translator.span(worstDelayMs) });
}

/** The state of the catalog, of polling and of deliveries. */
export function botStatusCard(view: BotStatusView, context: CardContext): Card {
  const { translator } = context;
  const { versions } = view;
  return card(view.isWell ? ACCENT.offer : ACCENT.warning, [
    wellnessLines(view, translator),
    separator(),
    ...view.interfaces.map((one) => interfaceLines(one, context)),
    separator(),
    [`### ${translator.t('status.resources')}`, ...resourceLines(view.resources, context)],
    separator(),
    doubtLines(view.doubts, translator),
    separator(),
    deliveryLines(view.deliveries, view.startedAtMs, translator),
    smallLine([
      translator.t('status.versions', versions),
      translator.t('status.upSince', { at: timestamp(view.startedAtMs, 'R') }),
      translator.t('status.epoch', { epoch: String(view.epoch) }),
    ]),
    buttons([
      actionButton(translator.t('button.refresh'), { do: 'status', of: 'bot' }),
      actionButton(translator.t('status.server'), { do: 'status', of: 'server' }),
    ]),
  ]);
}

function interfaceLines({ name, health, quota, ...plan }: InterfaceStatus, { translator }: CardContext): string[] {
  const { spent, limit, resetsAtMs } = quota;
  const isUsedUp = spent >= limit;
  const returns = timestamp(resetsAtMs, 't');
  return [
    `**${translator.t(`status.${name}`)}**`,
    healthLine(health, isUsedUp, translator),
    `${bar((spent / limit) * 100)} ${translator.t('status.spent', { spent, limit })}`,
    isUsedUp
      ? smallLine([translator.t('status.usedUp', { at: returns })])
      : smallLine([
          translator.t('status.left', { left: limit - spent, at: returns }),
          translator.t('status.planned', { count: plan.plannedPolls }),
          plan.projectedEndMs === null
            ? translator.t('status.lasting')
            : translator.t('status.projectedEnd', { at: timestamp(plan.projectedEndMs, 'R') }),
        ]),
  ];
}

/** The light shows the present state, the words the last events. */
function healthLine(
  { answeredAtMs, failure, circuitOpenUntilMs }: InterfaceHealth,
  isUsedUp: boolean,
  translator: Translator,
): string {
  const hasFailed = failure !== null && failure.atMs > (answeredAtMs ?? -Infinity);
  const light = circuitOpenUntilMs !== null ? '🔴' : hasFailed || isUsedUp ? '🟠' : answeredAtMs === null ? '⚪' : '🟢';
  const parts = [
    circuitOpenUntilMs !== null && translator.t('status.leftAlone', { at: timestamp(circuitOpenUntilMs, 'R') }),
    answeredAtMs !== null && translator.t('status.answered', { at: timestamp(answeredAtMs, 'R') }),
    failure &&
      translator.t('status.failed', { at: timestamp(failure.atMs, 'R'), why: whyOf(failure.error, translator) }),
    answeredAtMs === null && !failure && translator.t('status.notAsked'),
  ];
  return `${light} ${factsOf(parts)}`;
}

/** Plain words for an error, whose own message is for the log. */
function whyOf(error: CatalogError, translator: Translator): string {
  if (error instanceof CatalogTimeoutError) return translator.t('status.failure.tooSlow');
  if (error instanceof CatalogRateLimitedError) return translator.t('status.failure.askedTooOften');
  if (error instanceof CatalogSchemaError) return translator.t('status.failure.garbled');
  if (!(error instanceof CatalogHttpError)) return translator.t('status.failure.unreachable');
  if (error.status === 401 || error.status === 403) return translator.t('status.failure.key');
  return translator.t('status.failure.status', { status: String(error.status) });
}

/** Followed resources, which have a poll plan, come first. */
function resourceLines(resources: readonly PolledResource[], context: CardContext): Line[] {
  const { translator } = context;
  if (resources.length === 0) return [translator.t('status.nothingSeen')];
  const sorted = resources.toSorted((a, b) => Number(b.plan !== null) - Number(a.plan !== null));
  return sorted
    .slice(0, MOST_RESOURCES)
    .flatMap((one) => [
      factsOf([
        `**${nameOf(one.resource, translator)}**`,
        one.offers !== null && translator.t('list.offers', { count: one.offers }),
        one.polledAtMs === null
          ? translator.t('status.neverSeen')
          : translator.t('status.seen', { at: timestamp(one.polledAtMs, 'R') }),
        one.isCutOff && translator.t('status.cutOff'),
        one.plan === null && translator.t('status.onRequest'),
        one.failure && noAnswer(one.failure, translator, context.nowMs),
      ]),
      one.plan ? planLine(one.plan, one.polledAtMs, context) : null,
      ...driftLines(one.drift, translator),
    ]);
}

const MOST_DRIFTING = 2;
const MOST_NAMED = 3;

function driftLines({ fields, unknown }: ResourceDrift, translator: Translator): string[] {
  const more = fields.length - MOST_DRIFTING;
  const names = unknown?.names.slice(0, MOST_NAMED).map(inlineCode).join(', ');
  const parts = [
    ...fields.slice(0, MOST_DRIFTING).map(({ field, items, of, sinceMs }) => {
      const values = {
        share: translator.percent(Math.max(1, Math.round((items / of) * 100))),
        at: timestamp(sinceMs, 'f'),
      };
      return field === null
        ? translator.t('status.drift.items', values)
        : translator.t('status.drift.field', { ...values, field: inlineCode(field) });
    }),
    more > 0 ? translator.t('rollUp.more', { count: more }) : null,
    unknown && names !== undefined
      ? translator.t('status.drift.unknown', { count: unknown.names.length, names })
      : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [`⚠ ${factsOf(parts)}`];
}

const MOST_CONTRADICTED = 3;

function doubtLines({ today, waiting, lasting }: DoubtsStatus, translator: Translator): Line[] {
  const { answer, asked, refuted } = today.ended;
  const more = lasting.fields.length - MOST_CONTRADICTED;
  const where = lasting.fields
    .slice(0, MOST_CONTRADICTED)
    .map(({ resource, field }) =>
      translator.t('status.doubts.where', { field: inlineCode(field), feed: nameOf(resource, translator) }),
    );
  return [
    `### ${translator.t('status.doubts')}`,
    factsOf([
      translator.t('status.doubts.today', { count: today.began }),
      answer > 0 && translator.t('status.doubts.answer', { count: answer }),
      asked > 0 && translator.t('status.doubts.asked', { count: asked }),
      refuted > 0 && translator.t('status.doubts.refuted', { count: refuted }),
      waiting > 0 && translator.t('status.doubts.waiting', { count: waiting }),
    ]),
    lasting.offers === 0
      ? null
      : `⚠ ${factsOf([
          translator.t('status.doubts.lasting', { count: lasting.offers, where: where.join(', ') }),
          more > 0 && translator.t('rollUp.more', { count: more }),
        ])}`,
    smallLine([translator.t('status.doubts.since', { at: timestamp(today.sinceMs, 'f') })]),
  ];
}

function nameOf(resource: ResourceKey, translator: Translator): string {
  return isFeed(resource) ? escapeLine(clamp(feedName(resource), 40)) : translator.t(`source.${resource}`);
}

/** The bar fills until the next poll. */
function planLine(plan: PollPlan, polledAtMs: number | null, { translator, nowMs }: CardContext): string {
  const next = nextCheck(plan, translator, nowMs);
  if (plan.nextPollMs === null) return smallLine([next]);
  const sinceMs = nowMs - (polledAtMs ?? nowMs);
  const wholeMs = Math.max(1, plan.nextPollMs - (polledAtMs ?? nowMs));
  return smallLine([`${bar((sinceMs / wholeMs) * 100)} ${next}`, delayOf(plan, translator)]);
}

function deliveryLines(figures: DeliveryFigures, startedAtMs: number, translator: Translator): string[] {
  const {
    ended,
    pending,
    oldestDueAtMs,
    blockedChannels,
    setAside,
    limitedChannels,
    nextRoomAtMs,
    editsPending,
    publicationsPending,
  } = figures;
  const all = OUTCOMES.reduce((sum, outcome) => sum + ended[outcome], 0);
  return [
    `### ${translator.t('status.deliveries')}`,
    factsOf([
      translator.t('status.postedToday', { posted: figures.postedToday }),
      translator.t('status.waiting', { count: pending }),
      oldestDueAtMs !== null && translator.t('status.oldestDue', { at: timestamp(oldestDueAtMs, 'R') }),
      editsPending > 0 && translator.t('status.edits', { count: editsPending }),
      publicationsPending > 0 && translator.t('status.publications', { count: publicationsPending }),
      nextRoomAtMs !== null &&
        `⏳ ${translator.t('status.limited', { count: limitedChannels, at: timestamp(nextRoomAtMs, 't') })}`,
      setAside > 0 && `⚠ ${translator.t('status.setAside', { count: setAside })}`,
      blockedChannels > 0 && `⚠ ${translator.t('status.blocked', { count: blockedChannels })}`,
    ]),
    smallLine([translator.t('status.sinceStart', { at: timestamp(startedAtMs, 'R') })]),
    ...OUTCOMES.filter((outcome) => outcome === 'posted' || ended[outcome] > 0).map(
      (outcome) =>
        `${bar((ended[outcome] / Math.max(1, all)) * 100)} ${translator.number(ended[outcome])} ${translator.t(`status.ended.${outcome}`)}`,
    ),
  ];
}
