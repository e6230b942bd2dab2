import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { typedTexts } from '../../discord/cards/form.ts';
import { pagedCard, pageOf } from '../../discord/cards/paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  dangerButton,
  factsOf,
  linesOf,
  optionsMenu,
  type Part,
  postButton,
  primaryButton,
  smallLine,
  together,
} from '../../discord/cards/parts.ts';
import { kindNames } from '../../discord/cards/subscription-lines.ts';
import type { AnyAction } from '../../discord/custom-id.ts';
import { describeSource, sourceTitle } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp, LIMITS } from '../../discord/limits.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { act } from './actions.ts';
import { pingLine } from './cards.ts';
import type { Ping } from './ping.ts';

/** A role that members may take themselves. */
export interface OfferedPing {
  roleId: string;
  /** Foreign text. */
  name: string;
  /** What rings it. */
  uses: readonly { subscription: Subscription; ping: Ping }[];
  /** How often it was rung in the last seven days; `isTried`: would have been, as it never was. null where neither is known. */
  rings: { count: number; isTried: boolean } | null;
}

/** The client keeps showing what somebody chose, and would send it along with their next choice. */
const ONE_AT_A_TIME = { least: 0, most: 1 };
/** The characters of a role's name where a menu says from which to which it goes. */
const MOST_RANGE_NAME = 50;
/** The characters of what a role is rung for, in a menu. */
const MOST_DESCRIPTION = 60;

/**
 * The message in which the members of a server take and leave the roles that its subscriptions ring. It has room for all
 * roles of a server.
 * @param panelId is in its menus, so that it can be found in the channel
 * @param accent the stripe of the server's look; null for the usual one
 */
export function pingsPanelCard(
  offered: readonly OfferedPing[],
  { panelId, accent }: { panelId: string; accent: number | null },
  { translator }: CardContext,
): Card {
  return card(accent ?? ACCENT.notice, [
    [`## ${translator.t('takePings.title')}`, translator.t('takePings.lead')],
    ...(fitsOneMenu(offered) ? offered.map((one) => linesFor(one, translator)) : []),
    ...menusOf(offered, [], ONE_AT_A_TIME, translator, (menu) => act({ do: 'toggle-pings', panelId, menu })),
    fitsOneMenu(offered) ? null : buttons([actionButton(translator.t('button.browsePings'), act({ do: 'my-pings' }))]),
  ]);
}

/** Says that the panel is posted, and why members can't take some of the roles. @param url that of the panel */
export function panelPostedCard(url: string, troubles: readonly LocalizedText[], { translator }: CardContext): Card {
  const lines = [translator.t('takePings.posted'), ...troubles.map((trouble) => `⚠ ${translator.translate(trouble)}`)];
  return card(ACCENT.notice, [lines, buttons([postButton(url, translator)])]);
}

export interface OwnPingsView {
  offered: readonly OfferedPing[];
  /** The roles that the person has now. */
  ownIds: readonly string[];
  /** What was just changed. */
  taken: readonly string[];
  left: readonly string[];
  /** Why some were not: at most as many as a person changes at once. */
  troubles: readonly LocalizedText[];
  /** 1-based, where the roles have pages. */
  page: number;
}

/** A member's own pings, with a menu that sets all of them; where there are many roles, with pages of all of them. */
export function ownPingsCard(view: OwnPingsView, context: CardContext): Card {
  const { offered, ownIds, taken, left, troubles, page } = view;
  const { translator } = context;
  const roles = (ids: readonly string[]) => translator.list(ids.map((id) => `<@&${id}>`));
  const done = [
    taken.length === 0 ? null : `✅ ${translator.t('takePings.taken', { roles: roles(taken) })}`,
    left.length === 0 ? null : `✅ ${translator.t('takePings.left', { roles: roles(left) })}`,
    ...troubles.map((trouble) => `⚠ ${translator.translate(trouble)}`),
  ];
  const own = offered.filter(({ roleId }) => ownIds.includes(roleId));
  const none = translator.t('takePings.ownNone');
  const menus = (shown: readonly OfferedPing[], number: number) =>
    menusOf(shown, ownIds, { least: 0, most: LIMITS.menuOptions }, translator, () =>
      act({ do: 'set-pings', menu: number }),
    );
  if (fitsOneMenu(offered)) {
    const lines = own.map((one) => linesFor(one, translator));
    const title = `## ${translator.t('takePings.own')}`;
    return card(ACCENT.notice, [...done, title, ...(lines.length > 0 ? lines : [none]), ...menus(offered, 1)]);
  }
  const shown = pageOf(offered, page);
  const all = pagedCard(
    {
      accentColor: ACCENT.notice,
      title: translator.t('takePings.own'),
      intro: own.length > 0 ? roles(own.map(({ roleId }) => roleId)) : none,
      things: offered,
      page,
      count: translator.t('takePings.count', { count: offered.length }),
      empty: translator.t('takePings.none'),
      age: null,
      entry: (one) => linesFor(one, translator, ownIds.includes(one.roleId)),
      pageAction: (to) => act({ do: 'pings-page', page: to }),
      menus: menus(shown.shown, shown.page),
    },
    context,
  );
  return together(...(done.some((line) => line !== null) ? [card(ACCENT.notice, done)] : []), all);
}

/** Whether each role has a text of its own on one card. */
function fitsOneMenu(offered: readonly OfferedPing[]): boolean {
  return offered.length <= LIMITS.menuOptions;
}

