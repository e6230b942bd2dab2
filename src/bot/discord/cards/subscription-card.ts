import { type APIMessageTopLevelComponent, ComponentType } from 'discord-api-types/v10';
import type { Saying } from '../../../shared/errors.ts';
import { describeKind } from '../../announcements/kinds/index.ts';
import { KINDS_OF } from '../../announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../deals/event.ts';
import { type Source, type Subscription, TIMING_MODES } from '../../deals/subscription.ts';
import type { Action, SubscriptionStep } from '../custom-id.ts';
import { timestamp } from '../format.ts';
import { describeSource } from '../i18n/describe-source.ts';
import type { Words } from '../i18n/translator.ts';
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

/** A subscription, and what is known of where it posts. */
export interface SubscriptionView {
  subscription: Subscription;
  /** The tags that its forum has; none where it is no forum. */
  tags: readonly Tag[];
  /** Whether its channel is one whose posts can be published. */
  isPublishable: boolean;
  /** Whether the role that it calls is no more. */
  isRoleGone: boolean;
  /** What will not work as it is set. */
  warnings: readonly Saying[];
  /** How the channel's hourly limit holds back what is due; null where it does not. */
  limit: { waiting: number; nextPostAtMs: number } | null;
}

/** All settings of a subscription in words, with menus and buttons that change them. @param lead what was just done; '' for nothing */
export function subscriptionCard(view: SubscriptionView, lead: string, { words }: CardContext): Card {
  const { subscription, tags, isPublishable, isRoleGone, warnings, limit } = view;
  const { source, pausedBy, timing, mentionRoleId, isPublished } = subscription;
  const step = (step: SubscriptionStep): Action => ({ do: 'subscription', step, subscriptionId: subscription.id });
  const button = (label: string, to: SubscriptionStep) => actionButton(label, step(to));
  return card(ACCENT.notice, [
    lead === '' ? null : text(lead),
    text([...headLines(subscription, warnings, words), ...limitLines(limit, words)].join('\n')),
    text([...settingLines(subscription, tags, words), madeBy(subscription, words)].join('\n')),
    separator(),
    ...sourceMenus(source, subscription, step, words),
    optionsMenu(
      step('mode'),
      words.t('panel.chooseMode'),
      TIMING_MODES.map((mode) => ({ label: words.t(`mode.${mode}`), value: mode, isChosen: mode === timing.mode })),
      { least: 1, most: 1 },
    ),
    roleMenu(step('role'), words.t('panel.chooseRole'), isRoleGone ? null : mentionRoleId),
    tags.length > 0
      ? optionsMenu(
          step('tags'),
          words.t('panel.chooseTags'),
          tags.map(({ id, name }) => ({ label: name, value: id, isChosen: subscription.tagIds.includes(id) })),
          { least: 0, most: LIMITS.appliedTags },
        )
      : null,
    buttons([
      button(words.t('button.filter'), 'filter'),
      button(words.t('button.times'), 'times'),
      button(words.t('button.limits'), 'limits'),
      isPublished ? button(words.t('button.unpublish'), 'unpublish') : null,
      isPublishable && !isPublished ? button(words.t('button.publish'), 'publish') : null,
    ]),
    buttons([
      pausedBy === null ? button(words.t('button.pause'), 'pause') : button(words.t('button.resume'), 'resume'),
      button(words.t('button.test'), 'test'),
      actionButton(words.t('button.preview'), { do: 'preview', subscriptionId: subscription.id, page: 1 }),
      button(words.t('button.remove'), 'remove'),
      actionButton(words.t('button.subscriptions'), { do: 'subscriptions', page: 1 }),
    ]),
  ]);
}

/** What it was set to, once it is removed. */
export function removedCard({ subscription, tags }: SubscriptionView, { words }: CardContext): Card {
  const told = { source: sourceOf(subscription, words), channel: `<#${subscription.channelId}>` };
  return card(ACCENT.over, [
    text(words.t('subscription.removed', told)),
    text(settingLines(subscription, tags, words).join('\n')),
    text(`-# ${words.t('subscription.addAgain')}`),
    buttons([actionButton(words.t('button.subscriptions'), { do: 'subscriptions', page: 1 })]),
  ]);
}

