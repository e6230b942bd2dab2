import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOptionChoice,
  ApplicationCommandOptionType,
} from 'discord-api-types/v10';
import { candidatesIn } from '../../../commands/known.ts';
import { idChoices, idOption, requireSubscription } from '../../../commands/options.ts';
import {
  type CommandServices,
  type FeatureCommand,
  FOR_MANAGERS,
  type ManagerRequest,
  type Subcommand,
} from '../../../commands/shared.ts';
import {
  checking,
  fixable,
  orMistake,
  type TypedOptions,
  typedAbove,
  typedSinceOpened,
} from '../../../commands/typed-options.ts';
import { asNew, sampleOf } from '../../announcements/explain/dry-run.ts';
import type { Announcement } from '../../deals/announcement.ts';
import { type AppearanceLayer, appearanceFrom, MOST_LINE, OVER_ACTIONS, STYLES } from '../../deals/appearance.ts';
import { isOver, newestFirst } from '../../deals/life.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { announcementCard } from '../../discord/cards/announcement-card.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message, type Translator } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { act, type LookAgain, TABLE } from './actions.ts';
import { botLook } from './bot.ts';
import { AS_SERVER, type LookView, lookCard, lookForm, lookInputs, NO_LINE } from './cards.ts';
import { changedLook, type LookChange } from './change.ts';
import { describeColor, formatColor, NAMED_COLORS, readColor } from './colors.ts';
import { NAMES } from './field.ts';
import { WORDS } from './words/index.ts';

const { described, named } = commandWords(WORDS);
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
  { type: FLAG, name: 'chart', ...described('command.look.chart') },
  {
    type: TEXT,
    name: 'when-over',
    ...described('command.look.when-over'),
    choices: OVER_ACTIONS.map((action) => ({ ...named(`command.look.when-over.${action}`), value: action })),
  },
];

/** Changes what the options name; without options, nothing. */
const asked = fixable<LookAgain>({
  options: LOOK_OPTIONS,
  async answer(typed, request, { subscriptionId }) {
    const manager = request.asManager();
    settingsOf(subscriptionId, manager);
    const change = await changeIn(typed, manager.translator);
    if (Object.keys(change).length === 0) return panel(subscriptionId, manager);
    await save(subscriptionId, (before) => changedLook(before, change), manager);
    return panel(subscriptionId, manager, manager.t('look.saved'));
  },
});

const serverLook: Subcommand = {
  data: { type: SUBCOMMAND, name: 'server', ...described('command.look.server'), options: [...LOOK_OPTIONS] },
  execute: (request) => asked.ask(act({ do: 'look-again', subscriptionId: null }), request),
};

const subscriptionLook: Subcommand = {
  data: {
    type: SUBCOMMAND,
    name: 'subscription',
    ...described('command.look.subscription'),
    options: [idOption(described('command.look.subscription.id')), ...LOOK_OPTIONS],
  },
  execute: (request) =>
    asked.ask(act({ do: 'look-again', subscriptionId: request.options.getString('id', true) }), request),
};

const SUBCOMMANDS: readonly Subcommand[] = [serverLook, subscriptionLook, botLook];

export const look: FeatureCommand<typeof TABLE> = {
  table: TABLE,
  data: {
    name: 'look',
    ...described('command.look'),
    ...FOR_MANAGERS,
    options: SUBCOMMANDS.map(({ data }) => data),
  },
  answer: 'private',

  async execute(request) {
    const manager = request.asManager();
    const subcommand = SUBCOMMANDS.find(({ data }) => data.name === request.options.getSubcommand());
    if (!subcommand) throw new UserError(message('subscription.noSubcommand'));
    return subcommand.execute(manager);
  },

  autocomplete(request) {
    if (!request.isManager) return [];
    const { name, value } = request.options.getFocused(true);
    return name === 'id' ? idChoices(value, request) : colorChoices(value, request.translator);
  },

  actions: {
    'look-again': asked.button,
    look: {
      answer: 'update',
      async run({ step, subscriptionId }, request) {
        const manager = request.asManager();
        if (step === 'change') {
          return lookForm(settingsOf(subscriptionId, manager), typedAbove(request), request.translator);
        }
        if (step === 'open') return panel(subscriptionId, manager);
        if (step === 'chart') return turnChart(subscriptionId, manager);
        await save(subscriptionId, () => ({}), manager);
        return panel(subscriptionId, manager, request.t('look.wasReset'));
      },
    },
  },
  forms: {
    'look-again': asked.form,
    look: {
      answer: 'update',
      async run({ subscriptionId }, request) {
        const manager = request.asManager();
        const view = settingsOf(subscriptionId, manager);
        const { typed, requireNoClash } = typedSinceOpened(request, lookInputs(view, new Map(), request.translator));
        const fix = act({ do: 'look', step: 'change', subscriptionId });
        return orMistake({ fix, typed, subscriptionId }, request, async () => {
          requireNoClash();
          const change = changeFromForm(typed, request.translator);
          await save(subscriptionId, (before) => changedLook(before, change), manager);
          return panel(subscriptionId, manager, request.t('look.saved'));
        });
      },
    },
  },
};

