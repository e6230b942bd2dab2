// Writes the types of the values that each sentence takes, because a JSON file's texts are only `string` to TypeScript.
// Usage: node scripts/placeholders.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ENGLISH = new URL('../src/discord/locales/en.json', import.meta.url);
const TYPES = new URL('../src/discord/i18n/placeholders.ts', import.meta.url);
const WIDEST_LINE = 120;

/** The text of placeholders.ts for the English sentences by key. */
export function placeholderTypes(sentences) {
  const lines = Object.entries(sentences).flatMap(([key, sentence]) => {
    const names = new Set(Array.from(sentence.matchAll(/\{\{([^/].*?)\}\}/g), ([, name]) => `'${name}'`));
    if (key.endsWith('_one') || names.size === 0) return [];
    const property = `  '${key.replace(/_other$/, '')}':`;
    const line = `${property} ${[...names].join(' | ')};`;
    return line.length <= WIDEST_LINE ? line : `${property}\n    | ${[...names].join('\n    | ')};`;
  });
  return `// Written by \`npm run types\` from locales/en.json.

/** The placeholders of each sentence that has some, with their formats. */
export interface Placeholders {
${lines.join('\n')}
}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(TYPES, placeholderTypes(JSON.parse(readFileSync(ENGLISH, 'utf8'))));
}
