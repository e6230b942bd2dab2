import type { APISectionComponent } from 'discord-api-types/v10';
import type { PersonalSubscriptions } from '../../../commands/shared.ts';
import { personAt } from '../../deals/person.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { titleOf } from '../../discord/cards/announcement-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  linkedTitle,
  menu,
  primaryButton,
  separator,
  settingsButton,
  smallLine,
  withButton,
} from '../../discord/cards/parts.ts';
import { previewNotes } from '../../discord/cards/preview-lines.ts';
import { describeSource, sourceTitle } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import { act } from './actions.ts';
import { filterDigest, type LessLike, type PastMatch, type Proposal } from './proposals.ts';

const MOST_TITLE = 100;
const MOST_NAME = 60;
const MOST_TERM = 80;
/** The most announcements that a proposal names on each side, and the characters of each. */
const MOST_EXAMPLES = 3;
const MOST_EXAMPLE = 45;
const MOST_FILTER = 500;
const MOST_SOURCE = 100;

/** The context of cards that name subscriptions. */
export interface LessContext extends CardContext {
  personal: PersonalSubscriptions | null;
}

type Naming = Pick<LessContext, 'translator' | 'personal'>;

/** Asks which of the subscriptions, or of a person's watches, should announce less like an offer. */
export function lessWhichCard(offerId: string, candidates: readonly Subscription[], context: LessContext): Card {
  const { translator } = context;
  const isWatch = candidates.some(({ guildId }) => personAt(guildId) !== null);
  return card(ACCENT.notice, [
    translator.t(isWatch ? 'less.whichWatch' : 'less.which'),
    menu(
      'less',
      translator.t('less.choose'),
      candidates.map((subscription) => ({
        ...nameOf(subscription, context),
        action: act({ do: 'less-for', offerId, subscriptionId: subscription.id }),
      })),
    ),
  ]);
}

/** Plain text that tells a subscription from the others of its channel. */
function nameOf(subscription: Subscription, { translator, personal }: Naming): { label: string; description?: string } {
  const { guildId, source, filter } = subscription;
  if (personal && personAt(guildId) !== null) return { label: personal.nameOf(subscription, translator) };
  return { label: sourceTitle(source, translator), description: filter };
}

/** The most subscriptions that the card below names; a channel rarely has two for one post. */
const MOST_SUBSCRIPTIONS = 10;

/** Says that there are no proposals for a post about something else than offers, and leads to the settings of what posted it. */
export function lessOffersOnlyCard(behind: readonly Subscription[], context: LessContext): Card {
  const { translator } = context;
  return card(ACCENT.notice, [
    [`## ${translator.t('less.title')}`, translator.t('less.offersOnly')],
    ...behind
      .slice(0, MOST_SUBSCRIPTIONS)
      .map((subscription) => withButton([placeLine(subscription, context)], ownSettingsButton(subscription, context))),
  ]);
}

/**
 * Proposes filters with which a subscription would announce less like an offer: each with what it would have changed in
 * the last seven days, and a button that applies it.
 * @param lead what happened before; '' for nothing
 */
export function lessCard(view: LessLike, lead: string, context: LessContext): Card {
  const { translator } = context;
  const { offer, preview, proposals, ofAll } = view;
  const { subscription } = preview;
  const terms = ofAll.map(({ term }) => inlineCode(clamp(term, MOST_TERM)));
  const source = escapeLine(clamp(describeSource(subscription.source, translator), MOST_SOURCE));
  return card(ACCENT.notice, [
    lead,
    [
      `## ${translator.t('less.title')}`,
      `**${linkedTitle(clamp(offer.title, MOST_TITLE), offer.url, false)}**`,
      placeLine(subscription, context),
    ],
    separator(),
    ...proposals.map((proposal) => proposalPart(proposal, view, translator)),
    proposals.length === 0 ? nothingText(view, translator) : null,
    terms.length === 0 ? null : smallLine([translator.t('less.ofAll', { terms: translator.list(terms) })]),
    ...previewNotes(preview, source, translator).map((note) => smallLine([note])),
    buttons([ownSettingsButton(subscription, context)]),
  ]);
}