/** As many menus as the roles need, in their order; where there are several, each says from which to which it goes. */
function menusOf(
  offered: readonly OfferedPing[],
  chosenIds: readonly string[],
  limits: { least: number; most: number },
  translator: Translator,
  actionOf: (menu: number) => AnyAction,
): Part[] {
  if (offered.length === 0) return [translator.t('takePings.none')];
  const menus = Array.from({ length: Math.ceil(offered.length / LIMITS.menuOptions) }, (_, index) =>
    offered.slice(index * LIMITS.menuOptions, (index + 1) * LIMITS.menuOptions),
  );
  return menus.map((some, index) => {
    const range = [some[0], some.at(-1)].map((one) => clamp(one?.name ?? '', MOST_RANGE_NAME)).join(' – ');
    const placeholder = factsOf([translator.t('takePings.choose'), menus.length > 1 && range]);
    const options = some.map((one) => ({
      label: one.name,
      description: descriptionOf(one, translator),
      value: one.roleId,
      isChosen: chosenIds.includes(one.roleId),
    }));
    return optionsMenu(actionOf(index + 1), placeholder, options, limits);
  });
}

/** What a role is rung for and how often that was, as plain text. */
function descriptionOf({ uses, rings }: OfferedPing, translator: Translator): string {
  const what = uses.map(({ subscription: { source, filter }, ping }) =>
    factsOf([
      describeSource(source, translator),
      filter,
      ping.filter,
      ping.kinds.length > 0 && kindNames(ping.kinds, translator),
    ]),
  );
  return factsOf([clamp([...new Set(what)].join('; '), MOST_DESCRIPTION), ringsLine(rings, translator)]);
}

function ringsLine(rings: OfferedPing['rings'], translator: Translator): string | null {
  return rings && translator.t(rings.isTried ? 'ping.tried' : 'ping.rang', { count: rings.count });
}

/** What a role is rung for, and how often that was. */
function linesFor({ roleId, uses, rings }: OfferedPing, translator: Translator, isOwn = false): string {
  return linesOf([
    `${isOwn ? '✅ ' : ''}<@&${roleId}>`,
    ...uses.map(({ subscription, ping }) =>
      factsOf([
        `${escapeLine(sourceTitle(subscription.source, translator))} → <#${subscription.channelId}>`,
        subscription.filter !== '' && inlineCode(subscription.filter),
        pingLine(ping, translator),
      ]),
    ),
    rings && smallLine([ringsLine(rings, translator)]),
  ]);
}

/** A role, as the last seven days would have rung it. */
export interface TriedRole {
  /** How often; null where that isn't known. */
  rings: number | null;
  /** Titles of what would have rung it, the newest first: foreign text. */
  examples: readonly string[];
}

export interface ProposedRoleView {
  name: string;
  filter: string;
  subscription: Subscription;
  tried: TriedRole;
  /** A role that another subscription pings for the filter; null for none. */
  same: { id: string; name: string } | null;
}

/** A role that isn't made yet. The card keeps what was typed, for its button. */
export function proposedRoleCard(
  { name, filter, subscription, tried, same }: ProposedRoleView,
  { translator }: CardContext,
): Card {
  const subscriptionId = subscription.id;
  const label = (text: string) => clamp(text, LIMITS.buttonLabel);
  return card(ACCENT.notice, [
    [
      `## ${translator.t('makePing.ask', { role: escapeLine(`@${name}`) })}`,
      placeLine(subscription, translator),
      same && translator.t('makePing.same', { role: `<@&${same.id}>` }),
    ],
    ...typedTexts(
      new Map([
        ['filter', filter],
        ['name', name],
      ]),
    ),
    triedLines(tried, translator),
    buttons([
      same &&
        primaryButton(
          label(translator.t('makePing.use', { role: `@${same.name}` })),
          act({ do: 'same-ping', subscriptionId, roleId: same.id }),
        ),
      (same ? actionButton : primaryButton)(translator.t('button.makePing'), act({ do: 'make-ping', subscriptionId })),
    ]),
  ]);
}

export interface ReadyRoleView {
  ping: Ping;
  subscription: Subscription;
  tried: TriedRole;
  /** What keeps members from taking it, or the bot from ringing it; null where nothing does. */
  trouble: LocalizedText | null;
  /** Whether it was made just now, which can be undone. */
  isMade: boolean;
}

/** A role that a subscription pings from now on. */
export function readyRoleCard(
  { ping, subscription, tried, trouble, isMade }: ReadyRoleView,
  { translator }: CardContext,
): Card {
  const { roleId } = ping;
  const undo = act({ do: 'unmake-ping', subscriptionId: subscription.id, roleId });
  return card(ACCENT.notice, [
    [
      `✅ ${translator.t('makePing.made', { role: `<@&${roleId}>` })}`,
      `${placeLine(subscription, translator)} · ${pingLine(ping, translator)}`,
      trouble && `⚠ ${translator.translate(trouble)}`,
      ...triedLines(tried, translator),
    ],
    buttons([isMade ? dangerButton(translator.t('button.undo'), undo) : null]),
  ]);
}

function placeLine({ source, channelId }: Subscription, translator: Translator): string {
  return `${escapeLine(sourceTitle(source, translator))} → <#${channelId}>`;
}

function triedLines({ rings, examples }: TriedRole, translator: Translator): string[] {
  const tried = rings === null ? translator.t('ping.untried') : translator.t('ping.tried', { count: rings });
  return [smallLine([tried]) ?? '', ...examples.map((title) => `- ${escapeLine(title)}`)];
}
