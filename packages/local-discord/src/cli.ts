#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { HELP, OptionError, parseArguments } from './arguments.ts';
import { type LocalDiscord, startLocalDiscord } from './index.ts';

/** The folder where the build puts the page: beside the built program. */
const PAGE_DIRECTORY = fileURLToPath(new URL('./page', import.meta.url));

async function run(): Promise<void> {
  const { help, ...options } = parseArguments(process.argv.slice(2));
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const discord = await startLocalDiscord({ ...options, log: pino({ level: 'warn' }), pageDirectory: PAGE_DIRECTORY });
  process.stdout.write(greeting(discord));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void discord.stop().catch(fail));
}

function greeting({ url, api, token }: LocalDiscord): string {
  return `Local Discord is at ${url}
A bot logs in with the REST base ${api} and the token ${token}

Ctrl-C stops it.
`;
}

function fail(error: unknown): void {
  const { message, code, port } = error as NodeJS.ErrnoException & { port?: number };
  const portTaken = `Port ${port} is already in use. Stop the program that uses it, or choose another with --port.`;
  process.stderr.write(`${code === 'EADDRINUSE' ? portTaken : message}\n`);
  const isWrongOption = error instanceof OptionError || code?.startsWith('ERR_PARSE_ARGS') === true;
  process.exitCode = isWrongOption ? 2 : 1;
}

run().catch(fail);