/** The colours whose names contain the input. */
function colorChoices(typed: string, translator: Translator): APIApplicationCommandOptionChoice<string>[] {
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

/**
 * The settings of a subscription's look, or where that is null of the server's.
 * @throws UserError where the server has no such subscription
 */
function settingsOf(subscriptionId: string | null, request: ManagerRequest): Omit<LookView, 'sample'> {
  const subscription = subscriptionId === null ? null : requireSubscription(subscriptionId, request);
  return { subscription, server: request.services.looks.of(request.server) };
}

/** @throws InputError where the colour is none */
async function changeIn(typed: TypedOptions, translator: Translator): Promise<LookChange> {
  const [style, accent, line] = [typed.get('style'), typed.get('accent'), typed.get('line')];
  const [notify, chart, whenOver] = [typed.get('notify'), typed.get('chart'), typed.get('when-over')];
  return {
    ...(style !== undefined && { style: chosen(STYLES, style) }),
    ...(accent !== undefined && {
      accent: { to: await checking('accent', () => requireColor(accent, translator)) },
    }),
    ...(line !== undefined && { line: { to: lineOf(line) } }),
    ...(notify !== undefined && { isSilent: { to: notify !== 'true' } }),
    ...(chart !== undefined && { hasChart: { to: chart === 'true' } }),
    ...(whenOver !== undefined && { whenOver: chosen(OVER_ACTIONS, whenOver) }),
  };
}

/** Shows the charts of posts where they were hidden, and hides them where they were shown. */
async function turnChart(subscriptionId: string | null, request: ManagerRequest): Promise<Card> {
  const { subscription, server } = settingsOf(subscriptionId, request);
  const { hasChart } = appearanceFrom(server, subscription?.look);
  await save(subscriptionId, (before) => changedLook(before, { hasChart: { to: !hasChart } }), request);
  return panel(subscriptionId, request, request.t('look.saved'));
}

/** The form holds every setting but that of the chart. What is left to the server is taken back. */
function changeFromForm(typed: TypedOptions, translator: Translator): LookChange {
  const choice = (setting: keyof typeof NAMES) => typed.get(NAMES[setting]) || AS_SERVER;
  const accent = choice('accent');
  const silent = choice('isSilent');
  const line = (typed.get('line') ?? '').trim();
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
  subscriptionId: string | null,
  change: (before: AppearanceLayer) => AppearanceLayer,
  request: ManagerRequest,
): Promise<void> {
  const { looks, subscriptions } = request.services;
  if (subscriptionId === null) {
    await looks.update(request.server, change);
    return;
  }
  requireSubscription(subscriptionId, request);
  await subscriptions.update(subscriptionId, ({ look, ...others }) => withLook(others, change(look ?? {})));
}

function withLook(subscription: Omit<Subscription, 'look'>, look: AppearanceLayer): Subscription {
  return Object.keys(look).length === 0 ? subscription : { ...subscription, look };
}

async function panel(subscriptionId: string | null, request: ManagerRequest, lead = ''): Promise<Card> {
  const settings = settingsOf(subscriptionId, request);
  const sample = await samplePost(settings, request);
  return lookCard({ ...settings, sample }, lead, request.cardContext);
}

/**
 * A post of a deal that is live now, in the language and the look in which it would be posted; null where no deal is
 * known. Makes no request.
 */
async function samplePost(
  { subscription, server }: Omit<LookView, 'sample'>,
  { services, serverLocale, cardContext }: ManagerRequest,
): Promise<Card | null> {
  const { nowMs } = cardContext;
  const announcement = (subscription && (await matching(subscription, services, nowMs))) ?? newest(services, nowMs);
  if (!announcement) return null;
  const { style, accent, line } = appearanceFrom(server, subscription?.look);
  const translator = services.translators(serverLocale);
  // A sample has no delivery.
  return announcementCard(announcement, {
    ...cardContext,
    deliveryId: '',
    matched: [],
    translator,
    style,
    accent,
    line,
  });
}

async function matching(
  subscription: Subscription,
  services: CommandServices,
  nowMs: number,
): Promise<Announcement | undefined> {
  const live = await candidatesIn(subscription.source, services);
  return sampleOf(subscription, live?.candidates ?? [], services.settings, nowMs).newest?.announcement;
}

function newest({ offers }: CommandServices, nowMs: number): Announcement | null {
  const live = offers.live().filter(({ offer }) => !isOver(offer, nowMs));
  const [first] = newestFirst(live.map(({ offer }) => offer));
  const known = first && offers.get(first.id);
  return known ? asNew(known) : null;
}
