import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '../clock.ts';
import { AppError, ConfigError } from '../errors.ts';
import { createLog } from '../log.ts';
import { createLocalDiscord } from './local-discord.ts';

const HELP = `Local Discord: a Discord on this machine, for a bot that is told its address.

Usage: npm run local-discord -- [options]

  --port <number>   port of the page and the API, 0 for any free one (default 4200)
  --host <name>     name or address to listen on (default 127.0.0.1)
  --state <url>     where the server is kept (default sqlite://data/local-discord.sqlite)
  --help            show this
`;

interface Settings {
  port: number;
  host: string;
  stateUrl: string;
}

const OPTIONS = {
  port: { type: 'string', default: '4200' },
  host: { type: 'string', default: '127.0.0.1' },
  state: { type: 'string', default: 'sqlite://data/local-discord.sqlite' },
  help: { type: 'boolean', default: false },
} as const;

/** @throws ConfigError with every wrong option */
function readSettings(args: string[]): Settings | 'help' {
  const { values, tokens } = parseArgs({ args, options: OPTIONS, strict: false, allowPositionals: true, tokens: true });
  if (values.help) return 'help';
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}" is not an option; --help lists them.`);
    if (token.kind !== 'option') continue;
    if (!Object.hasOwn(OPTIONS, token.name)) problems.push(`${token.rawName} is not known; --help lists the options.`);
    else if (token.name !== 'help' && !token.value) problems.push(`${token.rawName} needs a value after it.`);
  }
  const port = Number(values.port);
  if (typeof values.port === 'string' && !(/^\d+$/.test(values.port) && port <= 65_535)) {
    problems.push(`--port is "${values.port}"; use a number from 0 to 65535.`);
  }
  const stateUrl = String(values.state);
  if (typeof values.state === 'string' && values.state && !/^sqlite:\/\/./.test(stateUrl)) {
    problems.push(`--state is "${stateUrl}"; use sqlite:// and a path.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { port, host: String(values.host), stateUrl };
}

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2));
  if (settings === 'help') {
    process.stdout.write(HELP);
    return;
  }
  const discord = createLocalDiscord({
    ...settings,
    clock: systemClock,
    log: createLog('warn'),
    pageDirectory: fileURLToPath(new URL('../../page', import.meta.url)),
  });
  await discord.start();
  process.stdout.write(`Page      ${discord.url}/\nREST API  ${discord.api}\nToken     ${discord.token}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      discord.stop().catch(fail);
    });
  }
}

function fail(error: unknown): void {
  const isConfig = error instanceof ConfigError;
  const port = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const text = port
    ? `${error.message}; choose another --port.`
    : error instanceof AppError
      ? error.message
      : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = isConfig ? 2 : 1;
}

main().catch(fail);
