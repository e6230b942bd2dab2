import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../commands/index.ts';
import { placeholderTypes } from '../../../scripts/placeholders.mjs';
import { SETTINGS } from '../../../src/deals/settings.ts';
import { CATALOGS, type Catalog } from '../../../src/discord/i18n/catalog.ts';
import { createTranslators, isWordKey, message, translatorFor } from '../../../src/discord/i18n/translator.ts';

type Sentences = Readonly<Record<string, string>>;

const en: Catalog = CATALOGS['en-US'];
const ENGLISH: Sentences = en;
const KEYS = Object.keys(en) as (keyof typeof en)[];
const OTHERS: [locale: string, sentences: Sentences][] = [
  ['de', CATALOGS.de],
  ['fr', CATALOGS.fr],
  ['es', CATALOGS['es-ES']],
];
const LANGUAGES: [locale: string, sentences: Sentences][] = [['en', en], ...OTHERS];

/** A key without the suffix of its plural form. */
const stemOf = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '');
const STEMS = [...new Set(KEYS.map(stemOf))];

function placeholdersIn(sentence = ''): string[] {
  return [...sentence.matchAll(/\{\{(.+?)\}\}/g)].map(([, inside]) => String(inside)).sort();
}

/** The plural forms of a language for numbers of the usual size; French and Spanish have one more from a million on. */
function formsIn(locale: string): string[] {
  const rules = new Intl.PluralRules(locale);
  return [...new Set(Array.from({ length: 1000 }, (_, count) => rules.select(count)))];
}

/** Discord's limits for the texts of buttons, commands and forms. */
const MOST_OF: Readonly<Record<string, number>> = { button: 80, choice: 100, command: 100, form: 45 };

describe.each(LANGUAGES)('the sentences in %s', (locale, sentences) => {
  test('are those that there are in English, in each plural form of the language', () => {
    const forms = formsIn(locale);
    const wanted = STEMS.flatMap((stem) => (stem in ENGLISH ? stem : forms.map((form) => `${stem}_${form}`)));
    expect(Object.keys(sentences).sort()).toEqual(wanted.sort());
  });

  test('want to be told the same', () => {
    for (const [key, sentence] of Object.entries(sentences)) {
      // A single number may stand in the sentence as a word.
      const mayLackCount = key !== stemOf(key) && !key.endsWith('_other');
      const named = (text: string | undefined) =>
        placeholdersIn(text).filter((name) => !mayLackCount || !name.startsWith('count'));
      expect(named(sentence), key).toEqual(named(ENGLISH[key] ?? ENGLISH[`${stemOf(key)}_other`]));
    }
  });

  test('are as short as Discord wants them', () => {
    for (const [key, sentence] of Object.entries(sentences)) {
      const most = MOST_OF[key.slice(0, key.indexOf('.'))] ?? Infinity;
      expect(sentence.length, key).toBeLessThanOrEqual(most);
      expect(sentence.trim(), key).toBe(sentence);
      expect(sentence, key).not.toBe('');
    }
  });
});

test('French has a no-break space before its marks and inside its quotation marks', () => {
  const breaking = Object.entries(CATALOGS.fr).filter(([, sentence]) => / (?:[;?!»]|:(?![\w)]))|« /.test(sentence));
  expect(breaking).toEqual([]);
});

test('German has a space between a word and the ellipsis that stands for others', () => {
  expect(Object.entries(CATALOGS.de).filter(([, sentence]) => /\p{L}…/u.test(sentence))).toEqual([]);
});

test.each(OTHERS)('the sentences in %s say more than the English ones in other letters', (_, sentences) => {
  const same = KEYS.filter((key) => /[a-z]{3} [a-z]{3}/.test(en[key]) && sentences[key] === en[key]);
  expect(same).toEqual([]);
});

test('the types of what each sentence is told are those of the English ones: `npm run types` writes them', () => {
  expect(readFileSync('src/discord/i18n/placeholders.ts', 'utf8')).toBe(placeholderTypes(en));
});

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

test('a command is mentioned by its id, and named in the reader’s language where that is not known', () => {
  const mentioning = createTranslators((name) => (name === 'subscription' ? '77' : undefined));
  expect(mentioning('de').t('subscriptions.none')).toContain('Füge mit </subscription add feed:77> eins hinzu');
  expect(mentioning('de').t('offerDetails.none')).toMatch(/`\/suche`\.$/);
  expect(mentioning('en-US').translate(message('offerDetails.none'))).toMatch(/`\/search`\.$/);
  expect(translatorFor('fr').command('subscription add feed')).toBe('`/abonnement add feed`');
  const found = translatorFor('en-US').t('offer.noWords', { words: '{{/search}}' });
  expect(found, 'what is inserted is no command').toContain('{{/search}}');
});

