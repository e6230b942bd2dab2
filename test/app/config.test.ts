import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  completeConfig,
  type FeatureEnvironment,
  missingConnections,
  parseConfig,
  shownSettings,
  variablesOf,
} from '../../src/app/config.ts';
import { createHttpServer } from '../../src/app/http.ts';
import { ConfigError } from '../../src/shared/errors.ts';
import { placeOf } from '../../src/store/table/state-place.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

function problemsOf(
  environment: Record<string, string>,
  features?: Parameters<typeof parseConfig>[1],
): readonly string[] {
  try {
    parseConfig(environment, features);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('The configuration was taken.');
}

test.each<[string, readonly string[]]>([
  ['loopback', ['loopback']],
  ['10.0.0.1, 10.0.0.0/8,fd00::/8', ['10.0.0.1', '10.0.0.0/8', 'fd00::/8']],
  ['::1', ['::1']],
  ['0.0.0.0/1,10.0.0.1/32,::/1,::1/128', ['0.0.0.0/1', '10.0.0.1/32', '::/1', '::1/128']],
])('TRUST_PROXY takes %s', (text, proxies) => {
  const { trustedProxies } = parseConfig({ TRUST_PROXY: text });
  expect(trustedProxies).toEqual(proxies);
  expect(() => createHttpServer(trustedProxies), 'the library takes them').not.toThrow();
});

test.each([
  'true',
  '1',
  'proxy.example.com',
  '10.0.0.0/0',
  '::/0',
  '10.0.0.0/33',
  '::1/129',
  '10.0.0.1,,',
  '10.0.0.1/',
  '10.0.0.1/8/8',
])('TRUST_PROXY takes no %s', (text) => {
  expect(problemsOf({ TRUST_PROXY: text })).toEqual([expect.stringMatching(/^TRUST_PROXY must be addresses/)]);
});

test.each([
  ['"8081"', 'PORT is in quotes, which docker run keeps. Remove them.'],
  ["'8081'", 'PORT is in quotes, which docker run keeps. Remove them.'],
  ['"8081" # the port', 'PORT is in quotes, which docker run keeps. Remove them.'],
  ['8081 # the port', 'PORT has a comment behind it. Put the comment on a line of its own.'],
  ['# the port', 'PORT has a comment behind it. Put the comment on a line of its own.'],
  ['8081#', 'PORT must be a port number.'],
])('a value %s, as other tools leave it of a file, is refused with one sentence', (value, problem) => {
  expect(problemsOf({ PORT: value })).toEqual([problem]);
});

test('quotes and comments are named for any setting, never with the value', () => {
  const secret = 'a-key-of-mine';
  expect(
    problemsOf({ CATALOG_V2_URL: 'http://h', CATALOG_V2_KEY: `"${secret}"`, STATE_URL: 'sqlite://a # b' }),
  ).toEqual([
    'CATALOG_V2_KEY is in quotes, which docker run keeps. Remove them.',
    'STATE_URL has a comment behind it. Put the comment on a line of its own.',
  ]);
});

describe('the configuration', () => {
  test('names each connection that is missing, with its remedy, where the bot needs all of them', () => {
    const config = parseConfig({});
    expect(config).toMatchObject({ stateUrl: 'sqlite://data/dealbell.sqlite', port: 8080, host: '127.0.0.1' });
    expect(missingConnections(config)).toEqual(['DISCORD_TOKEN', 'CATALOG_PORTAL_URL', 'CATALOG_V2_URL']);
    expect(() => completeConfig(config)).toThrow(
      /^There are 3 problems.*DISCORD_TOKEN is missing\. Set it.*CATALOG_PORTAL_URL is missing\. Set it.*CATALOG_V2_URL is missing\. Set it.*npm start/s,
    );
    const portal = { CATALOG_PORTAL_URL: 'https://catalog.example', CATALOG_PORTAL_KEY: 'k' };
    const v2 = { CATALOG_V2_URL: 'https://catalog.example', CATALOG_V2_KEY: 'k' };
    const complete = parseConfig({ DISCORD_TOKEN: 'a.b', ...portal, ...v2 });
    expect(completeConfig(complete)).toEqual(complete);
    expect(() => completeConfig(parseConfig({ DISCORD_TOKEN: 'a.b', ...portal }))).toThrow(
      /^There’s a problem with the settings:\n {2}- CATALOG_V2_URL is missing/,
    );
  });

  test('asks a portal as sparingly as its published limits want', () => {
    const config = parseConfig({ CATALOG_PORTAL_URL: 'https://catalog.example/', CATALOG_PORTAL_KEY: 'k' });
    expect(config.catalog.portal).toEqual({
      address: { url: 'https://catalog.example', key: 'k' },
      limits: { rate: 1, burst: 10, quota: 1000 },
    });
    expect(config.poll).toEqual({ cron: '*/15 * * * * *', minIntervalMs: 60_000 });
    expect(missingConnections(config), 'each half on its own').toContain('CATALOG_V2_URL');
  });

  test('refuses one port for two servers, and takes a free one for each', () => {
    expect(problemsOf({ METRICS_PORT: '8080' })).toEqual([
      'METRICS_PORT and PORT are both 8080. Set one of them to another port.',
    ]);
    expect(parseConfig({ METRICS_PORT: '0', PORT: '0' })).toMatchObject({ metricsPort: 0, port: 0 });
  });

  test('shows its values for the log, of a secret only that it is set', () => {
    const secret = 'never-shown';
    const shown = shownSettings(
      parseConfig({
        DISCORD_TOKEN: secret,
        DISCORD_API: `https://${secret}@discord.example/${secret}`,
        CATALOG_PORTAL_URL: `https://catalog.example/${secret}`,
        CATALOG_PORTAL_KEY: secret,
        CATALOG_V2_URL: `https://catalog.example:8443/?key=${secret}`,
        CATALOG_V2_KEY: secret,
        STATE_URL: 'postgres://dealbell@db.example/deals',
        STATE_PASSWORD: secret,
      }),
    );
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown).toMatchObject({
      DISCORD_TOKEN: 'set',
      DISCORD_API: 'discord.example',
      CATALOG_V2_URL: 'catalog.example:8443',
      STATE_URL: 'db.example/deals',
      STATE_PASSWORD: 'set',
      PORT: 8080,
    });
    const isFile = (name: string) => name.endsWith('_FILE');
    const missing = variablesOf([]).filter((name) => !isFile(name) && !(name in shown));
    expect(missing, 'each setting is shown').toEqual([]);
    expect(shownSettings(parseConfig({}))).toMatchObject({ DISCORD_TOKEN: null, STATE_PASSWORD: null });
  });

  test('reads the settings of the features that it is told of, and shows them', () => {
    const environment = {
      greeting: { variable: 'GREETING_TEXT', schema: z.string().max(5, { error: 'must be short' }).default('Hello') },
      greeter: { variable: 'GREETER_KEY', schema: z.string().nullable().default(null), isSecret: true },
    };
    const greetings = [{ environment: environment as FeatureEnvironment }];
    expect(parseConfig({ GREETING_TEXT: 'Hi' })).not.toHaveProperty('greeting');
    expect(parseConfig({}, greetings)).toMatchObject({ greeting: 'Hello', greeter: null });
    const config = parseConfig({ GREETING_TEXT: ' Hi ', GREETER_KEY: 'never-shown' }, greetings);
    expect(config).toMatchObject({ greeting: 'Hi', greeter: 'never-shown', port: 8080 });
    expect(shownSettings(config, greetings)).toMatchObject({ GREETING_TEXT: 'Hi', GREETER_KEY: 'set', PORT: 8080 });
    expect(variablesOf(greetings)).toEqual([...variablesOf([]), 'GREETING_TEXT', 'GREETER_KEY', 'GREETER_KEY_FILE']);
    expect(problemsOf({ GREETING_TEXT: 'Hello!', PORT: 'x', GREETER_KEYS: 'k' }, greetings)).toEqual([
      "GREETER_KEYS isn't a setting. Did you mean GREETER_KEY?",
      'PORT must be a port number.',
      'GREETING_TEXT must be short.',
    ]);
    expect(() => parseConfig({ GREETER_KEYS: 'k' })).not.toThrow();
  });

  test('takes an empty value for none', () => {
    expect(parseConfig({ DISCORD_TOKEN: '', PORT: ' ' })).toMatchObject({ discord: { token: null }, port: 8080 });
  });

  test('lists every problem in one go, each with its variable', () => {
    const problems = problemsOf({
      PORT: '99999',
      POLL_CRON: 'every now and then',
      POLL_MIN_SECONDS: '0',
      CATALOG_PORTAL_BURST: '1.5',
      STATE_URL: 'redis://somewhere',
      LOG_LEVEL: 'loud',
      CATALOG_V2_URL: 'ftp://catalog.example',
      CATALOG_FEEDS: 'Home,,Tools',
    });
    for (const name of [
      'PORT',
      'POLL_CRON',
      'POLL_MIN_SECONDS',
      'CATALOG_PORTAL_BURST',
      'STATE_URL',
      'LOG_LEVEL',
      'CATALOG_V2_URL',
      'CATALOG_V2_KEY',
      'CATALOG_FEEDS',
    ]) {
      expect(problems.filter((problem) => problem.startsWith(`${name} `))).toHaveLength(1);
    }
    expect(problems).toHaveLength(9);
  });

  test('takes the rate that Discord has granted, 50 requests a second where nothing is said', () => {
    expect(parseConfig({}).discordRate).toBe(50);
    expect(parseConfig({ DISCORD_RATE: '500' }).discordRate).toBe(500);
    for (const wrong of ['0', '1.5', 'many']) expect(problemsOf({ DISCORD_RATE: wrong })).toHaveLength(1);
  });

  test('names the missing half of a pair', () => {
    expect(problemsOf({ CATALOG_PORTAL_KEY: 'k' })).toEqual([
      'CATALOG_PORTAL_URL is missing. CATALOG_PORTAL_KEY needs it.',
    ]);
  });

  test.each([
    ['DISCORD_TOKN', 'DISCORD_TOKEN'],
    ['discord_token', 'DISCORD_TOKEN'],
    ['DISCORD_BOT_TOKEN', 'DISCORD_TOKEN'],
    ['CATALOG_PORTAL_QUOTAS', 'CATALOG_PORTAL_QUOTA'],
    ['CATALOG_V2_API_KEY', 'CATALOG_V2_KEY'],
    ['STATEURL', 'STATE_URL'],
  ])('takes no mistyped %s for nothing, and names %s', (mistyped, meant) => {
    expect(problemsOf({ [mistyped]: 'not to be seen' })).toEqual([
      `${mistyped} isn't a setting. Did you mean ${meant}?`,
    ]);
  });

  test("leaves other programs' variables alone, and those beside one that is set", () => {
    const others = { HOSTNAME: 'h', POST: '1', DISCORD_WEBHOOK: 'w', LOGNAME: 'root', SUPPORT: '1', LOG_FILE: 'f' };
    expect(() => parseConfig(others)).not.toThrow();
    expect(() => parseConfig({ DISCORD_TOKEN: 'a.b', DISCORD_BOT_TOKEN: 'c.d' })).not.toThrow();
  });

  test('reads secrets from files', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'token'), 'a.b.c\n');
    expect(parseConfig({ DISCORD_TOKEN_FILE: join(folder, 'token') }).discord.token).toBe('a.b.c');
    const feature = { environment: { push: { variable: 'PUSH_URL', schema: z.string(), isSecret: true } } } as object;
    expect(parseConfig({ PUSH_URL_FILE: join(folder, 'token') }, [feature])).toMatchObject({ push: 'a.b.c' });
    expect(problemsOf({ DISCORD_TOKEN_FILE: join(folder, 'none') })).toEqual([
      "DISCORD_TOKEN_FILE points to a file that can't be read (ENOENT).",
    ]);
    expect(problemsOf({ DISCORD_TOKEN: 'a', DISCORD_TOKEN_FILE: join(folder, 'token') })).toEqual([
      'DISCORD_TOKEN and DISCORD_TOKEN_FILE are both set. Remove one of them.',
    ]);
    writeFileSync(join(folder, 'token'), '\n');
    expect(problemsOf({ DISCORD_TOKEN_FILE: join(folder, 'token') })).toEqual([
      'DISCORD_TOKEN_FILE points to an empty file.',
    ]);
  });

  test('takes a state on PostgreSQL, with its password from a file', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'password'), 'p/w%1\n');
    const url = 'postgres://dealbell@db.example:5433/deals?sslmode=verify-full&schema=one';
    expect(parseConfig({ STATE_URL: url }).stateUrl).toBe(url);
    const config = parseConfig({ STATE_URL: url, STATE_PASSWORD_FILE: join(folder, 'password') });
    expect(decodeURIComponent(new URL(config.stateUrl).password)).toBe('p/w%1');
    expect(config.statePassword).toBe('p/w%1');
    expect(placeOf(config.stateUrl)).toBe('db.example:5433/deals, schema one');
    expect(placeOf('postgresql://u@h/d')).toBe('h/d');
  });

  test.each([
    'postgres://',
    'postgres://u@/deals',
    'postgres://u@db.example',
    'postgres://u@db.example/deals/more',
    'postgres://u@db.example/deals?schema=Deals',
    'postgres://u@db.example/deals?schema=a;b',
    'postgres://u:not-to-be-seen@db.example',
  ])('refuses %s as the place of a state', (url) => {
    const [problem = '', ...others] = problemsOf({ STATE_URL: url });
    expect(problem).toMatch(/^STATE_URL must be sqlite:\/\/ followed by a file path, or postgres:\/\/ followed by /);
    expect(problem).not.toContain('not-to-be-seen');
    expect(others).toEqual([]);
  });

  test('refuses two passwords, and backups by copies of a file that is none', () => {
    const state = { STATE_URL: 'postgres://u:one@db.example/deals', STATE_PASSWORD: 'other' };
    expect(problemsOf({ ...state, BACKUP_CRON: '30 3 * * *' })).toEqual([
      'STATE_URL and STATE_PASSWORD both hold a password. Remove one of them.',
      'BACKUP_CRON makes copies of files only. Use pg_dump for backups of a PostgreSQL database.',
    ]);
  });

  test('never repeats a secret', () => {
    const secret = 'not to be seen';
    const problems = problemsOf({ DISCORD_TOKEN: secret, CATALOG_V2_KEY: secret, CATALOG_PORTAL_KEY: secret });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toContain('seen');
  });
});
