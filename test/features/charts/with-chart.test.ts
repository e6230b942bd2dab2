import fc from 'fast-check';
import { expect, test } from 'vitest';
import { announcementCard } from '../../../src/discord/cards/announcement-card.ts';
import { chartOn } from '../../../src/features/charts/with-chart.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { expectHarmless, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { generatedOffer } from '../../helpers/generated-things.ts';
import { anOffer, NOW_MS, newOfferOf } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const CHART = {
  picture: Buffer.from('a picture'),
  sinceMs: NOW_MS - 40 * 24 * HOUR_MS,
  untilMs: NOW_MS,
  prices: { minimum: 20, maximum: 45 },
  price: 25,
};

/** As JSON: which of the spaces a language writes is its own affair. */
const withPlainSpaces = (parts: unknown) => JSON.stringify(parts).replaceAll(/[\u00a0\u2009\u202f]/g, ' ');

const cardOf = (offer: ReturnType<typeof anOffer>, locale: string, style: 'compact' | 'large' = 'compact') => {
  const translator = translatorFor(locale);
  const card = announcementCard(newOfferOf(offer), { deliveryId: 'd', matched: [], translator, nowMs: NOW_MS, style });
  return { card, shown: chartOn(CHART, translator).addTo(card) };
};

test.each([
  [
    'en-US',
    '$20.00 – $45.00',
    'Prices from Aug 27, 2026 to Oct 6, 2026: $20.00 – $45.00. Gaps: sold out, or the bot didn’t see it.',
  ],
  [
    'de',
    '20,00–45,00 $',
    'Preise vom 27.08.2026 bis 06.10.2026: 20,00–45,00 $. Lücken: ausverkauft oder vom Bot nicht gesehen.',
  ],
  [
    'fr',
    '20,00–45,00 $US',
    'Prix du 27 août 2026 au 6 oct. 2026 : 20,00–45,00 $US. Interruptions : offre épuisée, ou que le bot n’a pas vue.',
  ],
  [
    'es-ES',
    '20,00-45,00 US$',
    'Precios del 27 ago 2026 al 6 oct 2026: 20,00-45,00 US$. Huecos: agotada o no vista por el bot.',
  ],
])(
  'the chart stands above the buttons with its days and prices, and in words for people who do not see it: %s',
  (locale, prices, description) => {
    for (const style of ['compact', 'large'] as const) {
      const { shown } = cardOf(anOffer(1), locale, style);
      expectTakenByDiscord(shown);
      expect(shown.files).toEqual([{ name: 'prices.png', content: CHART.picture }]);
      const [container] = shown.components;
      const parts = container && 'components' in container ? container.components : [];
      const days = [CHART.sinceMs, CHART.untilMs].map((ms) => translatorFor(locale).date(ms)).join(' – ');
      expect(JSON.parse(withPlainSpaces(parts.slice(-3)))).toMatchObject([
        { type: 12, items: [{ media: { url: 'attachment://prices.png' }, description }] },
        { type: 10, content: `-# ${days} · ${prices}` },
        { type: 1 },
      ]);
    }
  },
);

test('the card itself stays as it is, so that a chart is no reason for an edit', () => {
  const { card, shown } = cardOf(anOffer(1), 'en-US');
  expect(card.files).toBeUndefined();
  expect(textOf(card)).not.toContain(translatorFor('en-US').date(CHART.sinceMs));
  const days = [CHART.sinceMs, CHART.untilMs].map((ms) => translatorFor('en-US').date(ms)).join(' – ');
  expect(textOf(shown)).toBe(`${textOf(card)}\n-# ${days} · $20.00 – $45.00`);
});

test('whatever the catalog sends, Discord takes the post with its chart', () => {
  fc.assert(
    fc.property(generatedOffer, fc.constantFrom('en-US', 'de', 'fr', 'es-ES'), (offer, locale) => {
      expectHarmless(cardOf(offer, locale).shown);
    }),
  );
});
