import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CatalogHttpError,
  CatalogNetworkError,
  CatalogRateLimitedError,
  CatalogSchemaError,
  CatalogTimeoutError,
} from '../../../src/catalog/errors.ts';
import { helpCard } from '../../../src/discord/cards/help-card.ts';
import {
  type BotStatusView,
  botStatusCard,
  type PlaceStatus,
  type StatusView,
  statusCard,
} from '../../../src/discord/cards/status-card.ts';
import { message, translatorFor } from '../../../src/discord/i18n/translator.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';

const SECRET = '/home/somebody/state.sqlite';
const ERRORS = [
  new CatalogTimeoutError(SECRET),
  new CatalogNetworkError(SECRET),
  new CatalogRateLimitedError(SECRET),
  new CatalogSchemaError(SECRET),
  ...[401, 403, 404, 500, 503].map((status) => new CatalogHttpError(SECRET, status)),
];
const LOCALES = ['en-US', 'de', 'fr', 'es-ES'];

/** What a member is shown of one subscription, and all is well besides. */
function aViewOf(place: Partial<PlaceStatus>): StatusView {
  const plain = {
    subscription: aSubscription('s', { source: { kind: 'polls' } }),
    resource: null,
    pending: 0,
    limit: null,
    publishing: null,
    troubles: [],
  };
  return {
    isWell: true,
    usedUp: [],
    stateProblem: null,
    pausedSinceMs: null,
    places: [{ ...plain, ...place }],
    isManager: false,
    more: [],
  };
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const moment = fc.integer({ min: 0, max: 4e12 });
const count = fc.nat(1e9);
const anInterface = fc.record({
  name: fc.constantFrom('portal' as const, 'v2' as const),
  health: fc.record({
    answeredAtMs: maybe(moment),
    failure: maybe(fc.record({ atMs: moment, error: fc.constantFrom(...ERRORS) })),
    circuitOpenUntilMs: maybe(moment),
    isAway: fc.boolean(),
  }),
  quota: fc.record({ spent: count, limit: fc.integer({ min: 1, max: 1e9 }), resetsAtMs: moment }),
  plannedPolls: count,
  projectedEndMs: maybe(moment),
});
const aResource = fc.record({
  resource: fc.oneof(
    fc.constantFrom('events' as const, 'polls' as const, 'feed:@everyone <@1>' as const),
    fc.string({ maxLength: 200 }).map((name) => `feed:${name}` as const),
  ),
  polledAtMs: maybe(moment),
  isCutOff: fc.boolean(),
  offers: maybe(count),
  failure: maybe(fc.record({ sinceMs: moment })),
  plan: maybe(fc.record({ nextPollMs: maybe(moment), worstDelayMs: fc.nat(1e10) })),
  drift: fc.record({
    fields: fc.array(
      fc.record({
        field: maybe(fc.constantFrom('Condition', 'Offers.PercentageRemaining')),
        items: fc.integer({ min: 1, max: 10_000 }),
        of: fc.constant(10_000),
        sinceMs: moment,
      }),
      { maxLength: 30 },
    ),
    unknown: maybe(fc.record({ names: fc.array(fc.string({ maxLength: 40 }), { maxLength: 20 }), sinceMs: moment })),
  }),
});
const NO_DRIFT = { fields: [], unknown: null };
const NO_DOUBTS: BotStatusView['doubts'] = {
  today: { sinceMs: NOW_MS, began: 0, ended: { answer: 0, asked: 0, refuted: 0 } },
  waiting: 0,
  lasting: { offers: 0, fields: [] },
};
const doubts = fc.record({
  today: fc.record({
    sinceMs: moment,
    began: count,
    ended: fc.record({ answer: count, asked: count, refuted: count }),
  }),
  waiting: count,
  lasting: fc.record({
    offers: count,
    fields: fc.array(
      fc.record({ resource: aResource.map(({ resource }) => resource), field: fc.constant('SalePrice') }),
      {
        maxLength: 30,
      },
    ),
  }),
});
const wellness = {
  isWell: fc.boolean(),
  usedUp: fc.subarray([
    { name: 'portal', resetsAtMs: NOW_MS },
    { name: 'v2', resetsAtMs: NOW_MS },
  ] as const),
  pausedSinceMs: maybe(moment),
  stateProblem: fc.constantFrom(
    null,
    'disk-full' as const,
    'disk-failed' as const,
    'read-only' as const,
    'unreachable' as const,
  ),
};
const aPlace = fc.record({
  subscription: fc
    .record({
      source: fc.oneof(
        fc.string({ maxLength: 200 }).map((feed) => ({ kind: 'feed' as const, feed })),
        fc.constant({ kind: 'polls' as const }),
      ),
      pausedBy: maybe(fc.constantFrom('person' as const, 'gone' as const)),
      problem: maybe(fc.constantFrom('cannot-post', 'server-gone', '@everyone <@1>')),
    })
    .map((changes) => aSubscription('s', changes)),
  resource: maybe(aResource),
  pending: count,
  limit: maybe(fc.record({ waiting: count, nextPostAtMs: moment })),
  publishing: maybe(
    fc.record({ waiting: count, nextAtMs: moment, because: fc.constantFrom('limit', 'permission', 'silence') }),
  ),
  troubles: fc.constantFrom([], [message('panel.roleGone')]),
});
const serverView: fc.Arbitrary<StatusView> = fc.record({
  ...wellness,
  places: maybe(fc.array(aPlace, { maxLength: 60 })),
  isManager: fc.boolean(),
  more: fc.constantFrom([], ['2 of 3 greetings sent']),
});
const view: fc.Arbitrary<BotStatusView> = fc.record({
  ...wellness,
  interfaces: fc.array(anInterface, { minLength: 2, maxLength: 2 }),
  resources: fc.array(aResource, { maxLength: 60 }),
  doubts,
  deliveries: fc.record({
    ended: fc.record({ posted: count, over: count, gone: count, refused: count }),
    postedToday: count,
    pending: count,
    oldestDueAtMs: maybe(moment),
    setAside: fc.nat(3),
    blockedChannels: count,
    limitedChannels: count,
    nextRoomAtMs: maybe(moment),
    editsPending: count,
    publicationsPending: count,
  }),
  versions: fc.constant({ dealbell: '1.0.0', node: '20.0.0', discordJs: '14.0.0' }),
  startedAtMs: moment,
  epoch: count,
});

test('whatever the figures are, Discord takes the status, in every language', () => {
  fc.assert(
    fc.property(view, serverView, fc.constantFrom(...LOCALES), (ofBot, ofServer, locale) => {
      const context = { translator: translatorFor(locale), nowMs: NOW_MS };
      for (const card of [botStatusCard(ofBot, context), statusCard(ofServer, context)]) {
        expectTakenByDiscord(card);
        expect(textOf(card)).not.toContain('state.sqlite');
        expect(textOf(card)).not.toContain('<@1>');
      }
    }),
    { seed: 20_261_121, numRuns: 200 },
  );
});

test('the bar of a resource fills until the next look', () => {
  const [made] = fc.sample(view, { seed: 1, numRuns: 1 });
  if (!made) throw new Error('There is always one.');
  const resource = { resource: 'polls', isCutOff: false, offers: null, failure: null, drift: NO_DRIFT } as const;
  const plan = { nextPollMs: NOW_MS + HOUR_MS, worstDelayMs: 2 * HOUR_MS };
  const card = botStatusCard(
    { ...made, resources: [{ ...resource, polledAtMs: NOW_MS - HOUR_MS, plan }] },
    { translator: translatorFor('en-US'), nowMs: NOW_MS },
  );
  expect(textOf(card)).toMatch(/-# ▰▰▰▰▰▱▱▱▱▱ next check at <t:\d+:t> · at most 2 hours behind/);
});

test('what the bot can’t read of a feed is said in its place', () => {
  const [made] = fc.sample(view, { seed: 1, numRuns: 1 });
  if (!made) throw new Error('There is always one.');
  const field = (name: string | null, items: number) => ({ field: name, items, of: 1_000, sinceMs: NOW_MS });
  const lines = (drift: BotStatusView['resources'][number]['drift'], locale = 'en-US') => {
    const home = { resource: 'feed:Home', isCutOff: false, offers: 2, failure: null, plan: null } as const;
    const card = botStatusCard(
      { ...made, doubts: NO_DOUBTS, resources: [{ ...home, polledAtMs: NOW_MS, drift }] },
      { translator: translatorFor(locale), nowMs: NOW_MS },
    );
    return textOf(card)
      .split('\n')
      .filter((line) => line.startsWith('⚠') && !line.includes('channel'));
  };
  const since = `<t:${NOW_MS / 1000}:f>`;
  expect(lines(NO_DRIFT)).toEqual([]);
  expect(lines({ fields: [field('Condition', 120)], unknown: { names: ['Color', 'a`b'], sinceMs: NOW_MS } })).toEqual([
    `⚠ \`Condition\` can’t be read in 12% of items since ${since} · 2 fields the bot doesn’t know: \`Color\`, \`aˋb\``,
  ]);
  expect(lines({ fields: [field(null, 1), field('Url', 1), field('Photo', 1)], unknown: null })).toEqual([
    `⚠ 1% of items can’t be read since ${since} · \`Url\` can’t be read in 1% of items since ${since} · and 1 more`,
  ]);
});

test('doubts are told with how they ended, and which feeds contradict what is believed', () => {
  const [made] = fc.sample(view, { seed: 1, numRuns: 1 });
  if (!made) throw new Error('There is always one.');
  const lines = (doubts: BotStatusView['doubts'], locale = 'en-US') => {
    const card = botStatusCard({ ...made, doubts }, { translator: translatorFor(locale), nowMs: NOW_MS });
    const shown = textOf(card).split('\n');
    const title = shown.findIndex((line) => /^### (Doubtful|Zweifel)/.test(line));
    return shown.slice(title, title + 4);
  };
  const since = `-# Counted since <t:${NOW_MS / 1000}:f>; resets at midnight UTC and on restart`;
  expect(lines(NO_DOUBTS).slice(0, 3)).toEqual(['### Doubtful changes', '0 today', since]);
  const contradicted = (field: string, feed: string) => ({ resource: `feed:${feed}` as const, field });
  const busy: BotStatusView['doubts'] = {
    today: { sinceMs: NOW_MS, began: 1_212, ended: { answer: 1_200, asked: 1, refuted: 9 } },
    waiting: 2,
    lasting: { offers: 3, fields: [contradicted('SalePrice', 'Home'), contradicted('Title', 'a*b*')] },
  };
  expect(lines(busy)).toEqual([
    '### Doubtful changes',
    '1,212 today · 1,200 confirmed by a second response · 1 confirmed by looking up the offer · 9 turned out wrong · 2 undecided',
    '⚠ The catalog has contradicted itself about 3 offers for over an hour: `SalePrice` in Home, `Title` in a\\*b\\*',
    since,
  ]);
  expect(lines(busy, 'de')[1]).toContain('1 durch Abfrage des Angebots bestätigt · 9 waren falsch');
  const many = ['Url', 'Photo', 'Title', 'Condition', 'ListPrice'].map((field) => contradicted(field, 'Home'));
  expect(lines({ ...busy, lasting: { offers: 1, fields: many } })[2]).toBe(
    '⚠ The catalog has contradicted itself about 1 offer for over an hour: `Url` in Home, `Photo` in Home, `Title` in Home · and 2 more',
  );
});

test('a check says its time of day, and one that comes at once no moment that would pass', () => {
  const resource = {
    resource: 'polls',
    isCutOff: false,
    offers: null,
    failure: null,
    polledAtMs: NOW_MS,
    drift: NO_DRIFT,
  } as const;
  const at = (nextPollMs: number | null) => {
    const place = { resource: { ...resource, plan: { nextPollMs, worstDelayMs: HOUR_MS } } };
    return textOf(statusCard(aViewOf(place), { translator: translatorFor('en-US'), nowMs: NOW_MS }))
      .split('\n')
      .at(-1);
  };
  expect(at(NOW_MS + 61_000)).toBe(`-# next check at <t:${NOW_MS / 1000 + 61}:t> · at most 1 hour behind`);
  for (const ms of [NOW_MS - HOUR_MS, NOW_MS, NOW_MS + 60_000]) {
    expect(at(ms)).toBe('-# next check within a minute · at most 1 hour behind');
  }
  expect(at(null)).toBe('-# next check when the quota resets');
});

test('help is six lines at most, whoever reads it', () => {
  for (const locale of LOCALES) {
    for (const reader of ['manager', 'member', 'direct'] as const) {
      for (const [hasSubscriptions, added] of [
        [true, [{ follow: 'ready-made channels', manage: '`/greet`' }]],
        [false, [{ follow: 'ready-made channels' }, {}]],
        [false, []],
      ] as const) {
        const made = { topic: 'start', reader, hasSubscriptions, added, commands: [] } as const;
        const card = helpCard(made, { translator: translatorFor(locale), nowMs: NOW_MS });
        expectTakenByDiscord(card);
        const [title, ...lines] = textOf(card).split('\n');
        expect(title).toMatch(/^## /);
        expect(lines.length).toBeGreaterThan(3);
        expect(lines.length).toBeLessThanOrEqual(6);
        for (const line of lines) expect(line).toMatch(/^\S+ \*\*[^*]+\*\* \S/u);
      }
    }
  }
});

test('help with very many commands is one that Discord takes', () => {
  const commands = Array.from({ length: 200 }, (_, index) => ({
    usage: `/command-${index}`,
    description: 'x'.repeat(100),
  }));
  for (const locale of LOCALES) {
    const made = { topic: 'commands', reader: 'manager', hasSubscriptions: false, added: [], commands } as const;
    expectTakenByDiscord(helpCard(made, { translator: translatorFor(locale), nowMs: NOW_MS }));
  }
});

test.each([
  ['limit', '📣 2 posts wait to be published: Discord allows ten an hour per channel. Next at'],
  ['permission', '📣 2 posts wait to be published. Next try at'],
  ['silence', '📣 2 posts wait to be published. Next try at'],
] as const)('posts that wait to be published (%s) are told with what they wait for', (because, text) => {
  const card = statusCard(aViewOf({ publishing: { waiting: 2, nextAtMs: NOW_MS, because } }), {
    translator: translatorFor('en-US'),
    nowMs: NOW_MS,
  });
  expect(textOf(card)).toContain(`${text} <t:${NOW_MS / 1000}:t>.`);
});