/** Whose filter it is, and the filter. */
function placeLine(subscription: Subscription, { translator, personal }: Naming): string {
  const { guildId, channelId, filter, source } = subscription;
  if (personal && personAt(guildId) !== null)
    return smallLine([`🔔 ${escapeLine(clamp(personal.nameOf(subscription, translator), MOST_FILTER))}`]);
  const place = `${escapeLine(clamp(sourceTitle(source, translator), MOST_SOURCE))} → <#${channelId}>`;
  return smallLine([place, filter === '' ? null : inlineCode(clamp(filter, MOST_FILTER))]);
}

function proposalPart(proposal: Proposal, { offer, preview }: LessLike, translator: Translator): APISectionComponent {
  const { kind, what, term, filter, goes, stays } = proposal;
  const named =
    kind === 'price'
      ? translator.price({ minimum: Number(what), maximum: Number(what) })
      : escapeLine(clamp(what, MOST_NAME));
  return withButton(
    [
      `${translator.t(`less.by.${kind}`, { what: named })} · ${inlineCode(clamp(term, MOST_TERM))}`,
      translator.t('less.drops', { dropped: goes.length, count: goes.length + stays.length }),
      smallLine([translator.t('less.goes', { titles: examplesOf(goes, translator) })]),
      smallLine([translator.t('less.stays', { titles: examplesOf(stays, translator) })]),
    ],
    primaryButton(
      translator.t('button.apply'),
      act({
        do: 'less-apply',
        offerId: offer.id,
        subscriptionId: preview.subscription.id,
        digest: filterDigest(filter),
      }),
    ),
  );
}

/** The newest titles, each once. */
function examplesOf(matches: readonly PastMatch[], translator: Translator): string {
  const titles = new Set<string>();
  for (const { announcement } of matches) {
    if (titles.size === MOST_EXAMPLES) break;
    titles.add(escapeLine(clamp(titleOf(announcement, translator), MOST_EXAMPLE)) || '…');
  }
  return [...titles].join(' · ');
}

function nothingText({ preview, isFull }: LessLike, translator: Translator): string {
  if (isFull) return translator.t('less.full');
  if (preview.entries.length === 0) return translator.t('less.noWeek');
  return translator.t('less.nothing');
}

/** Says what the filter is now, with a button that takes the exclusion back. @param length that of the filter before */
export function lessAppliedCard(subscription: Subscription, length: number, context: LessContext): Card {
  const { translator } = context;
  const { id: subscriptionId, filter } = subscription;
  return card(ACCENT.offer, [
    `✅ ${translator.t('less.applied', { filter: inlineCode(clamp(filter, MOST_FILTER)) })}`,
    placeLine({ ...subscription, filter: '' }, context),
    buttons([
      actionButton(
        translator.t('button.undoFilter'),
        act({
          do: 'less-undo',
          subscriptionId,
          length,
          digest: filterDigest(filter),
        }),
      ),
      ownSettingsButton(subscription, context),
    ]),
  ]);
}

/** Says what the filter is again. */
export function lessUndoneCard(subscription: Subscription, context: LessContext): Card {
  const { translator } = context;
  const { filter } = subscription;
  return card(ACCENT.notice, [
    filter === ''
      ? translator.t('less.undoneNone')
      : translator.t('less.undone', { filter: inlineCode(clamp(filter, MOST_FILTER)) }),
    placeLine({ ...subscription, filter: '' }, context),
    buttons([ownSettingsButton(subscription, context)]),
  ]);
}

function ownSettingsButton({ id, guildId }: Subscription, { translator, personal }: Naming) {
  return personal && personAt(guildId) !== null ? personal.button(translator) : settingsButton(id, translator);
}
