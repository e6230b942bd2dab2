import type { APIActionRowComponent, APIComponentInMessageActionRow, ChannelType } from 'discord-api-types/v10';
import { describeKind } from '../../announcements/kinds/index.ts';
import { KINDS_OF } from '../../announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../deals/event.ts';
import { type Setting, TIMING_MODES } from '../../deals/settings.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
import { dueAt } from '../../deals/timing.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import type { Action, AnyAction, SubscriptionStep } from '../custom-id.ts';
import { timestamp } from '../format.ts';
import { describeSource, sourceTitle } from '../i18n/describe-source.ts';
import type { Translator } from '../i18n/translator.ts';
import { LIMITS } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  channelMenu,
  dangerButton,
  type Line,
  optionsMenu,
  primaryButton,
  separator,
  settingsButton,
  smallLine,
  subscriptionsButton,
} from './parts.ts';
import { addedLine, limitText, settingLines, stateLine, type Tag } from './subscription-lines.ts';

/** A subscription, and the state of the channel and roles that it uses. */
export interface SubscriptionView {
  subscription: Subscription;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  /** The buttons of features' flags. */
  flagButtons: readonly { label: LocalizedText; action: AnyAction }[];
  /** The tags of its forum; none where the channel is not a forum. */
  tags: readonly Tag[];
  /** Whether posts in its channel can be published. */
  isPublishable: boolean;
  /** The menus of features' fields. */
  menus: readonly APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** Settings that will not work. */
  warnings: readonly LocalizedText[];
  /**
   * Posts held back by the channel's hourly limit; null where there are none. `nextPostAtMs` is in epoch milliseconds.
   */
  limit: { waiting: number; nextPostAtMs: number } | null;
  /** How much of its source is live and how much of that matches; null where the source has not been read yet. */
  matches: LiveMatches | null;
  /** Buttons of features. */
  added: readonly PanelButton[];
}

/** A button that a feature adds to the panel of a subscription. */
export interface PanelButton {
  /** Where it stands: among those that change settings, or those for what can be done; there behind the others, or first. */
  row: 'settings' | 'actions';
  isFirst?: true;
  label: (translator: Translator) => string;
  action: (subscriptionId: string) => AnyAction;
}

export interface LiveMatches {
  matching: number;
  all: number;
  /** When the source was read: epoch milliseconds. */
  readAtMs: number;
}

/**
 * All settings of a subscription in words, with menus and buttons that change them.
 * @param lead the confirmation of the last change; '' for none
 */
export function subscriptionCard(view: SubscriptionView, lead: string, { translator, nowMs }: CardContext): Card {
  const { subscription, tags, flagButtons, isPublishable, menus, warnings, limit } = view;
  const { source, pausedBy, timing, isPublished } = subscription;
  const step = (step: SubscriptionStep): Action => ({ do: 'subscription', step, subscriptionId: subscription.id });
  const button = (label: string, to: SubscriptionStep) => actionButton(label, step(to));
  const added = (isHere: (one: PanelButton) => boolean) =>
    view.added.filter(isHere).map(({ label, action }) => actionButton(label(translator), action(subscription.id)));
  return card(ACCENT.notice, [
    lead,
    [
      ...headLines(subscription, warnings, translator),
      ...waitLines(subscription, translator, nowMs),
      ...limitLines(limit, translator),
    ],
    [
      matchesLine(view, translator),
      ...settingLines(view, translator),
      smallLine([addedLine(subscription, translator)]),
    ],
    separator(),
    ...sourceMenus(source, subscription, step, translator),
    optionsMenu(
      step('mode'),
      translator.t('panel.chooseMode'),
      TIMING_MODES.map((mode) => ({
        label: translator.t(`choice.${mode}`),
        value: mode,
        isChosen: mode === timing.mode,
      })),
      { least: 1, most: 1 },
    ),
    ...menus,
    tags.length > 0
      ? optionsMenu(
          step('tags'),
          translator.t('panel.chooseTags'),
          tags.map(({ id, name }) => ({ label: name, value: id, isChosen: subscription.tagIds.includes(id) })),
          { least: 0, most: LIMITS.appliedTags },
        )
      : null,
    buttons([
      button(translator.t('button.filter'), 'filter'),
      button(translator.t('button.times'), 'times'),
      button(translator.t('button.limits'), 'limits'),
      ...added(({ row }) => row === 'settings'),
      isPublished ? button(translator.t('button.unpublish'), 'unpublish') : null,
      isPublishable && !isPublished ? button(translator.t('button.publish'), 'publish') : null,
    ]),
    buttons([
      ...added(({ row, isFirst }) => row === 'actions' && isFirst === true),
      pausedBy === null
        ? button(translator.t('button.pause'), 'pause')
        : button(translator.t('button.resume'), 'resume'),
      ...added(({ row, isFirst }) => row === 'actions' && !isFirst),
      button(translator.t('button.duplicate'), 'duplicate'),
    ]),
    buttons([
      ...flagButtons.map(({ label, action }) => actionButton(translator.translate(label), action)),
      dangerButton(translator.t('button.remove'), step('remove')),
      subscriptionsButton(translator),
    ]),
  ]);
}

/** Asks whether to remove a subscription. */
export function removeCard(view: SubscriptionView, { translator }: CardContext): Card {
  const { subscription } = view;
  const step = (to: SubscriptionStep): Action => ({ do: 'subscription', step: to, subscriptionId: subscription.id });
  return card(ACCENT.danger, [
    `## ${translator.t('remove.ask', placeOf(subscription, translator))}`,
    settingLines(view, translator),
    translator.t('remove.effect'),
    buttons([
      dangerButton(translator.t('button.remove'), step('remove-now')),
      actionButton(translator.t('button.keep'), step('open')),
    ]),
  ]);
}

