// Installs what package-lock.json lists, if anything of it is missing. Needs nothing but Node and npm.
// Run by itself, it installs everything; run.mjs asks for what building and running need.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const say = (line) => process.stderr.write(`${line}\n`);

/** @param {{ development: boolean }} which whether the tools of development are needed as well; those that are there stay */
export async function install({ development }) {
  process.chdir(root);
  installPackages(development);
  if (!loadsSqlite()) await makeSqlite();
}

function installPackages(development) {
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
  // "install" keeps what is there, SQLite's compiled part too; "ci" would begin anew. Neither changes the lock file.
  const hasTools = Object.values(installed).some(({ dev, optional }) => dev && !optional);
  const tools = development || hasTools ? '--include=dev' : '--omit=dev';
  const options = ['--no-save', '--include=optional', tools, '--ignore-scripts', '--no-fund', '--no-audit'];
  const { status } = spawnSync('npm', ['install', ...options], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail("The installation failed. npm's output above says why.");
}

const INSTALLED = 'node_modules/.package-lock.json';

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function loadsSqlite() {
  try {
    require('sqlite3');
    return true;
  } catch {
    return false;
  }
}

/** Does what sqlite3's own install script does, and says meanwhile what takes so long and afterwards what is missing. */
async function makeSqlite() {
  await run('Downloading SQLite for this machine', [require.resolve('prebuild-install/bin.js'), '-r', 'napi'], {
    timeout: LONGEST_DOWNLOAD_MS,
  });
  if (loadsSqlite()) return;
  const headers = headersFolder();
  const compile = [newestNodeGyp(), 'rebuild', '--jobs=max', ...(headers === null ? [] : [`--nodedir=${headers}`])];
  const { ok, output } = await run('No prebuilt SQLite for this machine. Compiling it once', compile, {
    // Half as long as the usual -O3, and the bot's statements take no longer for it.
    env: { ...process.env, CFLAGS: '-O1', CXXFLAGS: '-O1' },
  });
  if (!ok || !loadsSqlite()) fail(`${output.trimEnd()}\n\n${remedy()}`);
  for (const folder of ['obj', 'obj.target']) {
    rmSync(join(SQLITE, 'build/Release', folder), { recursive: true, force: true });
  }
}

const SQLITE = 'node_modules/sqlite3';
/** Then it is compiled. */
const LONGEST_DOWNLOAD_MS = 60_000;
/** Characters at the end of what a compiler wrote, which say why it failed. */
const OUTPUT_KEPT = 4_000;

/** Runs a program in sqlite3's folder; says how long it has been at it. */
function run(what, program, options) {
  const started = Date.now();
  const child = spawn(process.execPath, program, { cwd: SQLITE, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const isTerminal = process.stderr.isTTY;
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const report = (end) => process.stderr.write(`${isTerminal ? '\r' : ''}${what} … ${seconds()} s${end}`);
  if (!isTerminal) say(`${what} …`);
  const ticker = setInterval(() => report(isTerminal ? '' : '\n'), isTerminal ? 1_000 : 15_000);
  let output = '';
  const keep = (text) => {
    output = (output + text).slice(-OUTPUT_KEPT);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  return new Promise((resolve) => {
    child.on('close', (status) => {
      clearInterval(ticker);
      if (isTerminal) report('\n');
      resolve({ ok: status === 0, output });
    });
  });
}

/** npm's own, as the one that sqlite3 asks for does not know Python 3.12 and newer. */
function newestNodeGyp() {
  try {
    return createRequire(process.env.npm_execpath).resolve('node-gyp/bin/node-gyp.js');
  } catch {
    return require.resolve('node-gyp/bin/node-gyp.js');
  }
}

/** The folder whose `include/node` holds the headers of this Node, so that none are downloaded; null where there is none. */
function headersFolder() {
  if (process.env.npm_config_nodedir) return process.env.npm_config_nodedir;
  const folder = dirname(dirname(realpathSync(process.execPath)));
  const file = join(folder, 'include/node/node_version.h');
  const [major] = process.versions.node.split('.');
  return existsSync(file) && readFileSync(file, 'utf8').includes(`NODE_MAJOR_VERSION ${major}\n`) ? folder : null;
}

/** @see https://github.com/nodejs/node-gyp#installation */
function remedy() {
  const why = 'SQLite had to be compiled on this machine, and that failed.';
  if (process.platform === 'darwin')
    return `${why} Install Apple's compiler (xcode-select --install), then start again.`;
  if (process.platform === 'win32') {
    return `${why} Install Python 3 and Visual Studio's "Desktop development with C++", then start again.`;
  }
  const missing = ['python3', 'make', 'g++'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
  if (missing.length === 0 && headersFolder() === null) {
    return `${why} It needs Node's headers, from nodejs.org or from a folder that npm_config_nodedir names.`;
  }
  if (missing.length === 0) return `${why} The lines above say why.`;
  return `${why} Missing: ${missing.join(', ')}.
Install python3, make and g++, then start again:
  Debian, Ubuntu  apt-get install python3 make g++
  Fedora          dnf install python3 make gcc-c++
  Alpine          apk add python3 make g++`;
}

function fail(message) {
  say(message);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await install({ development: true });
