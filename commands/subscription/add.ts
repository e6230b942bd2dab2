import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { newSubscription } from '../../src/announcements/kinds/of-source.ts';
import { CatalogError, CatalogHttpError } from '../../src/catalog/errors.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../src/deals/event.ts';
import type { Setting } from '../../src/deals/settings.ts';
import {
  MOST_CATCH_UP,
  resourceOf,
  SOURCE_KINDS,
  type Source,
  type Subscription,
} from '../../src/deals/subscription.ts';
import { dueAt } from '../../src/deals/timing.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { requireFilter } from '../../src/discord/filter-mistake.ts';
import { described, named } from '../../src/discord/i18n/command-words.ts';
import { describeSource } from '../../src/discord/i18n/describe-source.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { ANNOUNCEABLE_CHANNELS, knownTarget, requirePostable } from '../../src/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireFeed } from '../options.ts';
import type { Command, ComponentRequest, ManagerRequest, Subcommand } from '../shared.ts';
import {
  checking,
  InputError,
  optionsForm,
  orMistake,
  type TypedOptions,
  typedAbove,
  typedIn,
  typedTogether,
} from '../typed-options.ts';
import { filterTo } from './edit.ts';
import { outlookOf, panel } from './panel.ts';
import { requireRoom, requireUnique, saidTwice, sameIn, savedBy } from './save.ts';
import { requireWhole, settingOptions, settingsFrom } from './settings.ts';

const DEFAULT_CATCH_UP = 3;

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

/** The own options of each source, and the source that they stand for. */
interface AddFrom {
  options: APIApplicationCommandBasicOption[];
  sourceOf: (typed: TypedOptions, feeds: readonly string[]) => Source | Promise<Source>;
}

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
    sourceOf: (typed) => ({
      kind: 'events',
      types: EVENT_TYPES.filter((type) => type === typed.get('type')),
      sites: SITE_PREFIXES.filter((site) => site === typed.get('site')),
    }),
  },
  dealcasts: { options: [], sourceOf: () => ({ kind: 'dealcasts' }) },
  polls: { options: [], sourceOf: () => ({ kind: 'polls' }) },
  monkeychats: { options: [], sourceOf: () => ({ kind: 'monkeychats' }) },
};

function optionsOf(source: Source['kind'], settings: readonly Setting[]): APIApplicationCommandBasicOption[] {
  return [...FROM[source].options, CHANNEL, ...settingOptions(source, settings), CATCH_UP];
}

/** One subcommand of `/subscription add` per source, with only the options that suit the source. */
export function addSubcommands(settings: readonly Setting[]): readonly Subcommand[] {
  return SOURCE_KINDS.map((source) => ({
    data: {
      type: ApplicationCommandOptionType.Subcommand,
      name: source,
      ...described(`command.subscription.add.from.${source}`),
      options: optionsOf(source, settings),
    },
    execute: (request) => add(source, typedIn(request), request),
  }));
}

export const addActions = {
  /** Opens the form of options with a mistake. */
  add: {
    answer: 'update',
    async run(action, request) {
      const manager = request.asManager();
      const options = optionsOf(action.source, manager.services.settings);
      return optionsForm(action, options, typedAbove(request), manager.translator);
    },
  },
  /** Makes the card's channel follow a feed; other members get a subscription of their own, where people can have some. */
  subscribe: {
    answer: 'private',
    async run(action, request) {
      const { services, translator, guild } = request;
      const feed = requireFeed(action.feed, services.feeds);
      // Without the bot in the server, nobody can subscribe its channels.
      if (services.personal && (!request.isManager || guild === null))
        return services.personal.form(feed, translator, action.filter);
      const manager = request.asManager();
      const filter = action.filter === '' ? '' : requireFilter(action.filter).text;
      const channelId = placeOf(request);
      const there = services.subscriptions
        .ofGuild(manager.server)
        .filter((other) => filter === '' || other.filter === filter)
        .find(
          ({ source, ...other }) => other.channelId === channelId && source.kind === 'feed' && source.feed === feed,
        );
      if (there) return panel(there, manager, request.t('subscription.there', { channel: `<#${channelId}>`, feed }));
      const { target } = await requirePostable(guild, channelId);
      const wanted = newSubscription({
        id: randomUUID(),
        guildId: manager.server,
        channelId,
        source: { kind: 'feed', feed },
        createdBy: request.person.id,
        createdAtMs: services.clock.now(),
        catchUp: DEFAULT_CATCH_UP,
      });
      return subscribe({ ...wanted, filter, target }, manager);
    },
  },
} satisfies Command['actions'];

export const addForms = {
  add: {
    answer: 'update',
    async run({ source }, request) {
      const manager = request.asManager();
      return add(source, typedTogether(request), manager);
    },
  },
} satisfies Command['forms'];

