import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIELDS, parseFilter, pointAt } from '../../../src/deals/filter/index.ts';
import { sayProblem } from '../../../src/discord/filter-mistake.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';

const page = readFileSync(new URL('../../../docs/filters.md', import.meta.url), 'utf8');

/** The texts that stand under a heading in a code block, or as code in a line. */
function section(heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

test('the page has the fields that there are', () => {
  const rows = [...section('Fields').matchAll(/^\| `(.*)` \| (.*) \| `(.*)` \|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(FIELDS.map(({ name, about, example }) => [name, about, example]));
});

test('every filter that the page shows can be read', () => {
  const shown = ['Words', 'Combining', 'Fields']
    .flatMap((heading) => [...section(heading).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
    .filter((code) => !['*', 'i'].includes(code));
  expect(shown.length).toBeGreaterThan(40);
  for (const text of shown) expect([text, parseFilter(text)]).toMatchObject([text, { ok: true }]);
});

test('the mistake that the page shows is told as it says', () => {
  const [, shown = ''] = /```\n([^`]*)```/.exec(section('Mistakes')) ?? [];
  const [, text = ''] = shown.split('\n');
  const parsed = parseFilter(text);
  if (parsed.ok) throw new Error(`${text} has no mistake.`);
  const sentence = translatorFor('en-US').translate(sayProblem(parsed.problem));
  expect(`${sentence}\n${pointAt(text, parsed.problem)}\n`).toBe(shown);
});
