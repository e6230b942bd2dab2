import { ApplicationCommandOptionType } from 'discord-api-types/v10';

import type { Setting } from '../../src/deals/settings.ts';
import { SOURCE_KINDS, type Source } from '../../src/deals/subscription.ts';
import { timeZonesLike } from '../../src/deals/time-of-day.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { subscriptionsCard } from '../../src/discord/cards/subscriptions-card.ts';
import { described } from '../../src/discord/i18n/command-words.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { knownTarget } from '../../src/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { candidatesIn } from '../known.ts';
import { feedChoices, feedNamed, filterChoices, idChoices } from '../options.ts';
import {
  type AutocompleteRequest,
  type Command,
  FOR_MANAGERS,
  type ManagerRequest,
  type Subcommand,
} from '../shared.ts';
import { addActions, addForms, addSubcommands } from './add.ts';
import { duplicateActions } from './duplicate.ts';
import { editSubcommand, filterActions } from './edit.ts';
import { flagTroubles } from './flags.ts';
import { pause, resume } from './pause.ts';
import { remove } from './remove.ts';
import { panelActions, panelForms } from './steps.ts';

const list: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'list',
    ...described('command.subscription.list'),
  },
  execute: async (request) => listPage(1, request),
};

/** The subcommands outside of groups, in the order in which people see them. */
const SUBCOMMANDS: readonly Subcommand[] = [list, pause, resume, remove];

/** @param settings all those that a subscription can have */
export function createSubscriptionCommand(settings: readonly Setting[]): Command {
  const adding = addSubcommands(settings);
  const others = [editSubcommand(settings), ...SUBCOMMANDS];
  return {
    ...HANDLERS,
    data: {
      name: 'subscription',
      ...described('command.subscription'),
      ...FOR_MANAGERS,
      options: [
        {
          type: ApplicationCommandOptionType.SubcommandGroup,
          name: 'add',
          ...described('command.subscription.add'),
          options: adding.map(({ data }) => data),
        },
        ...others.map(({ data }) => data),
      ],
    },

    async execute(request) {
      const manager = request.asManager();
      const { options } = request;
      const group = options.getSubcommandGroup() === 'add' ? adding : others;
      const subcommand = group.find(({ data }) => data.name === options.getSubcommand());
      if (!subcommand) throw new UserError(message('subscription.noSubcommand'));
      return subcommand.execute(manager);
    },
  };
}

const HANDLERS: Omit<Command, 'data' | 'execute'> = {
  answer: 'private',

  /** An option means the same in every subcommand. */
  async autocomplete(request) {
    if (!request.isManager) return [];
    const { options, services } = request;
    const { name, value } = options.getFocused(true);
    switch (name) {
      case 'feed':
        return feedChoices(value, services.feeds);
      case 'id':
        return idChoices(value, request);
      case 'time-zone':
        return timeZonesLike(value).map((zone) => ({ name: zone, value: zone }));
      case 'tag':
        return tagChoices(value, request);
      case 'filter': {
        const source = sourceTyped(request);
        return filterChoices(value, source && (await candidatesIn(source, services)), request);
      }
      default:
        return [];
    }
  },

  actions: {
    subscriptions: {
      answer: 'update',
      run: async ({ page }, request) => listPage(page, request.asManager()),
    },
    ...addActions,
    ...filterActions,
    ...duplicateActions,
    ...panelActions,
  },
  forms: { ...addForms, ...panelForms },
};

/** Subscriptions in order of creation. */
function listPage(page: number, { server, guild, services, cardContext }: ManagerRequest): Card {
  const channels = guild?.channels.cache;
  return subscriptionsCard(
    {
      subscriptions: services.subscriptions.ofGuild(server).toSorted((a, b) => a.createdAtMs - b.createdAtMs),
      settings: services.settings,
      page,
      channelName: (channelId) => channels?.get(channelId)?.name,
      troublesOf: (subscription) => flagTroubles(subscription, services),
    },
    cardContext,
  );
}

/** The source of the subscription that is being added or edited; null where it is not chosen yet. */
function sourceTyped({ options, server, services }: AutocompleteRequest): Source | null {
  const { feeds, subscriptions } = services;
  const edited = subscriptions.get(options.getString('id') ?? '');
  if (edited) return edited.guildId === server ? edited.source : null;
  const kind = SOURCE_KINDS.find((candidate) => candidate === options.getSubcommand());
  if (kind === 'feed') {
    const feed = feedNamed(options.getString('feed') ?? '', feeds);
    return feed === undefined ? null : { kind, feed };
  }
  return kind === 'events' ? { kind, types: [], sites: [] } : kind ? { kind } : null;
}

/** The tags of the chosen forum whose names contain the input. */
function tagChoices(typed: string, request: AutocompleteRequest): { name: string; value: string }[] {
  const { options, server, guild, services } = request;
  const edited = services.subscriptions.get(options.getString('id') ?? '');
  const ownChannelId = edited?.guildId === server ? edited?.channelId : undefined;
  const given = options.get('channel')?.value;
  const channelId = typeof given === 'string' ? given : (ownChannelId ?? request.channelId ?? '');
  return (knownTarget(guild, channelId)?.tags ?? [])
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ id, name }) => ({ name, value: id }));
}
