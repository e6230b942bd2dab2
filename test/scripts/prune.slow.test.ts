import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const SCRIPT = resolve('scripts/prune.mjs');

interface Package {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const any = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '*']));

/** A folder in which these packages are installed, by their paths. */
function anInstallation(own: Package, packages: Record<string, Package>): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
  for (const [path, about] of Object.entries(packages)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(about));
  }
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  return folder;
}

test('what only a build or another machine needs is removed, and nothing else', () => {
  const packages: Record<string, Package> = {
    'node_modules/runs': {
      dependencies: any('shared', 'old'),
      optionalDependencies: any('native-linux', 'native-windows'),
    },
    'node_modules/runs/node_modules/old': {},
    'node_modules/native-linux': {},
    'node_modules/shared': {},
    'node_modules/sqlite3': { dependencies: any('loads') },
    'node_modules/loads': {},
    'node_modules/bundler': { dependencies: any('bundler-linux', 'shared') },
    'node_modules/bundler-linux': {},
    'node_modules/old': {},
  };
  const own = { dependencies: any('runs', 'sqlite3'), optionalDependencies: any('bundler') };
  const folder = anInstallation(own, packages);
  const here = `${process.platform}-${process.arch}`;
  const ofSqlite = join(folder, 'node_modules/sqlite3');
  for (const name of ['deps', 'src', 'lib', `prebuilds/${here}`, 'prebuilds/plan9-mips']) {
    mkdirSync(join(ofSqlite, name), { recursive: true });
  }
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Removed 3 packages, kept 6.\n' });
  const kept = Object.keys(packages).filter((path) => existsSync(join(folder, path)));
  expect(kept).toEqual([
    'node_modules/runs',
    'node_modules/runs/node_modules/old',
    'node_modules/native-linux',
    'node_modules/shared',
    'node_modules/sqlite3',
    'node_modules/loads',
  ]);
  const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as object;
  expect(installed, 'npm misses nothing').toMatchObject({
    packages: Object.fromEntries(kept.map((path) => [path, {}])),
  });
  expect(readdirSync(ofSqlite).toSorted()).toEqual(['lib', 'package.json', 'prebuilds']);
  expect(readdirSync(join(ofSqlite, 'prebuilds'))).toEqual([here]);
});

test('of several packages in one repository, what each needs is kept', () => {
  const packages: Record<string, Package> = {
    'packages/page': { dependencies: any('serves'), optionalDependencies: any('bundler') },
    'node_modules/serves': {},
    'packages/page/node_modules/own': {},
    'node_modules/bundler': {},
  };
  const folder = anInstallation({ dependencies: {} }, packages);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  expect(spawnSync(process.execPath, [SCRIPT], { cwd: folder }).status).toBe(0);
  expect(Object.keys(packages).map((path) => existsSync(join(folder, path)))).toEqual([true, true, false, false]);
});
