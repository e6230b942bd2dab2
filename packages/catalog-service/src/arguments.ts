import { parseArgs } from 'node:util';
import { z } from 'zod';
import { FAULT_NAMES, FAULTS, type FaultSettings } from './faults.ts';

export const HELP = `Serves a deals catalog over HTTP.

  npm run catalog -- [options]

  --host HOST     address to listen on (127.0.0.1)
  --port PORT     port to listen on, 0 for any free one (4100)
  --key KEY       key that both interfaces accept; can be repeated (local)

A simulated store:
  --seed TEXT     the same seed and time give the same store (dealbell)
  --offers N      about so many offers are live (12400)
  --pace PACE     store: offers live for days; demo: for minutes (store)
  --speed N       its time runs so many times as fast (1)

Recorded answers instead:
  --data DIR      folder with feeds/<Name>.json, events.json, dealcasts.json, polls.json, monkeychats.json
  --fresh         move all dates so that the newest start is now

Limits, for each key at each interface:
  --rate N        requests that come back in a second (1)
  --burst N       requests at once (10)
  --quota N       requests in a day that begins at 00:00 UTC (1000)

Faults, for tests:
  --faults LIST   shares of the answers to spoil, for example 500=0.1,reset=0.05; all=0.02 for every kind:
${Object.entries(FAULTS)
  .map(([name, meaning]) => `                  ${name.padEnd(14)}${meaning}`)
  .join('\n')}
`;

/** An option is wrong. Its message names every problem, one a line. */
export class OptionError extends Error {}

/** A number; `expected` describes a good one after "use". */
const number = (expected: string, isGood: (value: number) => boolean) =>
  z
    .string()
    .transform((text) => (text === '' ? Number.NaN : Number(text)))
    .refine((value) => Number.isFinite(value) && isGood(value), { error: expected });
const positive = number('a number above 0', (value) => value > 0);
const whole = (least: number, most: number) =>
  number(`a whole number, ${least} to ${most}`, (value) => Number.isInteger(value) && value >= least && value <= most);
const text = z.string().min(1, { error: 'a text' });

const SCHEMA = z
  .object({
    help: z.boolean(),
    host: text,
    port: whole(0, 65_535),
    key: z.array(text),
    seed: text,
    offers: whole(0, 100_000),
    pace: z.enum(['store', 'demo'], { error: 'store or demo' }),
    /** Speed of the simulated store, as a multiple of real time. */
    speed: positive,
    /** Folder of recorded answers to serve instead of the simulator's. */
    data: text.optional(),
    fresh: z.boolean(),
    rate: positive,
    burst: whole(1, 1e9),
    quota: whole(1, 1e9),
    faults: z.string().transform(faultRates).optional(),
  })
  .refine(({ fresh, data }) => !fresh || data !== undefined, { error: '--fresh needs --data.', when: () => true });

export type CatalogArguments = ReturnType<typeof parseArguments>;

/** @throws OptionError with every bad value; node:util's error where the options aren't those of `HELP` */
export function parseArguments(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '4100' },
      key: { type: 'string', multiple: true, default: ['local'] },
      seed: { type: 'string', default: 'dealbell' },
      offers: { type: 'string', default: '12400' },
      pace: { type: 'string', default: 'store' },
      speed: { type: 'string', default: '1' },
      data: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      rate: { type: 'string', default: '1' },
      burst: { type: 'string', default: '10' },
      quota: { type: 'string', default: '1000' },
      faults: { type: 'string' },
    },
  });
  const read = SCHEMA.safeParse(values);
  if (!read.success) {
    const problems = read.error.issues.map(({ path: [name], message }) => {
      const given = values[name as keyof typeof values];
      return message.endsWith('.') ? message : `--${String(name)} is "${String(given)}"; use ${message}.`;
    });
    throw new OptionError(problems.join('\n'));
  }
  const { key: keys, rate, burst, quota, data = null, faults: rates, ...options } = read.data;
  const faults: FaultSettings | null = rates ? { seed: options.seed, rates } : null;
  return { ...options, data, keys, limits: { rate, burst, quota }, faults };
}

function faultRates(list: string, context: z.RefinementCtx): FaultSettings['rates'] {
  const complain = (message: string) => context.addIssue({ code: 'custom', message });
  const rates: Partial<Record<(typeof FAULT_NAMES)[number], number>> = {};
  for (const entry of list.split(',')) {
    const [given = '', share = ''] = entry.split('=', 2);
    const rate = share === '' ? Number.NaN : Number(share);
    const names = given === 'all' ? FAULT_NAMES : FAULT_NAMES.filter((name) => name === given);
    if (names.length === 0) complain(`--faults knows no "${given}": use ${FAULT_NAMES.join(', ')} or all.`);
    if (!(rate >= 0 && rate <= 1)) complain(`--faults takes a share from 0 to 1 for "${given}", not "${share}".`);
    for (const name of names) rates[name] = rate;
  }
  const sum = Object.values(rates).reduce((total, rate) => total + rate, 0);
  if (sum > 1 + 1e-9) complain(`--faults adds up to ${sum}: an answer has one fault at most, so 1 is the most.`);
  return rates;
}