/** The commands that people can type, by their English paths. */
const COMMAND_PATHS = COMMANDS.flatMap(({ data }) => ('description' in data ? pathsOf(data.name, data.options) : []));

function pathsOf(path: string, options: readonly object[] = []): string[] {
  const below = options as { type: number; name: string; options?: object[] }[];
  return [path, ...below.filter(({ type }) => type <= 2).flatMap((one) => pathsOf(`${path} ${one.name}`, one.options))];
}

test.each(LANGUAGES)('each command that a sentence in %s names is a mention', (_, catalog) => {
  const sentences = Object.entries(catalog);
  const mentioned = sentences.flatMap(([, sentence]) =>
    [...sentence.matchAll(/\{\{\/(.*?)\}\}/g)].map(([, path]) => path),
  );
  expect(mentioned.length).toBeGreaterThan(5);
  expect(mentioned.filter((path) => !COMMAND_PATHS.includes(path ?? ''))).toEqual([]);
  const names = COMMANDS.map(({ data }) => data.name);
  const localised = Object.keys(catalog).flatMap((key) => (/^command\.\w+\.name$/.test(key) ? [catalog[key]] : []));
  const bare = new RegExp(`(?<![\\p{L}\\d{/])/(?:${[...names, ...localised].join('|')})(?![\\p{L}\\d])`, 'u');
  expect(bare.test('Try `/search`.') && bare.test('/subscription add feed'), 'the test can fail').toBe(true);
  expect(sentences.filter(([, sentence]) => bare.test(sentence))).toEqual([]);
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

/** The program’s own text: where sentences for people could stand. */
function sourcesOf(...folders: string[]): [string, string][] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('i18n/'))
      .map((name): [string, string] => [join(folder, name), readFileSync(join(folder, name), 'utf8')]),
  );
}

const COMMENTS = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm;

test('every sentence is in use', () => {
  const program = [...sourcesOf('src', 'commands'), ...sourcesOf('src/discord/i18n')]
    .filter(([file]) => !file.endsWith('/placeholders.ts'))
    .map(([, text]) => text.replace(COMMENTS, ''))
    .join('\n');
  const unused = STEMS.filter((key) => {
    if (program.includes(`'${key}'`)) return false;
    const dot = key.lastIndexOf('.');
    // `permission.${name}`: the end of the key is put in.
    return !program.includes(`\`${key.slice(0, dot)}.\${`);
  });
  expect(unused).toEqual([]);
  expect(STEMS.every(isWordKey)).toBe(true);
});

test('the words of settings are of settings that there are', () => {
  const names = SETTINGS.map(({ name }) => name);
  const choices = SETTINGS.flatMap((setting) => ('choices' in setting ? setting.choices : []));
  const endsOf = (prefix: string) =>
    STEMS.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  for (const prefix of ['panel.setting.', 'panel.noSetting.', 'form.setting.']) {
    expect(names).toEqual(expect.arrayContaining(endsOf(prefix)));
  }
  expect(endsOf('command.setting.').toSorted()).toEqual(names.toSorted());
  expect(endsOf('choice.').toSorted()).toEqual(choices.toSorted());
});

test('no card and no command says anything by itself', () => {
  const speaking = sourcesOf('src/discord', 'commands').filter(
    // The log's and the terminal's readers are not Discord's people, and Markdown is made of marks.
    ([file]) => !/\/(client|registration|connection-problems|markdown)\.ts$/.test(file),
  );
  const said = speaking.flatMap(([file, text]) => {
    const code = text
      .replace(COMMENTS, '')
      .replace(/\blog(?:\.\w+|\[[^\]\n]*\])\([^;]*;/g, '')
      .replace(/^import .*$|new Error\([^;]*;/gm, '');
    return (
      [...code.matchAll(/'([^'\n]*)'|`([^`\n]*)`/g)]
        .map(([, plain, template]) => (plain ?? template ?? '').replace(/\$\{[^}]*\}/g, '{}'))
        // The markup of pictures; what stands between the tags counts.
        .map((literal) => literal.replace(/<\/?[a-z]+(?: [\w:]+="[^"]*")*\/?>/g, ''))
        .filter((literal) => /\p{L}{2,},? \p{L}{2,}/u.test(literal))
        .map((literal) => `${file}: ${literal}`)
    );
  });
  expect(speaking.length).toBeGreaterThan(15);
  expect(said).toEqual([]);
});

test('no button and no heading is named by the program', () => {
  const named = sourcesOf('src/discord/cards', 'commands').flatMap(([file, text]) =>
    [...text.matchAll(/\b(?:linkButton|actionButton|text|noticeCard|UserError)\(\s*['`][^$'`]*\p{L}{2,}/gu)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  expect(named).toEqual([]);
});
