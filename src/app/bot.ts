import { commandsWith } from '../../commands/index.ts';
import type { CommandServices, FeatureServices } from '../../commands/shared.ts';
import { fieldsOf, flagsOf, settingsOf } from '../../commands/subscription/flags.ts';
import { flagHandlers } from '../../commands/subscription/steps.ts';
import { CurrentState } from '../announcements/current-state.ts';
import { Deliverer } from '../announcements/deliver/deliverer.ts';
import { mentionsOf } from '../announcements/deliver/mentions.ts';
import type { AppearanceOf } from '../announcements/deliver/parts.ts';
import { createExplainer } from '../announcements/explain/explain.ts';
import { createPoller, type PollStatus } from '../announcements/poll/poller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { appearanceFrom } from '../deals/appearance.ts';
import { productKey } from '../deals/known-offer.ts';
import { personAt } from '../deals/person.ts';
import { asRange } from '../deals/price.ts';
import type { Subscription } from '../deals/subscription.ts';
import { type BotClient, connect } from '../discord/client.ts';
import { createCourier } from '../discord/courier.ts';
import { createTranslators, type Translators } from '../discord/i18n/translator.ts';
import { nameOf } from '../discord/inspect.ts';
import { eachOnce, mayAttachFiles, watchPermissions } from '../discord/permissions.ts';
import { createPictureRenderer } from '../discord/pictures/renderer.ts';
import { keepRegistering } from '../discord/registration.ts';
import { countSuccesses, observeRest, shardsUp } from '../discord/rest.ts';
import { createRouter, tablesOf } from '../discord/router.ts';
import type { WritableOfferBook } from '../offers/offer-book.ts';
import { createOfferSearch } from '../offers/search.ts';
import { type Clock, systemClock, wallMsOf, within } from '../shared/clock.ts';
import { StoreError } from '../shared/errors.ts';
import type { Store } from '../store/store.ts';
import { isOnServer } from '../store/table/state-place.ts';
import type { Backups } from './backups.ts';
import type { AppContext, CompleteContext, FirstPrices } from './context.ts';
import type { Conditions, Core, FirstSubscriptions, Running, ScheduledJob, WrittenSubscription } from './feature.ts';
import { type BotFacts, currentHealth, stalledForMs } from './health.ts';
import { interfaceFacts, measuredCourier, measureEndings, readFacts, subscriptionFacts } from './measured.ts';
import type { MetricFacts } from './metrics.ts';
import { MALFORMED, type OperatorJobs } from './operator-socket.ts';
import { nameOfResource, resetOf, unreadOf } from './resource-facts.ts';

/** When old records are deleted: once a day, at a quiet hour. */
const SWEEP_CRON = '17 9 * * *';
/** How long Discord's gateway is waited for at the end, in milliseconds. */
const GOODBYE_WITHIN_MS = 1_000;

type Commands = ReturnType<typeof commandsWith>;

/** The parts of the bot that do not depend on Discord. */
export interface Prepared {
  store: Store;
  backups: Backups;
  /** The subscriptions to make where the state is new; null for none. */
  firstSubscriptions: FirstSubscriptions | null;
  /** Prices from before its first poll, which a new state begins with. */
  firstPrices: readonly FirstPrices[];
  catalog: Catalog;
  offers: WritableOfferBook;
  startedAtMs: number;
}

/** The requests spent of the catalog's day, the planner's next polls, and what people have set up. */
export interface BotPlan {
  quota: ReturnType<Catalog['quota']>;
  resources: PollStatus['resources'];
  /** The subscriptions of servers, in the form of `Feature.subscriptionForm`; empty where no feature has one. */
  subscriptions: WrittenSubscription[];
  /** Whether the application's owner has paused all posting. */
  isPaused: boolean;
}

export interface Bot {
  core: Core;
  /** The jobs of features. */
  jobs: readonly ScheduledJob[];
  facts(): BotFacts;
  figures(): MetricFacts;
  plan(): BotPlan;
  operatorJobs: OperatorJobs;
  /** The name of a channel or server; null where the bot does not know it. */
  nameOf(id: string): string | null;
}

