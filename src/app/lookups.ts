import { randomUUID } from 'node:crypto';
import type { GatewayReadyDispatch } from 'discord-api-types/v10';
import PQueue from 'p-queue';
import { COMMANDS } from '../../commands/index.ts';
import type { CommandServices } from '../../commands/shared.ts';
import { answerInteraction } from '../bot/discord/answer-interactions.ts';
import { createChartRenderer } from '../bot/discord/charts/chart-renderer.ts';
import { type CommandClient, createCommandClient } from '../bot/discord/gateway/command-client.ts';
import type { CommandTaker } from '../bot/discord/gateway/shard-holder.ts';
import { createTranslators } from '../bot/discord/i18n/translator.ts';
import { createRouter } from '../bot/discord/router.ts';
import { createOfferSearch } from '../bot/offers/search.ts';
import { LeaderNeededError } from '../shared/errors.ts';
import { openBackend } from '../shared/storage/backend.ts';
import { openGatewayTables } from '../shared/storage/gateway-tables.ts';
import type { AppContext } from './context.ts';
import type { DiscordSide } from './discord-side.ts';
import { observedAnswers } from './measured.ts';
import { copyState, leadersPart, type StateCopy } from './state-copy.ts';

/** How long a change that nobody was notified of stays unseen at most, in milliseconds. */
const LOOK_MS = 2_000;

/** Answers lookups until this process leads, and its own client does. */
export interface Lookups extends CommandTaker {
  /** From now on it takes no command. */
  stop(): Promise<void>;
}

type Interaction = NonNullable<ReturnType<CommandClient['interactionOf']>>;

/** A copy that answers. */
interface Answering {
  copy: StateCopy;
  handle(interaction: Interaction): Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * Keeps a copy of the state, and answers from it what people look up in this process's shards.
 * @param count how many shards there are in all processes together
 */
export async function answerLookups(context: AppContext, discordSide: DiscordSide, count: number): Promise<Lookups> {
  const { onStop } = context;
  const stopping = new AbortController();
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  const copies = await keepCopy({ ...context, signal }, count);
  let commands: Promise<CommandClient | null> | null = null;
  let client: CommandClient | null = null;

  async function stop(): Promise<void> {
    stopping.abort(new Error('This process leads, or stops.'));
    await copies.stopped();
  }
  // The client outlives the copy, so that answers under way are still sent.
  onStop(async () => (await commands)?.client.destroy());
  onStop(stop);

  return {
    begin(ready) {
      if (signal.aborted) return;
      commands ??= connected(context, discordSide, ready, signal).then((created) => {
        client = created;
        return created;
      });
    },
    take(dispatch, relay) {
      const answering = copies.answering();
      if (!answering?.copy.isTrue()) return false;
      const interaction = client?.interactionOf(dispatch);
      // The process that leads tells them beside its answer what waits for them.
      if (!interaction || answering.copy.people.get(interaction.user.id)?.closed) return false;
      void answering.handle(interaction).then((isAnswered) => {
        if (!isAnswered) relay();
      });
      return true;
    },
    stop,
  };
}

interface KeptCopy {
  /** null while there is no copy. */
  answering: () => Answering | null;
  /** Resolves when nothing is read any more, once the signal has aborted. */
  stopped: () => Promise<void>;
}

/** Makes a copy of the state, brings it up to date, and makes it anew where it can't be, until the signal aborts. */
async function keepCopy(context: AppContext, count: number): Promise<KeptCopy> {
  const { config, clock, log, signal } = context;
  /** One look at a time. */
  const looks = new PQueue({ concurrency: 1 });
  const tables = await openGatewayTables(config.stateUrl, { count, holder: randomUUID(), log, onStateChange: look });
  context.onStop(() => tables.close());
  let answering: Answering | null = null;
  let isBehind = false;

  function look(): void {
    // One that waits sees all that has changed by then.
    if (signal.aborted || looks.size > 0) return;
    void looks.add(async () => {
      try {
        await follow();
        isBehind = false;
      } catch (error) {
        // Said once, because a database that is away is asked again and again.
        if (!signal.aborted && !isBehind) {
          log.warn({ err: error }, 'the copy of the state could not be brought up to date');
        }
        isBehind = true;
      }
    });
  }

  async function follow(): Promise<void> {
    if (answering && (await answering.copy.update())) return;
    await forget();
    answering = await openCopy(context, tables.changes);
    if (!answering) return;
    await answering.copy.update();
    log.info('answering lookups from a copy of the state');
  }

  async function forget(): Promise<void> {
    const former = answering;
    answering = null;
    await former?.stop();
  }

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      look();
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    }
  }

  await tables.changes.listen();
  void keepLooking();
  return {
    answering: () => answering,
    async stopped() {
      await looks.onIdle();
      await forget();
      await tables.close();
    },
  };
}

/** Resolves with null where it can't be made: then everything goes to the process that leads. */
async function connected(
  { clock, log }: AppContext,
  { token, api }: DiscordSide,
  ready: GatewayReadyDispatch,
  signal: AbortSignal,
): Promise<CommandClient | null> {
  const onProblem = () => undefined;
  try {
    return await createCommandClient({ token, api, clock, log, signal, onProblem, onRefused: onProblem }, ready);
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'lookups can not be answered here');
    return null;
  }
}

async function openCopy(context: AppContext, changes: Parameters<typeof copyState>[1]): Promise<Answering | null> {
  const { config, clock, log, signal } = context;
  const backend = openBackend(config.stateUrl, { clock, log, isReadOnly: true });
  // Ends reading at once: a process that takes over waits for it.
  const close = () => void backend.close();
  signal.addEventListener('abort', close, { once: true });
  async function stop(): Promise<void> {
    signal.removeEventListener('abort', close);
    await backend.close();
  }
  const copy = await copyState(backend, changes, clock).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  if (!copy) {
    await stop();
    return null;
  }
  const search = createOfferSearch(copy.offers);
  const charts = context.charts ?? createChartRenderer(clock);
  const shared = servicesOf(context, copy, { search, charts });
  const router = createRouter({
    commands: COMMANDS.filter(({ isLookup }) => isLookup),
    leavesRest: true,
    shared,
    translators: createTranslators((name) => copy.published.get('commands')?.[name]),
    clock,
    log,
  });
  const options = observedAnswers(context);
  return {
    copy,
    handle: (interaction) => answerInteraction(interaction, (one) => router.handle(one), options),
    async stop() {
      search.stop();
      await charts.stop();
      await stop();
    },
  };
}

function servicesOf(
  { config, clock, log }: AppContext,
  { offers, subscriptions, currentState, published, prices }: StateCopy,
  parts: Pick<CommandServices, 'search' | 'charts'>,
): CommandServices {
  return leadersPart<CommandServices>({
    ...parts,
    offers,
    subscriptions,
    currentState,
    prices,
    catalog: leadersPart<CommandServices['catalog']>({ quota: () => known(published.get('quota')) }),
    poller: leadersPart<CommandServices['poller']>({
      lastAttempt: (resource) => known(published.get('attempts'))[resource] ?? null,
    }),
    feeds: config.catalog.feeds,
    mostSubscriptions: config.mostSubscriptionsPerServer,
    clock,
    log,
  });
}

/** @throws LeaderNeededError where it was not published */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new LeaderNeededError();
  return value;
}
