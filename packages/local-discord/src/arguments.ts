import { parseArgs } from 'node:util';
import { z } from 'zod';

export const HELP = `Local Discord: a Discord on this machine, for a bot that is told its address.

Usage: local-discord [options]

  --port <number>   port of the page and the API, 0 for any free one (default 4200)
  --host <name>     name or address to listen on (default 127.0.0.1)
  --state <url>     where the server is kept (default sqlite://data/local-discord.sqlite)
  --others-publish <number>
                    how many of the ten publications an hour somebody else makes in each announcement channel (default 0)
  --help            show this
`;

/** An option is wrong. */
export class OptionError extends Error {}

const PORT = { error: 'a number from 0 to 65535' };

const SCHEMA = z.object({
  port: z
    .string()
    .regex(/^\d{1,5}$/, PORT)
    .transform(Number)
    .refine((port) => port <= 65_535, PORT),
  host: z.string().min(1, { error: 'a name or an address' }),
  'others-publish': z
    .string()
    .regex(/^(\d|10)$/, { error: 'a number from 0 to 10' })
    .transform(Number),
  state: z.string().regex(/^sqlite:\/\/./, { error: 'sqlite:// and a path' }),
});

/** @throws OptionError; node:util's error where the options aren't those of `HELP` */
export function parseArguments(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      port: { type: 'string', default: '4200' },
      host: { type: 'string', default: '127.0.0.1' },
      'others-publish': { type: 'string', default: '0' },
      state: { type: 'string', default: 'sqlite://data/local-discord.sqlite' },
    },
  });
  const { data, error } = SCHEMA.safeParse(values);
  if (!data) {
    const lines = error.issues.map(({ path: [name], message }) => {
      const given = values[name as keyof typeof values];
      return `--${String(name)} is "${String(given)}"; use ${message}.`;
    });
    throw new OptionError(lines.join('\n'));
  }
  const { state: stateUrl, 'others-publish': othersPublish, ...place } = data;
  return { help: values.help, ...place, stateUrl, othersPublish };
}
