import { describeKind, unnoticed } from '../../announcements/kinds/index.ts';
import type { AnnouncementKind } from '../../deals/announcement.ts';
import type { Decision, DecisionStep, Verdict } from '../../deals/decision.ts';
import type { TermOutcome } from '../../deals/filter/index.ts';
import { isOver } from '../../deals/life.ts';
import { scoreParts } from '../../deals/score.ts';
import { SETTINGS, type SettingsForm } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  factsOf,
  type Line,
  linkedTitle,
  postButton,
  separator,
  smallLine,
} from '../../discord/cards/parts.ts';
import { problemOf } from '../../discord/cards/subscription-lines.ts';
import type { SubscriptionStep } from '../../discord/custom-id.ts';
import { formatPrice, messageUrl, timestamp } from '../../discord/format.ts';
import { sourceTitle } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { act } from './actions.ts';

const MOST_TITLE = 200;
/** The most recent changes of an offer that are shown; more would push out what matters. */
const MOST_HAPPENED = 12;
const MOST_TERMS = 12;
const MOST_TERM = 60;
const MOST_FOUND = 100;
const MOST_MENTION_TERMS = 2;

type Happened = Extract<DecisionStep, { step: 'happened' }>;

const YES = '✅';
const NO = '❌';
const NOT_DECISIVE = '➖';
const WAITING = '🕒';
const NOTE = 'ℹ️';
const RUNG = '🔔';
const NOT_RUNG = '🔕';

/**
 * Why a subscription did or did not announce an offer: the reason and its buttons, then every known step.
 * @param troubles what keeps roles from being mentioned now, by their ids
 */
export function whyCard(
  decision: Decision,
  context: CardContext,
  troubles: ReadonlyMap<string, LocalizedText> = new Map(),
): Card {
  const { subscription, steps, reason } = decision;
  const { translator } = context;
  const isHappened = (step: DecisionStep) => step.step === 'happened' || step.step === 'posted-for-others';
  const happened = steps.filter((step) => isHappened(step) && step !== reason);
  const others = steps.filter((step) => !isHappened(step) && step !== reason);
  const recent = happened.slice(-MOST_HAPPENED).map((step) => lineOf(step, decision, translator));
  const isJudged = (step: DecisionStep | null): step is Happened => step?.step === 'happened' && step.terms.length > 0;
  const newest = isJudged(reason) ? reason : happened.findLast(isJudged);
  const mentioning = [reason, ...happened.toReversed()].find(
    (step) => step?.step === 'happened' && step.mentions.length > 0,
  );
  const source = `**${escapeLine(sourceTitle(subscription.source, translator))}**`;
  const rest = [...others.map((step) => lineOf(step, decision, translator)), ...recent];
  return card(steps.some(isPosted) ? ACCENT.offer : ACCENT.over, [
    [
      reason ? `### ${sentenceOf(reason, decision, translator)}` : null,
      headOf(decision, context),
      smallLine([
        translator.t('why.for', { source, channel: `<#${subscription.channelId}>` }),
        reason && isHappened(reason) && 'kind' in reason ? momentOf(reason, translator) : null,
      ]),
      decision.offer || steps.some(isHappened) ? null : translator.t('why.offerUnknown'),
      isAmongOthers(reason) ? scoreLine(decision, translator) : null,
    ],
    newest ? termLines(newest, translator) : null,
    mentioning?.step === 'happened' ? mentionLines(mentioning, troubles, translator) : null,
    whyButtons(decision, translator),
    ...(rest.length > 0 ? [separator(), rest] : []),
  ]);
}

/** The buttons that fit the reason: what changes it, and what posts the offer all the same. */
function whyButtons({ offerId, subscription, reason, canPost }: Decision, translator: Translator) {
  const subscriptionId = subscription.id;
  const isUnderWay = reason?.step === 'happened' && reason.verdict.is === 'waiting' && reason.verdict.for === 'turn';
  return buttons([
    postButton(reason && postOf(reason, subscription), translator),
    ...stepsFor(reason).map(([label, step]) =>
      actionButton(translator.t(label), { do: 'subscription', step, subscriptionId }),
    ),
    canPost ? actionButton(translator.t('button.postNow'), act({ do: 'post-now', offerId, subscriptionId })) : null,
    isUnderWay ? actionButton(translator.t('button.refresh'), act({ do: 'why', offerId, subscriptionId })) : null,
  ]);
}

