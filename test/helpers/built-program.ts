import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Builds a program for the tests of this file, and deletes it afterwards.
 * @param entry the source's path in the project, as `src/main.ts`
 * @returns where it stands before the first test: inside the project, so that it finds its packages
 */
export function builtProgram(entry: string): { folder: string; path: string } {
  const name = basename(entry, '.ts');
  const folder = join(ROOT, 'dist', `${name}-${process.pid}`);
  const path = join(folder, `${name}.js`);
  beforeAll(async () => {
    const entryPoints = [join(ROOT, entry)];
    await build({ entryPoints, outfile: path, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  });
  afterAll(() => rm(folder, { recursive: true }));
  return { folder, path };
}
