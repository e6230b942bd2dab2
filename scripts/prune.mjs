// Removes from node_modules what only an installation or a build needs, after both: an image holds what runs, and nothing else.
// Usage: node scripts/prune.mjs, in the folder of the installation. `npm ci` puts back what it has removed.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Dependencies by which a package is downloaded, unpacked or compiled when it is installed, and which it never loads. */
const INSTALLERS = { sqlite3: ['node-addon-api', 'node-gyp', 'prebuild-install', 'tar'] };

const INSTALLED = 'node_modules/.package-lock.json';
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);

const lock = readJson(INSTALLED);
const { packages } = lock;
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The names that a package needs when it runs. What is optional for it counts where it is installed. */
function needsOf(path, { dependencies, optionalDependencies, peerDependencies }) {
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const installers = INSTALLERS[nameOf(path)] ?? [];
  return names.filter((name) => !installers.includes(name));
}

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
  waiting.push(...needsOf(path, packages[path]).map((needed) => [path, needed]));
}

const isKept = (path) => reached.has(path) || !path.includes('node_modules/') || packages[path].link === true;
const removed = Object.keys(packages).filter((path) => !isKept(path));
for (const path of removed) {
  rmSync(path, { recursive: true, force: true });
  delete packages[path];
}
// Otherwise npm would miss them.
for (const [name, installers] of Object.entries(INSTALLERS)) {
  const file = join('node_modules', name, 'package.json');
  if (!existsSync(file)) continue;
  const about = readJson(file);
  for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies']) {
    for (const needs of [about, packages[posix.join('node_modules', name)]]) {
      for (const installer of installers) delete needs?.[kind]?.[installer];
    }
  }
  writeJson(file, about);
}
writeJson(INSTALLED, lock);
process.stdout.write(`Removed ${removed.length} packages, kept ${reached.size}.\n`);
