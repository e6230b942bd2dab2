import {
  type Appearance,
  type AppearanceLayer,
  appearanceFrom,
  MOST_LINE,
  OVER_ACTIONS,
  STYLES,
} from '../../deals/appearance.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { form } from '../../discord/cards/form.ts';
import type { Input } from '../../discord/cards/form-inputs.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  gallery,
  pictured,
  settingsButton,
  smallLine,
  together,
} from '../../discord/cards/parts.ts';
import type { Modal } from '../../discord/command.ts';
import { describeSource } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { act, type LookStep } from './actions.ts';
import { AUTO, describeColor, formatColor, NAMED_COLORS } from './colors.ts';
import { NAMES } from './field.ts';

/** The look of a server's posts, or of one subscription's. */
export interface LookView {
  /** null for the server's. */
  subscription: Subscription | null;
  /** The server's own settings. */
  server: AppearanceLayer;
  /** A post of a deal that is live now, in that look; null where none is known. */
  sample: Card | null;
}

/** The choice in a subscription's menus that leaves a setting to the server. */
export const AS_SERVER = 'server';
/** The text that people enter for no line. */
export const NO_LINE = '-';

const SETTINGS = [
  'style',
  'accent',
  'line',
  'isSilent',
  'hasChart',
  'whenOver',
] as const satisfies readonly (keyof Appearance)[];

/**
 * A look in words, above a post that has it.
 * @param lead the confirmation of the last change; '' for none
 */
export function lookCard({ subscription, server, sample }: LookView, lead: string, { translator }: CardContext): Card {
  const own = subscription ? (subscription.look ?? {}) : server;
  const look = subscription ? appearanceFrom(server, own) : appearanceFrom(own);
  const action = (step: LookStep) => act({ do: 'look', step, subscriptionId: subscription?.id ?? null });
  const isForum = subscription?.target === 'forum' && look.whenOver === 'delete';
  const report = card(ACCENT.notice, [
    lead,
    `## ${titleOf(subscription, translator)}`,
    SETTINGS.map((setting) => settingLine(setting, look, subscription, translator)),
    [
      translator.t('look.newPosts'),
      subscription ? translator.t('look.shared') : translator.t('look.forSubscriptions'),
      ...(isForum ? [translator.t('look.inForum')] : []),
      ...(sample ? [] : [translator.t('look.noSample')]),
    ].map((note) => smallLine([note])),
    buttons([
      actionButton(translator.t('button.changeLook'), action('change')),
      actionButton(translator.t('button.resetLook'), action('reset'), Object.keys(own).length === 0),
      // A form of Discord's has five fields, which the other settings take.
      actionButton(translator.t(look.hasChart ? 'button.hideChart' : 'button.showChart'), action('chart')),
      subscription ? settingsButton(subscription.id, translator) : null,
    ]),
  ]);
  return sample ? together(report, sample) : report;
}

function titleOf(subscription: Subscription | null, translator: Translator): string {
  if (!subscription) return translator.t('look.ofServer');
  const source = escapeLine(describeSource(subscription.source, translator));
  return translator.t('look.ofSubscription', { source, channel: `<#${subscription.channelId}>` });
}

/** `**Style** Large picture (from the server)` */
function settingLine(
  setting: keyof Appearance,
  look: Appearance,
  subscription: Subscription | null,
  translator: Translator,
): string {
  const value = describeSetting(setting, look, translator);
  const isInherited = subscription !== null && subscription.look?.[setting] === undefined;
  const shown = isInherited ? translator.t('look.fromServer', { value }) : value;
  return `**${translator.t(`look.setting.${setting}`)}** ${shown}`;
}

/** Safe Markdown. */
function describeSetting(setting: keyof Appearance, look: Appearance, translator: Translator): string {
  switch (setting) {
    case 'style':
      return translator.t(`look.style.${look.style}`);
    case 'accent':
      return describeColor(look.accent, translator);
    case 'line':
      return look.line === '' ? translator.t('look.line.none') : escapeLine(look.line);
    case 'isSilent':
      return translator.t(look.isSilent ? 'look.notify.off' : 'look.notify.on');
    case 'hasChart':
      return translator.t(look.hasChart ? 'look.chart.on' : 'look.chart.off');
    case 'whenOver':
      return translator.t(`look.whenOver.${look.whenOver}`);
  }
}

