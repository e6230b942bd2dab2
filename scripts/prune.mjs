// Removes from node_modules what only a build or another machine needs: an image holds what runs, and nothing else.
// Usage: node scripts/prune.mjs, in the folder of the installation. `npm ci` puts back what it has removed.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Of SQLite's package: its sources. The binary is one of its prebuilt ones. */
const SOURCES = ['deps', 'src'];
const SQLITE = 'node_modules/sqlite3';

const INSTALLED = 'node_modules/.package-lock.json';
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

const lock = readJson(INSTALLED);
const { packages } = lock;

/** The names that a package needs when it runs. What is optional for it counts where it is installed. */
const needsOf = ({ dependencies, optionalDependencies, peerDependencies }) =>
  Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });

/** Where Node finds a package, seen from another one; null where it isn't installed. */
function resolve(from, name) {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = posix.join(folder === '.' ? '' : folder, 'node_modules', name);
    if (packages[path]) return path;
    if (folder === '' || folder === '.') return null;
  }
}

// What is optional for the bot and its packages is what their build needs.
const isOwn = ([path]) => path !== '' && !path.includes('node_modules/');
const roots = [['', readJson('package.json')], ...Object.entries(packages).filter(isOwn)];
const waiting = roots.flatMap(([path, { dependencies = {} }]) => Object.keys(dependencies).map((name) => [path, name]));
const reached = new Set();
for (const [from, name] of waiting) {
  const path = resolve(from, name);
  if (path === null || reached.has(path)) continue;
  reached.add(path);
  waiting.push(...needsOf(packages[path]).map((needed) => [path, needed]));
}

const isKept = (path) => reached.has(path) || !path.includes('node_modules/') || packages[path].link === true;
const removed = Object.keys(packages).filter((path) => !isKept(path));
for (const path of removed) {
  rmSync(path, { recursive: true, force: true });
  delete packages[path];
}
for (const folder of SOURCES) rmSync(join(SQLITE, folder), { recursive: true, force: true });
const binaries = join(SQLITE, 'prebuilds');
for (const machine of existsSync(binaries) ? readdirSync(binaries) : []) {
  if (machine !== `${process.platform}-${process.arch}`) rmSync(join(binaries, machine), { recursive: true });
}
writeFileSync(INSTALLED, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`Removed ${removed.length} packages, kept ${reached.size}.\n`);
