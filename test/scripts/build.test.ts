import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const build = (folder: string) => execFileSync(process.execPath, ['scripts/build.mjs', folder]);

/** The packages that a built program loads when it is started, itself or through files that it imports at its top. */
function packagesOf(folder: string, program: string): string[] {
  const files = new Set([program]);
  const packages = new Set<string>();
  for (const file of files) {
    const code = readFileSync(join(folder, file), 'utf8');
    for (const [, from = ''] of code.matchAll(/^(?:import|export)\b[^'"]*["']([^'"]+)["'];$/gm)) {
      if (from.startsWith('./')) files.add(from);
      else packages.add(from);
    }
  }
  return [...packages];
}

test('a bot on the real Discord and catalog loads nothing of their stand-ins', () => {
  const dist = temporaryFolder();
  build(dist);
  const packages = packagesOf(join(dist, 'src'), 'main.js');
  expect(packages).toEqual(expect.arrayContaining(['discord.js', 'zod', 'fastify']));
  for (const name of ['discord-api-spec/zod', '@fastify/swagger', 'ws']) expect(packages).not.toContain(name);
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