/**
 * Logs in, however long Discord takes; then starts to announce and to answer. Resolves when the commands are registered.
 * @param onCreated called once the bot answers, before it polls
 */
export async function runBot(
  context: CompleteContext,
  prepared: Prepared,
  onCreated: (bot: Bot) => void,
): Promise<void> {
  const client = await logIn(context, prepared.store);
  await noteUser(client.user.id, context, prepared.store);
  const commandIds = new Map<string, string>();
  const translators = createTranslators(
    (name) => commandIds.get(name),
    context.features.flatMap(({ words }) => words ?? []),
  );
  const commands = commandsWith(context.features);
  const bot = createBot(context, prepared, client, { translators, commands });
  await setUp(context, prepared);
  context.signal.throwIfAborted();
  onCreated(bot);
  startPolling(context, bot);
  await registerCommands(context, client, { commands, ids: commandIds });
}

/** Notes the id by which backups are named. */
async function noteUser(id: string, { log }: AppContext, { botUser }: Store): Promise<void> {
  try {
    await botUser.save(id);
  } catch (error) {
    // The bot answers on a full disk, too.
    if (!(error instanceof StoreError)) throw error;
    log.warn({ err: error }, "the bot's id could not be noted");
  }
}

/** Sets up a new state, so that it is never set up again. */
async function setUp(context: AppContext, { store, firstSubscriptions, firstPrices }: Prepared): Promise<void> {
  if (!store.isNew) return;
  const saved = firstSubscriptions ? subscriptionsIn(firstSubscriptions, context) : [];
  await store.transact(async (changes) => {
    await store.prices.add(changes, new Map(firstPrices.map((product) => [productKey(product), product.runs])));
    for (const subscription of saved) store.subscriptions.put(changes, subscription);
    store.markSetUp(changes);
  });
}

/** @throws UserError with every mistake of the file */
function subscriptionsIn(first: FirstSubscriptions, { config, features, clock }: AppContext): readonly Subscription[] {
  const parts = { config, settings: settingsOf(features), clock };
  return features.flatMap(({ subscriptionForm }) => subscriptionForm?.read(first, parts) ?? []);
}

async function logIn(context: CompleteContext, store: Store): Promise<BotClient> {
  const { discordRate, discord } = context.config;
  const { token, api } = discord;
  const { clock, networkClock = systemClock, log, signal, metrics, problems, onStop, fail } = context;
  const client = await connect({
    token,
    api,
    requestsPerSecond: discordRate,
    clock,
    log,
    signal,
    mayLeave: store.confirm,
    onProblem: (problem) => problems.report('gateway', problem),
    onRefused: fail,
  });
  // A gateway that does not answer is waited for no longer: the state is given back after this.
  onStop(() => within(networkClock, GOODBYE_WITHIN_MS, client.destroy()).catch(() => undefined));
  observeRest(client, {
    onResponse: (status) => metrics.discordRequests.inc({ status }),
    onRateLimit: (scope) => metrics.rateLimits.inc({ scope }),
  });
  return client;
}

