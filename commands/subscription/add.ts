import { randomUUID } from 'node:crypto';
import type { ChatInputCommandInteraction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { CatalogError, CatalogHttpError } from '../../src/catalog/errors.ts';
import {
  MOST_CATCH_UP,
  newSubscription,
  resourceOf,
  type Source,
  type Subscription,
} from '../../src/deals/subscription.ts';
import { noticeCard } from '../../src/discord/cards/notice-card.ts';
import { ANNOUNCEABLE_CHANNELS, requirePostableChannel } from '../../src/discord/permissions.ts';
import { described } from '../../src/discord/words/command-words.ts';
import { describeSource } from '../../src/discord/words/describe-source.ts';
import { say, type Words } from '../../src/discord/words/words.ts';
import { UserError } from '../../src/errors.ts';
import { requireFeed } from '../feed-option.ts';
import type { Shared } from '../shared.ts';
import type { Subcommand } from './subcommand.ts';

const DEFAULT_CATCH_UP = 3;
const ANNOUNCED: readonly Source['kind'][] = ['feed', 'events', 'dealcasts'];

export const add: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'add',
    ...described('command.subscription.add'),
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'source',
        ...described('command.subscription.add.source'),
        required: true,
        choices: ANNOUNCED.map((kind) => ({ name: kind, value: kind })),
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'feed',
        ...described('command.subscription.add.feed'),
        autocomplete: true,
      },
      {
        type: ApplicationCommandOptionType.Channel,
        name: 'channel',
        ...described('command.subscription.add.channel'),
        channel_types: [...ANNOUNCEABLE_CHANNELS],
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'catch-up',
        ...described('command.subscription.add.catch-up'),
        min_value: 0,
        max_value: MOST_CATCH_UP,
      },
    ],
  },

  async execute(interaction, guildId, shared, words) {
    const source = sourceOf(interaction, shared.feeds);
    const channelId = interaction.options.getChannel('channel')?.id ?? interaction.channelId;
    const channel = await requirePostableChannel(interaction, channelId);
    const same = shared.subscriptions
      .ofGuild(guildId)
      .find((other) => other.channelId === channel.id && resourceOf(other.source) === resourceOf(source));
    const told = { channel: `<#${channel.id}>`, source: describeSource(source, words) };
    if (same) throw new UserError(say('subscription.twice', told));

    const added = newSubscription({
      id: randomUUID(),
      guildId,
      channelId: channel.id,
      source,
      createdBy: interaction.user.id,
      createdAtMs: shared.clock.now(),
      catchUp: interaction.options.getInteger('catch-up') ?? DEFAULT_CATCH_UP,
    });
    await shared.subscriptions.save(added);
    return noticeCard(words.t('subscription.added', { ...told, outlook: await firstPoll(added, shared, words) }));
  },
};

/** Looks at the source at once, so that the channel sees what it will get. Returns what to tell the person. */
async function firstPoll(
  { id, source, catchUp }: Subscription,
  { poster, subscriptions }: Shared,
  words: Words,
): Promise<string> {
  try {
    const { enqueued } = await poster.poll(resourceOf(source), 'interactive');
    const coming = enqueued.filter(({ matches }) => matches.some(({ subscriptionId }) => subscriptionId === id)).length;
    if (coming > 0) return words.t('subscription.comes', { count: coming });
    return words.t('subscription.fromHereOn');
  } catch (cause) {
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      await subscriptions.remove(id);
      throw new UserError(say('subscription.notInCatalog', { source: describeSource(source, words) }), { cause });
    }
    if (!(cause instanceof CatalogError)) throw cause;
    return catchUp > 0 ? words.t('subscription.later', { count: catchUp }) : words.t('subscription.laterNews');
  }
}

function sourceOf(interaction: ChatInputCommandInteraction, feeds: readonly string[]): Source {
  const kind = interaction.options.getString('source', true);
  const typed = interaction.options.getString('feed');
  if (kind === 'events') return { kind, sites: [], types: [] };
  if (kind === 'dealcasts') return { kind };
  if (kind !== 'feed') throw new UserError(say('subscription.noSource', { source: kind }));
  if (!typed) throw new UserError(say('subscription.whichFeed'));
  return { kind, feed: requireFeed(typed, feeds) };
}
