import { type APIMessageTopLevelComponent, ComponentType } from 'discord-api-types/v10';
import type { LocalizedText } from '../../../shared/errors.ts';
import { describeKind } from '../../announcements/kinds/index.ts';
import { KINDS_OF } from '../../announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../deals/event.ts';
import { type Source, type Subscription, TIMING_MODES } from '../../deals/subscription.ts';
import type { Action, SubscriptionStep } from '../custom-id.ts';
import { timestamp } from '../format.ts';
import { describeSource } from '../i18n/describe-source.ts';
import type { Translator } from '../i18n/translator.ts';
import { LIMITS } from '../limits.ts';
import { codeBlock, escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import {
  actionButton,
  buttons,
  type Card,
  card,
  optionsMenu,
  roleMenu,
  separator,
  smallLine,
  text,
  together,
} from './parts.ts';
import { settingLines, stateLine, type Tag } from './subscription-lines.ts';

/** A subscription, and the state of the channel and role that it uses. */
export interface SubscriptionView {
  subscription: Subscription;
  /** The tags of its forum; none where the channel is not a forum. */
  tags: readonly Tag[];
  /** Whether posts in its channel can be published. */
  isPublishable: boolean;
  /** Whether the role that it mentions was deleted. */
  isRoleGone: boolean;
  /** Settings that will not work. */
  warnings: readonly LocalizedText[];
  /**
   * Posts held back by the channel's hourly limit; null where there are none. `nextPostAtMs` is in epoch milliseconds.
   */
  limit: { waiting: number; nextPostAtMs: number } | null;
}

/**
 * All settings of a subscription in words, with menus and buttons that change them.
 * @param lead the confirmation of the last change; '' for none
 */
export function subscriptionCard(view: SubscriptionView, lead: string, { translator }: CardContext): Card {
  const { subscription, tags, isPublishable, isRoleGone, warnings, limit } = view;
  const { source, pausedBy, timing, mentionRoleId, isPublished } = subscription;
  const step = (step: SubscriptionStep): Action => ({ do: 'subscription', step, subscriptionId: subscription.id });
  const button = (label: string, to: SubscriptionStep) => actionButton(label, step(to));
  return card(ACCENT.notice, [
    lead === '' ? null : text(lead),
    text([...headLines(subscription, warnings, translator), ...limitLines(limit, translator)].join('\n')),
    text([...settingLines(subscription, tags, translator), madeBy(subscription, translator)].join('\n')),
    separator(),
    ...sourceMenus(source, subscription, step, translator),
    optionsMenu(
      step('mode'),
      translator.t('panel.chooseMode'),
      TIMING_MODES.map((mode) => ({
        label: translator.t(`mode.${mode}`),
        value: mode,
        isChosen: mode === timing.mode,
      })),
      { least: 1, most: 1 },
    ),
    roleMenu(step('role'), translator.t('panel.chooseRole'), isRoleGone ? null : mentionRoleId),
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
      actionButton(translator.t('button.look'), { do: 'look', step: 'change', subscriptionId: subscription.id }),
      isPublished ? button(translator.t('button.unpublish'), 'unpublish') : null,
      isPublishable && !isPublished ? button(translator.t('button.publish'), 'publish') : null,
    ]),
    buttons([
      pausedBy === null
        ? button(translator.t('button.pause'), 'pause')
        : button(translator.t('button.resume'), 'resume'),
      button(translator.t('button.test'), 'test'),
      actionButton(translator.t('button.preview'), { do: 'preview', subscriptionId: subscription.id, page: 1 }),
      button(translator.t('button.remove'), 'remove'),
      actionButton(translator.t('button.subscriptions'), { do: 'subscriptions', page: 1 }),
    ]),
  ]);
}

/** The settings of a removed subscription. */
export function removedCard({ subscription, tags }: SubscriptionView, { translator }: CardContext): Card {
  const told = { source: sourceOf(subscription, translator), channel: `<#${subscription.channelId}>` };
  return card(ACCENT.over, [
    text(translator.t('subscription.removed', told)),
    text(settingLines(subscription, tags, translator).join('\n')),
    text(`-# ${translator.t('subscription.addAgain')}`),
    buttons([actionButton(translator.t('button.subscriptions'), { do: 'subscriptions', page: 1 })]),
  ]);
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
  const isFit = warnings.length === 0 && stateLine(subscription, translator) === '';
  const counts = { count: matching, all };
  const report = card(ACCENT.notice, [
    text(headLines(subscription, warnings, translator).join('\n')),
    text(
      [
        isFit && `✅ ${translator.t('test.fit', { channel })}`,
        sample ? translator.t('test.matching', counts) : translator.t('test.nothing', { all }),
      ]
        .filter(Boolean)
        .join('\n'),
    ),
    buttons([
      actionButton(translator.t('button.settings'), {
        do: 'subscription',
        step: 'open',
        subscriptionId: subscription.id,
      }),
    ]),
  ]);
  return sample ? together(report, sample) : report;
}

/** The component `id` of the text that holds the person's input on a mistake's card. */
const WRITTEN_ID = 7001;
const FENCE = /^```\n([\s\S]*)\n```$/;

/** A filter with a mistake. The card keeps the person's input for correction. */
export function mistakeCard(id: string, sentence: string, written: string, { translator }: CardContext): Card {
  return card(ACCENT.over, [
    text(sentence),
    text(translator.t('filter.written')),
    { ...text(codeBlock(written)), id: WRITTEN_ID },
    buttons([
      actionButton(translator.t('button.filterAgain'), {
        do: 'subscription',
        step: 'filter-again',
        subscriptionId: id,
      }),
      actionButton(translator.t('button.settings'), { do: 'subscription', step: 'open', subscriptionId: id }),
    ]),
  ]);
}

/** The person's input from the card of a mistake; '' for other messages. */
export function writtenOn(components: readonly APIMessageTopLevelComponent[]): string {
  const parts = components.flatMap((top) => (top.type === ComponentType.Container ? top.components : []));
  const written = parts.find((part) => part.id === WRITTEN_ID);
  const [, text = ''] = (written?.type === ComponentType.TextDisplay && FENCE.exec(written.content)) || [];
  // `codeBlock` had replaced backticks, which would have ended the block.
  return text.replaceAll('ˋ', '`');
}

function headLines(subscription: Subscription, warnings: readonly LocalizedText[], translator: Translator): string[] {
  const state = stateLine(subscription, translator);
  return [
    `## ${escapeLine(sourceOf(subscription, translator))} → <#${subscription.channelId}>`,
    ...(state === '' ? [] : [state]),
    ...warnings.map((warning) => `⚠ ${translator.translate(warning)}`),
  ];
}

function limitLines(limit: SubscriptionView['limit'], translator: Translator): string[] {
  if (!limit) return [];
  const { waiting, nextPostAtMs } = limit;
  return [`⏳ ${translator.t('panel.limit', { count: waiting, at: timestamp(nextPostAtMs, 't') })}`];
}

const sourceOf = ({ source }: Subscription, translator: Translator) => describeSource(source, translator);

function madeBy({ createdBy, createdAtMs }: Subscription, translator: Translator): string {
  return smallLine([translator.t('subscriptions.by', { person: `<@${createdBy}>`, at: timestamp(createdAtMs, 'R') })]);
}

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
