import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Interaction } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { newSubscription } from '../../src/bot/announcements/kinds/of-source.ts';
import { CatalogError, CatalogHttpError } from '../../src/bot/catalog/errors.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../src/bot/deals/event.ts';
import {
  MOST_CATCH_UP,
  resourceOf,
  SOURCE_KINDS,
  type Source,
  type Subscription,
} from '../../src/bot/deals/subscription.ts';
import { dueAt } from '../../src/bot/deals/timing.ts';
import type { RepliableInteraction } from '../../src/bot/discord/answering.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import type { CommandContext } from '../../src/bot/discord/command.ts';
import { described, named } from '../../src/bot/discord/i18n/command-words.ts';
import { describeSource } from '../../src/bot/discord/i18n/describe-source.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import {
  ANNOUNCEABLE_CHANNELS,
  requireManager,
  requirePostable,
  requireTarget,
} from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireFeed } from '../feed-option.ts';
import type { Command, CommandServices } from '../shared.ts';
import { optionsForm, orMistake, typedAbove, typedTogether } from './mistakes.ts';
import { outlookOf } from './outlook.ts';
import { panel } from './panel.ts';
import { requireRoom, requireUnique, saidTwice, sameIn } from './save.ts';
import {
  numberIn,
  PRICE_SETTINGS,
  SETTING_NAMES,
  SETTING_OPTIONS,
  type SettingName,
  settingsFrom,
} from './settings.ts';
import type { Subcommand } from './subcommand.ts';
import { checking, InputError, type TypedOptions, typedIn } from './typed-options.ts';

export const DEFAULT_CATCH_UP = 3;

const CHANNEL: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.Channel,
  name: 'channel',
  ...described('command.subscription.add.channel'),
  channel_types: [...ANNOUNCEABLE_CHANNELS],
};

const CATCH_UP: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.Integer,
  name: 'catch-up',
  ...described('command.subscription.add.catch-up'),
  min_value: 0,
  max_value: MOST_CATCH_UP,
};

/** The options of each source, and the source that they stand for. */
interface AddFrom {
  options: APIApplicationCommandBasicOption[];
  /** The settings offered as options of the command; the panel has the others. */
  settings: readonly SettingName[];
  sourceOf: (typed: TypedOptions, feeds: readonly string[]) => Source | Promise<Source>;
}

const WITHOUT_PRICES: Pick<AddFrom, 'options' | 'settings'> = {
  options: [],
  settings: SETTING_NAMES.filter((name) => !PRICE_SETTINGS.has(name)),
};

const FROM: Readonly<Record<Source['kind'], AddFrom>> = {
  feed: {
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'feed',
        ...described('command.subscription.add.feed'),
        required: true,
        autocomplete: true,
      },
    ],
    settings: SETTING_NAMES,
    sourceOf: async (typed, feeds) => ({
      kind: 'feed',
      feed: await checking('feed', () => requireFeed(typed.get('feed') ?? '', feeds)),
    }),
  },
  events: {
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'type',
        ...described('command.subscription.add.type'),
        choices: EVENT_TYPES.map((type) => ({ ...named(`event.type.${type}`), value: type })),
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'site',
        ...described('command.subscription.add.site'),
        choices: SITE_PREFIXES.map((site) => ({ name: site, value: site })),
      },
    ],
    settings: SETTING_NAMES.filter((name) => name !== 'price-drop'),
    sourceOf: (typed) => ({
      kind: 'events',
      types: EVENT_TYPES.filter((type) => type === typed.get('type')),
      sites: SITE_PREFIXES.filter((site) => site === typed.get('site')),
    }),
  },
  dealcasts: { ...WITHOUT_PRICES, sourceOf: () => ({ kind: 'dealcasts' }) },
  polls: { ...WITHOUT_PRICES, sourceOf: () => ({ kind: 'polls' }) },
  monkeychats: { ...WITHOUT_PRICES, sourceOf: () => ({ kind: 'monkeychats' }) },
};

function optionsOf(source: Source['kind']): APIApplicationCommandBasicOption[] {
  const { options, settings } = FROM[source];
  return [...options, CHANNEL, ...SETTING_OPTIONS.filter(({ name }) => settings.includes(name)), CATCH_UP];
}

