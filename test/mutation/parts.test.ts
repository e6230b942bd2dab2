import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PARTS } from './parts.mjs';

const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file).replaceAll('\\', '/')),
);

/** The files that a pattern names: `**` is any folders, `*` any name, `{a,b}` either. */
function filesAt(pattern: string): string[] {
  const expression = pattern
    .replace(/[.]/g, '\\.')
    .replace(/\{(.*?)\}/g, (_, either: string) => `(${either.replaceAll(',', '|')})`)
    .replace(/\*\*\/|\*/g, (wildcard) => (wildcard === '*' ? '[^/]*' : '(.*/)?'));
  return files.filter((file) => new RegExp(`^${expression}$`).test(file));
}

test.each(Object.entries(PARTS))('each pattern of the part %s names files', (_, { mutate, tests }) => {
  for (const pattern of [...mutate, ...tests]) expect(filesAt(pattern.replace('!', '')), pattern).not.toEqual([]);
});

test('each source of the announcements, deals, store and throttle is in one part', () => {
  const mutated = Object.values(PARTS).flatMap(({ mutate }) => {
    const without = new Set(mutate.flatMap((pattern) => (pattern.startsWith('!') ? filesAt(pattern.slice(1)) : [])));
    return mutate.flatMap(filesAt).filter((file) => !without.has(file));
  });
  const sources = ['announcements', 'deals', 'store', 'catalog/throttle'].flatMap((folder) =>
    filesAt(`src/${folder}/**/*.ts`),
  );
  expect(sources.length).toBeGreaterThan(100);
  expect(mutated.filter((file) => sources.includes(file)).toSorted()).toEqual(sources.toSorted());
});
