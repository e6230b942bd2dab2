import { randomUUID } from 'node:crypto';
import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOptionChoice,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
} from 'discord-api-types/v10';
import { candidatesIn } from '../../../commands/known.ts';
import { feedChoices, feedNamed, filterChoices, requireFeed } from '../../../commands/options.ts';
import type {
  AutocompleteRequest,
  ChatRequest,
  FeatureCommand,
  ManagerRequest,
  Request,
} from '../../../commands/shared.ts';
import { saveNew } from '../../../commands/subscription/add.ts';
import { filterTo } from '../../../commands/subscription/edit.ts';
import { change, sameIn } from '../../../commands/subscription/save.ts';
import { typedFilter } from '../../../commands/typed-options.ts';
import { newSubscription } from '../../announcements/kinds/of-source.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { commandWords, described as core } from '../../discord/i18n/command-words.ts';
import { describeSource } from '../../discord/i18n/describe-source.ts';
import { message } from '../../discord/i18n/translator.ts';
import { LIMITS } from '../../discord/limits.ts';
import {
  knownTarget,
  lackOf,
  requireOperator,
  requirePostable,
  type TargetChannel,
} from '../../discord/permissions.ts';
import { type LocalizedText, UserError } from '../../shared/errors.ts';
import { TABLE } from './actions.ts';
import { hubsCard, type OperatedHub } from './cards.ts';
import { subscriptionsOf } from './offered.ts';
import { type Hub, inOrder } from './records.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const { Subcommand: SUBCOMMAND, String: TEXT, Channel: CHANNEL } = ApplicationCommandOptionType;
/** The longest description of a hub: one line, which a menu shows whole. */
const MOST_DESCRIPTION = LIMITS.menuLabel;

const ADD_OPTIONS: APIApplicationCommandBasicOption[] = [
  {
    type: CHANNEL,
    name: 'channel',
    ...described('command.hub.add.channel'),
    channel_types: [ChannelType.GuildAnnouncement],
    required: true,
  },
  {
    type: TEXT,
    name: 'description',
    ...described('command.hub.add.description'),
    required: true,
    max_length: MOST_DESCRIPTION,
  },
  { type: TEXT, name: 'feed', ...described('command.hub.add.feed'), autocomplete: true },
  { type: TEXT, name: 'filter', ...core('command.setting.filter'), autocomplete: true, max_length: 2000 },
];

interface Job {
  data: APIApplicationCommandSubcommandOption;
  run(request: ChatRequest): Promise<Card>;
}

const JOBS: readonly Job[] = [
  { data: { type: SUBCOMMAND, name: 'add', ...described('command.hub.add'), options: ADD_OPTIONS }, run: add },
  {
    data: {
      type: SUBCOMMAND,
      name: 'remove',
      ...described('command.hub.remove'),
      options: [
        { type: TEXT, name: 'hub', ...described('command.hub.remove.hub'), required: true, autocomplete: true },
      ],
    },
    run: remove,
  },
  {
    data: { type: SUBCOMMAND, name: 'list', ...described('command.hub.list') },
    run: (request) => listPage(1, request),
  },
];

/** For the application's owner or team alone, as `/owner`. */
export const hub: FeatureCommand<typeof TABLE> = {
  table: TABLE,
  data: {
    name: 'hub',
    ...described('command.hub'),
    // No permission is enough: only administrators have all of them.
    default_member_permissions: '0',
    integration_types: [ApplicationIntegrationType.GuildInstall],
    contexts: [InteractionContextType.Guild],
    options: JOBS.map(({ data }) => data),
  },
  answer: 'private',
  async execute(request) {
    const job = JOBS.find(({ data }) => data.name === request.options.getSubcommand());
    if (!job) throw new UserError(message('failure.unknownCommand'));
    await requireOperator(request, job.data.name === 'list' ? 'read' : 'act');
    return job.run(request);
  },
  async autocomplete(request) {
    const { name, value } = request.options.getFocused(true);
    switch (name) {
      case 'feed':
        return feedChoices(value, request.services.feeds);
      case 'filter':
        return filterFor(value, request);
      default:
        return hubChoices(value, request);
    }
  },
  actions: {
    hubs: {
      answer: 'update',
      async run({ page }, request) {
        await requireOperator(request, 'read');
        return listPage(page, request);
      },
    },
  },
};

async function filterFor(typed: string, request: AutocompleteRequest) {
  const { options, services } = request;
  const feed = feedNamed(options.getString('feed') ?? '', services.feeds);
  const live = feed === undefined ? null : await candidatesIn({ kind: 'feed', feed }, services);
  return filterChoices(typed, live, request);
}

function hubChoices(typed: string, request: AutocompleteRequest): APIApplicationCommandOptionChoice<string>[] {
  return request.services.hubs
    .all()
    .map(({ channelId }) => ({ name: channelName(channelId, request), value: channelId }))
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .slice(0, LIMITS.autocompleteChoices);
}

