import { COMMANDS } from '../../commands/index.ts';
import type { CommandServices } from '../../commands/shared.ts';
import { CurrentState } from '../bot/announcements/current-state.ts';
import { type Audit, createAudit } from '../bot/announcements/deliver/audit.ts';
import { createDeliverer, type Deliverer } from '../bot/announcements/deliver/deliverer.ts';
import { createExplainer } from '../bot/announcements/explain/explain.ts';
import { createPoller, type Poller } from '../bot/announcements/poll/poller.ts';
import type { Catalog } from '../bot/catalog/catalog.ts';
import { answerInteractions } from '../bot/discord/answer-interactions.ts';
import { type BotClient, connect, isConnected } from '../bot/discord/client.ts';
import { createCourier } from '../bot/discord/courier.ts';
import { createTranslators, type Translators } from '../bot/discord/i18n/translator.ts';
import { nameOf } from '../bot/discord/names.ts';
import { observeRest, shardsUp } from '../bot/discord/observe-rest.ts';
import { watchPermissions } from '../bot/discord/permission-changes.ts';
import { keepRegistering } from '../bot/discord/registration.ts';
import { createRouter } from '../bot/discord/router.ts';
import type { WritableOfferBook } from '../bot/offers/offer-book.ts';
import { createOfferSearch } from '../bot/offers/search.ts';
import type { BotFacts } from '../bot/operations/health.ts';
import type { MetricFacts } from '../bot/operations/metrics.ts';
import type { Store } from '../bot/store/store.ts';
import type { AppContext } from './context.ts';
import { setUpDemo } from './demo.ts';
import type { DiscordSide } from './discord-side.ts';
import { interfaceFacts, measuredCourier, measuredDeliveries, subscriptionFacts } from './measured.ts';

/** When old records are deleted: once a day, at a quiet hour. */
const SWEEP_CRON = '17 9 * * *';
/** When the channels are compared with the ledger: once a night. */
const AUDIT_CRON = '43 4 * * *';

/** The parts of the bot that do not depend on Discord. */
export interface Prepared {
  store: Store;
  catalog: Catalog;
  offers: WritableOfferBook;
  startedAtMs: number;
}

export interface Bot {
  poller: Poller;
  deliverer: Deliverer;
  audit: Audit;
  facts(): BotFacts;
  figures(): MetricFacts;
  /** The name of a channel or server; null where the bot does not know it. */
  nameOf(id: string): string | null;
}

/**
 * Logs in, however long Discord takes; then starts to announce and to answer. Resolves when the commands are registered.
 * @param onCreated called once the bot answers, before it polls
 */
export async function runBot(
  context: AppContext,
  prepared: Prepared,
  discordSide: DiscordSide,
  onCreated: (bot: Bot) => void,
): Promise<void> {
  const client = await logIn(context, discordSide, prepared.store);
  const commandIds = new Map<string, string>();
  const translators = createTranslators((name) => commandIds.get(name));
  const bot = createBot(context, prepared, client, translators);
  onCreated(bot);
  await setUpDemo(context, prepared.store, discordSide);
  context.signal.throwIfAborted();
  startPolling(context, bot, prepared.store.subscriptions);
  await registerCommands(context, client, commandIds);
}

async function logIn(
  { clock, log, signal, metrics, problems, onStop, fail }: AppContext,
  { token, api }: DiscordSide,
  store: Store,
): Promise<BotClient> {
  const client = await connect({
    token,
    api,
    clock,
    log,
    signal,
    mayLeave: store.confirm,
    onProblem: (problem) => problems.report('gateway', problem),
    onRefused: fail,
  });
  onStop(() => client.destroy());
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
  const courier = createCourier(client, signal);
  const audit = createAudit({ store, courier, clock, log, signal });
  const deliverer = createDeliverer({
    store: { ...store, deliveries: measuredDeliveries(deliveries, metrics) },
    courier: measuredCourier(courier, deliveries, metrics),
    translatorOf: (guildId) => translators(client.guilds.cache.get(guildId)?.preferredLocale),
    currentState,
    clock,
    log,
  });
  onStop(() => deliverer.stop());
  watchPermissions(client, deliverer);
  const { minIntervalMs } = config.poll;
  const poller = createPoller({ catalog, offers, currentState, store, deliverer, minIntervalMs, clock, log, signal });
  answerCommands(context, prepared, client, { poller, deliverer, audit, currentState, translators });

  return {
    poller,
    deliverer,
    audit,
    nameOf: (id) => nameOf(client, id),
    facts() {
      const { ended, oldestDueAtMs, limitedChannels, blockedChannels } = deliverer.status();
      return {
        isGatewayConnected: isConnected(client),
        stateProblem: store.writeProblem(),
        announced: ended.sinceStart.posted,
        oldestDueAtMs: limitedChannels + blockedChannels > 0 ? null : oldestDueAtMs,
        readState: () => deliveries.ended(''),
        confirmLease: store.confirm,
        ...poller.status(),
      };
    },
    figures() {
      const { pending, oldestDueAtMs } = deliverer.status();
      return {
        outbox: { deliveries: pending, oldestDueAtMs },
        interfaces: interfaceFacts(catalog),
        shards: shardsUp(client),
        subscriptions: subscriptionFacts(subscriptions.all()),
        audit: audit.last(),
      };
    },
  };
}

function answerCommands(
  { config, clock, log, metrics, version, onStop }: AppContext,
  { store, catalog, offers, startedAtMs }: Prepared,
  client: BotClient,
  {
    translators,
    ...parts
  }: Pick<Bot, 'poller' | 'deliverer' | 'audit'> & { currentState: CurrentState; translators: Translators },
): void {
  const search = createOfferSearch(offers);
  onStop(() => search.stop());
  const shared: CommandServices = {
    ...parts,
    catalog,
    offers,
    search,
    subscriptions: store.subscriptions,
    looks: store.looks,
    deliveries: store.deliveries,
    explainer: createExplainer({ ...parts, store, offers, catalog, clock }),
    about: { version, startedAtMs },
    stateProblem: store.writeProblem,
    feeds: config.catalog.feeds,
    mostSubscriptions: config.mostSubscriptionsPerServer,
    clock,
  };
  const router = createRouter({ commands: COMMANDS, shared, translators, clock, log });
  answerInteractions(client, (interaction) => router.handle(interaction), {
    commands: new Set(COMMANDS.map(({ data }) => data.name)),
    clock,
    onAnswered({ command, channelId, tookMs }) {
      metrics.interaction.observe({ command }, tookMs / 1000);
      log[command === 'autocomplete' ? 'debug' : 'info']({ command, channel: channelId, tookMs }, 'answered');
    },
  });
}

/** Polls at once, then as scheduled; deletes old records once a day. */
function startPolling(
  { config, schedule, clock, log, onStop }: AppContext,
  { poller, deliverer, audit }: Bot,
  subscriptions: Store['subscriptions'],
): void {
  async function sweep(): Promise<void> {
    await poller.sweep();
    await deliverer.sweep();
    await subscriptions.sweep(clock.now());
  }
  const jobs = [
    schedule('poll', config.poll.cron, () => poller.tick(), log),
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
