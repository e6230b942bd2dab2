// Writes the types of the values that each sentence takes, because a JSON file's texts are only `string` to TypeScript,
// and of a feature's sentences the module that hands them out.
// Usage: node scripts/placeholders.mjs
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SRC = new URL('../src/', import.meta.url);
const FEATURES = new URL('features/', SRC);
const WIDEST_LINE = 120;

/** One line for each sentence that has placeholders. */
function lines(sentences, indent) {
  return Object.entries(sentences).flatMap(([key, sentence]) => {
    const names = new Set(Array.from(sentence.matchAll(/\{\{([^/].*?)\}\}/g), ([, name]) => `'${name}'`));
    if (key.endsWith('_one') || names.size === 0) return [];
    const property = `${indent}'${key.replace(/_other$/, '')}':`;
    const line = `${property} ${[...names].join(' | ')};`;
    return line.length <= WIDEST_LINE ? line : `${property}\n${indent}  | ${[...names].join(`\n${indent}  | `)};`;
  });
}

/** The text of placeholders.ts for the core's English sentences by key. */
function placeholderTypes(sentences) {
  return `// Written by \`npm run types\` from locales/en.json.

/** The placeholders of each sentence that has some, with their formats. Features add theirs. */
export interface Placeholders {
${lines(sentences, '  ').join('\n')}
}
`;
}

/** The text of the words/index.ts of a feature, for its English sentences by key. */
function wordsModule(sentences) {
  const placeholders = lines(sentences, '    ');
  return `// Written by \`npm run types\` from the files beside it.
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

/** The feature's sentences, by language and key. */
export const WORDS = { en, de, fr, es };

declare module '../../../discord/i18n/catalog.ts' {
  interface Catalog extends Readonly<Record<keyof typeof en, string>> {}
}
${
  placeholders.length === 0
    ? ''
    : `
declare module '../../../discord/i18n/placeholders.ts' {
  interface Placeholders {
${placeholders.join('\n')}
  }
}
`
}`;
}

/** The files to write, with their texts. */
export function written() {
  const read = (url) => JSON.parse(readFileSync(url, 'utf8'));
  const features = readdirSync(FEATURES).filter((name) => existsSync(new URL(`${name}/words/en.json`, FEATURES)));
  return [
    [new URL('discord/i18n/placeholders.ts', SRC), placeholderTypes(read(new URL('discord/locales/en.json', SRC)))],
    ...features.map((name) => [
      new URL(`${name}/words/index.ts`, FEATURES),
      wordsModule(read(new URL(`${name}/words/en.json`, FEATURES))),
    ]),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of written()) writeFileSync(file, text);
}
