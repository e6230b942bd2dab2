import type { Ping } from '../../deals/ping.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { describeSource } from '../i18n/describe-source.ts';
import type { Translator } from '../i18n/translator.ts';
import { LIMITS } from '../limits.ts';
import { escapeLine, inlineCode } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import {
  type Card,
  type CardContext,
  card,
  dangerButton,
  factsOf,
  linesOf,
  optionsMenu,
  smallLine,
  text,
} from './parts.ts';
import { pingLine } from './subscription-lines.ts';

/** A role that members may take themselves. */
export interface OfferedPing {
  roleId: string;
  /** Foreign text. */
  name: string;
  /** What rings it. */
  uses: readonly { subscription: Subscription; ping: Ping }[];
  /** How often it would have been rung in the last seven days; null where that isn't known. */
  rings: number | null;
}

/** The most roles that one menu offers. */
export const MOST_OFFERED = LIMITS.menuOptions;

/**
 * The message in which the members of a server take and leave the roles that its subscriptions ring.
 * @param accent the stripe of the server's look; null for the usual one
 */
export function pingsPanelCard(
  offered: readonly OfferedPing[],
  accent: number | null,
  { translator }: CardContext,
): Card {
  return card(accent ?? ACCENT.notice, [
    text(linesOf([`## ${translator.t('takePings.title')}`, translator.t('takePings.lead')])),
    ...offered.slice(0, MOST_OFFERED).map((one) => text(linesFor(one, translator))),
    offered.length === 0
      ? text(translator.t('takePings.none'))
      : optionsMenu(
          { do: 'toggle-pings' },
          translator.t('takePings.choose'),
          offered.map(({ roleId, name }) => ({ label: name, value: roleId, isChosen: false })),
          { least: 1, most: MOST_OFFERED },
        ),
  ]);
}

export interface OwnPingsView {
  offered: readonly OfferedPing[];
  /** The roles that the person has now. */
  ownIds: readonly string[];
  /** What was just changed. */
  taken: readonly string[];
  left: readonly string[];
}

/** A member's own pings, with a menu that sets all of them. */
export function ownPingsCard({ offered, ownIds, taken, left }: OwnPingsView, { translator }: CardContext): Card {
  const roles = (ids: readonly string[]) => translator.list(ids.map((id) => `<@&${id}>`));
  const own = offered.filter(({ roleId }) => ownIds.includes(roleId));
  return card(ACCENT.notice, [
    taken.length === 0 ? null : text(`✅ ${translator.t('takePings.taken', { roles: roles(taken) })}`),
    left.length === 0 ? null : text(`✅ ${translator.t('takePings.left', { roles: roles(left) })}`),
    text(`## ${translator.t('takePings.own')}`),
    ...(own.length > 0 ? own.map((one) => text(linesFor(one, translator))) : [text(translator.t('takePings.ownNone'))]),
    offered.length === 0
      ? text(translator.t('takePings.none'))
      : optionsMenu(
          { do: 'set-pings' },
          translator.t('takePings.choose'),
          offered.map(({ roleId, name }) => ({ label: name, value: roleId, isChosen: ownIds.includes(roleId) })),
          { least: 0, most: MOST_OFFERED },
        ),
  ]);
}

/** What a role is rung for, and how often that was. */
function linesFor({ roleId, uses, rings }: OfferedPing, translator: Translator): string {
  return linesOf([
    `<@&${roleId}>`,
    ...uses.map(({ subscription, ping }) =>
      factsOf([
        `${escapeLine(describeSource(subscription.source, translator))} → <#${subscription.channelId}>`,
        subscription.filter !== '' && inlineCode(subscription.filter),
        pingLine(ping, translator),
      ]),
    ),
    rings === null ? null : smallLine([translator.t('takePings.rang', { count: rings })]),
  ]);
}

export interface MadeRoleView {
  roleId: string;
  subscription: Subscription;
  ping: Ping;
  /** How often the last seven days would have rung it; null where that isn't known. */
  rings: number | null;
  /** Titles of what would have rung it, the newest first: foreign text. */
  examples: readonly string[];
  /** What keeps members from taking it, or the bot from ringing it; null where nothing does. */
  trouble: LocalizedText | null;
}

/** A role that was made for a filter, with a button that undoes it. */
export function madeRoleCard(
  { roleId, subscription, ping, rings, examples, trouble }: MadeRoleView,
  context: CardContext,
): Card {
  const { translator } = context;
  return card(ACCENT.notice, [
    text(
      linesOf([
        `✅ ${translator.t('makePing.made', { role: `<@&${roleId}>` })}`,
        `${escapeLine(describeSource(subscription.source, translator))} → <#${subscription.channelId}> · ${pingLine(ping, translator)}`,
        trouble && `⚠ ${translator.translate(trouble)}`,
        smallLine([rings === null ? translator.t('ping.untried') : translator.t('ping.tried', { count: rings })]),
        ...examples.map((title) => `- ${escapeLine(title)}`),
      ]),
    ),
    {
      type: 1,
      components: [
        dangerButton(translator.t('button.undo'), { do: 'unmake-ping', subscriptionId: subscription.id, roleId }),
      ],
    },
  ]);
}