/** The form with all settings of a look but that of the chart. @param typed what the person entered before */
export function lookForm(
  view: Omit<LookView, 'sample'>,
  typed: ReadonlyMap<string, string>,
  translator: Translator,
): Modal {
  const present = lookInputs(view, new Map(), translator);
  const inputs = typed.size === 0 ? present : lookInputs(view, typed, translator);
  const action = act({ do: 'look', step: 'change', subscriptionId: view.subscription?.id ?? null });
  return form(action, translator.t('look.formTitle'), inputs, present);
}

/** The inputs of a look's form. A subscription's menus offer the server's value first. */
export function lookInputs(
  { subscription, server }: Omit<LookView, 'sample'>,
  typed: ReadonlyMap<string, string>,
  translator: Translator,
): Input[] {
  const own = subscription ? (subscription.look ?? {}) : appearanceFrom(server);
  const fallback = appearanceFrom(server);
  const choice = (
    setting: keyof Appearance,
    label: string,
    description: string,
    choices: readonly [string, string][],
  ) => {
    const value = describePlain(setting, fallback, translator);
    const name = NAMES[setting];
    const given = typed.get(name) ?? (own[setting] === undefined ? AS_SERVER : keyOf(setting, own));
    const inherited: [string, string][] = subscription ? [[AS_SERVER, translator.t('look.asServer', { value })]] : [];
    return {
      takes: 'choice' as const,
      name,
      label,
      ...(description !== '' && { description }),
      options: [...inherited, ...choices].map(([key, option]) => ({
        label: option,
        value: key,
        isChosen: key === given,
      })),
    };
  };
  const colors: (number | null)[] = [null, ...NAMED_COLORS.map(({ color }) => color)];
  // A colour that was typed into the command stays as it is.
  const special = own.accent === undefined || colors.includes(own.accent) ? [] : [own.accent];
  return [
    choice(
      'style',
      translator.t('look.setting.style'),
      '',
      STYLES.map((style) => [style, translator.t(`look.style.${style}`)]),
    ),
    choice(
      'accent',
      translator.t('look.setting.accent'),
      translator.t('look.accentNote'),
      [...special, ...colors].map((color) => [formatColor(color), describeColor(color, translator)]),
    ),
    {
      takes: 'text',
      name: 'line',
      label: translator.t('look.setting.line'),
      description: translator.t(subscription ? 'look.lineNote' : 'look.lineNoteServer'),
      example: '',
      value: typed.get('line') ?? (own.line === '' && subscription ? NO_LINE : (own.line ?? '')),
      most: MOST_LINE,
    },
    choice('isSilent', translator.t('look.setting.isSilent'), '', [
      ['false', translator.t('look.notify.on')],
      ['true', translator.t('look.notify.off')],
    ]),
    choice(
      'whenOver',
      translator.t('look.setting.whenOver'),
      '',
      OVER_ACTIONS.map((action) => [action, translator.t(`look.whenOver.${action}`)]),
    ),
  ];
}

/** Plain text, for the choices of a menu. */
function describePlain(setting: keyof Appearance, look: Appearance, translator: Translator): string {
  return setting === 'line' ? look.line : describeSetting(setting, look, translator);
}

/** A setting as the value of a choice. */
function keyOf(setting: keyof Appearance, look: AppearanceLayer): string {
  return setting === 'accent' ? formatColor(look.accent ?? null) : String(look[setting] ?? AUTO);
}

/** How the bot looks in a server. */
export interface BotView {
  /** Foreign text: the name that people see. */
  name: string;
  /** The server's own name and pictures of the bot. */
  has: Readonly<Record<'name' | 'avatar' | 'banner', boolean>>;
  /** The addresses of pictures that were set just now; null for none. */
  avatar: string | null;
  banner: string | null;
}

/** @param lead the confirmation of the last change; '' for none */
export function botCard({ name, has, avatar, banner }: BotView, lead: string, { translator }: CardContext): Card {
  const line = (what: 'name' | 'avatar' | 'banner') =>
    `**${translator.t(`look.bot.${what}`)}** ${translator.t(has[what] ? 'look.bot.own' : 'look.bot.usual')}`;
  const photo = banner && { url: banner, width: null, height: null, caption: null, tags: [] };
  return card(ACCENT.notice, [
    pictured(
      [
        lead === '' ? null : lead,
        `## ${escapeLine(name)}`,
        line('name'),
        line('avatar'),
        line('banner'),
        smallLine([translator.t('look.bot.how')]),
      ],
      avatar,
      name,
    ),
    photo ? gallery([photo], name) : null,
  ]);
}
