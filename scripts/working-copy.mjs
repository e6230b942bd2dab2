// A copy of the working tree, for checks that change it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The files below a folder of the working tree that are, or may be, committed. */
export function filesOf(folder) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

/** Makes a copy, which is deleted when this process ends. It uses the libraries of the working tree. */
export function copyWorkingTree() {
  const copy = mkdtempSync(join(tmpdir(), 'working-copy-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  /** Makes these files as they are in the working tree. */
  function renew(files) {
    for (const file of files) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(ROOT, file), join(copy, file));
    }
  }
  renew(filesOf('.'));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return { copy, renew };
}
