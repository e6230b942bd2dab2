import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { levenshtein } from '../deals/levenshtein.ts';
import { ConfigError } from '../shared/errors.ts';
import { LOG_LEVELS } from '../shared/log.ts';
import { webAddress } from '../shared/web-address.ts';
import { isOnServer, isStateUrl, placeOf, STATE_ADDRESSES } from '../store/table/state-place.ts';
import { hostOf } from './banner.ts';
import { cronProblem } from './cron.ts';
import { marksOfFiles } from './env-file.ts';

/** The feeds that a live deployment has; names are matched without regard to case. */
const FEEDS = [
  'All',
  'Featured',
  'Clearance',
  'Computers',
  'Electronics',
  'Home',
  'Gourmet',
  'Shirts',
  'Sports',
  'Tools',
  'DealOff',
];

/**
 * The portal's published limits (specification: "Portal throttling"); v2's are not published and are assumed to be the
 * same.
 */
const PUBLISHED_LIMITS = { rate: 1, burst: 10, quota: 1000 };
/** How often to poll: sparingly, as the catalog belongs to somebody else. */
const POLLING = { cron: '*/15 * * * * *', minSeconds: 60 };

const positive = z.coerce.number({ error: 'must be a number' }).positive({ error: 'must be greater than 0' });
const wholePositive = z.coerce
  .number({ error: 'must be a whole number' })
  .int({ error: 'must be a whole number' })
  .min(1, { error: 'must be at least 1' });
const port = z.coerce
  .number({ error: 'must be a port number' })
  .int({ error: 'must be a port number' })
  .min(0, { error: 'must be a port number, 0 to 65535' })
  .max(65_535, { error: 'must be a port number, 0 to 65535' });
const cron = z.string().superRefine((value, context) => {
  const problem = cronProblem(value);
  if (problem) context.addIssue(`must be a cron expression (${problem})`);
});
/** The names of ranges of addresses. */
const RANGES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];
/** Whether a text is an address, a range of addresses, or the name of one. A range of all addresses would trust everybody. */
function isProxy(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return RANGES.includes(text);
  return bits === undefined || (Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128));
}
const secret = z.string().regex(/^\S+$/, { error: 'must not contain spaces' });

/**
 * The settings that stand for themselves, by their field of `Config`. The schema has the bounds, the remedy and the
 * default.
 */
const SINGLE = {
  /** Requests per second in all: Discord allows a bot in very many servers more than the usual. */
  discordRate: { variable: 'DISCORD_RATE', schema: wholePositive.default(50) },
  /** A server that has more keeps them, but can add none. */
  mostSubscriptionsPerServer: { variable: 'MAX_SUBSCRIPTIONS_PER_SERVER', schema: wholePositive.default(100) },
  port: { variable: 'PORT', schema: port.default(8080) },
  /** null: no metrics. */
  metricsPort: { variable: 'METRICS_PORT', schema: port.nullable().default(null) },
  host: {
    variable: 'HOST',
    schema: z.string().regex(/^\S+$/, { error: 'must be an address or a host name' }).default('127.0.0.1'),
  },
  /** Whose X-Forwarded-* headers are believed. @see https://fastify.dev/docs/latest/Reference/Server/#trustproxy */
  trustedProxies: {
    variable: 'TRUST_PROXY',
    schema: z
      .string()
      .transform((value) => value.split(',').map((one) => one.trim()))
      .refine((all) => all.every(isProxy), {
        error:
          'must be addresses separated by commas, as 10.0.0.1 or 10.0.0.0/8, or loopback, linklocal or uniquelocal',
      })
      .default([]),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    schema: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
  },
} as const satisfies Readonly<Record<string, { variable: string; schema: z.ZodType }>>;

type Single = typeof SINGLE;
type SingleValues = { [Field in keyof Single]: z.output<Single[Field]['schema']> };
type SingleShape = { [Field in keyof Single as Single[Field]['variable']]: Single[Field]['schema'] };
// `fromEntries` forgets which variables it was given.
const SINGLE_SHAPE = Object.fromEntries(
  Object.values(SINGLE).map(({ variable, schema }) => [variable, schema]),
) as SingleShape;

/** Settings of the bot that features read. Each adds its own fields. */
// biome-ignore lint/suspicious/noEmptyInterface: Features add members by declaration merging.
export interface FeatureConfig {}

