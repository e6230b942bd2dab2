import { randomUUID } from 'node:crypto';
import type { ChatInputCommandInteraction } from 'discord.js';
import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord-api-types/v10';
import { CatalogError, CatalogHttpError } from '../src/catalog/errors.ts';
import {
  describeSource,
  MOST_CATCH_UP,
  newSubscription,
  resourceOf,
  type Source,
  type Subscription,
} from '../src/deals/subscription.ts';
import { noticeCard } from '../src/discord/cards/notice-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { subscriptionsCard } from '../src/discord/cards/subscriptions-card.ts';
import { ANNOUNCEABLE_CHANNELS, requireManager, requirePostableChannel } from '../src/discord/permissions.ts';
import { UserError } from '../src/errors.ts';
import { feedChoices, requireFeed } from './feed-option.ts';
import type { Command, Shared } from './shared.ts';

const DEFAULT_CATCH_UP = 3;
const ANNOUNCED: readonly Source['kind'][] = ['feed', 'events', 'dealcasts'];

export const subscription: Command = {
  data: {
    name: 'subscription',
    description: 'What is announced in this server',
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    contexts: [0],
    options: [
      {
        type: ApplicationCommandOptionType.Subcommand,
        name: 'add',
        description: 'Announce something in a channel',
        options: [
          {
            type: ApplicationCommandOptionType.String,
            name: 'source',
            description: 'What to announce',
            required: true,
            choices: ANNOUNCED.map((kind) => ({ name: kind, value: kind })),
          },
          {
            type: ApplicationCommandOptionType.String,
            name: 'feed',
            description: 'Which feed, where the source is a feed',
            autocomplete: true,
          },
          {
            type: ApplicationCommandOptionType.Channel,
            name: 'channel',
            description: 'Where to announce it; here, if left out',
            channel_types: [...ANNOUNCEABLE_CHANNELS],
          },
          {
            type: ApplicationCommandOptionType.Integer,
            name: 'catch-up',
            description: `How many of the newest to post at once, 0 to ${MOST_CATCH_UP}; ${DEFAULT_CATCH_UP}, if left out`,
            min_value: 0,
            max_value: MOST_CATCH_UP,
          },
        ],
      },
      {
        type: ApplicationCommandOptionType.Subcommand,
        name: 'list',
        description: 'Show what is announced, and where',
      },
      {
        type: ApplicationCommandOptionType.Subcommand,
        name: 'remove',
        description: 'Announce something no more',
        options: [
          {
            type: ApplicationCommandOptionType.String,
            name: 'id',
            description: 'Which subscription',
            required: true,
            autocomplete: true,
          },
        ],
      },
    ],
  },
  answer: 'private',

  async execute(interaction, shared) {
    const { guildId } = requireManager(interaction);
    switch (interaction.options.getSubcommand()) {
      case 'add':
        return add(interaction, guildId, shared);
      case 'list':
        return subscriptionsCard(shared.subscriptions.ofGuild(guildId));
      case 'remove':
        return remove(interaction.options.getString('id', true), guildId, shared);
      default:
        throw new UserError('There is no such subcommand any more.');
    }
  },

  autocomplete(interaction, { feeds, subscriptions }) {
    const { name, value } = interaction.options.getFocused(true);
    if (name === 'feed') return feedChoices(value, feeds);
    if (!interaction.guildId || !interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return [];
    const channels = interaction.guild?.channels.cache;
    return subscriptions
      .ofGuild(interaction.guildId)
      .map((entry) => ({
        name: `${describeSource(entry.source)} in #${channels?.get(entry.channelId)?.name ?? 'a deleted channel'}`,
        value: entry.id,
      }))
      .filter((choice) => choice.name.toLowerCase().includes(value.trim().toLowerCase()));
  },
};

async function add(interaction: ChatInputCommandInteraction, guildId: string, shared: Shared): Promise<Card> {
  const source = sourceOf(interaction, shared.feeds);
  const channelId = interaction.options.getChannel('channel')?.id ?? interaction.channelId;
  const channel = await requirePostableChannel(interaction, channelId);
  const same = shared.subscriptions
    .ofGuild(guildId)
    .find((other) => other.channelId === channel.id && resourceOf(other.source) === resourceOf(source));
  if (same) throw new UserError(`<#${channel.id}> is subscribed to ${describeSource(source)} already.`);

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
  return noticeCard(
    `<#${channel.id}> is subscribed to ${describeSource(source)} now. ${await firstPoll(added, shared)}`,
  );
}

/** Looks at the source at once, so that the channel sees what it will get. Returns what to tell the person. */
async function firstPoll({ id, source, catchUp }: Subscription, { poster, subscriptions }: Shared): Promise<string> {
  try {
    const { enqueued } = await poster.poll(resourceOf(source), 'interactive');
    const coming = enqueued.filter(({ matches }) => matches.some(({ subscriptionId }) => subscriptionId === id)).length;
    if (coming > 0) return `The newest ${coming} come at once, everything new from here on.`;
    return 'Everything new is announced from here on.';
  } catch (cause) {
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      await subscriptions.remove(id);
      throw new UserError(`The catalog has no ${describeSource(source)}, so nothing was subscribed.`, { cause });
    }
    if (!(cause instanceof CatalogError)) throw cause;
    const promise = catchUp > 0 ? `the newest ${catchUp} follow` : 'announcements start';
    return `The catalog does not answer right now; ${promise} as soon as it does.`;
  }
}

function sourceOf(interaction: ChatInputCommandInteraction, feeds: readonly string[]): Source {
  const kind = interaction.options.getString('source', true);
  const typed = interaction.options.getString('feed');
  if (kind === 'events') return { kind, sites: [], types: [] };
  if (kind === 'dealcasts') return { kind };
  if (kind !== 'feed') throw new UserError(`There is no source ${kind}.`);
  if (!typed) throw new UserError('Which feed? Please fill in the option `feed` as well.');
  return { kind, feed: requireFeed(typed, feeds) };
}

async function remove(id: string, guildId: string, { subscriptions }: Shared): Promise<Card> {
  const found = subscriptions.get(id);
  // Another server's subscription is none of this one's business, not even that it is there.
  if (!found || found.guildId !== guildId) {
    throw new UserError('This server has no such subscription. Choose one from the list that the option `id` offers.');
  }
  await subscriptions.remove(id);
  return noticeCard(`${describeSource(found.source)} is not announced in <#${found.channelId}> any more.`);
}
