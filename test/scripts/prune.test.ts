import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const SCRIPT = resolve('scripts/prune.mjs');

interface Package {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
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

test('what only an installation or a build needs is removed, and nothing else', () => {
  const packages: Record<string, Package> = {
    'node_modules/runs': {
      dependencies: any('shared', 'old'),
      optionalDependencies: any('native-linux', 'native-windows'),
    },
    'node_modules/runs/node_modules/old': {},
    'node_modules/native-linux': {},
    'node_modules/shared': {},
    'node_modules/sqlite3': {
      dependencies: any('bindings', 'prebuild-install', 'tar'),
      optionalDependencies: any('node-gyp'),
      peerDependencies: any('node-gyp'),
    },
    'node_modules/bindings': {},
    'node_modules/prebuild-install': { dependencies: any('shared', 'downloads') },
    'node_modules/downloads': {},
    'node_modules/tar': { dependencies: any('old') },
    'node_modules/node-gyp': { dependencies: any('tar') },
    'node_modules/old': {},
    'node_modules/bundler': { dependencies: any('bundler-linux') },
    'node_modules/bundler-linux': {},
  };
  const own = { dependencies: any('runs', 'sqlite3'), optionalDependencies: any('bundler') };
  const folder = anInstallation(own, packages);
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Removed 7 packages, kept 6.\n' });
  const kept = Object.keys(packages).filter((path) => existsSync(join(folder, path)));
  expect(kept).toEqual([
    'node_modules/runs',
    'node_modules/runs/node_modules/old',
    'node_modules/native-linux',
    'node_modules/shared',
    'node_modules/sqlite3',
    'node_modules/bindings',
  ]);
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown;
  const sqlite3 = { dependencies: any('bindings'), optionalDependencies: {}, peerDependencies: {} };
  expect(read('node_modules/sqlite3/package.json'), 'npm misses nothing').toEqual(sqlite3);
  expect(read('node_modules/.package-lock.json')).toMatchObject({ packages: { 'node_modules/sqlite3': sqlite3 } });
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
