// Installs and builds what is missing, then runs a built program in this very process, so that it gets every signal.
// Usage: node scripts/run.mjs dist/src/main.js [options of the program]
import './install.mjs';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
  stdio: ['ignore', 2, 2],
  shell: process.platform === 'win32',
});
if (status !== 0) {
  process.stderr.write('The build failed; the messages above say why.\n');
  process.exit(1);
}

const program = resolve(process.argv[2] ?? '');
process.argv.splice(1, 2, program);
await import(pathToFileURL(program).href);
