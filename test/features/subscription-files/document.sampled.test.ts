import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../../src/deals/event.ts';
import { type FieldSetting, type PartsOfFiles, SETTINGS } from '../../../src/deals/settings.ts';
import type { Source, Subscription } from '../../../src/deals/subscription.ts';
import { readFile, writeFile } from '../../../src/features/subscription-files/document.ts';
import { planOf } from '../../../src/features/subscription-files/plan.ts';
import { problemsText } from '../../../src/features/subscription-files/terminal/plan-text.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';
import { storing } from './storing.ts';

const GUILD = '100000000000000001';
const CHANNEL = '200000000000000001';
/** A made-up feature's: a text of capitals in the state, in small letters in files. */
const NOTE = {
  field: 'note',
  name: 'note',
  kind: 'field',
  usual: undefined,
  inFiles: {
    schema: () =>
      z.strictObject({ wording: z.string().optional() }).transform(({ wording = '' }, context) => {
        const mistake = { key: 'file.unknownField', values: {} };
        if (/[A-Z]/.test(wording)) context.addIssue({ code: 'custom', params: { mistake } });
        return wording === '' ? undefined : wording.toUpperCase();
      }),
    names: ['wording'],
    written: (stored: unknown) => (typeof stored === 'string' ? { wording: stored.toLowerCase() } : undefined),
  },
};
/** A subscription's. */
const NOTED: object = { note: 'HELLO' };
/** Another one, of roles. */
const ROLES: object = {
  ...NOTE,
  field: 'roles',
  name: 'roles',
  inFiles: {
    schema: ({ id, filter, kinds }: PartsOfFiles) =>
      z.array(z.strictObject({ role: id, filter: filter.optional(), kinds: kinds.optional() })),
    names: ['role'],
    written: (stored: unknown) => stored,
  },
};
const ALL = [...SETTINGS, NOTE as object as FieldSetting, ROLES as FieldSetting];
const OPTIONS = { feeds: ['Home', 'Tools'], most: 50, settings: ALL };

const source: fc.Arbitrary<Source> = fc.oneof(
  fc.constantFrom('Home', 'Tools').map((feed) => ({ kind: 'feed' as const, feed })),
  fc
    .tuple(fc.subarray([...EVENT_TYPES]), fc.subarray([...SITE_PREFIXES]))
    .map(([types, sites]) => ({ kind: 'events' as const, types, sites })),
  fc.constantFrom('dealcasts', 'polls', 'monkeychats').map((kind) => ({ kind })),
);
const anId = fc.integer({ min: 1, max: 999 }).map((number) => `3000000000000${String(number).padStart(5, '0')}`);
const minute = fc.nat(1439);
const anySubscription = source.chain((from) =>
  fc.record({
    source: fc.constant(from),
    channelId: anId,
    target: fc.constantFrom('channel', 'thread', 'forum'),
    kinds: fc.subarray([...KINDS_OF[from.kind].all], { minLength: 1 }),
    filter: fc.constantFrom('', 'ssd', 'title:"a: b" -refurb*', '/\\d+ ?TB/i price:<50'),
    priceDropPercent: from.kind === 'feed' ? fc.integer({ min: 1, max: 99 }) : fc.constant(10),
    timing: fc
      .record({
        mode: fc.constantFrom('at-once' as const, 'hourly' as const, 'daily' as const),
        dailyAtMinute: minute,
        timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns'),
        quiet: fc.option(
          fc.record({ fromMinute: minute, toMinute: minute }).filter((one) => one.fromMinute !== one.toMinute),
        ),
      })
      // The time of a daily digest means something in that mode only.
      .map((timing) => (timing.mode === 'daily' ? timing : { ...timing, dailyAtMinute: 540 })),
    mostPerHour: fc.integer({ min: 1, max: 600 }),
    isPublished: fc.boolean(),
    tagIds: fc.uniqueArray(anId, { maxLength: 5 }).map((ids) => ids.toSorted()),
    note: fc.constantFrom(undefined, 'HELLO', 'A: B'),
    pausedBy: fc.constantFrom(null, 'person'),
  }),
) as fc.Arbitrary<Partial<Subscription>>;

const several = fc.array(anySubscription, { maxLength: 6 }).map((all) =>
  all
    // Two that ask for the same in one channel can't be stored.
    .filter((one, index) => all.findIndex((other) => other.channelId === one.channelId) === index)
    .map((changes, index) => aSubscription(`s-${index}`, { ...changes, guildId: GUILD, createdAtMs: NOW_MS + index })),
);