/** Whether it is posted together with others, or may be. */
function isAmongOthers(step: DecisionStep | null): boolean {
  if (step?.step !== 'happened') return false;
  return step.verdict.is === 'waiting' || (step.verdict.is === 'posted' && step.verdict.isTogether === true);
}

/** `Place among others: 50 points · 25 below the usual price · …`: what sorts digests and roll-ups. */
function scoreLine({ offer }: Decision, translator: Translator): string | null {
  const parts = offer ? scoreParts(offer) : [];
  if (parts.length === 0) return null;
  const points = Math.round(parts.reduce((sum, part) => sum + part.points, 0));
  return smallLine([
    translator.t('why.score', { points }),
    ...parts.map((part) => translator.t(`why.score.${part.of}`, { points: Math.round(part.points) })),
  ]);
}

type SettingsButton = readonly [
  'button.filterAgain' | 'button.raiseLimit' | `button.${SettingsForm}` | 'button.resume' | 'button.settings',
  SubscriptionStep,
];

/** It has all settings: those that choose besides the filter are set there. */
const PANEL: SettingsButton = ['button.settings', 'open'];
const EDIT_FILTER: SettingsButton = ['button.filterAgain', 'filter'];

/** The settings behind a reason; none where no setting changes it. */
function stepsFor(reason: DecisionStep | null): SettingsButton[] {
  if (reason?.step === 'paused') return [reason.by === 'person' ? ['button.resume', 'resume'] : PANEL];
  if (reason?.step === 'no-offers' || reason?.step === 'unnoticed') return [PANEL];
  if (reason?.step !== 'happened') return [];
  const { verdict } = reason;
  switch (verdict.is) {
    case 'filtered':
      return [...new Set(verdict.by.map(({ kind }) => (kind === 'filter' ? EDIT_FILTER : PANEL)))];
    case 'filter-unreadable':
      return [EDIT_FILTER];
    case 'kind-not-wanted':
      return [PANEL];
    case 'unsuited':
      return [formFor(reason.kind)];
    case 'waiting':
      if (verdict.for === 'cap') return [['button.raiseLimit', 'limits']];
      if (verdict.for === 'error') return [];
      if (verdict.for === 'channel') return [PANEL];
      return 'untilMs' in verdict ? [['button.times', 'times']] : [];
    default:
      return [];
  }
}

/** The button for the form with the setting that is about the kind alone; for the whole panel where there is none. */
function formFor(kind: AnnouncementKind): SettingsButton {
  const setting = SETTINGS.find((candidate) => 'only' in candidate && candidate.only === kind);
  return setting && 'form' in setting ? [`button.${setting.form.of}`, setting.form.of] : PANEL;
}

function headOf({ offer, offerId }: Decision, { translator, nowMs }: CardContext): string {
  if (!offer) return `\`${escapeLine(offerId)}\``;
  const price = offer.salePrice && ` · ${formatPrice(offer.salePrice, translator)}`;
  return `**${linkedTitle(clamp(offer.title, MOST_TITLE), offer.url, isOver(offer, nowMs))}**${price ?? ''}`;
}

function isPosted(step: DecisionStep): boolean {
  return step.step === 'happened' && step.verdict.is === 'posted';
}

/** A step, below its heading where it is a change of the offer. */
function lineOf(step: DecisionStep, decision: Decision, translator: Translator): string {
  const link = postOf(step, decision.subscription);
  const sentence = factsOf([sentenceOf(step, decision, translator), link]);
  return step.step === 'happened' || step.step === 'posted-for-others'
    ? `${momentOf(step, translator)}\n${sentence}`
    : sentence;
}

/** The address of the message that a step is about, which Discord shows as a link to it; null where none is known. */
function postOf(step: DecisionStep, { guildId }: Subscription): string | null {
  const about = step.step === 'happened' ? step.verdict : step;
  const at = 'at' in about ? about.at : null;
  return at && messageUrl(guildId, at);
}

