import { expect, test } from 'vitest';
import { SETTINGS } from '../../../src/deals/settings.ts';
import { card, text } from '../../../src/discord/cards/parts.ts';
import { LOCALES } from '../../../src/discord/i18n/catalog.ts';
import { testCard } from '../../../src/features/why/preview-cards.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const VIEW = {
  subscription: aSubscription(uuid(1), { filter: 'x'.repeat(1000) }),
  tags: [],
  isPublishable: false,
  menus: [],
  warnings: [],
  limit: null,
  matches: null,
  settings: SETTINGS,
  flagButtons: [],
  added: [],
};

test('a test is a report with a sample, in each language, whatever it shows', () => {
  for (const locale of LOCALES) {
    const context = { translator: translatorFor(locale), nowMs: NOW_MS };
    const sample = card(0, [text('y'.repeat(3800))]);
    const shown = testCard(VIEW, { sample, matching: 2, all: 3 }, context);
    expectTakenByDiscord(shown);
    expect(textOf(shown)).toContain('yyy');
    expectTakenByDiscord(testCard(VIEW, { sample: null, matching: 0, all: 0 }, context));
  }
});
