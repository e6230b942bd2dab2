import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CatalogHttpError,
  CatalogNetworkError,
  CatalogRateLimitedError,
  CatalogSchemaError,
  CatalogTimeoutError,
} from '../../../../src/bot/catalog/errors.ts';
import { helpCard } from '../../../../src/bot/discord/cards/help-card.ts';
import { type StatusView, statusCard } from '../../../../src/bot/discord/cards/status-card.ts';
import { translatorFor } from '../../../../src/bot/discord/i18n/translator.ts';
import { expectTakenByDiscord, textOf } from '../../../helpers/discord-form.ts';
import { HOUR_MS, NOW_MS } from '../../../helpers/things.ts';

const SECRET = '/home/somebody/state.sqlite';
const ERRORS = [
  new CatalogTimeoutError(SECRET),
  new CatalogNetworkError(SECRET),
  new CatalogRateLimitedError(SECRET),
  new CatalogSchemaError(SECRET),
  ...[401, 403, 404, 500, 503].map((status) => new CatalogHttpError(SECRET, status)),
];
const LOCALES = ['en-US', 'de', 'fr', 'es-ES'];

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const moment = fc.integer({ min: 0, max: 4e12 });
const count = fc.nat(1e9);
const anInterface = fc.record({
  name: fc.constantFrom('portal' as const, 'v2' as const),
  health: fc.record({
    answeredAtMs: maybe(moment),
    failure: maybe(fc.record({ atMs: moment, error: fc.constantFrom(...ERRORS) })),
    circuitOpenUntilMs: maybe(moment),
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
});
const view: fc.Arbitrary<StatusView> = fc.record({
  isWell: fc.boolean(),
  stateProblem: fc.constantFrom(null, 'disk-full' as const, 'disk-failed' as const, 'read-only' as const),
  interfaces: fc.array(anInterface, { minLength: 2, maxLength: 2 }),
  resources: fc.array(aResource, { maxLength: 60 }),
  deliveries: fc.record({
    ended: fc.record({ posted: count, over: count, gone: count, refused: count }),
    postedToday: count,
    pending: count,
    oldestDueAtMs: maybe(moment),
    blockedChannels: count,
    limitedChannels: count,
    nextRoomAtMs: maybe(moment),
    editsPending: count,
  }),
  server: maybe(fc.record({ subscriptions: count, paused: count, withProblem: count, pending: count })),
  versions: fc.constant({ dealbell: '1.0.0', node: '20.0.0', discordJs: '14.0.0' }),
  startedAtMs: moment,
});

test('whatever the figures are, Discord takes the status, in every language', () => {
  fc.assert(
    fc.property(view, fc.constantFrom(...LOCALES), (made, locale) => {
      const card = statusCard(made, { translator: translatorFor(locale), nowMs: NOW_MS });
      expectTakenByDiscord(card);
      expect(textOf(card)).not.toContain('state.sqlite');
      expect(textOf(card)).not.toContain('<@1>');
    }),
    { seed: 20_261_121, numRuns: 200 },
  );
});

test('the bar of a resource fills until the next look', () => {
  const [made] = fc.sample(view, { seed: 1, numRuns: 1 });
  if (!made) throw new Error('There is always one.');
  const resource = { resource: 'polls', isCutOff: false, offers: null, failure: null } as const;
  const plan = { nextPollMs: NOW_MS + HOUR_MS, worstDelayMs: 2 * HOUR_MS };
  const card = statusCard(
    { ...made, resources: [{ ...resource, polledAtMs: NOW_MS - HOUR_MS, plan }] },
    { translator: translatorFor('en-US'), nowMs: NOW_MS },
  );
  expect(textOf(card)).toMatch(/-# ▰▰▰▰▰▱▱▱▱▱ next check <t:\d+:R> · at most 2 hours behind/);
});

test('help with very many commands is one that Discord takes', () => {
  const commands = Array.from({ length: 200 }, (_, index) => ({
    usage: `/command-${index}`,
    description: 'x'.repeat(100),
  }));
  for (const locale of LOCALES) {
    const made = { reader: 'manager', hasSubscriptions: false, subscribing: '/a b', looking: '/c', commands } as const;
    expectTakenByDiscord(helpCard(made, { translator: translatorFor(locale), nowMs: NOW_MS }));
  }
});
