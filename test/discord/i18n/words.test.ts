import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsWith } from '../../../commands/index.ts';
import { written } from '../../../scripts/placeholders.mjs';
import { THINGS } from '../../../src/announcements/kinds/index.ts';
import { SETTINGS } from '../../../src/deals/settings.ts';
import type { Language } from '../../../src/discord/i18n/catalog.ts';
import { isWordKey } from '../../../src/discord/i18n/translator.ts';
import { FEATURES } from '../../../src/features/index.ts';

type Sentences = Readonly<Record<string, string>>;

const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
const FOLDER = 'src/features';

/** The sentences of the core and of each feature, with the folders of the program that use them. */
const OWNERS = [
  { name: 'the core', words: 'src/discord/locales', sources: ['commands', ...coreFolders()] },
  ...readdirSync(FOLDER)
    .filter((name) => existsSync(join(FOLDER, name, 'words')))
    .map((name) => ({ name, words: join(FOLDER, name, 'words'), sources: [join(FOLDER, name)] })),
].map(({ words, ...owner }) => ({ ...owner, in: (language: Language) => sentencesOf(words, language) }));

function coreFolders(): string[] {
  return readdirSync('src')
    .filter((name) => name !== 'features')
    .map((name) => join('src', name));
}

function sentencesOf(folder: string, language: Language): Sentences {
  return JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Sentences;
}

/** A key without the suffix of its plural form. */
const stemOf = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '');
const stemsOf = (sentences: Sentences) => [...new Set(Object.keys(sentences).map(stemOf))];

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

