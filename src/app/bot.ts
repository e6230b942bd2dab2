import { randomUUID } from 'node:crypto';
import { COMMANDS } from '../../commands/index.ts';
import { PingsPanels } from '../../commands/pings/panel.ts';
import { RoleChanges } from '../../commands/pings/role-changes.ts';
import type { CommandServices } from '../../commands/shared.ts';
import { closedMessages } from '../../commands/watch/index.ts';
import { CurrentState } from '../announcements/current-state.ts';
import { Audit } from '../announcements/deliver/audit.ts';
import { Deliverer } from '../announcements/deliver/deliverer.ts';
import { createExplainer, type Explainer } from '../announcements/explain/explain.ts';
import { createPoller, type Poller, type PollStatus } from '../announcements/poll/poller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { personAt } from '../deals/watch.ts';
import { createChartRenderer } from '../discord/charts/chart-renderer.ts';
import { type BotClient, connect } from '../discord/client.ts';
import { type Courier, createCourier } from '../discord/courier.ts';
import { createTranslators, type Translators, translatorFor } from '../discord/i18n/translator.ts';
import { nameOf } from '../discord/inspect.ts';
import { watchPermissions } from '../discord/permissions.ts';
import { keepRegistering } from '../discord/registration.ts';
import { observeRest, shardsUp } from '../discord/rest.ts';
import { createRouter } from '../discord/router.ts';
import type { WritableOfferBook } from '../offers/offer-book.ts';
import { createOfferSearch } from '../offers/search.ts';
import { systemClock, within } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { forgetPerson, personalDataOf } from '../store/personal-data.ts';
import type { Store } from '../store/store.ts';
import { isOnServer } from '../store/table/state-place.ts';
import { readFile } from '../subscription-files/document.ts';
import { changesOf, planOf } from '../subscription-files/plan.ts';
import { problemsText } from '../subscription-files/plan-text.ts';
import { backupsOf } from './backups.ts';
import type { AppContext, CompleteContext, FirstSubscriptions } from './context.ts';
import type { BotFacts } from './health.ts';
import { interfaceFacts, measuredCourier, measureEndings, subscriptionFacts, watchFacts } from './measured.ts';
import type { MetricFacts } from './metrics.ts';

/** When old records are deleted: once a day, at a quiet hour. */
const SWEEP_CRON = '17 9 * * *';
/** How long Discord's gateway is waited for at the end, in milliseconds. */
const GOODBYE_WITHIN_MS = 1_000;
/** When panels of pings are brought up to date. */
const PINGS_CRON = '* * * * *';
/** When the channels are compared with the ledger: once a night. */
const AUDIT_CRON = '43 4 * * *';

/** The parts of the bot that do not depend on Discord. */
export interface Prepared {
  store: Store;
  /** The subscriptions to make where the state is new; null for none. */
  firstSubscriptions: FirstSubscriptions | null;
  catalog: Catalog;
  offers: WritableOfferBook;
  startedAtMs: number;
}

/** The requests spent of the catalog's day, and the planner's next polls. */
export interface BotPlan {
  quota: ReturnType<Catalog['quota']>;
  resources: PollStatus['resources'];
}

export interface Bot {
  poller: Poller;
  deliverer: Deliverer;
  audit: Audit;
  pingsPanels: PingsPanels;
  facts(): BotFacts;
  figures(): MetricFacts;
  plan(): BotPlan;
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
  const commandIds = new Map<string, string>();
  const translators = createTranslators((name) => commandIds.get(name));
  const bot = createBot(context, prepared, client, translators);
  onCreated(bot);
  await setUp(context, prepared);
  context.signal.throwIfAborted();
  startPolling(context, bot, prepared.store);
  await registerCommands(context, client, commandIds);
}

/** Sets up a new state, so that it is never set up again. */
async function setUp(context: AppContext, { store, firstSubscriptions }: Prepared): Promise<void> {
  if (!store.isNew) return;
  const { saved } = firstSubscriptions ? importedFrom(firstSubscriptions, context) : { saved: [] };
  await store.commit((changes) => {
    for (const subscription of saved) store.subscriptions.put(changes, subscription);
    store.markSetUp(changes);
  });
}

