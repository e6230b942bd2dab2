import { z } from 'zod';
import { flag, portOption, readCommandLine } from '../shared/command-line.ts';

export const HELP = `Local Discord: a Discord on this machine, for a bot that is told its address.

Usage: npm run local-discord -- [options]

  --port <number>   port of the page and the API, 0 for any free one (default 4200)
  --host <name>     name or address to listen on (default 127.0.0.1)
  --state <url>     where the server is kept (default sqlite://data/local-discord.sqlite)
  --help            show this
`;

const OPTIONS = {
  help: flag,
  port: portOption.default(4200),
  host: z.string().default('127.0.0.1'),
  state: z
    .string()
    .regex(/^sqlite:\/\/./, { error: 'sqlite:// and a path' })
    .default('sqlite://data/local-discord.sqlite'),
};

/** @throws ConfigError with every problem at once */
export function parseArguments(args: readonly string[]) {
  const { state: stateUrl, ...options } = readCommandLine(args, OPTIONS);
  return { ...options, stateUrl };
}