function createBot(
  context: AppContext,
  prepared: Prepared,
  client: BotClient,
  { translators, commands }: { translators: Translators; commands: Commands },
): Bot {
  const { config, features, clock, log, signal, metrics, onStop } = context;
  const { store, backups, catalog, offers } = prepared;
  const { subscriptions, deliveries } = store;
  const settings = settingsOf(features);
  const kinds = features.flatMap((feature) => feature.kinds ?? []);
  const currentState = new CurrentState(offers, store, kinds);
  measureEndings(deliveries, metrics);
  const courier = createCourier(client, signal);
  const successes = countSuccesses(client);
  const pictures = context.pictures ?? createPictureRenderer(clock);
  onStop(() => pictures.stop());
  /** The running parts of features; empty until the core's parts are there. */
  const running: Running[] = [];
  const appearanceOf: AppearanceOf = (guildId, subscription) =>
    appearanceFrom(...running.map(({ post }) => post?.appearanceOf?.(guildId, subscription)));
  const translatorOf = (guildId: string) => {
    const personId = personAt(guildId);
    if (personId !== null) return translators(store.people.get(personId)?.locale);
    return translators(client.guilds.cache.get(guildId)?.preferredLocale);
  };
  const deliverer = new Deliverer({
    store,
    appearanceOf,
    courier: measuredCourier(courier, deliveries, metrics),
    translatorOf,
    currentState,
    async attachmentsOf(announcement, { guildId, channelId }) {
      if (personAt(guildId) === null && !mayAttachFiles(client, channelId)) return [];
      const made = await Promise.all(
        running.flatMap(({ post }) => post?.attachmentOf?.(announcement, translatorOf(guildId)) ?? []),
      );
      return made.filter((attachment) => attachment !== null);
    },
    offerButtons: features.flatMap((feature) => feature.offerButtons ?? []),
    kinds,
    personal: personalOf(features) ?? undefined,
    mentions: mentionsOf(() => running.flatMap(({ post }) => post?.mentions ?? [])),
    isPublishedOnly: (channelId) => running.some(({ post }) => post?.isPublishedOnly?.(channelId)),
    continues: (announcement, subscription) =>
      running.map(({ post }) => post?.continues?.(announcement, subscription) ?? null).find((key) => key !== null) ??
      null,
    kept: () => running.flatMap(({ post }) => post?.kept ?? []),
    requestsPerSecond: config.discordRate,
    successes,
    clock,
    log,
    clearFromMs: store.clearFromMs,
  });
  onStop(() => deliverer.stop());
  const posting = watchPosting(deliverer, deliveries, clock);
  watchPermissions(client, deliverer);
  const poller = createPoller({
    catalog,
    offers,
    currentState,
    store,
    settings,
    deliverer,
    owed: () => running.flatMap(({ post }) => post?.owed ?? []),
    owedByOffers: () => running.flatMap(({ post }) => post?.owedByOffers ?? []),
    minIntervalMs: config.poll.minIntervalMs,
    clock,
    log,
    signal,
  });
  const core: Core = {
    ...context,
    store,
    catalog,
    offers,
    client,
    courier,
    poller,
    deliverer,
    currentState,
    explainer: createExplainer({ poller, deliverer, currentState, store, settings, offers, catalog, clock }),
    translators,
    appearanceOf,
    settings,
    pictures,
    successes,
    health: () => currentHealth(context.healthSource),
    conditions: () => conditionsOf(core, backups),
    needs: () => running.flatMap(({ needs }) => needs ?? []),
    networkClock: context.networkClock ?? systemClock,
  };
  running.push(...features.flatMap((feature) => feature.start?.(core) ?? []));
  answerCommands(context, prepared, core, { commands, running });
  return {
    core,
    jobs: running.flatMap(({ jobs }) => jobs ?? []),
    nameOf: (id) => nameOf(client, id),
    operatorJobs: {
      async run(name, asked, waiting) {
        const job = running.flatMap(({ operatorJobs }) => operatorJobs ?? []).find((one) => one.name === name);
        return (await job?.run(asked, waiting)) ?? MALFORMED;
      },
    },
    facts: () => botFacts(core, backups, posting()),
    plan: () => ({
      quota: catalog.quota(),
      resources: poller.status().resources,
      subscriptions: features.flatMap(({ subscriptionForm: form }) =>
        form ? subscriptions.ofServers().map((subscription) => form.written(subscription, settings)) : [],
      ),
      isPaused: deliverer.status().pausedSinceMs !== null,
    }),
    figures: () => metricFacts(core, running, posting()),
  };
}

/** Returns what shows and changes people's own subscriptions; null where no feature has them. */
const personalOf = (features: AppContext['features']) => features.find(({ personal }) => personal)?.personal ?? null;

