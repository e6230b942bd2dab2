import type { ChatInputCommandInteraction, Interaction, ModalSubmitInteraction } from 'discord.js';
import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOptionChoice,
  ApplicationCommandOptionType,
} from 'discord-api-types/v10';
import {
  changedLook,
  type LookChange,
  type LookSettings,
  MOST_LINE,
  OVER_ACTIONS,
  STYLES,
} from '../../src/bot/deals/look.ts';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import { AS_SERVER, type LookView, lookCard, lookForm, NO_LINE } from '../../src/bot/discord/cards/look-card.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { described, named } from '../../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { describeColor, formatColor, NAMED_COLORS, readColor } from '../../src/bot/discord/look-colors.ts';
import { requireManager } from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { Command, CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from '../subscription/id-option.ts';
import type { Subcommand } from '../subscription/subcommand.ts';
import { samplePost } from './sample.ts';

const { Subcommand: SUBCOMMAND, String: TEXT, Boolean: FLAG } = ApplicationCommandOptionType;

/** One option for each setting, the same for a server and for a subscription. */
const LOOK_OPTIONS: readonly APIApplicationCommandBasicOption[] = [
  {
    type: TEXT,
    name: 'style',
    ...described('command.look.style'),
    choices: STYLES.map((style) => ({ ...named(`command.look.style.${style}`), value: style })),
  },
  { type: TEXT, name: 'accent', ...described('command.look.accent'), autocomplete: true, max_length: 40 },
  { type: TEXT, name: 'line', ...described('command.look.line'), max_length: MOST_LINE },
  { type: FLAG, name: 'notify', ...described('command.look.notify') },
  {
    type: TEXT,
    name: 'when-over',
    ...described('command.look.when-over'),
    choices: OVER_ACTIONS.map((action) => ({ ...named(`command.look.when-over.${action}`), value: action })),
  },
];

export const serverLook: Subcommand = {
  data: { type: SUBCOMMAND, name: 'server', ...described('command.look.server'), options: [...LOOK_OPTIONS] },
  execute: (interaction, guildId, shared, translator) =>
    changeFromOptions({ guildId, subscriptionId: null }, interaction, shared, translator),
};

export const subscriptionLook: Subcommand = {
  data: {
    type: SUBCOMMAND,
    name: 'subscription',
    ...described('command.look.subscription'),
    options: [idOption('command.look.subscription.id'), ...LOOK_OPTIONS],
  },
  execute(interaction, guildId, shared, translator) {
    const target = { guildId, subscriptionId: interaction.options.getString('id', true) };
    return changeFromOptions(target, interaction, shared, translator);
  },
};

export const lookActions = {
  look: {
    answer: 'update',
    async run({ step, subscriptionId }, interaction, shared, translator) {
      const target = { guildId: requireManager(interaction).guildId, subscriptionId };
      if (step === 'change') return lookForm(settingsOf(target, shared), translator);
      if (step === 'open') return panel(target, interaction, shared, translator);
      await save(target, () => ({}), shared);
      return panel(target, interaction, shared, translator, translator.t('look.wasReset'));
    },
  },
} satisfies Command['actions'];

export const lookForms = {
  look: {
    answer: 'update',
    async run({ subscriptionId }, interaction, shared, translator) {
      const target = { guildId: requireManager(interaction).guildId, subscriptionId };
      const change = changeFromForm(interaction, translator);
      await save(target, (before) => changedLook(before, change), shared);
      return panel(target, interaction, shared, translator, translator.t('look.saved'));
    },
  },
} satisfies Command['forms'];

/** The colours whose names contain the input. */
export function colorChoices(typed: string, translator: Translator): APIApplicationCommandOptionChoice<string>[] {
  const read = readColor(typed, translator);
  const own = 'color' in read && typed.trim() !== '' ? [read.color] : [];
  const named = [null, ...NAMED_COLORS.map(({ color }) => color)].filter((color) =>
    describeColor(color, translator).toLowerCase().includes(typed.trim().toLowerCase()),
  );
  return [...new Set([...own, ...named])].map((color) => ({
    name: describeColor(color, translator),
    value: formatColor(color),
  }));
}

/** A server's look, or that of one of its subscriptions. */
interface Target {
  guildId: string;
  subscriptionId: string | null;
}

/** @throws UserError where the server has no such subscription */
function settingsOf(
  { guildId, subscriptionId }: Target,
  { looks, subscriptions }: CommandServices,
): Omit<LookView, 'sample'> {
  const subscription = subscriptionId === null ? null : requireSubscription(subscriptionId, guildId, subscriptions);
  return { subscription, server: looks.of(guildId) };
}

/** Changes what the options name; without options, nothing. */
async function changeFromOptions(
  target: Target,
  interaction: ChatInputCommandInteraction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  settingsOf(target, shared);
  const change = changeIn(interaction, translator);
  if (Object.keys(change).length === 0) return panel(target, interaction, shared, translator);
  await save(target, (before) => changedLook(before, change), shared);
  return panel(target, interaction, shared, translator, translator.t('look.saved'));
}

/** @throws UserError where the colour is none */
function changeIn({ options }: ChatInputCommandInteraction, translator: Translator): LookChange {
  const [style, accent, line] = [options.getString('style'), options.getString('accent'), options.getString('line')];
  const [notify, whenOver] = [options.getBoolean('notify'), options.getString('when-over')];
  return {
    ...(style !== null && { style: chosen(STYLES, style) }),
    ...(accent !== null && { accent: { to: requireColor(accent, translator) } }),
    ...(line !== null && { line: { to: lineOf(line) } }),
    ...(notify !== null && { isSilent: { to: !notify } }),
    ...(whenOver !== null && { whenOver: chosen(OVER_ACTIONS, whenOver) }),
  };
}

/** The form holds every setting. What is left to the server is taken back. */
function changeFromForm({ fields }: ModalSubmitInteraction, translator: Translator): LookChange {
  const choice = (name: string) => fields.getStringSelectValues(name)[0] ?? AS_SERVER;
  const accent = choice('accent');
  const silent = choice('isSilent');
  const line = fields.getTextInputValue('line').trim();
  return {
    style: chosen(STYLES, choice('style')),
    accent: accent === AS_SERVER ? null : { to: requireColor(accent, translator) },
    line: line === '' ? null : { to: lineOf(line) },
    isSilent: silent === AS_SERVER ? null : { to: silent === 'true' },
    whenOver: chosen(OVER_ACTIONS, choice('whenOver')),
  };
}

/** null where the value is none of these: the setting is left to the server. */
function chosen<T extends string>(all: readonly T[], value: string): { to: T } | null {
  const to = all.find((candidate) => candidate === value);
  return to === undefined ? null : { to };
}

function lineOf(typed: string): string {
  const line = typed.replace(/\s+/g, ' ').trim();
  return line === NO_LINE ? '' : line;
}

function requireColor(typed: string, translator: Translator): number | null {
  const read = readColor(typed, translator);
  if ('problem' in read) throw new UserError(read.problem);
  return read.color;
}

/** Changes a look in the record as it is by then. */
async function save(
  { guildId, subscriptionId }: Target,
  change: (before: LookSettings) => LookSettings,
  { looks, subscriptions }: CommandServices,
): Promise<void> {
  if (subscriptionId === null) {
    await looks.update(guildId, change);
    return;
  }
  requireSubscription(subscriptionId, guildId, subscriptions);
  await subscriptions.update(subscriptionId, ({ look, ...others }) => withLook(others, change(look ?? {})));
}

function withLook(subscription: Omit<Subscription, 'look'>, look: LookSettings): Subscription {
  return Object.keys(look).length === 0 ? subscription : { ...subscription, look };
}

function panel(
  target: Target,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
  lead = '',
): Card {
  const settings = settingsOf(target, shared);
  const sample = samplePost(settings, interaction.guildLocale, shared);
  return lookCard({ ...settings, sample }, lead, { translator, nowMs: shared.clock.now() });
}