/** @throws UserError with every mistake of the file */
function importedFrom({ text, createdBy }: FirstSubscriptions, { config, clock }: AppContext) {
  const read = readFile(text, 'json', { feeds: config.catalog.feeds, most: config.mostSubscriptionsPerServer });
  if (!read.ok) {
    const problems = problemsText(read.problems, translatorFor('en-US'));
    throw new UserError(["The first subscriptions can't be used:", ...problems].join('\n  - '));
  }
  return changesOf(planOf(read.servers, [], { nowMs: clock.now(), createdBy, newId: randomUUID }));
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

function createBot(context: AppContext, prepared: Prepared, client: BotClient, translators: Translators): Bot {
  const { config, clock, log, signal, metrics, onStop } = context;
  const { store, catalog, offers } = prepared;
  const { subscriptions, deliveries } = store;
  const currentState = new CurrentState(offers, store);
  measureEndings(deliveries, metrics);
  const courier = createCourier(client, signal);
  const audit = new Audit({ store, courier, clock, log, signal });
  const deliverer = new Deliverer({
    store,
    courier: measuredCourier(courier, deliveries, metrics),
    translatorOf: (guildId) => {
      const personId = personAt(guildId);
      if (personId !== null) return translators(store.people.get(personId)?.locale);
      return translators(client.guilds.cache.get(guildId)?.preferredLocale);
    },
    currentState,
    requestsPerSecond: config.discordRate,
    clock,
    log,
    clearFromMs: store.clearFromMs,
  });
  onStop(() => deliverer.stop());
  watchPermissions(client, deliverer);
  const { minIntervalMs } = config.poll;
  const poller = createPoller({ catalog, offers, currentState, store, deliverer, minIntervalMs, clock, log, signal });
  const explainer = createExplainer({ poller, deliverer, currentState, store, offers, catalog, clock });
  const pingsPanels = createPingsPanels({ store, explainer, courier, clock, log }, client, translators);
  answerCommands(context, prepared, client, {
    poller,
    deliverer,
    audit,
    currentState,
    translators,
    explainer,
    pingsPanels,
  });

  return {
    poller,
    deliverer,
    audit,
    pingsPanels,
    nameOf: (id) => nameOf(client, id),
    facts() {
      const { ended, oldestDueAtMs, limitedChannels, blockedChannels, pausedSinceMs } = deliverer.status();
      const isHeldBack = limitedChannels + blockedChannels > 0 || pausedSinceMs !== null;
      return {
        shards: shardsUp(client),
        stateProblem: store.writeProblem(),
        announced: ended.sinceStart.posted,
        pausedSinceMs,
        oldestDueAtMs: isHeldBack ? null : oldestDueAtMs,
        // A server that does not answer is given up by itself, and no restart makes it faster.
        readState: isOnServer(config.stateUrl) ? async () => undefined : () => deliveries.ended(''),
        confirmLease: store.confirm,
        ...poller.status(),
      };
    },
    plan: () => ({ quota: catalog.quota(), resources: poller.status().resources }),
    figures() {
      const { pending, oldestDueAtMs, pausedSinceMs } = deliverer.status();
      const isPaused = pausedSinceMs !== null;
      return {
        outbox: { deliveries: pending, oldestDueAtMs: isPaused ? null : oldestDueAtMs },
        isPaused,
        interfaces: interfaceFacts(catalog),
        drift: poller.drift(),
        doubts: poller.doubts(),
        shards: shardsUp(client),
        subscriptions: subscriptionFacts(subscriptions.ofServers()),
        watches: watchFacts(subscriptions.all(), store.people),
        audit: audit.last(),
      };
    },
  };
}

/** The panels of pings, which follow the servers' roles and channels. */
function createPingsPanels(
  {
    store,
    explainer,
    courier,
    clock,
    log,
  }: Pick<Prepared, 'store'> & { explainer: Explainer; courier: Courier } & Pick<AppContext, 'clock' | 'log'>,
  client: BotClient,
  translators: Translators,
): PingsPanels {
  const { pingsPanels: panels, subscriptions, looks } = store;
  const created = new PingsPanels({
    panels,
    services: { subscriptions, explainer, looks, clock },
    courier,
    guildOf: (guildId) => client.guilds.cache.get(guildId),
    translatorOf: ({ preferredLocale }) => translators(preferredLocale),
    log,
  });
  client.on('roleUpdate', (_, { guild }) => created.touch(guild.id));
  client.on('roleDelete', ({ guild }) => created.touch(guild.id));
  // What a role may see in a channel decides whether members can take it.
  client.on('channelUpdate', (_, channel) => 'guild' in channel && created.touch(channel.guild.id));
  client.on('guildUpdate', (_, { id }) => created.touch(id));
  return created;
}

function answerCommands(
  context: AppContext,
  { store, catalog, offers, startedAtMs }: Prepared,
  client: BotClient,
  {
    translators,
    ...parts
  }: Pick<Bot, 'poller' | 'deliverer' | 'audit' | 'pingsPanels'> & {
    currentState: CurrentState;
    explainer: Explainer;
    translators: Translators;
  },
): void {
  const { config, clock, log, metrics, version, onStop } = context;
  const search = createOfferSearch(offers);
  onStop(() => search.stop());
  const charts = context.charts ?? createChartRenderer(clock);
  onStop(() => charts.stop());
  const services: CommandServices = {
    ...parts,
    catalog,
    offers,
    search,
    subscriptions: store.subscriptions,
    people: store.people,
    personalData: {
      of: (personId) => personalDataOf(personId, store),
      async forget(personId) {
        await forgetPerson(personId, store);
        await store.scrub();
      },
    },
    looks: store.looks,
    prices: store.prices,
    charts,
    imports: store.imports,
    roleChanges: new RoleChanges(),
    postingPause: store.postingPause,
    transact: store.transact,
    backups: backupsOf(context, store),
    deliveries: store.deliveries,
    about: { version, startedAtMs, epoch: store.epoch },
    stateProblem: store.writeProblem,
    feeds: config.catalog.feeds,
    mostSubscriptions: config.mostSubscriptionsPerServer,
    clock,
    log,
  };
  const router = createRouter({
    commands: COMMANDS,
    services,
    translators,
    alsoTell: (personId, translator) => closedMessages(personId, services, translator),
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
  { poller, deliverer, audit, pingsPanels }: Bot,
  store: Store,
): void {
  async function sweep(): Promise<void> {
    await poller.sweep();
    await deliverer.sweep();
    await store.sweep(clock.now());
    // How often roles were rung is of the last seven days.
    pingsPanels.touchAll();
  }
  const jobs = [
    schedule('poll', config.poll.cron, () => poller.tick(), log),
    schedule('pings', PINGS_CRON, () => pingsPanels.refresh(), log),
    schedule('sweep', SWEEP_CRON, sweep, log),
    schedule('audit', AUDIT_CRON, () => audit.run().then(() => undefined), log),
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
  commandIds: Map<string, string>,
): Promise<void> {
  return keepRegistering(
    client,
    COMMANDS.map(({ data }) => data),
    {
      clock,
      log,
      signal,
      onProblem: (problem) => problems.report('commands', problem),
      onListed(commands) {
        commandIds.clear();
        for (const { name, id } of commands) commandIds.set(name, id);
      },
    },
  );
}