/**
 * The settings that a feature adds, by their field of `Config`: each a variable that stands for itself.
 * @example
 * environment: { greeting: { variable: 'GREETING', schema: z.string().default('Hello') } }
 * declare module '../../app/config.ts' { interface FeatureConfig { greeting: string } }
 */
export type FeatureEnvironment = {
  readonly [Field in keyof FeatureConfig]?: {
    variable: string;
    /** Has the bounds, the remedy and the default. */
    schema: z.ZodType<FeatureConfig[Field]>;
    /** Whether the log tells only whether it is set. */
    isSecret?: true;
  };
};

/** The features whose settings are read; `Feature` has what this needs. */
type WithEnvironment = readonly { readonly environment?: FeatureEnvironment }[];

/** The rows of the features' settings; the compiler can't follow which field has which schema. */
function rowsOf(features: WithEnvironment) {
  const all = features.flatMap(({ environment = {} }) => Object.entries(environment));
  return all as [string, { variable: string; schema: z.ZodType; isSecret?: true }][];
}

/** The names of all variables that a bot with these features reads, each described in `.env.example`. */
export function variablesOf(features: WithEnvironment): string[] {
  const ofFeatures = rowsOf(features).flatMap(([, { variable, isSecret }]) =>
    isSecret ? [variable, fileOf(variable)] : [variable],
  );
  return [...Object.keys(environmentSchema.shape), ...ofFeatures];
}

/** The variable that names a file with the value of another one. */
const fileOf = (variable: string) => `${variable}_FILE`;

const environmentSchema = z.object({
  DISCORD_TOKEN: secret.optional(),
  DISCORD_TOKEN_FILE: z.string().optional(),
  DISCORD_API: webAddress.optional(),
  CATALOG_V2_URL: webAddress.optional(),
  CATALOG_V2_KEY: secret.optional(),
  CATALOG_V2_KEY_FILE: z.string().optional(),
  CATALOG_PORTAL_URL: webAddress.optional(),
  CATALOG_PORTAL_KEY: secret.optional(),
  CATALOG_PORTAL_KEY_FILE: z.string().optional(),
  CATALOG_FEEDS: z
    .string()
    .transform((value) => value.split(',').map((name) => name.trim()))
    .pipe(z.array(z.string().regex(/^[\w-]{1,64}$/, { error: 'must be feed names separated by commas' })))
    .optional(),
  CATALOG_PORTAL_RATE: positive.optional(),
  CATALOG_PORTAL_BURST: wholePositive.optional(),
  CATALOG_PORTAL_QUOTA: wholePositive.optional(),
  CATALOG_V2_RATE: positive.optional(),
  CATALOG_V2_BURST: wholePositive.optional(),
  CATALOG_V2_QUOTA: wholePositive.optional(),
  STATE_URL: z
    .string()
    .refine(isStateUrl, { error: `must be ${STATE_ADDRESSES}` })
    .default('sqlite://data/dealbell.sqlite'),
  STATE_PASSWORD: secret.optional(),
  STATE_PASSWORD_FILE: z.string().optional(),
  BACKUP_CRON: cron.optional(),
  BACKUP_KEEP: wholePositive.default(7),
  BACKUP_FOLDER: z.string().optional(),
  POLL_CRON: cron.optional(),
  POLL_MIN_SECONDS: positive.optional(),
  ...SINGLE_SHAPE,
});

/** The address of one of the catalog's interfaces, and the key that it takes. */
interface InterfaceAddress {
  url: string;
  key: string;
}

export interface InterfaceConfig {
  /** null: not set. */
  address: InterfaceAddress | null;
  /** Requests per second, burst, requests per UTC day. */
  limits: { rate: number; burst: number; quota: number };
}

/** The valid settings. The operator's commands work without the connections; the bot needs a `CompleteConfig`. */
export interface Config extends SingleValues, FeatureConfig {
  discord: {
    /** null: not set. */
    token: string | null;
    /** null: Discord's own. */
    api: string | null;
  };
  catalog: { v2: InterfaceConfig; portal: InterfaceConfig; feeds: string[] };
  /** With the password, where the state has one: `placeOf` makes of it what may be shown. */
  stateUrl: string;
  /** The password of the database's user, for a state at another address; null for none. */
  statePassword: string | null;
  /** When backups are made (null: never), where, and how many of them are kept. */
  backup: { cron: string | null; folder: string; keep: number };
  poll: { cron: string; minIntervalMs: number };
}

