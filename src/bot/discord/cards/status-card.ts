import type { QuotaStatus } from '../../catalog/catalog.ts';
import {
  type CatalogError,
  CatalogHttpError,
  CatalogRateLimitedError,
  CatalogSchemaError,
  CatalogTimeoutError,
} from '../../catalog/errors.ts';
import type { InterfaceHealth } from '../../catalog/health.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import { bar, timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { actionButton, buttons, type Card, card, separator, smallLine, text } from './parts.ts';

/** The bot's state. All moments are epoch milliseconds. */
export interface StatusView {
  isWell: boolean;
  /** Why the state can't be written; null while it can. */
  stateProblem: 'disk-full' | 'disk-failed' | 'read-only' | null;
  interfaces: readonly InterfaceStatus[];
  resources: readonly PolledResource[];
  deliveries: DeliveryFigures;
  /** The figures of the reader's server; null for readers who do not manage it. */
  server: ServerFigures | null;
  versions: { dealbell: string; node: string; discordJs: string };
  startedAtMs: number;
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
  plan: { nextPollMs: number | null; worstDelayMs: number } | null;
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
  nextRoomAtMs: number | null;
  editsPending: number;
}

export interface ServerFigures {
  subscriptions: number;
  paused: number;
  withProblem: number;
  pending: number;
}

/** Well below a card's limit, with one or two lines each. */
const MOST_RESOURCES = 16;

/** The state of the catalog, of polling and of deliveries. */
export function statusCard(view: StatusView, context: CardContext): Card {
  const { translator } = context;
  const { server, versions } = view;
  return card(view.isWell ? ACCENT.offer : ACCENT.warning, [
    text(
      `## ${translator.t('status.title')}\n${view.isWell ? '🟢' : '🟠'} ${translator.t(view.isWell ? 'status.well' : 'status.unwell')}`,
    ),
    view.stateProblem && text(`🔴 ${translator.t(`status.state.${view.stateProblem}`)}`),
    separator(),
    ...view.interfaces.map((one) => text(interfaceLines(one, context).join('\n'))),
    separator(),
    text(`### ${translator.t('status.resources')}\n${resourceLines(view.resources, context).join('\n')}`),
    separator(),
    text(deliveryLines(view.deliveries, view.startedAtMs, translator).join('\n')),
    server && text(serverLines(server, translator).join('\n')),
    text(
      smallLine([
        translator.t('status.versions', versions),
        translator.t('status.upSince', { at: timestamp(view.startedAtMs, 'R') }),
      ]),
    ),
    buttons([actionButton(translator.t('button.refresh'), { do: 'status' })]),
  ]);
}