/** Whether anything is posted: as `HealthFacts` tell it. */
type Posting = Pick<BotFacts, 'pausedSinceMs' | 'oldestDueAtMs' | 'setAside' | 'lastPostMs'>;

function watchPosting(deliverer: Deliverer, deliveries: Store['deliveries'], clock: Clock): () => Posting {
  // Monotonic: a wall clock that is set back would hide that nothing is posted.
  let lastPostMonotonicMs = clock.monotonicMs();
  deliveries.onEnded((outcome) => {
    if (outcome === 'posted') lastPostMonotonicMs = clock.monotonicMs();
  });
  return () => {
    const { oldestUnhinderedAtMs, pausedSinceMs } = deliverer.status();
    const setAside = deliverer.setAside().length;
    const oldestDueAtMs = pausedSinceMs === null ? oldestUnhinderedAtMs : null;
    return { pausedSinceMs, oldestDueAtMs, setAside, lastPostMs: wallMsOf(lastPostMonotonicMs, clock) };
  };
}

function botFacts(
  { config, store, catalog, client, poller, deliverer, clock }: Core,
  backups: Backups,
  posting: Posting,
): BotFacts {
  const polls = poller.status();
  return {
    ...posting,
    shards: shardsUp(client),
    stateProblem: store.writeProblem(),
    announced: deliverer.status().ended.sinceStart.posted,
    quotaResetsAtMs: resetOf(catalog.quota(), polls.resources),
    backupFailure: backups.failure(),
    unread: unreadOf(polls.resources, clock.now()),
    // A server that does not answer is given up by itself, and no restart makes it faster.
    readState: isOnServer(config.stateUrl) ? async () => undefined : () => store.deliveries.ended(''),
    confirmLease: store.confirm,
    ...polls,
  };
}

function metricFacts(
  { store, catalog, client, poller, deliverer, clock }: Core,
  running: readonly Running[],
  posting: Posting,
): MetricFacts {
  const { pending, oldestDueAtMs, pausedSinceMs } = deliverer.status();
  return {
    outbox: {
      deliveries: pending,
      oldestDueAtMs: pausedSinceMs === null ? oldestDueAtMs : null,
      stalledForMs: stalledForMs(posting, clock.now()),
    },
    pausedSinceMs,
    resources: readFacts(poller.status().resources),
    interfaces: interfaceFacts(catalog),
    drift: poller.drift(),
    doubts: poller.doubts(),
    shards: shardsUp(client),
    subscriptions: subscriptionFacts(store.subscriptions.ofServers()),
    ofFeatures: running.flatMap(({ figures }) => (figures ? [figures()] : [])),
  };
}

function conditionsOf({ store, catalog, poller, deliverer }: Core, backups: Backups): Conditions {
  const { failingSinceMs, failingBecause, resources } = poller.status();
  const followed = resources.filter(({ isFollowed }) => isFollowed);
  return {
    pollsFailBecause: failingSinceMs === null ? null : failingBecause,
    quotaResetsAtMs: resetOf(catalog.quota(), resources),
    unknownFeeds: followed.filter(({ failure }) => failure?.isUnknown).map(({ resource }) => nameOfResource(resource)),
    unreadable: followed.flatMap(({ resource, drift }) =>
      drift.fields
        .filter(({ field }) => !field?.endsWith(asRange('')))
        .map(({ field }) => `${field ?? '*'} (${nameOfResource(resource)})`),
    ),
    backupFailure: backups.failure(),
    refusedMessages: deliverer.setAside().map(({ title }) => title),
    stateProblem: store.writeProblem(),
  };
}