/** Settings that name Discord and both interfaces of the catalog. */
export interface CompleteConfig extends Config {
  discord: Config['discord'] & { token: string };
  catalog: Config['catalog'] & Record<'v2' | 'portal', InterfaceConfig & { address: InterfaceAddress }>;
}

/** The settings that stand for the bot's three connections; each has a remedy where it is missing. */
const CONNECTIONS = {
  DISCORD_TOKEN: 'Set it to the token on the "Bot" page of your application in Discord\'s developer portal.',
  CATALOG_PORTAL_URL: "Set it and CATALOG_PORTAL_KEY to the address and the key of the catalog's developer portal.",
  CATALOG_V2_URL: "Set it and CATALOG_V2_KEY to the address and the key of the catalog's v2 interface.",
} as const;
const SIMULATE = 'Or run "npm start" in a clone of the repository: it simulates what is missing.';
export type Connection = keyof typeof CONNECTIONS;

/** The connections that the settings don't name. */
export function missingConnections({ discord, catalog }: Config): Connection[] {
  const isSet = {
    DISCORD_TOKEN: discord.token !== null,
    CATALOG_PORTAL_URL: catalog.portal.address !== null,
    CATALOG_V2_URL: catalog.v2.address !== null,
  };
  return (Object.keys(CONNECTIONS) as Connection[]).filter((name) => !isSet[name]);
}

/** @throws ConfigError with each connection that the settings don't name, and the remedy */
export function completeConfig(config: Config): CompleteConfig {
  const { discord, catalog } = config;
  const { token } = discord;
  const { portal, v2 } = catalog;
  if (token === null || portal.address === null || v2.address === null) {
    const problems = missingConnections(config).map((name) => `${name} is missing. ${CONNECTIONS[name]}`);
    throw new ConfigError([...problems.slice(0, -1), `${problems.at(-1)} ${SIMULATE}`]);
  }
  return {
    ...config,
    discord: { ...discord, token },
    catalog: { ...catalog, portal: { ...portal, address: portal.address }, v2: { ...v2, address: v2.address } },
  };
}

/**
 * The settings in force by their variables, as the log may show them: of a secret only whether it is set, of an address
 * only the host, because the rest may hold a key.
 */
export function shownSettings(config: Config, features: WithEnvironment = []): Readonly<Record<string, unknown>> {
  const { discord, catalog, stateUrl, backup, poll } = config;
  const single = Object.entries(SINGLE).map(([field, { variable }]) => [variable, config[field as keyof Single]]);
  const values: Readonly<Record<string, unknown>> = { ...config };
  const ofFeatures = rowsOf(features).map(([field, { variable, isSecret }]) => [
    variable,
    isSecret ? setOrNot(values[field]) : values[field],
  ]);
  const ofInterface = (name: string, { address, limits }: InterfaceConfig) => ({
    [`CATALOG_${name}_URL`]: address && hostOf(address.url),
    [`CATALOG_${name}_KEY`]: setOrNot(address),
    [`CATALOG_${name}_RATE`]: limits.rate,
    [`CATALOG_${name}_BURST`]: limits.burst,
    [`CATALOG_${name}_QUOTA`]: limits.quota,
  });
  return {
    ...(Object.fromEntries([...single, ...ofFeatures]) as object),
    DISCORD_TOKEN: setOrNot(discord.token),
    DISCORD_API: discord.api && hostOf(discord.api),
    ...ofInterface('PORTAL', catalog.portal),
    ...ofInterface('V2', catalog.v2),
    CATALOG_FEEDS: catalog.feeds,
    POLL_CRON: poll.cron,
    POLL_MIN_SECONDS: poll.minIntervalMs / 1000,
    STATE_URL: placeOf(stateUrl),
    STATE_PASSWORD: setOrNot(config.statePassword),
    BACKUP_CRON: backup.cron,
    BACKUP_KEEP: backup.keep,
    BACKUP_FOLDER: backup.folder,
  };
}

const setOrNot = (value: unknown) => (value === null ? null : 'set');

