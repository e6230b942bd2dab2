// Installs what package-lock.json lists, if anything of it is missing. Needs nothing but Node and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

/** Whether everything in the lock file that has to be there is there, in that version. */
function isInstalled() {
  const installedPath = 'node_modules/.package-lock.json';
  if (!existsSync(installedPath)) return false;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedPath, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

if (!isInstalled()) {
  process.stderr.write('Installing what is missing (this takes a minute or two the first time) …\n');
  // Building needs the development packages too, whatever NODE_ENV says.
  const { status } = spawnSync('npm', ['ci', '--include=dev', '--no-fund', '--no-audit'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write('The installation failed; npm says above why.\n');
    process.exit(1);
  }
}
