import fc from 'fast-check';
import { expect, test } from 'vitest';
import { botCard, lookCard } from '../../../src/features/looks/cards.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const TYPED = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc.constantFrom('@everyone', '*'.repeat(100)),
);

test.each(['en-US', 'de', 'fr', 'es-ES'])('whatever was typed, Discord takes the cards of looks: %s', (locale) => {
  const context = { translator: translatorFor(locale), nowMs: NOW_MS };
  fc.assert(
    fc.property(TYPED, fc.integer({ min: 0, max: 0xffffff }), fc.boolean(), (line, accent, isOn) => {
      const server = { line, accent };
      const subscription = aSubscription('s', { target: 'forum', look: { line, whenOver: 'delete' } });
      for (const view of [
        { subscription: null, server, sample: null },
        { subscription, server, sample: null },
      ]) {
        const card = lookCard(view, isOn ? context.translator.t('look.saved') : '', context);
        expectTakenByDiscord(card);
        expect(textOf(card)).not.toMatch(/(?<!\\)(?:\\\\)*@everyone/);
      }
      const has = { name: isOn, avatar: isOn, banner: !isOn };
      expectTakenByDiscord(botCard({ name: line || 'x', has, avatar: null, banner: null }, '', context));
    }),
    { numRuns: 50 },
  );
});
