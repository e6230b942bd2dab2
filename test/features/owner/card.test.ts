import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OwnerView, ownerCard } from '../../../src/features/owner/card.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const LOCALES = ['en-US', 'de', 'fr', 'es-ES'];

const VIEW: OwnerView = {
  pausedSinceMs: null,
  servers: 1,
  subscriptions: { active: 3, paused: 1, problem: 0 },
  pending: 0,
  postedToday: 12,
  more: [],
  backedUpAtMs: null,
  memoryMb: 120,
  version: '0.1.0',
  startedAtMs: NOW_MS - HOUR_MS,
  epoch: 4,
};

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const moment = fc.integer({ min: 0, max: 4e12 });
const count = fc.nat(1e9);
const view: fc.Arbitrary<OwnerView> = fc.record({
  pausedSinceMs: maybe(moment),
  servers: count,
  subscriptions: fc.record({ active: count, paused: count, problem: count }),
  pending: count,
  postedToday: count,
  more: fc.constantFrom([], ['2 of 3 greetings sent']),
  backedUpAtMs: maybe(moment),
  memoryMb: count,
  version: fc.constant('0.1.0'),
  startedAtMs: moment,
  epoch: count,
});

test.each(LOCALES)('Discord takes the owner’s card in %s, whatever it says', (locale) => {
  const context = { translator: translatorFor(locale), nowMs: NOW_MS };
  fc.assert(
    fc.property(view, (one) => expectTakenByDiscord(ownerCard(one, context))),
    { numRuns: 50, seed: 20_261_122 },
  );
});

test('it says whether posting is paused, and what was never done', () => {
  const context = { translator: translatorFor('en-US'), nowMs: NOW_MS };
  const calm = textOf(ownerCard(VIEW, context));
  expect(calm).toContain('🟢');
  expect(calm).toContain('1 server');
  expect(calm).not.toContain('⏸');
  expect(textOf(ownerCard({ ...VIEW, pausedSinceMs: NOW_MS - HOUR_MS }, context))).toContain('⏸');
});
