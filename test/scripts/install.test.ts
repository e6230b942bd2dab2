import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** Where SQLite's package is, seen from the store's adapter. */
const SQLITE = dirname(createRequire(import.meta.resolve('@keyv/sqlite')).resolve('sqlite3/package.json'));

interface Package {
  dev?: boolean;
  hasInstallScript?: boolean;
}

test('nothing that runs is compiled or downloaded by a script when it is installed', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Package> };
  const scripted = Object.entries(packages).filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
  // Both come with their binaries. The script of esbuild only has its command start faster.
  expect(scripted.map(([path]) => path).toSorted()).toEqual(['node_modules/esbuild', 'node_modules/sqlite3']);
});

test('the package of SQLite holds a binary for each machine that the sentences name', () => {
  const machines = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];
  const folder = join(SQLITE, 'prebuilds');
  expect(readdirSync(folder).toSorted()).toEqual(machines);
  for (const machine of machines.filter((name) => name.startsWith('linux'))) {
    for (const library of ['glibc', 'musl']) {
      expect(existsSync(join(folder, machine, `@appthreat+sqlite3.${library}.node`)), `${machine}, ${library}`).toBe(
        true,
      );
    }
  }
});

test('where there is no SQLite for a machine, npm start says so in a sentence that names the remedy', () => {
  const folder = temporaryFolder();
  for (const name of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts',
    'src',
    'commands',
    'packages',
    'test/model',
  ]) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  // SQLite's package looks for the binary of this architecture, of which it has none.
  const env = { npm_config_arch: 'riscv64', PATH: '' };
  const started = spawnSync(process.execPath, ['scripts/run.mjs', 'scripts/start.mjs'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 50_000,
  });
  expect(started.stderr).toContain('arch=riscv64');
  expect(started.stderr).toContain('set STATE_URL.');
  expect(started.stderr, 'a stack').not.toContain('    at ');
  expect([started.status, started.stdout]).toEqual([1, '']);
});
