// Installs what package-lock.json lists, if anything of it is missing. Needs nothing but Node and npm: no compiler.
// Run by itself, it installs everything; run.mjs asks for what building and running need.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const say = (line) => process.stderr.write(`${line}\n`);

/** @param {{ development: boolean }} which whether the tools of development are needed as well; those that are there stay */
export function install({ development }) {
  process.chdir(root);
  const wanted = packagesOf('package-lock.json');
  const installed = existsSync(INSTALLED) ? packagesOf(INSTALLED) : {};
  // An optional package may belong to another platform; each package.json names those that the build needs.
  const own = Object.entries(wanted).filter(([path]) => !path.includes('node_modules/'));
  const optionalDependencies = Object.assign({}, ...own.map(([, { optionalDependencies: named }]) => named));
  const isNeeded = ([path, { dev, optional }]) =>
    path !== '' && (path.slice('node_modules/'.length) in optionalDependencies || (!optional && (development || !dev)));
  const missing = Object.entries(wanted)
    .filter(isNeeded)
    .filter(([path, { version }]) => installed[path]?.version !== version || !existsSync(path));
  if (missing.length === 0) return;

  say(`Installing ${development ? 'packages and the tools of development' : 'packages'} (${missing.length} missing) …`);
  // "install" keeps what is there; "ci" would begin anew. Neither changes the lock file. No package needs its scripts.
  const hasTools = Object.values(installed).some(({ dev, optional }) => dev && !optional);
  const tools = development || hasTools ? '--include=dev' : '--omit=dev';
  const options = ['--no-save', '--include=optional', tools, '--ignore-scripts', '--no-fund', '--no-audit'];
  const { status } = spawnSync('npm', ['install', ...options], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    say("The installation failed. npm's output above says why.");
    process.exit(1);
  }
}

const INSTALLED = 'node_modules/.package-lock.json';

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install({ development: true });
