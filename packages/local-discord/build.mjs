// Builds what is published in dist, with a manifest of its own: the library, its types, the command and the page.
// Usage: node build.mjs, then npm publish dist
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

const folder = fileURLToPath(new URL('.', import.meta.url));
const page = join(folder, 'src/page');

/** Builds the page into a folder, with what a browser needs to show its sources where `sourcemap` says so. */
export async function buildPage(outdir, sourcemap = 'linked') {
  await build({
    entryPoints: [join(page, 'page.ts'), join(page, 'page.css')],
    outdir,
    bundle: true,
    loader: { '.woff2': 'file' },
    assetNames: '[name]',
    format: 'esm',
    minify: true,
    legalComments: 'none',
    sourcemap,
    target: ['chrome123', 'firefox125', 'safari17.5'],
    tsconfig: join(page, 'tsconfig.json'),
    logLevel: 'warning',
  });
  await copyFile(join(page, 'index.html'), join(outdir, 'index.html'));
}

async function buildPackage() {
  const dist = join(folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/index.ts', 'src/cli.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'warning',
  });
  await chmod(join(dist, 'cli.js'), 0o755);
  await buildPage(join(dist, 'page'), false);
  for (const name of ['README.md', 'CHANGELOG.md']) await copyFile(join(folder, name), join(dist, name));
  await copyFile(join(folder, '../../LICENSE'), join(dist, 'LICENSE'));
  await cp(join(folder, 'examples'), join(dist, 'examples'), { recursive: true });
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`);
  const { status } = spawnSync('npx', ['tsc', '-p', folder], { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(1);
}

/** The manifest without what only this repository needs: the page is built, and names files of its own. */
function published({ name, version, description, keywords, license, author, engines, dependencies, devDependencies }) {
  return {
    name,
    version,
    description,
    keywords,
    license,
    author,
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    bin: { 'local-discord': 'cli.js' },
    engines,
    // The types of the package name those of ws.
    dependencies: { ...dependencies, '@types/ws': devDependencies['@types/ws'] },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage();
