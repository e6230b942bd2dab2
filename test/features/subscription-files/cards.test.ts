import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../../src/deals/settings.ts';
import { type ImportView, importCard, refusedImportCard } from '../../../src/features/subscription-files/cards.ts';
import { customIdsOf, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const LOCALES = ['en-US', 'de', 'fr', 'es-ES'];
const subscription = fc
  .record({ filter: fc.string({ maxLength: 1000 }), feed: fc.string({ maxLength: 100 }) })
  .map(({ filter, feed }) => aSubscription('a', { filter, source: { kind: 'feed', feed } }));
const several = fc.array(subscription, { maxLength: 40 });
const aView = fc.record({
  added: several,
  changed: fc.array(
    fc
      .tuple(subscription, subscription)
      .map(([before, after]) => ({ before, after, fields: ['filter', 'quiet-hours', 'look'] })),
    { maxLength: 40 },
  ),
  removed: several,
  unchanged: fc.nat(1000),
  forecasts: fc.array(
    fc.record({ channelId: fc.constant('1'), before: fc.nat(), after: fc.nat(), isPartial: fc.boolean() }),
    { maxLength: 40 },
  ),
  importId: fc.uuid(),
  digest: fc.constant('AbCd_-0123456789'),
  isAnew: fc.boolean(),
  settings: fc.constant(SETTINGS),
});

/** A plan that changes nothing, as one that is made anew may. */
const UNCHANGED: ImportView = {
  added: [],
  changed: [],
  removed: [],
  unchanged: 3,
  forecasts: [],
  importId: '00000000-0000-4000-8000-000000000000',
  digest: 'AbCd_-0123456789',
  isAnew: true,
  settings: SETTINGS,
};

test('whatever the plan, Discord takes its card, in every language', () => {
  fc.assert(
    fc.property(aView, fc.constantFrom(...LOCALES), (view, locale) => {
      const card = importCard(view, { translator: translatorFor(locale), nowMs: NOW_MS });
      expectTakenByDiscord(card);
      expect(textOf(card)).not.toMatch(/import\.|undefined/);
      expect(customIdsOf(card)).toEqual(
        ['apply', 'cancel'].map((step) => `import:${step}:${view.importId}:${view.digest}`),
      );
    }),
    { seed: 20_261_122, examples: [[UNCHANGED, 'en-US']] },
  );
});

test('Discord takes the problems of a file, however many and long they are', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2000 }), { maxLength: 20 }), (problems) => {
      expectTakenByDiscord(refusedImportCard(problems, { translator: translatorFor('de'), nowMs: NOW_MS }));
    }),
    { seed: 20_261_122 },
  );
});