/** Variables whose value may come from a file, because container secrets are files; features' secrets may, too. */
const IN_FILES = ['DISCORD_TOKEN', 'CATALOG_V2_KEY', 'CATALOG_PORTAL_KEY', 'STATE_PASSWORD'] as const;

/**
 * Reads the configuration, and the files that hold secrets. An empty value counts as unset.
 * @param features those whose settings are read as well
 * @throws ConfigError with every problem, each naming its variable and never its value where that is a secret
 */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
  features: WithEnvironment = [],
): Config {
  const known = variablesOf(features);
  const given = Object.fromEntries(
    known.flatMap((name) => {
      const value = environment[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
  const marked = marksOfFiles(given);
  const { set, problems: fileProblems } = withFiles(given, features);
  const parsed = environmentSchema.safeParse(set);
  const rows = rowsOf(features);
  const ofFeatures = z.object(Object.fromEntries(rows.map(([, row]) => [row.variable, row.schema]))).safeParse(set);
  const issues = [...(parsed.error?.issues ?? []), ...(ofFeatures.error?.issues ?? [])].filter(
    ({ path }) => !marked.has(String(path[0])),
  );
  const problems = [
    ...mistypedNames(environment, given, known),
    ...marked.values(),
    ...fileProblems,
    ...issues.map(({ path, message }) => `${String(path[0])} ${message}.`),
    ...missingPartners(set),
    ...misplacedState(set),
    ...samePorts(parsed.data),
  ];
  if (!parsed.success || !ofFeatures.success || problems.length > 0) throw new ConfigError(problems);

  const env = parsed.data;
  const v2 = interfaceConfig(env.CATALOG_V2_URL, env.CATALOG_V2_KEY, {
    rate: env.CATALOG_V2_RATE,
    burst: env.CATALOG_V2_BURST,
    quota: env.CATALOG_V2_QUOTA,
  });
  const portal = interfaceConfig(env.CATALOG_PORTAL_URL, env.CATALOG_PORTAL_KEY, {
    rate: env.CATALOG_PORTAL_RATE,
    burst: env.CATALOG_PORTAL_BURST,
    quota: env.CATALOG_PORTAL_QUOTA,
  });
  return {
    discord: { token: env.DISCORD_TOKEN ?? null, api: env.DISCORD_API ?? null },
    catalog: { v2, portal, feeds: [...new Set(env.CATALOG_FEEDS ?? FEEDS)] },
    stateUrl: withPassword(env.STATE_URL, env.STATE_PASSWORD ?? null),
    statePassword: env.STATE_PASSWORD ?? null,
    backup: {
      cron: env.BACKUP_CRON ?? null,
      folder:
        env.BACKUP_FOLDER ?? join(isOnServer(env.STATE_URL) ? 'data' : dirname(placeOf(env.STATE_URL)), 'backups'),
      keep: env.BACKUP_KEEP,
    },
    poll: {
      cron: env.POLL_CRON ?? POLLING.cron,
      minIntervalMs: (env.POLL_MIN_SECONDS ?? POLLING.minSeconds) * 1000,
    },
    ...singleValues(env),
    // Each is what its variable's schema has made.
    ...(Object.assign(
      {},
      ...rows.map(([field, row]) => ({ [field]: ofFeatures.data[row.variable] })),
    ) as FeatureConfig),
  };
}

function singleValues(env: z.output<typeof environmentSchema>): SingleValues {
  const values = Object.entries(SINGLE).map(([field, { variable }]) => [field, env[variable]]);
  // Each is what its variable's schema has made.
  return Object.fromEntries(values) as SingleValues;
}

type Settings = Readonly<Record<string, string>>;

/** The settings with the values that files contain. */
function withFiles(given: Settings, features: WithEnvironment): { set: Settings; problems: string[] } {
  const set: Record<string, string> = { ...given };
  const problems: string[] = [];
  const ofFeatures = rowsOf(features).flatMap(([, { variable, isSecret }]) => (isSecret ? [variable] : []));
  for (const name of [...IN_FILES, ...ofFeatures]) {
    const path = given[fileOf(name)];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      problems.push(`${name} and ${name}_FILE are both set. Remove one of them.`);
      continue;
    }
    try {
      const value = readFileSync(path, 'utf8').trim();
      if (value === '') problems.push(`${name}_FILE points to an empty file.`);
      else set[name] = value;
    } catch (error) {
      problems.push(`${name}_FILE points to a file that can't be read (${codeOf(error)}).`);
    }
  }
  return { set, problems };
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error));

/**
 * A name with at most so many wrong letters is taken for a typo if it has at least `SHORTEST_CHECKED` letters; shorter
 * names resemble others too much.
 */
const MOST_MISTAKES = 2;
const SHORTEST_CHECKED = 8;

/** Variables that Dealbell does not read and that are probably typos of one that is not set. */
function mistypedNames(
  environment: Readonly<Record<string, string | undefined>>,
  given: Settings,
  known: readonly string[],
): string[] {
  const isKnown = new Set(known);
  return Object.keys(environment).flatMap((name) => {
    if (isKnown.has(name) || !environment[name]) return [];
    const upper = name.toUpperCase();
    const [meant] = known
      .filter((candidate) => candidate.length >= SHORTEST_CHECKED && given[candidate] === undefined)
      .map((candidate) => ({ candidate, mistakes: levenshtein(upper, candidate) }))
      .filter(({ candidate, mistakes }) => mistakes <= MOST_MISTAKES || hasWordsOf(upper, candidate))
      .toSorted((a, b) => a.mistakes - b.mistakes);
    return meant ? [`${name} isn't a setting. Did you mean ${meant.candidate}?`] : [];
  });
}

/**
 * Whether a name begins like another and contains all its words and more, as DISCORD_BOT_TOKEN contains those of
 * DISCORD_TOKEN.
 */
function hasWordsOf(name: string, other: string): boolean {
  const words = name.split('_');
  const wanted = other.split('_');
  return words[0] === wanted[0] && wanted.every((word) => words.includes(word));
}

/** The problems of settings that don't fit the kind of state. */
function misplacedState({ STATE_URL = '', STATE_PASSWORD, BACKUP_CRON }: Settings): string[] {
  const problems: string[] = [];
  if (!isOnServer(STATE_URL)) return problems;
  if (STATE_PASSWORD !== undefined && URL.canParse(STATE_URL) && new URL(STATE_URL).password !== '') {
    problems.push('STATE_URL and STATE_PASSWORD both hold a password. Remove one of them.');
  }
  if (BACKUP_CRON !== undefined) {
    problems.push('BACKUP_CRON makes copies of files only. Use pg_dump for backups of a PostgreSQL database.');
  }
  return problems;
}

/** The problem of two servers that would listen at one port; 0 is a free one for each. */
function samePorts(env: z.output<typeof environmentSchema> | undefined): string[] {
  if (!env || env.PORT === 0 || env.METRICS_PORT !== env.PORT) return [];
  return [`METRICS_PORT and PORT are both ${env.PORT}. Set one of them to another port.`];
}

/** The address of a state with its password, where it needs one; it is a secret then. */
export function withPassword(stateUrl: string, password: string | null): string {
  if (password === null || !isOnServer(stateUrl) || !URL.canParse(stateUrl)) return stateUrl;
  const url = new URL(stateUrl);
  url.password = encodeURIComponent(password);
  return url.href;
}

/** The problems of variables that mean nothing without another. */
function missingPartners(set: Settings): string[] {
  const pairs = [
    ['CATALOG_V2_URL', 'CATALOG_V2_KEY'],
    ['CATALOG_V2_KEY', 'CATALOG_V2_URL'],
    ['CATALOG_PORTAL_URL', 'CATALOG_PORTAL_KEY'],
    ['CATALOG_PORTAL_KEY', 'CATALOG_PORTAL_URL'],
    ['DISCORD_API', 'DISCORD_TOKEN'],
  ] as const;
  return pairs
    .filter(([given, needed]) => set[given] !== undefined && set[needed] === undefined)
    .map(([given, needed]) => `${needed} is missing. ${given} needs it.`);
}

function interfaceConfig(
  address: string | undefined,
  key: string | undefined,
  limits: { [K in keyof InterfaceConfig['limits']]: number | undefined },
): InterfaceConfig {
  return {
    address: address !== undefined && key !== undefined ? { url: address, key } : null,
    limits: {
      rate: limits.rate ?? PUBLISHED_LIMITS.rate,
      burst: limits.burst ?? PUBLISHED_LIMITS.burst,
      quota: limits.quota ?? PUBLISHED_LIMITS.quota,
    },
  };
}