function interfaceLines({ name, health, quota, ...plan }: InterfaceStatus, { translator }: CardContext): string[] {
  const { spent, limit, resetsAtMs } = quota;
  const isUsedUp = spent >= limit;
  const returns = timestamp(resetsAtMs, 't');
  return [
    `**${translator.t(`status.${name}`)}**`,
    healthLine(health, translator),
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
function healthLine({ answeredAtMs, failure, circuitOpenUntilMs }: InterfaceHealth, translator: Translator): string {
  const hasFailed = failure !== null && failure.atMs > (answeredAtMs ?? -Infinity);
  const light = circuitOpenUntilMs !== null ? '🔴' : hasFailed ? '🟠' : answeredAtMs === null ? '⚪' : '🟢';
  const parts = [
    circuitOpenUntilMs !== null && translator.t('status.leftAlone', { at: timestamp(circuitOpenUntilMs, 'R') }),
    answeredAtMs !== null && translator.t('status.answered', { at: timestamp(answeredAtMs, 'R') }),
    failure &&
      translator.t('status.failed', { at: timestamp(failure.atMs, 'R'), why: whyOf(failure.error, translator) }),
    answeredAtMs === null && !failure && translator.t('status.notAsked'),
  ];
  return `${light} ${parts.filter(Boolean).join(' · ')}`;
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
function resourceLines(resources: readonly PolledResource[], context: CardContext): string[] {
  const { translator } = context;
  if (resources.length === 0) return [translator.t('status.nothingSeen')];
  const sorted = resources.toSorted((a, b) => Number(b.plan !== null) - Number(a.plan !== null));
  return sorted
    .slice(0, MOST_RESOURCES)
    .flatMap((one) => [
      [
        `**${nameOf(one.resource, translator)}**`,
        one.offers !== null && translator.t('list.offers', { count: one.offers }),
        one.polledAtMs === null
          ? translator.t('status.neverSeen')
          : translator.t('status.seen', { at: timestamp(one.polledAtMs, 'R') }),
        one.isCutOff && translator.t('status.cutOff'),
        one.plan === null && translator.t('status.onRequest'),
        one.failure && `⚠ ${translator.t('status.noAnswerSince', { at: timestamp(one.failure.sinceMs, 'R') })}`,
      ]
        .filter(Boolean)
        .join(' · '),
      ...(one.plan ? [planLine(one.plan, one.polledAtMs, context)] : []),
    ]);
}

function nameOf(resource: ResourceKey, translator: Translator): string {
  switch (resource) {
    case 'events':
    case 'dealcasts':
    case 'polls':
    case 'monkeychats':
      return translator.t(`source.${resource}`);
    default:
      return escapeLine(clamp(resource.slice('feed:'.length), 40));
  }
}

/** The bar fills until the next poll. */
function planLine(
  { nextPollMs, worstDelayMs }: NonNullable<PolledResource['plan']>,
  polledAtMs: number | null,
  { translator, nowMs }: CardContext,
): string {
  if (nextPollMs === null) return smallLine([translator.t('status.nextTomorrow')]);
  const sinceMs = nowMs - (polledAtMs ?? nowMs);
  const wholeMs = Math.max(1, nextPollMs - (polledAtMs ?? nowMs));
  return smallLine([
    `${bar((sinceMs / wholeMs) * 100)} ${translator.t('status.next', { at: timestamp(nextPollMs, 'R') })}`,
    translator.t('status.delay', { span: translator.span(worstDelayMs) }),
  ]);
}

function deliveryLines(figures: DeliveryFigures, startedAtMs: number, translator: Translator): string[] {
  const { ended, pending, oldestDueAtMs, blockedChannels, limitedChannels, nextRoomAtMs, editsPending } = figures;
  const all = OUTCOMES.reduce((sum, outcome) => sum + ended[outcome], 0);
  return [
    `### ${translator.t('status.deliveries')}`,
    [
      translator.t('status.postedToday', { posted: figures.postedToday }),
      translator.t('status.waiting', { count: pending }),
      oldestDueAtMs !== null && translator.t('status.oldestDue', { at: timestamp(oldestDueAtMs, 'R') }),
      editsPending > 0 && translator.t('status.edits', { count: editsPending }),
      nextRoomAtMs !== null &&
        `⏳ ${translator.t('status.limited', { count: limitedChannels, at: timestamp(nextRoomAtMs, 't') })}`,
      blockedChannels > 0 && `⚠ ${translator.t('status.blocked', { count: blockedChannels })}`,
    ]
      .filter(Boolean)
      .join(' · '),
    smallLine([translator.t('status.sinceStart', { at: timestamp(startedAtMs, 'R') })]),
    ...OUTCOMES.filter((outcome) => outcome === 'posted' || ended[outcome] > 0).map(
      (outcome) =>
        `${bar((ended[outcome] / Math.max(1, all)) * 100)} ${translator.number(ended[outcome])} ${translator.t(`status.ended.${outcome}`)}`,
    ),
  ];
}

function serverLines({ subscriptions, paused, withProblem, pending }: ServerFigures, translator: Translator): string[] {
  return [
    `### ${translator.t('status.server')}`,
    [
      translator.t('status.subscriptions', { count: subscriptions }),
      paused > 0 && translator.t('status.paused', { count: paused }),
      withProblem > 0 && `⚠ ${translator.t('status.withProblem', { count: withProblem })}`,
      translator.t('status.waiting', { count: pending }),
    ]
      .filter(Boolean)
      .join(' · '),
  ];
}
