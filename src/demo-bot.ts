// The bot of the demo: a process of its own beside the one that serves the page, which starts it and tells it where everything is.
import { destination } from 'pino';
import type { DemoTime } from '../packages/local-discord/src/index.ts';
import { createApp } from './app/app.ts';
import type { BotPlan } from './app/bot.ts';
import type { OutsideSides } from './app/context.ts';
import { type Job, scheduleCron } from './app/cron.ts';
import { demoSubscriptions } from './app/demo.ts';
import { readableLog } from './app/readable-log.ts';
import { createAdjustableClock } from './demo/adjustable-clock.ts';
import { type BotPlanMessage, type FromBot, type Surroundings, TIME_VARIABLE, type ToBot } from './demo/protocol.ts';
import { exitStatusOf, messageOf, ownVersion, readConfig, STOP_WITHIN_MS } from './process.ts';
import { systemClock } from './shared/clock.ts';
import { createLog, type Log } from './shared/log.ts';

/** Between two looks for what is due, in real milliseconds: at any speed of the demo's time nothing waits longer. */
const TICK_MS = 1_000;

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

const tell = (message: FromBot) => process.send?.(message);

/** The bot's plan as the page shows it. */
function shownPlan({ quota, resources }: BotPlan): BotPlanMessage {
  return {
    interfaces: (['portal', 'v2'] as const).map((name) => {
      const { limit, spent, resetsAtMs } = quota[name];
      return { name, limit, spent, resetsAtMs };
    }),
    polls: resources.flatMap(({ resource, plan }) =>
      plan ? [{ resource, nextMs: plan.nextPollMs, everyMs: plan.worstDelayMs }] : [],
    ),
  };
}

async function main(): Promise<void> {
  const clock = createAdjustableClock(JSON.parse(process.env[TIME_VARIABLE] ?? '') as DemoTime);
  let provide: (surroundings: Surroundings) => void = () => undefined;
  const surroundings = new Promise<Surroundings>((resolve) => {
    provide = resolve;
  });
  const config = readConfig();
  const toTerminal = readableLog(
    (line) => process.stderr.write(line),
    (id) => app.nameOf(id),
  );
  const app = createApp(config, {
    clock,
    schedule: (name, expression, run, log) =>
      name === 'poll' ? every(TICK_MS, () => run().then(tellPlan), log) : scheduleCron(name, expression, run, log),
    log: createLog(config.logLevel, process.stderr.isTTY ? toTerminal : destination(2)),
    version: ownVersion(),
    pageDirectory: '',
    async outside(): Promise<OutsideSides> {
      tell({ type: 'holds-state' });
      const { discord, catalog, ...places } = await surroundings;
      return { discord, catalog, firstSubscriptions: demoSubscriptions(places, clock.now()) };
    },
  });

  function tellPlan(): void {
    const plan = app.plan();
    if (plan) tell({ type: 'plan', plan: shownPlan(plan) });
  }

  let isStopping = false;
  function stop(): void {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref();
    void app.stop().then(() => process.exit(0));
  }
  process.on('message', (message) => {
    const to = message as ToBot;
    if (to.type === 'surroundings') provide(to.surroundings);
    else if (to.type === 'time') clock.set(to.setting);
    else stop();
  });
  // The demo's process is gone, however it ended: nothing is left behind.
  process.on('disconnect', stop);
  process.on('SIGTERM', stop);
  // Ctrl-C reaches both processes, and the demo's own stops this one.
  process.on('SIGINT', () => undefined);

  try {
    const started = await Promise.race([app.start(), app.failed]);
    if (typeof started === 'string') tell({ type: 'started', health: started });
    throw await app.failed;
  } catch (error) {
    if (isStopping) return;
    await Promise.race([app.stop(), systemClock.sleep(STOP_WITHIN_MS)]);
    const exitStatus = exitStatusOf(error);
    process.send?.({ type: 'failed', message: messageOf(error), exitStatus } satisfies FromBot, () =>
      process.exit(exitStatus),
    );
  }
}

void main();
