import { parseArgs } from 'node:util';
import { ConfigError } from '../shared/errors.ts';

export const HELP = `Local Discord: a Discord on this machine, for a bot that is told its address.

Usage: npm run local-discord -- [options]

  --port <number>   port of the page and the API, 0 for any free one (default 4200)
  --host <name>     name or address to listen on (default 127.0.0.1)
  --state <url>     where the server is kept (default sqlite://data/local-discord.sqlite)
  --help            show this
`;

export interface LocalDiscordArguments {
  help: boolean;
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

const LAST_PORT = 65_535;

/** What follows an option without a value is taken for its value, though it is the next option. */
function isOptionName(value: string): boolean {
  return value.startsWith('--');
}

/** @throws ConfigError with every problem at once */
export function parseArguments(args: string[]): LocalDiscordArguments {
  // Not strict: that would stop at the first problem.
  const { values, tokens } = parseArgs({ args, options: OPTIONS, strict: false, allowPositionals: true, tokens: true });
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}" is not an option; --help lists them.`);
    if (token.kind !== 'option') continue;
    const option = Object.entries(OPTIONS).find(([name]) => name === token.name)?.[1];
    if (!option) problems.push(`${token.rawName} is not known; --help lists the options.`);
    else if (option.type === 'string' && (!token.value || isOptionName(token.value)))
      problems.push(`${token.rawName} needs a value after it.`);
    else if (option.type === 'boolean' && token.value !== undefined) problems.push(`${token.rawName} takes no value.`);
  }
  const { port, host, state, help } = values;
  if (typeof port === 'string' && port && !(/^\d+$/.test(port) && Number(port) <= LAST_PORT)) {
    problems.push(`--port is "${port}"; use a number from 0 to ${LAST_PORT}.`);
  }
  if (typeof state === 'string' && state && !/^sqlite:\/\/./.test(state)) {
    problems.push(`--state is "${state}"; use sqlite:// and a path.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { help: help === true, port: Number(port), host: String(host), stateUrl: String(state) };
}
