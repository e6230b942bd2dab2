// Installs and builds what is missing, then runs a built program in this very process, so that it gets every signal.
// Usage: node scripts/run.mjs dist/src/operator.js [options of the program]
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { install } from './install.mjs';

install({ development: false });
// Only now is there something to build with.
const { buildInto } = await import('./build.mjs');
await buildInto(fileURLToPath(new URL('../dist', import.meta.url)));
// Its process would take 110 MB for as long as the program runs.
await (await import('esbuild')).stop();

const program = resolve(process.argv[2] ?? '');
process.argv.splice(1, 2, program);
try {
  await import(pathToFileURL(program).href);
} catch (error) {
  if (!isAboutSqlite(error)) throw error;
  process.stderr.write(`${error.message.trim()}

SQLite can't be loaded on this machine, and local Discord keeps its messages there. Start it on Linux (x64 or arm64; glibc 2.34 or
newer, or musl), macOS or Windows. A bot on Discord, with a catalog, can keep its state on PostgreSQL instead: set STATE_URL.
`);
  process.exit(1);
}

/** Whether there is no binary of SQLite for this machine, or none that it can load, as with an older C library. */
function isAboutSqlite(error) {
  return error instanceof Error && (error.code === 'ERR_DLOPEN_FAILED' || error.message.startsWith('No native build'));
}