describe.each(OWNERS)('the sentences of $name', (owner) => {
  const english = owner.in('en');
  describe.each(LANGUAGES)('in %s', (language) => {
    const sentences = owner.in(language);

    test('are those that there are in English, in each plural form of the language', () => {
      const forms = formsIn(language);
      const wanted = stemsOf(english).flatMap((stem) =>
        stem in english ? stem : forms.map((form) => `${stem}_${form}`),
      );
      expect(Object.keys(sentences).sort()).toEqual(wanted.sort());
    });

    test('want to be told the same', () => {
      for (const [key, sentence] of Object.entries(sentences)) {
        // A single number may stand in the sentence as a word.
        const mayLackCount = key !== stemOf(key) && !key.endsWith('_other');
        const named = (text: string | undefined) =>
          placeholdersIn(text).filter((name) => !mayLackCount || !name.startsWith('count'));
        expect(named(sentence), key).toEqual(named(english[key] ?? english[`${stemOf(key)}_other`]));
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

    test.skipIf(language === 'en')('say more than the English ones in other letters', () => {
      const same = Object.keys(english).filter(
        (key) => /[a-z]{3} [a-z]{3}/.test(english[key] ?? '') && sentences[key] === english[key],
      );
      expect(same).toEqual([]);
    });

    test('mention each command that they name', () => {
      const mentioned = Object.values(sentences).flatMap((sentence) =>
        [...sentence.matchAll(/\{\{\/(.*?)\}\}/g)].map(([, path]) => path ?? ''),
      );
      expect(mentioned.filter((path) => !COMMAND_PATHS.includes(path))).toEqual([]);
      expect(Object.entries(sentences).filter(([, sentence]) => BARE.test(sentence))).toEqual([]);
    });
  });

  test('have in French a no-break space before marks and inside quotation marks', () => {
    const breaking = Object.entries(owner.in('fr')).filter(([, text]) => / (?:[;?!»]|:(?![\w)]))|« /.test(text));
    expect(breaking).toEqual([]);
  });

  test('have in German a space between a word and the ellipsis that stands for others', () => {
    expect(Object.entries(owner.in('de')).filter(([, sentence]) => /\p{L}…/u.test(sentence))).toEqual([]);
  });

  test('are all in use', () => {
    const program = sourcesOf(...owner.sources)
      .map(([, text]) => text.replace(COMMENTS, ''))
      .join('\n');
    const unused = stemsOf(english).filter((key) => {
      if (program.includes(`'${key}'`)) return false;
      if (program.includes(`\`${ofThings(key)}\``)) return false;
      const dot = key.lastIndexOf('.');
      // `permission.${name}`: the end of the key is put in.
      return !program.includes(`\`${key.slice(0, dot)}.\${`);
    });
    expect(unused).toEqual([]);
  });
});

/** A key as the code of all things has it, which puts in its names: `${source}.title`. */
function ofThings(key: string): string {
  const things = Object.values(THINGS);
  const nameOf = (part: string) => {
    if (things.some(({ source }) => source === part)) return 'source';
    return things.some(({ entity }) => entity === part) ? 'entity' : null;
  };
  return key
    .split('.')
    .map((part) => (nameOf(part) === null ? part : `\${${nameOf(part)}}`))
    .join('.');
}

/** The commands that people can type, by their English paths. */
const COMMANDS = commandsWith(FEATURES);
const COMMAND_PATHS = COMMANDS.flatMap(({ data }) => ('description' in data ? pathsOf(data.name, data.options) : []));

function pathsOf(path: string, options: readonly object[] = []): string[] {
  const below = options as { type: number; name: string; options?: object[] }[];
  return [path, ...below.filter(({ type }) => type <= 2).flatMap((one) => pathsOf(`${path} ${one.name}`, one.options))];
}

/** A command's name, in any language, that is no mention. */
const BARE = bareName();

function bareName(): RegExp {
  const names = COMMANDS.map(({ data }) => data.name);
  const localised = OWNERS.flatMap((owner) =>
    LANGUAGES.flatMap((language) =>
      Object.entries(owner.in(language)).flatMap(([key, text]) => (/^command\.\w+\.name$/.test(key) ? [text] : [])),
    ),
  );
  return new RegExp(`(?<![\\p{L}\\d{/])/(?:${[...names, ...localised].join('|')})(?![\\p{L}\\d])`, 'u');
}

test('a command that is no mention is found', () => {
  expect(BARE.test('Try `/search`.') && BARE.test('/subscription add feed')).toBe(true);
});

test('no sentence is in two places', () => {
  const keys = OWNERS.flatMap((owner) => Object.keys(owner.in('en')));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test('the types of what each sentence is told are those of the English ones: `npm run types` writes them', () => {
  for (const [file, text] of written()) expect(readFileSync(file, 'utf8'), file.pathname).toBe(text);
});

test('each sentence of the core has a key', () => {
  expect(stemsOf(sentencesOf('src/discord/locales', 'en')).every(isWordKey)).toBe(true);
});

/** The program’s own text, where sentences for people could stand, without what is written by `npm run types`. */
function sourcesOf(...folders: string[]): [string, string][] {
  return folders.flatMap((folder) =>
    folder.endsWith('.ts')
      ? [[folder, readFileSync(folder, 'utf8')] as [string, string]]
      : readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts') && !/\/(?:placeholders|words\/index)\.ts$/.test(name))
          .map((name): [string, string] => [join(folder, name), readFileSync(join(folder, name), 'utf8')]),
  );
}

const COMMENTS = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm;

test('the words of settings are of settings that there are', () => {
  const names = SETTINGS.map(({ name }) => name);
  const choices = SETTINGS.flatMap((setting) => ('choices' in setting ? setting.choices : []));
  const endsOf = (prefix: string) =>
    stemsOf(sentencesOf('src/discord/locales', 'en'))
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
  for (const prefix of ['panel.setting.', 'panel.noSetting.', 'form.setting.']) {
    expect(names).toEqual(expect.arrayContaining(endsOf(prefix)));
  }
  expect(endsOf('command.setting.').toSorted()).toEqual(names.toSorted());
  expect(endsOf('choice.').toSorted()).toEqual(choices.toSorted());
});

/** What of features the terminal and Prometheus show, in English. */
const OF_OPERATOR = /^src\/features\/[^/]+\/(?:terminal\/|(?:metrics|environment)\.ts$)/;

test('no card and no command says anything by itself', () => {
  const speaking = sourcesOf('src/discord', 'src/features', 'commands').filter(
    // The readers of the log, the terminal and addresses are not Discord's people, and Markdown is made of marks.
    ([file]) =>
      !/\/(client|registration|connection-problems|markdown|routes|setup)\.ts$/.test(file) && !OF_OPERATOR.test(file),
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
  const speaking = sourcesOf('src/discord/cards', 'src/features', 'commands').filter(
    ([file]) => !OF_OPERATOR.test(file),
  );
  const named = speaking.flatMap(([file, text]) =>
    [...text.matchAll(/\b(?:linkButton|actionButton|text|noticeCard|UserError)\(\s*['`][^$'`]*\p{L}{2,}/gu)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  expect(named).toEqual([]);
});
