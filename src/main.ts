import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { destination } from 'pino';
import { type App, createApp } from './app.ts';
import { banner } from './bot/operations/banner.ts';
import { scheduleCron } from './bot/operations/cron.ts';
import { readableLog } from './bot/operations/readable-log.ts';
import { type Config, parseConfig } from './config.ts';
import { systemClock } from './shared/clock.ts';
import { flag, readCommandLine } from './shared/command-line.ts';
import { AppError, ConfigError, DiscordRefusedError, StateInUseError } from './shared/errors.ts';
import { createLog } from './shared/log.ts';

/** The longest stop; a longer one is cut short, which the state survives at any point. */
const STOP_WITHIN_MS = 1_800;
const EXIT_CONFIG = 2;
const EXIT_STATE_IN_USE = 3;
/** Discord refuses further connections, so an immediate restart by a supervisor would be useless. */
const EXIT_DISCORD_REFUSED = 4;

/** Prints a message to the person who started Dealbell; the log goes to standard error. */
const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

/** What `--help` prints. */
const HELP = `Posts new deals in Discord the moment they appear.

  npm start              run Dealbell; without settings, on a Discord and a catalog of its own
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
  const { help } = readCommandLine(process.argv.slice(2), { help: flag });
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  // Variables that are already set take precedence over the file.
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = parseConfig(process.env);
  const toTerminal = readableLog(
    (line) => process.stderr.write(line),
    (id) => app.nameOf(id),
  );
  const log = createLog(config.logLevel, process.stderr.isTTY ? toTerminal : destination(2));
  const version = ownVersion();
  const app = createApp(config, {
    clock: systemClock,
    schedule: scheduleCron,
    log,
    version,
    pageDirectory: fileURLToPath(new URL('../page', import.meta.url)),
  });

  if (config.isOpenToEveryone) log.warn('anyone who can reach HOST can use local Discord');

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
    await Promise.race([app.stop(), systemClock.sleep(STOP_WITHIN_MS)]);
    throw error;
  } catch (error) {
    // A start that was cancelled is no failure: `stop` ends the process.
    if (!isStopping) throw error;
  }
}

function bannerOf(config: Config, app: App, version: string, address: string): string {
  const { discord, catalog, stateUrl, isOpenToEveryone } = config;
  return banner({
    version,
    address,
    stateUrl,
    discord: discord.token === null ? null : { reached: app.health().gateway === 'connected' },
    catalog: { portal: catalog.portal.outside?.url ?? null, v2: catalog.v2.outside?.url ?? null },
    isOpenToEveryone,
  });
}

/** The version in package.json; this file is built into `dist/src`. */
function ownVersion(): string {
  const file = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}

/** The exit status of an error; 1 where it has none of its own. */
function exitStatusOf(error: unknown): number {
  if (error instanceof ConfigError) return EXIT_CONFIG;
  if (error instanceof StateInUseError) return EXIT_STATE_IN_USE;
  return error instanceof DiscordRefusedError ? EXIT_DISCORD_REFUSED : 1;
}

/** An error's message with its cause: a StoreError alone does not say that the disk is full. */
function withReason(error: AppError): string {
  const isExplained = error instanceof ConfigError || !(error.cause instanceof Error);
  return isExplained ? error.message : `${error.message}\n${(error.cause as Error).message}`;
}

main().catch((error: unknown) => {
  if (error instanceof AppError) complain(withReason(error));
  else complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(exitStatusOf(error));
});
