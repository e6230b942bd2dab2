import { parseArgs } from 'node:util';
import { ConfigError } from '../shared/errors.ts';
import { FAULT_NAMES, FAULTS, type FaultSettings } from './faults.ts';
import type { Limits } from './limits.ts';
import { PACES, type PaceName } from './simulator/pace.ts';

export interface CatalogArguments {
  help: boolean;
  host: string;
  port: number;
  keys: readonly string[];
  seed: string;
  offers: number;
  pace: PaceName;
  /** How many times as fast as the real time the simulated store lives. */
  speed: number;
  /** Folder of recorded answers to serve instead of the simulator's. */
  data: string | null;
  fresh: boolean;
  limits: Limits;
  faults: FaultSettings | null;
}

const OPTIONS = {
  help: { type: 'boolean' },
  host: { type: 'string' },
  port: { type: 'string' },
  key: { type: 'string', multiple: true },
  seed: { type: 'string' },
  offers: { type: 'string' },
  pace: { type: 'string' },
  speed: { type: 'string' },
  data: { type: 'string' },
  fresh: { type: 'boolean' },
  rate: { type: 'string' },
  burst: { type: 'string' },
  quota: { type: 'string' },
  faults: { type: 'string' },
} as const;

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

/** @throws ConfigError with every problem found, each naming its option */
export function parseArguments(args: readonly string[]): CatalogArguments {
  const problems: string[] = [];
  const { values, tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
  const known: Readonly<Record<string, { type: 'string' | 'boolean' }>> = OPTIONS;
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}" is not an option.`);
    if (token.kind !== 'option') continue;
    const option = known[token.name];
    if (!option) problems.push(`There is no option ${token.rawName}.`);
    else if (option.type === 'string' && (!token.value || isNextOption(token)))
      problems.push(`${token.rawName} needs a value.`);
    else if (option.type === 'boolean' && token.value !== undefined) problems.push(`${token.rawName} takes no value.`);
  }

  const text = (name: keyof typeof OPTIONS) => {
    const value = values[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  function number(name: keyof typeof OPTIONS, fallback: number, isGood: (value: number) => boolean, what: string) {
    const given = text(name);
    if (given === undefined) return fallback;
    const value = Number(given);
    if (Number.isFinite(value) && isGood(value)) return value;
    problems.push(`--${name} must be ${what}, not "${given}".`);
    return fallback;
  }
  const whole = (least: number, most: number) => (value: number) =>
    Number.isInteger(value) && value >= least && value <= most;

  const seed = text('seed') ?? 'dealbell';
  const pace = text('pace') ?? 'store';
  if (!(pace in PACES)) problems.push(`--pace must be ${Object.keys(PACES).join(' or ')}, not "${pace}".`);
  const data = text('data') ?? null;
  const fresh = values.fresh === true;
  if (fresh && data === null) problems.push('--fresh needs --data.');
  const keys = [values.key ?? []].flat().filter((key) => typeof key === 'string' && key !== '');
  const faults = text('faults');

  const result: CatalogArguments = {
    help: values.help === true,
    host: text('host') ?? '127.0.0.1',
    port: number('port', 4100, whole(0, 65_535), 'a port number, 0 to 65535'),
    keys: keys.length === 0 ? ['local'] : keys.map(String),
    seed,
    offers: number('offers', 12_400, whole(0, 100_000), 'a whole number up to 100000'),
    pace: pace === 'demo' ? 'demo' : 'store',
    speed: number('speed', 1, (value) => value > 0, 'a number above 0'),
    data,
    fresh,
    limits: {
      rate: number('rate', 1, (value) => value > 0, 'a number above 0'),
      burst: number('burst', 10, whole(1, 1e9), 'a whole number, 1 or more'),
      quota: number('quota', 1000, whole(1, 1e9), 'a whole number, 1 or more'),
    },
    faults: faults === undefined ? null : { seed, rates: faultRates(faults, problems) },
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return result;
}

/** An option that misses its value takes the next option for it, unless that is written as its value with `=`. */
function isNextOption({ value, inlineValue }: { value?: string | undefined; inlineValue?: boolean | undefined }) {
  return inlineValue !== true && value?.startsWith('--') === true;
}

function faultRates(list: string, problems: string[]): FaultSettings['rates'] {
  const rates: Partial<Record<(typeof FAULT_NAMES)[number], number>> = {};
  for (const entry of list.split(',')) {
    const [given = '', share = ''] = entry.split('=', 2);
    const rate = share === '' ? Number.NaN : Number(share);
    const names = given === 'all' ? FAULT_NAMES : FAULT_NAMES.filter((name) => name === given);
    if (names.length === 0) problems.push(`--faults knows no "${given}": use ${FAULT_NAMES.join(', ')} or all.`);
    if (!(rate >= 0 && rate <= 1)) problems.push(`--faults takes a share from 0 to 1 for "${given}", not "${share}".`);
    for (const name of names) rates[name] = rate;
  }
  const sum = Object.values(rates).reduce((total, rate) => total + rate, 0);
  if (sum > 1 + 1e-9) problems.push(`--faults adds up to ${sum}: an answer has one fault at most, so 1 is the most.`);
  return rates;
}