function sentenceOf(step: DecisionStep, { subscription }: Decision, translator: Translator): string {
  const feed = subscription.source.kind === 'feed' ? feedText(subscription.source.feed) : '';
  switch (step.step) {
    case 'seen': {
      const seen = { feed: feedText(step.feed), at: timestamp(step.atMs, 'R') };
      if (step.goneSinceMs === null) return `${NOTE} ${translator.t('why.seen', seen)}`;
      return `${NOTE} ${translator.t('why.seenGone', { ...seen, goneAt: timestamp(step.goneSinceMs, 'R') })}`;
    }
    case 'over':
      return `${NOTE} ${translator.t(`why.over.${step.because}`, { at: timestamp(step.atMs, 'R') })}`;
    case 'doubted': {
      const values = { feed: feedText(step.feed), at: timestamp(step.atMs, 'R') };
      if (step.of !== 'price') return `${WAITING} ${translator.t(`why.doubted.${step.of}`, values)}`;
      return `${WAITING} ${translator.t('why.doubted.price', { ...values, price: formatPrice(step.price, translator) })}`;
    }
    case 'contradicted':
      return `${NOTE} ${translator.t('why.contradicted', { feed: feedText(step.feed) })}`;
    case 'no-offers':
      return `${NO} ${translator.t('why.noOffers')}`;
    case 'unnoticed': {
      const because = unnoticed(step.kind);
      return `${NO} ${because ? translator.translate(because) : translator.t('why.noOffers')}`;
    }
    case 'unseen':
      if (step.lastReadMs === null) return `${NO} ${translator.t('preview.neverRead', { feed })}`;
      return `${NO} ${translator.t('why.unseen', { feed, at: timestamp(step.lastReadMs, 'R') })}`;
    case 'cut-off':
      return `${NO} ${translator.t('why.cutOff', { feed })}`;
    case 'failing':
      return `${NO} ${translator.t('why.failing', { at: timestamp(step.sinceMs, 'f') })}`;
    case 'quota-spent':
      return `${NO} ${translator.t('why.quotaSpent', { at: timestamp(step.resetsAtMs, 'R') })}`;
    case 'changed':
      return `${NOTE} ${translator.t('why.changed', { at: timestamp(step.atMs, 'R') })}`;
    case 'paused':
      return `${NO} ${translator.t(`why.paused.${step.by}`)}`;
    case 'blocked':
      return `${NO} ${problemOf(step.problem, translator)}`;
    case 'unpublished':
      return `${WAITING} ${translator.t(`why.unpublished.${step.because}`, {
        since: timestamp(step.sinceMs, 'f'),
        at: timestamp(step.nextAtMs, 'R'),
      })}`;
    case 'left-unpublished':
      return `${NOTE} ${translator.t(`why.leftUnpublished.${step.because}`, {
        since: timestamp(step.sinceMs, 'f'),
        at: timestamp(step.atMs, 'R'),
      })}`;
    case 'unedited':
      return `${WAITING} ${translator.t('why.unedited', { at: timestamp(step.nextAtMs, 'R') })}`;
    case 'posted-for-others': {
      return `${NOTE} ${translator.t('why.postedForOthers', { at: timestamp(step.atMs, 'R') })}`;
    }
    case 'happened':
      return `${markOf(step.verdict)} ${verdictText(step.verdict, subscription, translator)}`;
  }
}

/** **New offer** · 3 minutes ago */
function momentOf({ kind, atMs }: Pick<Happened, 'kind' | 'atMs'>, translator: Translator): string {
  return `**${describeKind(kind, translator)}** · ${timestamp(atMs, 'f')}`;
}

function feedText(feed: string): string {
  return `**${escapeLine(clamp(feed, MOST_TERM))}**`;
}

function markOf({ is }: Verdict): string {
  if (is === 'posted') return YES;
  if (is === 'posted-for-others') return NOTE;
  return is === 'waiting' || is === 'undecided' ? WAITING : NO;
}