/** How a post of the subscription would look, and what stands in its way. `sample` is the card of a post; null for none. */
export function testCard(
  { subscription, warnings }: SubscriptionView,
  { sample, matching, all }: { sample: Card | null; matching: number; all: number },
  { words }: CardContext,
): Card {
  const channel = `<#${subscription.channelId}>`;
  const isFit = warnings.length === 0 && stateLine(subscription, words) === '';
  const counts = { count: matching, all };
  const report = card(ACCENT.notice, [
    text(headLines(subscription, warnings, words).join('\n')),
    text(
      [
        isFit && `✅ ${words.t('test.fit', { channel })}`,
        sample ? words.t('test.matching', counts) : words.t('test.nothing', { all }),
      ]
        .filter(Boolean)
        .join('\n'),
    ),
    buttons([
      actionButton(words.t('button.settings'), { do: 'subscription', step: 'open', subscriptionId: subscription.id }),
    ]),
  ]);
  return sample ? together(report, sample) : report;
}

/** The `id` of the text on a card of a mistake that holds what the person wrote. */
const WRITTEN_ID = 7001;
const FENCE = /^```\n([\s\S]*)\n```$/;

/** A filter that can't be read, with what the person wrote kept on the card, so that it can be mended. */
export function mistakeCard(id: string, sentence: string, written: string, { words }: CardContext): Card {
  return card(ACCENT.over, [
    text(sentence),
    text(words.t('filter.written')),
    { ...text(codeBlock(written)), id: WRITTEN_ID },
    buttons([
      actionButton(words.t('button.filterAgain'), { do: 'subscription', step: 'filter-again', subscriptionId: id }),
      actionButton(words.t('button.settings'), { do: 'subscription', step: 'open', subscriptionId: id }),
    ]),
  ]);
}

/** What the person wrote, from the card of a mistake; '' where the message is none. */
export function writtenOn(components: readonly APIMessageTopLevelComponent[]): string {
  const parts = components.flatMap((top) => (top.type === ComponentType.Container ? top.components : []));
  const written = parts.find((part) => part.id === WRITTEN_ID);
  const [, text = ''] = (written?.type === ComponentType.TextDisplay && FENCE.exec(written.content)) || [];
  // A backtick would have ended the block.
  return text.replaceAll('ˋ', '`');
}

function headLines(subscription: Subscription, warnings: readonly Saying[], words: Words): string[] {
  const state = stateLine(subscription, words);
  return [
    `## ${escapeLine(sourceOf(subscription, words))} → <#${subscription.channelId}>`,
    ...(state === '' ? [] : [state]),
    ...warnings.map((warning) => `⚠ ${words.say(warning)}`),
  ];
}

function limitLines(limit: SubscriptionView['limit'], words: Words): string[] {
  if (!limit) return [];
  const { waiting, nextPostAtMs } = limit;
  return [`⏳ ${words.t('panel.limit', { count: waiting, at: timestamp(nextPostAtMs, 't') })}`];
}

const sourceOf = ({ source }: Subscription, words: Words) => describeSource(source, words);

function madeBy({ createdBy, createdAtMs }: Subscription, words: Words): string {
  return smallLine([words.t('subscriptions.by', { person: `<@${createdBy}>`, at: timestamp(createdAtMs, 'R') })]);
}

/** What of the source is told: its kinds, where there are several, and the types and sites of events. */
function sourceMenus(source: Source, { kinds }: Subscription, step: (step: SubscriptionStep) => Action, words: Words) {
  const { all } = KINDS_OF[source.kind];
  const options = all.map((kind) => ({
    label: describeKind(kind, words),
    value: kind,
    isChosen: kinds.includes(kind),
  }));
  const kindsMenu =
    all.length > 1
      ? [optionsMenu(step('kinds'), words.t('panel.chooseKinds'), options, { least: 1, most: all.length })]
      : [];
  if (source.kind !== 'events') return kindsMenu;
  const types = EVENT_TYPES.map((type) => ({
    label: words.t(`event.type.${type}`),
    value: type,
    isChosen: source.types.includes(type),
  }));
  const sites = SITE_PREFIXES.map((site) => ({ label: site, value: site, isChosen: source.sites.includes(site) }));
  return [
    ...kindsMenu,
    optionsMenu(step('types'), words.t('panel.chooseTypes'), types, { least: 0, most: types.length }),
    optionsMenu(step('sites'), words.t('panel.chooseSites'), sites, { least: 0, most: sites.length }),
  ];
}