test.each(['yaml', 'json'] as const)('what is written as %s is read back as it was, and changes nothing', (format) => {
  fc.assert(
    fc.property(several, (subscriptions) => {
      const text = writeFile(subscriptions, format, ALL);
      const read = readFile(text, format, OPTIONS);
      if (!read.ok) throw new Error(problemsText(read.problems, translatorFor('en-US')).join('\n'));
      const options = { nowMs: NOW_MS, createdBy: '', newId: () => 'new', settings: ALL };
      expect(planOf(read.servers, { ...options, stored: storing(subscriptions) })).toMatchObject({
        added: [],
        changed: [],
        removed: [],
        unchanged: subscriptions,
      });
      // In an empty state the same file brings all of it back, whatever the bot had noted of it.
      const { added } = planOf(read.servers, { ...options, stored: storing([]) });
      expect(writeFile(added, format, ALL)).toBe(
        writeFile(
          added.map((one, index) => ({ ...one, createdAtMs: index })),
          format,
          ALL,
        ),
      );
      expect(added).toEqual(
        subscriptions.map((one) => ({
          ...one,
          createdBy: '',
          createdAtMs: NOW_MS,
          catchUp: 0,
          problem: null,
        })),
      );
    }),
    { seed: 20261122, numRuns: sampleSize(100, 25) },
  );
});

test('a file holds only what differs from the defaults', () => {
  const [plain, rich] = [
    aSubscription('a', { guildId: GUILD, channelId: CHANNEL, target: 'channel', mostPerHour: 30 }),
    aSubscription('b', {
      guildId: GUILD,
      channelId: CHANNEL,
      target: 'forum',
      filter: 'ssd',
      mostPerHour: 30,
      timing: { mode: 'daily', dailyAtMinute: 1110, timeZone: 'UTC', quiet: { fromMinute: 1320, toMinute: 420 } },
      ...NOTED,
    }),
  ];
  expect(writeFile([plain, rich], 'yaml', ALL)).toBe(`version: 1
servers:
  - id: '100000000000000001'
    subscriptions:
      - id: a
        channel: '200000000000000001'
        source: feed
        feed: Home
      - id: b
        channel: '200000000000000001'
        target: forum
        source: feed
        feed: Home
        filter: ssd
        mode: daily
        at: '18:30'
        quiet-hours: 22:00-07:00
        note:
          wording: hello
`);
});

/** The sentences for a file with one subscription that has these lines. */
function problemsOf(...lines: string[]): string[] {
  const text = ['version: 1', 'servers:', `- id: "${GUILD}"`, '  subscriptions:', ...lines].join('\n');
  const read = readFile(text, 'yaml', OPTIONS);
  return read.ok ? [] : problemsText(read.problems, translatorFor('en-US'));
}

const entry = (...fields: string[]) => [`  - channel: "${CHANNEL}"`, ...fields.map((field) => `    ${field}`)];