/** One subcommand of `/subscription add` per source, with only the options that suit the source. */
export const addSubcommands: readonly Subcommand[] = SOURCE_KINDS.map((source) => ({
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: source,
    ...described(`command.subscription.add.from.${source}`),
    options: optionsOf(source),
  },
  execute: (interaction, guildId, shared, translator, context) =>
    add(source, typedIn(interaction), guildId, interaction, shared, translator, context),
}));

/** The form of options with a mistake, and what becomes of it. */
export const addActions = {
  add: {
    answer: 'update',
    async run(action, interaction, _, translator) {
      requireManager(interaction);
      return optionsForm(action, optionsOf(action.source), typedAbove(interaction), translator);
    },
  },
} satisfies Command['actions'];

export const addForms = {
  add: {
    answer: 'update',
    async run({ source }, interaction, shared, translator, context) {
      const { guildId } = requireManager(interaction);
      return add(source, typedTogether(interaction), guildId, interaction, shared, translator, context);
    },
  },
} satisfies Command['forms'];

/** Adds a subscription; of options with a mistake, a card keeps all of them. */
async function add(
  kind: Source['kind'],
  typed: TypedOptions,
  guildId: string,
  interaction: RepliableInteraction,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const mistake = { fix: { do: 'add', source: kind }, typed, subscriptionId: null } as const;
  return orMistake(mistake, shared, translator, async () => {
    const source = await FROM[kind].sourceOf(typed, shared.feeds);
    const where = await checking('channel', async () => {
      const target = await requireTarget(interaction, typed.get('channel') ?? interaction.channelId ?? '');
      await requirePostable(interaction, target);
      return target;
    });
    const subscription = newSubscription({
      id: randomUUID(),
      guildId,
      channelId: where.channel.id,
      source,
      createdBy: interaction.user.id,
      createdAtMs: shared.clock.now(),
      catchUp: numberIn(typed, 'catch-up', [CATCH_UP]) ?? DEFAULT_CATCH_UP,
    });
    const alter = await settingsFrom(typed, interaction, where);
    const request = alter(subscription);
    const there = sameIn(shared.subscriptions, request);
    // Nothing is to be fixed where it has all the settings that were asked for; its filter may be spelled otherwise.
    if (there && isDeepStrictEqual({ ...alter(there), filter: there.filter }, there)) {
      return panel(there, interaction, shared, translator, translator.translate(saidTwice(request, translator)));
    }
    return subscribe(request, interaction, shared, translator, context);
  });
}

/** Creates a subscription and answers with its panel, which says what is posted at once. */
export async function subscribe(
  request: Subscription,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  await shared.subscriptions.save(request, () => {
    requireUnique(request, shared.subscriptions, translator);
    requireRoom(request, shared);
  });
  const outlook = await firstPoll(request, shared, translator, context);
  const told = { channel: `<#${request.channelId}>`, source: describeSource(request.source, translator), outlook };
  // The first poll may have marked the catch-up as done in the meantime.
  const added = shared.subscriptions.get(request.id) ?? request;
  return panel(added, interaction, shared, translator, translator.t('subscription.added', told));
}

/** Polls the source at once, so that the channel gets its first posts. Returns a note for the person. */
async function firstPoll(
  subscription: Subscription,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<string> {
  const { poller, subscriptions, clock } = shared;
  const { id, source, catchUp, timing } = subscription;
  try {
    context.spend();
    const { enqueued } = await poller.poll(resourceOf(source), 'interactive');
    const coming = enqueued.filter(({ matches }) => matches.some(({ subscriptionId }) => subscriptionId === id));
    return outlookOf(subscription, translator, shared, coming);
  } catch (cause) {
    // A rate limited person waits for the bot's next regular poll.
    if (cause instanceof UserError) return withNext(translator.t('subscription.soon'));
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      await subscriptions.remove(id);
      const told = { source: describeSource(source, translator) };
      throw new InputError(['feed'], message('subscription.notInCatalog', told), { cause });
    }
    if (!(cause instanceof CatalogError)) throw cause;
    if (timing.mode !== 'at-once') return translator.t('subscription.laterInDigest');
    if (catchUp === 0 || isWaiting()) return withNext(translator.t('subscription.laterNews'));
    return translator.t('subscription.later', { count: catchUp });
  }

  function isWaiting(): boolean {
    return dueAt(timing, clock.now()).dueAtMs > clock.now();
  }

  /** Posts that have to wait for a digest or the end of quiet hours come later than the next poll. */
  function withNext(sentence: string): string {
    return isWaiting() ? `${sentence} ${outlookOf(subscription, translator, shared)}` : sentence;
  }
}
