// Installs and builds what is missing, then runs a built program in this very process, so that it gets every signal.
// Usage: node scripts/run.mjs dist/src/operator.js [options of the program]
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { install } from './install.mjs';

await install({ development: false });
// Only now is there something to build with.
const { buildInto } = await import('./build.mjs');
await buildInto(fileURLToPath(new URL('../dist', import.meta.url)));
// Its process would take 110 MB for as long as the program runs.
await (await import('esbuild')).stop();

const program = resolve(process.argv[2] ?? '');
process.argv.splice(1, 2, program);
await import(pathToFileURL(program).href);