test.each([
  [['source: feed', 'feed: home'], []],
  [['source: feed'], ['servers[0].subscriptions[0].feed: Expected text.']],
  [
    ['source: feed', 'feed: Hoem'],
    ['servers[0].subscriptions[0].feed: There’s no such feed. Available feeds: Home, Tools.'],
  ],
  [['source: rss'], ['servers[0].subscriptions[0].source: Expected feed, events, dealcasts, polls, or monkeychats.']],
  [
    ['source: polls', 'fitler: ssd'],
    ['servers[0].subscriptions[0].fitler: There’s no such setting. Did you mean filter?'],
  ],
  [['source: polls', 'nonsense: 1'], ['servers[0].subscriptions[0].nonsense: There’s no such setting. Remove it.']],
  [['source: polls', 'filter: "price:<"'], [expect.stringMatching(/^servers\[0\]\.subscriptions\[0\]\.filter: .+/)]],
  [
    ['source: polls', 'most-per-hour: 601'],
    ['servers[0].subscriptions[0].most-per-hour: Expected a whole number from 1 to 600.'],
  ],
  [['source: polls', 'most-per-hour: 600'], []],
  [['source: polls', 'publish: "yes"'], ['servers[0].subscriptions[0].publish: Expected true or false.']],
  [
    ['source: polls', 'roles: [{ role: 123456789012345678 }]'],
    ['servers[0].subscriptions[0].roles[0].role: Expected an id in quotes, like "123456789012345678".'],
  ],
  [['source: polls', 'roles: [{ role: "123456789012345678", filter: ssd, kinds: [new-poll] }]'], []],
  [
    ['source: polls', 'roles: [{ role: "123456789012345678", kinds: [price-drop], filter: "price:<" }]'],
    [
      expect.stringMatching(/roles\[0\]\.filter: .+/),
      expect.stringMatching(/roles\[0\]\.kinds\[0\]: Expected new-poll/),
    ],
  ],
  [
    ['source: polls', 'role: "123456789012345678"'],
    ['servers[0].subscriptions[0].role: There’s no such setting. Remove it.'],
  ],
  [['source: polls', 'at: "25:00"'], [expect.stringContaining('at: “25:00” isn’t a valid time.')]],
  [['source: polls', 'time-zone: Berlin/Europe'], [expect.stringContaining('There’s no time zone')]],
  [['source: polls', 'note: { wording: Red }'], [expect.stringContaining('note: There’s no such setting.')]],
  [
    ['source: polls', 'note: { wordin: red }'],
    [expect.stringContaining('note.wordin: There’s no such setting. Did you mean wording?')],
  ],
  [['source: polls', 'note: 5'], [expect.stringContaining('note: Expected ')]],
  [['source: polls', 'kinds: [new-offer]'], [expect.stringMatching(/kinds\[0\]: Expected new-poll/)]],
  [['source: polls', 'price-drop: 10'], [expect.stringContaining('price-drop: There’s no such setting.')]],
] as [string[], unknown[]][])('a subscription with %j has these problems: %j', (fields, problems) => {
  expect(problemsOf(...entry(...fields))).toEqual(problems);
});

test('what stands there twice is named, with the other place', () => {
  const one = entry('source: polls', 'id: a');
  expect(problemsOf(...one, ...one)).toEqual([
    'servers[0].subscriptions[1].id: servers[0].subscriptions[0] says the same. Remove one of them.',
    'servers[0].subscriptions[1]: servers[0].subscriptions[0] says the same. Remove one of them.',
  ]);
  const two = `version: 1\nservers: [{id: "${GUILD}", subscriptions: []}, {id: "${GUILD}", subscriptions: []}]`;
  expect(readFile(two, 'yaml', OPTIONS)).toMatchObject({ ok: false, problems: [{ path: 'servers[1].id' }] });
});

test('a server has at most as many subscriptions as it may have', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => entry('source: polls', `filter: word${index}`)).flat();
  expect(problemsOf(...many(50))).toEqual([]);
  expect(problemsOf(...many(51))).toEqual([expect.stringContaining('servers[0].subscriptions: ')]);
});

test.each([
  ['json', '{"version": 1,\n oops', 'This isn’t valid JSON. The first mistake is in line 2.'],
  ['yaml', 'version: 1\nservers: [', 'This isn’t valid YAML. The first mistake is in line 2.'],
  ['json', '[]', 'Expected settings with names.'],
  ['json', 'null', 'Expected settings with names.'],
  ['yaml', '', 'Expected settings with names.'],
  ['yaml', '# nothing yet', 'Expected settings with names.'],
  ['yaml', '---\nversion: 1\n---\nversion: 1', 'Expected settings with names.'],
  ['yaml', 'version: 1\nservers: []\nversion: 1', 'This isn’t valid YAML. The first mistake is in line 3.'],
  ['yaml', '['.repeat(100_000), 'This isn’t valid YAML. The first mistake is in line 1.'],
  ['json', '{"version": 2, "servers": []}', 'version: Expected 1.'],
  ['json', '['.repeat(100_000), 'This isn’t valid JSON. The first mistake is in line 1.'],
  // Aliases that stand for billions of values.
  [
    'yaml',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghij'[index]},`.repeat(12)}]`)
      .join('\n')}`,
    'This isn’t valid YAML. The first mistake is in line 10.',
  ],
] as const)('as %s, %j is refused: %s', (format, text, problem) => {
  const read = readFile(text, format, OPTIONS);
  expect(read.ok ? [] : problemsText(read.problems, translatorFor('en-US'))).toEqual([problem]);
});

test('whatever a file holds, reading it throws nothing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.anything().map((value) => JSON.stringify(value) ?? ''),
      ),
      (text) => {
        readFile(text, 'json', OPTIONS);
        readFile(text, 'yaml', OPTIONS);
      },
    ),
    { seed: 20261122 },
  );
});