function answerCommands(
  { features, version }: AppContext,
  { backups, startedAtMs }: Prepared,
  core: Core,
  { commands, running }: { commands: Commands; running: readonly Running[] },
): void {
  const { config, store, catalog, offers, client, poller, deliverer, currentState, explainer } = core;
  const { translators, settings, metrics, clock, log, onStop } = core;
  const flags = flagsOf(features);
  const handlers = [...features.flatMap((feature) => feature.handlers ?? []), flagHandlers(flags)];
  const search = createOfferSearch(offers);
  onStop(() => search.stop());
  const services: CommandServices = {
    // Each feature starts what it has declared.
    ...(Object.assign({}, ...running.map((one) => one.services)) as FeatureServices),
    poller,
    deliverer,
    currentState,
    explainer,
    translators,
    catalog,
    offers,
    search,
    subscriptions: store.subscriptions,
    settings,
    flags,
    fields: fieldsOf(features),
    personal: personalOf(features),
    postingPause: store.postingPause,
    eventListButtons: features.flatMap(({ eventListButton = [] }) => eventListButton),
    readFilter: (typed, request) =>
      features.find((feature) => feature.readFilter)?.readFilter?.(typed, request) ?? null,
    noMatch: features.find((feature) => feature.noMatch)?.noMatch ?? { lines: async () => [], meant: () => null },
    async troublesOf(subscription, request) {
      const found = features.map(async (feature) => (await feature.troubles?.(subscription, request)) ?? []);
      return eachOnce((await Promise.all(found)).flat());
    },
    panelButtons: features.flatMap(({ panelButtons = [] }) => panelButtons),
    transact: store.transact,
    backups,
    deliveries: store.deliveries,
    about: { version, startedAtMs, epoch: store.epoch },
    stateProblem: store.writeProblem,
    actionTables: tablesOf([...commands, ...handlers]),
    feeds: config.catalog.feeds,
    mostSubscriptions: config.mostSubscriptionsPerServer,
    statusLines: running.flatMap((one) => one.status ?? []),
    clock,
    log,
  };
  const router = createRouter({
    commands,
    handlers,
    offerButtons: [
      ...features.flatMap((feature) => feature.offerButtons ?? []),
      ...running.flatMap((one) => one.onOffers ?? []),
    ],
    services,
    translators,
    async alsoTell(personId, translator) {
      for (const one of running) {
        const card = await one.alsoTell?.(personId, translator);
        if (card) return card;
      }
      return null;
    },
    onAnswered({ command, channelId, tookMs }) {
      metrics.interaction.observe({ command }, tookMs / 1000);
      log[command === 'autocomplete' ? 'debug' : 'info']({ command, channel: channelId, tookMs }, 'answered');
    },
    clock,
    log,
  });
  client.on('interactionCreate', (interaction) => void router.handle(interaction));
}

/** Polls at once, then as scheduled; deletes old records once a day. */
function startPolling(
  { config, schedule, clock, log, onStop }: AppContext,
  { core: { poller, deliverer, store }, jobs: others }: Bot,
): void {
  async function sweep(): Promise<void> {
    await poller.sweep();
    await deliverer.sweep();
    await store.sweep(clock.now());
  }
  const jobs = [
    schedule('poll', config.poll.cron, () => poller.tick(), log),
    schedule('sweep', SWEEP_CRON, sweep, log),
    ...others.map(({ name, cron, run }) => schedule(name, cron, run, log)),
  ];
  const first = poller.tick().catch((error: unknown) => log.error({ err: error }, 'the first poll failed'));
  onStop(async () => {
    await Promise.all([...jobs.map((job) => job.stop()), first]);
  });
}

/** Registers the commands where they differ from Discord's, and keeps their ids, by which texts mention them. */
function registerCommands(
  { clock, log, signal, problems }: AppContext,
  client: BotClient,
  { commands, ids }: { commands: Commands; ids: Map<string, string> },
): Promise<void> {
  return keepRegistering(
    client,
    commands.map(({ data }) => data),
    {
      clock,
      log,
      signal,
      onProblem: (problem) => problems.report('commands', problem),
      onListed(listed) {
        ids.clear();
        for (const { name, id } of listed) ids.set(name, id);
      },
    },
  );
}
