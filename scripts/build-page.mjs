// Bundles the page of local Discord into dist/page: index.html, page.js, page.css and their source maps.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const from = join(root, 'src/local-discord/page');
const to = join(root, 'dist/page');

await mkdir(to, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: [join(from, 'page.ts'), join(from, 'page.css')],
  outdir: to,
  bundle: true,
  format: 'esm',
  minify: true,
  legalComments: 'none',
  sourcemap: 'linked',
  target: ['chrome120', 'firefox125', 'safari17'],
  tsconfig: join(from, 'tsconfig.json'),
  logLevel: 'warning',
});
await copyFile(join(from, 'index.html'), join(to, 'index.html'));

const sizes = await Promise.all(
  ['index.html', 'page.js', 'page.css'].map(async (name) => {
    const content = await readFile(join(to, name));
    return `${name} ${kilobytes(content.length)} (${kilobytes(gzipSync(content).length)} gzipped)`;
  }),
);
process.stdout.write(`dist/page: ${sizes.join(', ')}\n`);

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
