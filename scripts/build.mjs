// Builds dist: the programs as JavaScript, and the page of local Discord beside its program. Types are checked elsewhere.
// Usage: node scripts/build.mjs [FOLDER]
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The names of files that several programs share, or that are loaded later, begin so. */
const CHUNK = 'chunk';

const BOT = [
  { in: 'src/main.ts', out: 'src/main' },
  { in: 'src/app/driven/driven.ts', out: 'src/driven' },
  { in: 'src/app/operator/operator.ts', out: 'src/operator' },
  { in: 'src/app/env-file.ts', out: 'src/env-file' },
];
const PACKAGES = [
  { in: 'packages/demo/src/main.ts', out: 'packages/demo/src/main' },
  { in: 'packages/catalog-service/src/cli.ts', out: 'packages/catalog-service/src/cli' },
  { in: 'packages/local-discord/src/cli.ts', out: 'packages/local-discord/src/cli' },
];

/** Builds into `dist`, the path of a folder. An installation of the bot alone has no packages, and builds nothing of them. */
export async function buildInto(dist) {
  const hasPackages = existsSync(join(root, 'node_modules/@dealbell'));
  await Promise.all([
    buildPrograms(hasPackages ? [...BOT, ...PACKAGES] : BOT, dist),
    hasPackages && buildPageInto(dist),
  ]);
}

async function buildPageInto(dist) {
  const { buildPage } = await import('../packages/local-discord/build.mjs');
  await buildPage(join(dist, 'packages/local-discord/src/page'));
}

async function buildPrograms(entryPoints, dist) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: dist,
    bundle: true,
    // Code that a program imports only where it needs it stays out of memory elsewhere, with the packages of that code.
    splitting: true,
    chunkNames: `src/${CHUNK}-[hash]`,
    metafile: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: 'linked',
    // Node keeps the maps of what it has loaded: with the sources in them, they take as much memory again.
    sourcesContent: false,
    logLevel: 'warning',
  });
  await removeOldChunks(join(dist, 'src'), metafile);
}

/** Removes the chunks of earlier builds. A program that is running has loaded its own by then. */
async function removeOldChunks(folder, { outputs }) {
  const built = new Set(Object.keys(outputs).map((file) => basename(file)));
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${CHUNK}-`) && !built.has(name)) await rm(join(folder, name));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInto(resolve(process.argv[2] ?? join(root, 'dist')));
