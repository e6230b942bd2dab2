import { rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import { atExit } from './at-exit.ts';

/** A busy machine takes longer than the ten seconds that Vitest gives a hook. */
const LONGEST_BUILD_MS = 60_000;
const ROOT = resolve(import.meta.dirname, '../..');

/** A further program: its source's path in the project, and that of the built one in its folder. */
interface BuiltBeside {
  in: string;
  out: string;
}

/**
 * Builds a program for the tests of this file, and deletes it afterwards.
 * @param entry the source's path in the project, as `src/main.ts`
 * @param others further programs that it starts, with the path (without its end) where it looks for them
 * @returns where it stands before the first test: inside the project, so that it finds its packages
 */
export function builtProgram(entry: string, ...others: BuiltBeside[]): { folder: string; path: string } {
  return builtWith([], entry, ...others);
}

/** The same, changed by plugins of esbuild. */
export function builtWith(
  plugins: Plugin[],
  entry: string,
  ...others: BuiltBeside[]
): { folder: string; path: string } {
  const out = entry.replace(/\.ts$/, '');
  const folder = join(ROOT, 'dist', `${basename(out)}-${process.pid}`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const callOff = atExit(remove);
  beforeAll(async () => {
    await build({
      absWorkingDir: ROOT,
      entryPoints: [{ in: entry, out }, ...others],
      outdir: folder,
      bundle: true,
      // As in the build: what is imported only where it is needed is loaded only there.
      splitting: true,
      chunkNames: 'src/chunk-[hash]',
      platform: 'node',
      format: 'esm',
      packages: 'external',
      plugins,
    });
  }, LONGEST_BUILD_MS);
  afterAll(() => {
    remove();
    callOff();
  });
  return { folder, path: join(folder, `${out}.js`) };
}
