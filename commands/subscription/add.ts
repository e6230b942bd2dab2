import { randomUUID } from 'node:crypto';
import type { ChatInputCommandInteraction, Interaction } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { newSubscription } from '../../src/bot/announcements/kinds/of-source.ts';
import { CatalogError, CatalogHttpError } from '../../src/bot/catalog/errors.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../src/bot/deals/event.ts';
import { MOST_CATCH_UP, resourceOf, type Source, type Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import type { CommandContext } from '../../src/bot/discord/command.ts';
import { described, named } from '../../src/bot/discord/i18n/command-words.ts';
import { describeSource } from '../../src/bot/discord/i18n/describe-source.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { ANNOUNCEABLE_CHANNELS, requirePostable, requireTarget } from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireFeed } from '../feed-option.ts';
import type { CommandServices } from '../shared.ts';
import { panel } from './panel.ts';
import { requireRoom, requireUnique } from './save.ts';
import { PRICE_SETTINGS, SETTING_NAMES, SETTING_OPTIONS, type SettingName, settingsFrom } from './settings.ts';
import type { Subcommand } from './subcommand.ts';

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

/** The sources in the order in which people see them, each with its own options. */
const SOURCES: readonly {
  kind: Source['kind'];
  options: APIApplicationCommandBasicOption[];
  /** The settings offered as options of the command; the panel has the others. */
  settings: readonly SettingName[];
  sourceOf: (interaction: ChatInputCommandInteraction, feeds: readonly string[]) => Source;
}[] = [
  {
    kind: 'feed',
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
    sourceOf: ({ options }, feeds) => ({ kind: 'feed', feed: requireFeed(options.getString('feed', true), feeds) }),
  },
  {
    kind: 'events',
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
    sourceOf: ({ options }) => ({
      kind: 'events',
      types: EVENT_TYPES.filter((type) => type === options.getString('type')),
      sites: SITE_PREFIXES.filter((site) => site === options.getString('site')),
    }),
  },
  ...(['dealcasts', 'polls', 'monkeychats'] as const).map((kind) => ({
    kind,
    options: [],
    settings: SETTING_NAMES.filter((name) => !PRICE_SETTINGS.has(name)),
    sourceOf: () => ({ kind }),
  })),
];

/** One subcommand of `/subscription add` per source, with only the options that suit the source. */
export const addSubcommands: readonly Subcommand[] = SOURCES.map(({ kind, options, settings, sourceOf }) => ({
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: kind,
    ...described(`command.subscription.add.from.${kind}`),
    options: [...options, CHANNEL, ...SETTING_OPTIONS.filter(({ name }) => settings.includes(name)), CATCH_UP],
  },

  async execute(interaction, guildId, shared, translator, context) {
    const source = sourceOf(interaction, shared.feeds);
    const channelId = interaction.options.getChannel('channel')?.id ?? interaction.channelId;
    const where = await requireTarget(interaction, channelId);
    await requirePostable(interaction, where);
    const subscription = newSubscription({
      id: randomUUID(),
      guildId,
      channelId,
      source,
      createdBy: interaction.user.id,
      createdAtMs: shared.clock.now(),
      catchUp: interaction.options.getInteger('catch-up') ?? DEFAULT_CATCH_UP,
    });
    return subscribe(settingsFrom(interaction, where)(subscription), interaction, shared, translator, context);
  },
}));

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
  { id, source, catchUp }: Subscription,
  { poller, subscriptions }: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<string> {
  try {
    context.spend();
    const { enqueued } = await poller.poll(resourceOf(source), 'interactive');
    const coming = enqueued.filter(({ matches }) => matches.some(({ subscriptionId }) => subscriptionId === id)).length;
    if (coming > 0) return translator.t('subscription.comes', { count: coming });
    return translator.t('subscription.fromHereOn');
  } catch (cause) {
    // A rate limited person waits for the bot's next regular poll.
    if (cause instanceof UserError) return translator.t('subscription.soon');
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      await subscriptions.remove(id);
      throw new UserError(message('subscription.notInCatalog', { source: describeSource(source, translator) }), {
        cause,
      });
    }
    if (!(cause instanceof CatalogError)) throw cause;
    return catchUp > 0
      ? translator.t('subscription.later', { count: catchUp })
      : translator.t('subscription.laterNews');
  }
}
