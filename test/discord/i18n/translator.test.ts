import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTranslators, message, translatorFor } from '../../../src/discord/i18n/translator.ts';

test.each([
  ['en-US', '1 offer', '2,000 offers', '$84.95', '34%'],
  ['en-GB', '1 offer', '2,000 offers', 'US$84.95', '34%'],
  ['de', '1 Angebot', '2.000 Angebote', '84,95 $', '34 %'],
  ['fr', '1 offre', '2 000 offres', '84,95 $US', '34 %'],
  ['es-ES', '1 oferta', '2000 ofertas', '84,95 US$', '34 %'],
  ['es-419', '1 oferta', '2,000 ofertas', 'USD 84.95', '34%'],
  ['pl', '1 offer', '2,000 offers', '$84.95', '34%'],
])('%s has its own plurals, numbers, prices and percents', (locale, one, many, price, percent) => {
  const translator = translatorFor(locale);
  const spaced = (text: string) => text.replace(/\s/g, ' ');
  expect(translator.t('list.offers', { count: 1 })).toBe(one);
  expect(spaced(translator.t('list.offers', { count: 2000 }))).toBe(many);
  expect(spaced(translator.price({ minimum: 84.95, maximum: 84.95 }))).toBe(price);
  expect(spaced(translator.percent(34))).toBe(percent);
});

test('whole millions have no English in them', () => {
  expect(translatorFor('fr').t('list.offers', { count: 1_000_000 })).toMatch(/offres$/);
  expect(translatorFor('es-ES').t('list.offers', { count: 1_000_000 })).toMatch(/ofertas$/);
});

test('a span of prices is written as one', () => {
  expect(translatorFor('de').price({ minimum: 159.99, maximum: 199.99 })).toMatch(/^159,99–199,99\s\$$/);
});

test.each(['en-US', 'en-GB', 'de', 'fr', 'es-ES', 'es-419'])(
  '%s writes spans as the language itself does',
  (locale) => {
    const translator = translatorFor(locale);
    const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
    const cents = fc.nat(30_000_000).map((number) => number / 100);
    fc.assert(
      fc.property(cents, cents, (one, other) => {
        const [minimum, maximum] = [Math.min(one, other), Math.max(one, other)];
        const span = minimum === maximum ? dollars.format(minimum) : dollars.formatRange(minimum, maximum);
        expect(translator.price({ minimum, maximum })).toBe(span);
      }),
    );
  },
);

test('a span of less than a cent is one price', () => {
  expect(translatorFor('en-US').price({ minimum: 10, maximum: 10.004 })).toBe('$10.00');
});

test('nothing below zero is nothing', () => {
  expect(translatorFor('en-US').number(-0)).toBe('0');
  expect(translatorFor('en-US').percent(-0.2)).toBe('0%');
});

test('nobody’s locale is English', () => {
  expect(translatorFor(undefined)).toBe(translatorFor('en-US'));
  expect(translatorFor(null)).toBe(translatorFor('toString'));
});

test('what is inserted stays what it is', () => {
  const nasty = '$t(button.open) {{feed}} $& <b>';
  expect(translatorFor('en-US').t('source.feed', { feed: nasty })).toBe(`${nasty} feed`);
});

test('a command is mentioned by its id, and named where that is not known', () => {
  const mentioning = createTranslators((name) => (name === 'subscription' ? '77' : undefined));
  expect(mentioning('de').t('subscriptions.none')).toContain('Füge mit </subscription add feed:77> eins hinzu');
  expect(mentioning('de').t('offerDetails.none')).toMatch(/`\/search`\.$/);
  expect(mentioning('en-US').translate(message('offerDetails.none'))).toMatch(/`\/search`\.$/);
  expect(translatorFor('fr').command('subscription add feed')).toBe('`/subscription add feed`');
  const found = translatorFor('en-US').t('offer.noWords', { words: '{{/search}}' });
  expect(found, 'what is inserted is no command').toContain('{{/search}}');
});

test('a sentence can be chosen before its language is known, and lists and other sentences be within it', () => {
  const localized = message('channel.notPostable', {
    channel: '<#1>',
    permissions: [message('permission.ViewChannel'), message('permission.SendMessages')],
  });
  expect(translatorFor('en-US').translate(localized)).toBe(
    'The bot can’t post in <#1> yet. Give it these permissions there: View Channel and Send Messages.',
  );
  expect(translatorFor('de').translate(localized)).toContain('Kanal ansehen und Nachrichten senden');
});
