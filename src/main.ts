import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { destination } from 'pino';
import { type App, createApp } from './app/app.ts';
import { banner } from './app/banner.ts';
import type { Config } from './app/config.ts';
import { scheduleCron } from './app/cron.ts';
import { besideState } from './app/discord-side.ts';
import { readableLog } from './app/readable-log.ts';
import { refusedPlace } from './app/refused-place.ts';
import type * as demo from './demo/demo.ts';
import { endWith, ownVersion, readConfig, STOP_WITHIN_MS } from './process.ts';
import { systemClock } from './shared/clock.ts';
import { ConfigError } from './shared/errors.ts';
import { createLog, type Log } from './shared/log.ts';

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
  const config = readConfig();
  if (standby && config.discord.token === null) {
    throw new ConfigError(['--standby needs DISCORD_TOKEN: local Discord ends with the process that runs it.']);
  }
  const toTerminal = readableLog(
    (line) => process.stderr.write(line),
    (id) => app.nameOf?.(id) ?? null,
  );
  const log = createLog(config.logLevel, process.stderr.isTTY ? toTerminal : destination(2));
  const version = ownVersion();
  const pageDirectory = fileURLToPath(new URL('../page', import.meta.url));
  const app: Program = isDemo(config)
    ? await createDemo(config, log, pageDirectory)
    : createApp(config, {
        clock: systemClock,
        schedule: scheduleCron,
        log,
        version,
        pageDirectory,
        isStandby: standby,
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

/** Reads the command line. @throws ConfigError with every problem at once, each naming its option */
function readOptions(args: string[]): { help: boolean; standby: boolean } {
  const options = { help: { type: 'boolean' }, standby: { type: 'boolean' } } as const;
  // The strict mode would stop at the first problem.
  const { values, tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const problems = tokens.flatMap((token) => {
    if (token.kind === 'positional') return [`"${token.value}" isn't an option. Use --help for the list.`];
    if (token.kind !== 'option') return [];
    if (!Object.hasOwn(options, token.name)) return [`${token.rawName} isn't an option. Use --help for the list.`];
    return token.value === undefined ? [] : [`${token.rawName} takes no value.`];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return { help: values.help === true, standby: values.standby === true };
}

/** The program that runs: the bot, or the demo that runs the bot in a process of its own. */
type Program = Pick<App, 'start' | 'failed' | 'stop'> & Partial<Pick<App, 'nameOf' | 'health'>>;

/** Whether nothing is connected, so that all parts run on this machine. */
function isDemo({ discord, catalog }: Config): boolean {
  return discord.token === null && !catalog.portal.outside && !catalog.v2.outside;
}

/** Loads the demo, which a bot on the real Discord never does: it is a file of its own. */
async function createDemo({ host, port, stateUrl }: Config, log: Log, pageDirectory: string): Promise<Program> {
  const file = new URL('./demo/demo.js', import.meta.url);
  const { createDemo: create } = (await import(file.href)) as typeof demo;
  return create({
    host,
    port,
    discordStateUrl: besideState(stateUrl, 'local-discord.sqlite'),
    keptPath: besideState(stateUrl, 'demo.json').slice('sqlite://'.length),
    log,
    pageDirectory,
    botProgram: fileURLToPath(new URL('./demo-bot.js', import.meta.url)),
    refusedPlace: refusedPlace({ host, port }),
  });
}

function bannerOf(config: Config, app: Program, version: string, address: string): string {
  const { discord, catalog, stateUrl, isOpenToEveryone } = config;
  return banner({
    version,
    address,
    stateUrl,
    discord: discord.token === null ? null : { reached: app.health?.().gateway === 'connected' },
    catalog: { portal: catalog.portal.outside?.url ?? null, v2: catalog.v2.outside?.url ?? null },
    isOpenToEveryone,
  });
}

main().catch(endWith);
