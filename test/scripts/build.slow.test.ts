import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const build = (folder: string) => execFileSync(process.execPath, ['scripts/build.mjs', folder]);

/** What a built program loads when it is started, itself or through files that it imports at its top: packages, and sources. */
function loadedBy(folder: string, program: string): { packages: string[]; sources: string[] } {
  const files = new Set([program]);
  const packages = new Set<string>();
  for (const file of files) {
    const code = readFileSync(join(folder, file), 'utf8');
    for (const [, from = ''] of code.matchAll(/^(?:import|export)\b[^'"]*["']([^'"]+)["'];$/gm)) {
      if (from.startsWith('./')) files.add(from);
      else packages.add(from);
    }
  }
  const sources = [...files].flatMap(
    (file) => (JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8')) as { sources: string[] }).sources,
  );
  return { packages: [...packages], sources };
}

test('a bot on the real Discord and catalog loads nothing of their stand-ins', () => {
  const dist = temporaryFolder();
  build(dist);
  const { packages, sources } = loadedBy(join(dist, 'src'), 'main.js');
  expect(packages).toEqual(expect.arrayContaining(['discord.js', 'zod', 'fastify']));
  for (const name of ['discord-api-spec/zod', '@fastify/swagger', 'ws']) expect(packages).not.toContain(name);
  expect(sources.some((path) => path.endsWith('src/app/app.ts'))).toBe(true);
  expect(sources.filter((path) => /packages\/|test\/|driven/.test(path))).toEqual([]);
});

test('nothing of an earlier build stays', () => {
  const dist = temporaryFolder();
  const files = () => readdirSync(join(dist, 'src')).toSorted();
  build(dist);
  const built = files();
  writeFileSync(join(dist, 'src/chunk-AAAAAAAA.js'), '');
  build(dist);
  expect(files()).toEqual(built);
});
