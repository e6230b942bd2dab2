import { fileURLToPath } from 'node:url';
import { systemClock } from '../shared/clock.ts';
import { ConfigError } from '../shared/errors.ts';
import { createLog } from '../shared/log.ts';
import { HELP, parseArguments } from './arguments.ts';
import { createLocalDiscord, type LocalDiscord } from './server/local-discord.ts';

/** Where the build puts the page, seen from the built program. */
const PAGE_DIRECTORY = fileURLToPath(new URL('../../page', import.meta.url));

async function main(): Promise<void> {
  const { help, ...options } = parseArguments(process.argv.slice(2));
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const discord = createLocalDiscord({
    ...options,
    clock: systemClock,
    log: createLog('warn'),
    pageDirectory: PAGE_DIRECTORY,
  });
  await discord.start();
  process.stdout.write(greeting(discord));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      discord.stop().catch(fail);
    });
  }
}

function greeting({ url, api, token }: LocalDiscord): string {
  return `Local Discord is at ${url}
A bot logs in with the REST base ${api} and the token ${token}

Ctrl-C stops it.
`;
}

function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const isPortTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  process.stderr.write(`${message}${isPortTaken ? '. Choose another --port.' : ''}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}

main().catch(fail);
