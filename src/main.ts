import { destination } from 'pino';
import { type App, createApp } from './app/app.ts';
import { banner } from './app/banner.ts';
import { type CompleteConfig, completeConfig } from './app/config.ts';
import { scheduleCron } from './app/cron.ts';
import { endWith, ownVersion, readConfig, readOptions, STOP_WITHIN_MS, stopWithinMs } from './app/process.ts';
import { readableLog } from './app/readable-log.ts';
import { systemClock } from './shared/clock.ts';
import { createLog } from './shared/log.ts';

/** Prints a message to the person who started Dealbell; the log goes to standard error. */
const say = (line: string) => process.stdout.write(`${line}\n`);

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

async function main(): Promise<void> {
  const { help, standby } = readOptions(process.argv.slice(2));
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const config = completeConfig(readConfig());
  const toTerminal = readableLog(
    (line) => process.stderr.write(line),
    (id) => app.nameOf(id),
  );
  const log = createLog(config.logLevel, process.stderr.isTTY ? toTerminal : destination(2));
  const version = ownVersion();
  const app = createApp(config, { clock: systemClock, schedule: scheduleCron, log, version, isStandby: standby });

  let isStopping = false;
  function stop(): void {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => {
      log.warn('stopping took too long and was cut short');
      process.exit(0);
    }, STOP_WITHIN_MS).unref();
    void app.stop().then(() => process.exit(0));
  }
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  try {
    const started = await Promise.race([app.start(), app.failed]);
    if (typeof started === 'string') say(bannerOf(config, app, version, started));
    const error = await app.failed;
    await Promise.race([app.stop(), systemClock.sleep(stopWithinMs(error))]);
    throw error;
  } catch (error) {
    // A start that was cancelled is no failure: `stop` ends the process.
    if (!isStopping) throw error;
  }
}

function bannerOf({ catalog, stateUrl }: CompleteConfig, app: App, version: string, address: string): string {
  return banner({
    version,
    address,
    stateUrl,
    isDiscordReached: app.health().gateway === 'connected',
    catalog: { portal: catalog.portal.address.url, v2: catalog.v2.address.url },
  });
}

main().catch(endWith);