/** `#deals · Server`; foreign text. The id where the bot doesn't see the channel. */
function channelName(channelId: string, { client }: AutocompleteRequest): string {
  const channel = client.channels.cache.get(channelId);
  return channel && 'guild' in channel ? `#${channel.name} · ${channel.guild.name}` : channelId;
}

/** Makes a channel of this server a hub, whose subscriptions publish from then on; adds one where it has none. */
async function add(request: ChatRequest): Promise<Card> {
  const manager = request.asManager();
  const { services, options, guild, server } = manager;
  const { channel, isPublishable } = await requirePostable(guild, options.getChannel('channel', true).id);
  if (!isPublishable) throw new UserError(message('subscription.notPublishable', { channel: `<#${channel.id}>` }));
  const { filter, noted } = typedFilter(options.getString('filter') ?? '', manager);
  const { outlook, subscriptionId } = await subscribed(channel.id, manager, {
    feed: options.getString('feed'),
    filter: filter.text,
  });
  await services.hubs.save(channel.id, {
    channelId: channel.id,
    guildId: server,
    description: options.getString('description', true).trim(),
    addedAtMs: services.hubs.get(channel.id)?.addedAtMs ?? services.clock.now(),
  });
  const added = request.t('hub.added', { channel: `<#${channel.id}>` });
  const list = await listPage(1, request, [`✅ ${added}`, outlook].filter(Boolean).join(' '));
  return noted(list, filterTo(subscriptionId));
}

/** Turns publishing on for the channel's subscriptions, and adds the requested one if it is missing. */
async function subscribed(
  channelId: string,
  request: ManagerRequest,
  { feed: typed, filter }: { feed: string | null; filter: string },
): Promise<{ outlook: string; subscriptionId: string }> {
  const { services, server, person } = request;
  const there = services.subscriptions.ofGuild(server).filter((other) => other.channelId === channelId);
  for (const one of there) {
    if (!one.isPublished) await change(one, (current) => ({ ...current, isPublished: true }), request);
  }
  if (typed === null) {
    if (there.length === 0 || filter !== '') throw new UserError(message('hub.needsFeed'));
    return { outlook: '', subscriptionId: '' };
  }
  const feed = requireFeed(typed, services.feeds);
  const wanted: Subscription = {
    ...newSubscription({
      id: randomUUID(),
      guildId: server,
      channelId,
      source: { kind: 'feed', feed },
      createdBy: person.id,
      createdAtMs: services.clock.now(),
      catchUp: 0,
    }),
    filter,
    isPublished: true,
  };
  const same = sameIn(services, wanted);
  if (same) return { outlook: '', subscriptionId: same.id };
  return { outlook: await saveNew(wanted, request), subscriptionId: wanted.id };
}

/** The subscriptions of the channel stay, and so do those who follow it. */
async function remove(request: ChatRequest): Promise<Card> {
  const { services, options } = request;
  const typed = options.getString('hub', true).trim();
  const found = services.hubs.get(typed.replace(/^<#(\d{1,20})>$/, '$1'));
  if (!found) throw new UserError(message('hub.unknown'));
  await services.hubs.remove(found.channelId);
  // What waited for publications there goes on.
  services.deliverer.kick();
  return listPage(1, request, request.t('hub.removed', { channel: `<#${found.channelId}>` }));
}

async function listPage(page: number, request: Request, lead = ''): Promise<Card> {
  const hubs: OperatedHub[] = [];
  for (const one of inOrder(request.services.hubs)) hubs.push(await operated(one, request));
  return hubsCard({ hubs, page, lead }, request.cardContext);
}

async function operated(one: Hub, request: Request): Promise<OperatedHub> {
  const { client, services, translator } = request;
  const { channelId, guildId, description } = one;
  const guild = client.guilds.cache.get(guildId) ?? null;
  const subscriptions = subscriptionsOf(one, request);
  const where = knownTarget(guild, channelId);
  const unpublished = subscriptions.filter(({ isPublished }) => !isPublished);
  return {
    channelId,
    server: guild?.name ?? null,
    description,
    subscriptions,
    warnings: [
      ...(await placeTroubles(channelId, where)),
      ...(subscriptions.length === 0 ? [message('hub.noSubscription')] : []),
      ...unpublished.map(({ source }) => message('hub.unpublished', { source: describeSource(source, translator) })),
    ],
    publishing: services.deliverer.publishingOf(channelId),
    outage: services.outages.get(channelId) ?? null,
  };
}

async function placeTroubles(channelId: string, where: TargetChannel | null): Promise<LocalizedText[]> {
  if (!where) return [message('hub.unseen')];
  const lack = await lackOf(where);
  const isAnnouncing = where.isPublishable;
  return [
    ...(isAnnouncing ? [] : [message('subscription.notPublishable', { channel: `<#${channelId}>` })]),
    ...(lack ? [lack] : []),
  ];
}
