import { type App, createApp } from './app/app.ts';
import { type BannerFacts, banner } from './app/banner.ts';
import { type CompleteConfig, completeConfig } from './app/config.ts';
import { scheduleCron } from './app/cron.ts';
import {
  createProcessLog,
  endBotWith,
  logStart,
  ownVersion,
  readConfig,
  readOptions,
  STOP_WITHIN_MS,
  stopWithinMs,
} from './app/process.ts';
import { FEATURES } from './features/index.ts';
import { systemClock } from './shared/clock.ts';

/** The text of `--help`. */
const HELP = `Posts new deals in Discord the moment they appear.

  npm start              run Dealbell; without settings, on a Discord and a catalog of its own
  npm start -- --standby wait while another process uses the state, and take over when it stops
  npm start -- --help    show this

Settings are environment variables, or lines of a file named .env in this folder:

  DISCORD_TOKEN                                 the bot's token; unset: local Discord
  CATALOG_PORTAL_URL, CATALOG_PORTAL_KEY        the catalog's feeds and offers; unset: a simulated catalog
  CATALOG_V2_URL, CATALOG_V2_KEY                its events, dealcasts, polls and monkeychats
  STATE_URL                                     where the state is kept (sqlite://data/dealbell.sqlite)
  HOST, PORT                                    where the page and the health checks are served (127.0.0.1, 8080)

.env.example has all of them. Exit status: 2 for invalid settings or options, 3 if another process holds the state,
4 if Discord refuses the bot, 1 for any other failure.
`;

let app: App | null = null;
const log = createProcessLog((id) => app?.nameOf(id) ?? null);

async function main(): Promise<void> {
  const { help, standby } = readOptions(process.argv.slice(2));
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const config = completeConfig(readConfig(FEATURES));
  logStart(log, config, FEATURES);
  const version = ownVersion();
  const parts = { clock: systemClock, schedule: scheduleCron, log, features: FEATURES, version };
  const running = createApp(config, { ...parts, isStandby: standby });
  app = running;

  let isStopping = false;
  function stop(signal: NodeJS.Signals): void {
    if (isStopping) {
      log.warn({ signal }, 'stopped at once by a second signal');
      process.exit(1);
    }
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.warn('stopping took too long and was cut short');
      process.exit(0);
    }, STOP_WITHIN_MS).unref();
    void running.stop().then(() => {
      log.info('stopped');
      process.exit(0);
    });
  }
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  try {
    const started = await Promise.race([running.start(), running.failed]);
    if (typeof started === 'string') tellStart(factsOf(config, running, version, started));
    const error = await running.failed;
    await Promise.race([running.stop(), systemClock.sleep(stopWithinMs(error))]);
    throw error;
  } catch (error) {
    // A start that was cancelled is no failure: `stop` ends the process.
    if (!isStopping) throw error;
  }
}

/** Says that the bot runs: to the person at a terminal, or to the log. */
function tellStart(facts: BannerFacts): void {
  if (process.stdout.isTTY) process.stdout.write(`${banner(facts)}\n`);
  else log.info({ address: facts.address, isDiscordReached: facts.isDiscordReached }, 'running');
}

function factsOf({ catalog, stateUrl }: CompleteConfig, running: App, version: string, address: string): BannerFacts {
  return {
    version,
    address,
    stateUrl,
    isDiscordReached: running.health().gateway === 'connected',
    catalog: { portal: catalog.portal.address.url, v2: catalog.v2.address.url },
  };
}

main().catch((error: unknown) => endBotWith(error, log));
