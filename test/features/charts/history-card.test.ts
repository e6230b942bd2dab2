import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceHistory } from '../../../src/deals/observed-prices.ts';
import { historyCard } from '../../../src/features/charts/history-card.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { expectHarmless, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { generatedOffer } from '../../helpers/generated-things.ts';
import { anOffer, NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const english = { translator: translatorFor('en-US'), nowMs: NOW_MS };
const run = (from: number, until: number, price: number | null) => ({
  fromMs: NOW_MS - from * DAY_MS,
  untilMs: NOW_MS - until * DAY_MS,
  price: price === null ? null : { minimum: price, maximum: price },
});
const day = (days: number) => translatorFor('en-US').date(NOW_MS - days * DAY_MS);

function historyFrom(...runs: ReturnType<typeof run>[]) {
  const history = priceHistory(runs, NOW_MS, true);
  if (!history) throw new Error('no history');
  return history;
}

const SOME = historyFrom(run(60, 50, 40), run(50, 45, 35), run(30, 10, 35), run(10, 0, 25));

test('with a picture: the numbers in words below it, and as its description', () => {
  const shown = historyCard(anOffer(1), SOME, Buffer.from('a picture'), english);
  expect(shown.files).toEqual([{ name: 'prices.png', content: Buffer.from('a picture') }]);
  expect(textOf(shown)).toContain(
    [
      `Now **$25.00**, since ${day(10)}`,
      `Lowest **$25.00**, last on ${day(0)}`,
      `Highest **$40.00**, last on ${day(50)}`,
      'Usual price **$35.00**',
      `Watched since ${day(60)}`,
    ].join('\n'),
  );
  expect(JSON.stringify(shown)).toContain('Now $25.00, since Sep 26, 2026. Lowest $25.00, last on Oct 6, 2026. ');
});

test('what is sold out says since when, and what it cost last', () => {
  const shown = textOf(historyCard(anOffer(1), historyFrom(run(9, 5, 20), run(5, 0, null)), null, english));
  expect(shown).toContain(`**Sold out** since ${day(5)}\nLast seen at **$20.00**, on ${day(5)}`);
  expect(shown).toContain(`${day(5)} – ${day(0)} · Sold out\n${day(9)} – ${day(5)} · **$20.00**`);
});

test('what is not sold any more costs nothing now', () => {
  const history = priceHistory([run(60, 50, 40)], NOW_MS, false);
  if (!history) throw new Error('no history');
  expect(textOf(historyCard(anOffer(1), history, null, english))).toContain(`Last seen at **$40.00**, on ${day(50)}`);
});

test('without a picture the latest twelve stretches are listed, the latest first', () => {
  const many = Array.from({ length: 20 }, (_, index) => run(40 - index * 2, 39 - index * 2, 20 + index));
  const shown = historyCard(anOffer(1), historyFrom(...many), null, english);
  expect(shown.files).toBeUndefined();
  const prices = [...textOf(shown).matchAll(/ · \*\*\$(\d+)\.00\*\*/g)].map(([, price]) => Number(price));
  expect(prices).toEqual([39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28]);
});

test('Discord takes it, whatever the offer', () => {
  fc.assert(
    fc.property(
      generatedOffer,
      fc.boolean(),
      fc.constantFrom('en-US', 'de', 'fr', 'es-ES'),
      (offer, isDrawn, locale) => {
        const context = { translator: translatorFor(locale), nowMs: NOW_MS };
        const shown = historyCard(offer, SOME, isDrawn ? Buffer.from('a picture') : null, context);
        expectHarmless(shown);
        expectTakenByDiscord(shown);
      },
    ),
    { seed: 20261122, numRuns: 50 },
  );
});