/** The channel of the card; for a forum post the forum, in which each announcement becomes a post. */
function placeOf({ client, guild, message: { channelId } }: ComponentRequest): string {
  const channel = client.channels.cache.get(channelId);
  const parentId = channel?.isThread() ? channel.parentId : null;
  const parent = parentId === null ? null : knownTarget(guild, parentId);
  return parent?.target === 'forum' ? parent.channel.id : channelId;
}

/** Adds a subscription; of options with a mistake, a card keeps all of them. */
async function add(kind: Source['kind'], written: TypedOptions, request: ManagerRequest): Promise<Card> {
  const { services, guild, translator } = request;
  const mistake = { fix: { do: 'add', source: kind }, typed: written, subscriptionId: null } as const;
  return orMistake(mistake, request, async (typed) => {
    const source = await FROM[kind].sourceOf(typed, services.feeds);
    const channelId = typed.get('channel') ?? request.channelId ?? '';
    const where = await checking('channel', () => requirePostable(guild, channelId));
    const subscription = newSubscription({
      id: randomUUID(),
      guildId: request.server,
      channelId: where.channel.id,
      source,
      createdBy: request.person.id,
      createdAtMs: services.clock.now(),
      catchUp: catchUpFrom(typed),
    });
    const alter = await settingsFrom(typed, kind, services, guild, where);
    const wanted = alter(subscription);
    const there = sameIn(services, wanted);
    // Nothing is to be fixed where it has all the settings that were asked for; its filter may be spelled otherwise.
    if (there && isDeepStrictEqual({ ...alter(there), filter: there.filter }, there)) {
      return panel(there, request, translator.translate(saidTwice(wanted, translator)));
    }
    return { answer: await subscribe(wanted, request), asWords: filterTo(wanted.id) };
  });
}

function catchUpFrom(typed: TypedOptions): number {
  const text = typed.get(CATCH_UP.name);
  return text === undefined ? DEFAULT_CATCH_UP : requireWhole(CATCH_UP.name, text, { least: 0, most: MOST_CATCH_UP });
}

/**
 * Creates a subscription, and polls its source at once. Resolves with a note on when it posts.
 * @throws UserError where the channel has the same one, the server has its most, or the catalog has no such feed
 */
export async function saveNew(wanted: Subscription, request: ManagerRequest): Promise<string> {
  await request.services.subscriptions.save(savedBy(wanted, request), () => {
    requireUnique(wanted, request);
    requireRoom(request);
  });
  return firstPoll(wanted, request);
}

/** Creates a subscription and answers with its panel, which says what is posted at once. */
async function subscribe(wanted: Subscription, request: ManagerRequest): Promise<Card> {
  const { services, translator, t } = request;
  const outlook = await saveNew(wanted, request);
  const values = { channel: `<#${wanted.channelId}>`, source: describeSource(wanted.source, translator), outlook };
  // The first poll may have marked the catch-up as done in the meantime.
  const added = services.subscriptions.get(wanted.id) ?? wanted;
  return panel(added, request, t('subscription.added', values));
}

/** Polls the source at once, so that the channel gets its first posts. Returns a note for the person. */
async function firstPoll(subscription: Subscription, request: ManagerRequest): Promise<string> {
  const { t, translator } = request;
  const { poller, subscriptions, clock } = request.services;
  const { id, source, catchUp, timing } = subscription;
  try {
    request.spend();
    const { enqueued } = await poller.poll(resourceOf(source), 'interactive');
    const coming = enqueued.filter(({ matches }) => matches.some(({ subscriptionId }) => subscriptionId === id));
    return outlookOf(subscription, request, coming);
  } catch (cause) {
    // A rate limited person waits for the bot's next regular poll.
    if (cause instanceof UserError) return withNext(t('subscription.soon'));
    if (cause instanceof CatalogHttpError && cause.isUnknown) {
      await subscriptions.remove(id);
      const values = { source: describeSource(source, translator) };
      throw new InputError(['feed'], message('subscription.notInCatalog', values), { cause });
    }
    if (!(cause instanceof CatalogError)) throw cause;
    if (timing.mode !== 'at-once') return t('subscription.laterInDigest');
    if (catchUp === 0 || isWaiting()) return withNext(t('subscription.laterNews'));
    return t('subscription.later', { count: catchUp });
  }

  function isWaiting(): boolean {
    return dueAt(timing, clock.now()).dueAtMs > clock.now();
  }

  /** Posts that have to wait for a digest or the end of quiet hours come later than the next poll. */
  function withNext(sentence: string): string {
    return isWaiting() ? `${sentence} ${outlookOf(subscription, request)}` : sentence;
  }
}