/** The settings of a removed subscription, which can be restored until `restorableUntilMs` (epoch milliseconds). */
export function removedCard(view: SubscriptionView, restorableUntilMs: number, { translator }: CardContext): Card {
  const { subscription } = view;
  const undo = { do: 'subscription', step: 'undo-remove', subscriptionId: subscription.id } as const;
  return card(ACCENT.over, [
    translator.t('subscription.removed', placeOf(subscription, translator)),
    settingLines(view, translator),
    `-# ${translator.t('remove.undoUntil', { at: timestamp(restorableUntilMs, 'f') })}`,
    buttons([primaryButton(translator.t('button.undo'), undo), subscriptionsButton(translator)]),
  ]);
}

/**
 * Asks for the channel of a copy; or for the tags, once a forum that requires one is chosen.
 * @param next the types of channel to choose from, or the chosen forum with its tags
 */
export function duplicateCard(
  view: SubscriptionView,
  next: { channelTypes: readonly ChannelType[] } | { channelId: string; tags: readonly Tag[] },
  { translator }: CardContext,
): Card {
  const { subscription } = view;
  const subscriptionId = subscription.id;
  return card(ACCENT.notice, [
    `## ${translator.t('duplicate.ask', placeOf(subscription, translator))}`,
    settingLines(view, translator),
    ...('channelId' in next
      ? [
          translator.t('duplicate.tags', { channel: `<#${next.channelId}>` }),
          optionsMenu(
            { do: 'duplicate-tagged', subscriptionId, channelId: next.channelId },
            translator.t('panel.chooseTags'),
            next.tags.map(({ id, name }) => ({ label: name, value: id, isChosen: false })),
            { least: 1, most: LIMITS.appliedTags },
          ),
        ]
      : [
          translator.t('duplicate.effect'),
          channelMenu(
            { do: 'subscription', step: 'duplicate-to', subscriptionId },
            translator.t('duplicate.choose'),
            next.channelTypes,
          ),
        ]),
    buttons([settingsButton(subscriptionId, translator)]),
  ]);
}

const placeOf = (subscription: Subscription, translator: Translator) => ({
  source: escapeLine(sourceOf(subscription, translator)),
  channel: `<#${subscription.channelId}>`,
});

/** Its source and its channel, and what keeps it from posting. */
export function headLines(
  subscription: Subscription,
  warnings: readonly LocalizedText[],
  translator: Translator,
): Line[] {
  return [
    `## ${escapeLine(sourceTitle(subscription.source, translator))} → <#${subscription.channelId}>`,
    stateLine(subscription, translator),
    ...warnings.map((warning) => `⚠ ${translator.translate(warning)}`),
  ];
}

function limitLines(limit: SubscriptionView['limit'], translator: Translator): string[] {
  if (!limit) return [];
  return [`⏳ ${limitText(limit, translator)}`];
}

/** `Next digest at …`, or until when its quiet hours hold posts back now. */
function waitLines(subscription: Subscription, translator: Translator, nowMs: number): string[] {
  const { mode } = subscription.timing;
  const { dueAtMs } = dueAt(subscription.timing, nowMs);
  if (subscription.pausedBy !== null || dueAtMs <= nowMs) return [];
  const values = { at: timestamp(dueAtMs, 'f') };
  return [
    `⏰ ${mode === 'at-once' ? translator.t('panel.quietNow', values) : translator.t('panel.nextDigest', values)}`,
  ];
}

function matchesLine({ subscription: { source }, matches }: SubscriptionView, translator: Translator): string {
  if (!matches) return translator.t('panel.matchesUnknown');
  const { matching, all: count, readAtMs } = matches;
  const values = { matching, count, at: timestamp(readAtMs, 'R') };
  return source.kind === 'feed'
    ? translator.t('panel.matchingOffers', values)
    : translator.t('panel.matchingItems', values);
}

const sourceOf = ({ source }: Subscription, translator: Translator) => describeSource(source, translator);

/** Menus of a source: the kinds of announcement, where there are several, and the types and sites of events. */
function sourceMenus(
  source: Source,
  { kinds }: Subscription,
  step: (step: SubscriptionStep) => Action,
  translator: Translator,
) {
  const { all } = KINDS_OF[source.kind];
  const options = all.map((kind) => ({
    label: describeKind(kind, translator),
    value: kind,
    isChosen: kinds.includes(kind),
  }));
  const kindsMenu =
    all.length > 1
      ? [optionsMenu(step('kinds'), translator.t('panel.chooseKinds'), options, { least: 1, most: all.length })]
      : [];
  if (source.kind !== 'events') return kindsMenu;
  const types = EVENT_TYPES.map((type) => ({
    label: translator.t(`event.type.${type}`),
    value: type,
    isChosen: source.types.includes(type),
  }));
  const sites = SITE_PREFIXES.map((site) => ({ label: site, value: site, isChosen: source.sites.includes(site) }));
  return [
    ...kindsMenu,
    optionsMenu(step('types'), translator.t('panel.chooseTypes'), types, { least: 0, most: types.length }),
    optionsMenu(step('sites'), translator.t('panel.chooseSites'), sites, { least: 0, most: sites.length }),
  ];
}