function verdictText(verdict: Verdict, subscription: Subscription, translator: Translator): string {
  switch (verdict.is) {
    case 'posted':
      return translator.t(verdict.isTogether ? 'why.postedTogether' : 'why.posted', {
        at: timestamp(verdict.atMs, 'R'),
      });
    case 'posted-for-others':
      return translator.t('why.postedForOthers', { at: timestamp(verdict.atMs, 'R') });
    case 'waiting':
      return 'untilMs' in verdict
        ? translator.t(`why.waiting.${verdict.for}`, { at: timestamp(verdict.untilMs, 'R') })
        : translator.t(`why.waiting.${verdict.for}`);
    case 'dropped':
      return translator.t(`why.dropped.${verdict.because}`, { at: timestamp(verdict.atMs, 'R') });
    case 'first-sight':
      return translator.t('why.firstSight');
    case 'unfollowed':
      return translator.t('why.unfollowed');
    case 'before-subscription':
      return translator.t('why.beforeSubscription', { at: timestamp(verdict.createdAtMs, 'R') });
    case 'over-when-seen':
      return translator.t(`why.overWhenSeen.${verdict.because}`);
    case 'kind-not-wanted':
      return translator.t('why.kindNotWanted');
    case 'unsuited':
      return translator.translate(verdict.because);
    case 'undecided':
      return translator.t('why.undecided', { fields: translator.list(verdict.fields.map((name) => `**${name}**`)) });
    case 'filtered':
      return filteredText(verdict, subscription, translator);
    case 'filter-unreadable':
      return translator.t('preview.filterUnreadable');
    case 'unrecorded':
      return translator.t('why.unrecorded');
  }
}

/** Names the settings that don't take it, where they are others than the filter alone. */
function filteredText(
  { by }: Extract<Verdict, { is: 'filtered' }>,
  { filter }: Subscription,
  translator: Translator,
): string {
  if (by.every(({ kind }) => kind === 'filter')) return translator.t('why.filtered');
  const settings = by.map((setting) =>
    setting.kind === 'filter'
      ? translator.t('panel.setting.filter', { filter: inlineCode(clamp(filter, MOST_TERM)) })
      : translator.t(setting.line),
  );
  return translator.t('why.ruledOut', { settings: translator.list(settings) });
}

/** Each term with the offer's value; where there are too many, the decisive failures come first. */
function termLines({ terms, atMs }: Happened, translator: Translator): Line[] {
  const isReason = ({ holds, isDecisive }: TermOutcome) => !holds && isDecisive;
  const shown = terms.length > MOST_TERMS ? terms.toSorted((a, b) => Number(isReason(b)) - Number(isReason(a))) : terms;
  const unshown = terms.length - MOST_TERMS;
  return [
    `**${translator.t('why.filterAt', { at: timestamp(atMs, 'f') })}**`,
    ...shown.slice(0, MOST_TERMS).map((term) => termLine(term, translator)),
    unshown > 0 ? smallLine([translator.t('why.moreTerms', { count: unshown })]) : null,
  ];
}

/** Each role with what became of it, and with what keeps it from being mentioned now. */
function mentionLines(
  { mentions }: Happened,
  troubles: ReadonlyMap<string, LocalizedText>,
  translator: Translator,
): string[] {
  return mentions.map(({ roleId, isMentioned, because, terms }) => {
    const trouble = troubles.get(roleId);
    const found = terms.slice(0, MOST_MENTION_TERMS).map((term) => termText(term, translator));
    return [
      `${isMentioned ? RUNG : NOT_RUNG} <@&${roleId}> · ${factsOf([translator.translate(because), ...found])}`,
      ...(trouble ? [`⚠ ${translator.translate(trouble)}`] : []),
    ].join(' ');
  });
}

function termLine(term: TermOutcome, translator: Translator): string {
  const mark = term.holds ? YES : term.isDecisive ? NO : NOT_DECISIVE;
  return `${mark} ${termText(term, translator)}`;
}

function termText({ name, isNegated, found }: TermOutcome, translator: Translator): string {
  const term = `**${escapeLine(clamp(`${isNegated ? '-' : ''}${name}`, MOST_TERM))}**`;
  return found === null
    ? translator.t('why.notFound', { term })
    : translator.t('why.found', { term, found: escapeLine(clamp(found, MOST_FOUND)) });
}
