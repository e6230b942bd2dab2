// The bot as another program drives it: that forks this one, completes its settings, and may move its time. A bot of its own is main.ts,
// which loads nothing of this. messages.ts says what the two tell each other.
import { basename, dirname } from 'node:path';
import { FEATURES } from '../../features/index.ts';
import { systemClock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { isOnServer, placeOf } from '../../store/table/state-place.ts';
import { type App, createApp } from '../app.ts';
import { discordRow, hostOf } from '../banner.ts';
import type { BotPlan } from '../bot.ts';
import { type Config, completeConfig, missingConnections, parseConfig } from '../config.ts';
import type { Completion } from '../context.ts';
import { type Job, scheduleCron } from '../cron.ts';
import {
  createProcessLog,
  endBotWith,
  logStart,
  ownVersion,
  readConfig,
  readOptions,
  STOP_WITHIN_MS,
  stopWithinMs,
} from '../process.ts';
import { createDrivenClock, type DrivenClock } from './clock.ts';
import type { DrivenSettings, FromBot, ShownPlan, Supplement, TimeSetting, ToBot } from './messages.ts';

/** Between two looks for what is due, in real milliseconds: at any speed of the driven time nothing waits longer. */
const TICK_MS = 1_000;

const begin = promised<TimeSetting | null>();
const supplement = promised<Supplement>();
const completion = supplement.promise.then(completionOf);
let app: App | null = null;
const log = createProcessLog((id) => app?.nameOf(id) ?? null);
let clock: DrivenClock | null = null;
let isStopping = false;

const tell = (message: FromBot) => process.send?.(message);

process.on('message', (message) => {
  const to = message as ToBot;
  switch (to.type) {
    case 'begin':
      return begin.resolve(to.time);
    case 'complete':
      return supplement.resolve(to);
    case 'time':
      return clock?.set(to.time);
    case 'stop':
      return stop();
  }
});
// The driving program is gone, however it ended: nothing is left behind.
process.on('disconnect', stop);
process.on('SIGTERM', (signal) => {
  log.info({ signal }, 'stopping');
  stop();
});
// Ctrl-C reaches both processes, and the driving one stops this one.
process.on('SIGINT', () => undefined);

function stop(): void {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref();
  void Promise.resolve(app?.stop()).then(() => process.exit(0));
}

async function main(): Promise<void> {
  const { standby: isStandby } = readOptions(process.argv.slice(2));
  const config = readConfig(FEATURES);
  tell({ type: 'settings', settings: settingsOf(config, isStandby) });
  const time = await begin.promise;
  clock = time && createDrivenClock(time);
  const running = createDriven(config, isStandby);
  app = running;
  try {
    const started = await Promise.race([running.start(), running.failed]);
    if (typeof started === 'string') await tellStart(running, started);
    throw await running.failed;
  } catch (error) {
    if (isStopping) return;
    await Promise.race([running.stop(), systemClock.sleep(stopWithinMs(error))]);
    throw error;
  }
}

function settingsOf(config: Config, isStandby: boolean): DrivenSettings {
  const { host, port, stateUrl, logLevel, catalog } = config;
  return {
    missing: missingConnections(config),
    isStandby,
    host,
    port,
    // What a file sets is in the environment by now.
    isPortSet: Boolean(process.env['PORT']?.trim()),
    name: basename(placeOf(stateUrl))
      .replace(/\.\w+$/, '')
      .replace(/[^\w-]/g, '-'),
    folder: isOnServer(stateUrl) ? 'data' : dirname(placeOf(stateUrl)),
    feeds: catalog.feeds,
    logLevel,
  };
}

function createDriven(config: Config, isStandby: boolean): App {
  logStart(log, config, FEATURES);
  const driven = createApp(config, {
    clock: clock ?? systemClock,
    schedule: (name, expression, run, log) =>
      name === 'poll' && clock
        ? every(TICK_MS, () => run().then(() => tellPlan(driven)), log)
        : scheduleCron(name, expression, run, log),
    log,
    features: FEATURES,
    version: ownVersion(),
    isStandby,
    complete() {
      tell({ type: 'holds-state' });
      return completion;
    },
  });
  return driven;
}

function completionOf({ defaults, settings, ...first }: Supplement): Completion {
  const isSet = ([, value]: [string, string | undefined]) => value !== undefined && value.trim() !== '';
  const environment = Object.fromEntries(Object.entries(process.env).filter(isSet));
  return { config: parseConfig({ ...defaults, ...environment, ...settings }, FEATURES), ...first };
}

async function tellStart(running: App, health: string): Promise<void> {
  const { stateUrl, catalog } = completeConfig((await completion).config);
  tell({
    type: 'started',
    started: {
      version: ownVersion(),
      health,
      state: placeOf(stateUrl),
      discord: discordRow(running.health().gateway === 'connected'),
      catalog: { portal: hostOf(catalog.portal.address.url), v2: hostOf(catalog.v2.address.url) },
    },
  });
}

function tellPlan(running: App): void {
  const plan = running.plan();
  if (plan) tell({ type: 'plan', plan: shownPlan(plan) });
}

function shownPlan({ quota, resources, ...setUp }: BotPlan): ShownPlan {
  return {
    interfaces: (['portal', 'v2'] as const).map((name) => {
      const { limit, spent, resetsAtMs } = quota[name];
      return { name, limit, spent, resetsAtMs };
    }),
    polls: resources.flatMap(({ resource, plan }) =>
      plan ? [{ resource, nextMs: plan.nextPollMs, everyMs: plan.worstDelayMs }] : [],
    ),
    ...setUp,
  };
}

/** Runs `run` every `ms` milliseconds, never twice at a time. */
function every(ms: number, run: () => Promise<void>, log: Log): Job {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= run()
      .catch((error: unknown) => log.error({ err: error }, 'a scheduled job failed'))
      .then(() => {
        running = null;
      });
  }, ms);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** A promise that is resolved from outside. */
function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((taken) => {
    resolve = taken;
  });
  return { promise, resolve };
}

main().catch((error: unknown) => endBotWith(error, log));
