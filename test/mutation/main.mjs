// Changes the code of a part bit by bit and sees whether its tests notice (Stryker): `npm run mutation -- deals store`.
// `--share=10` takes a tenth of the statements, which tells in minutes how a part stands.
// Stryker is installed in this folder, by a lock file of its own, when it is asked for: no other command needs it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PARTS } from './parts.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
process.chdir(dirname(dirname(folder)));

const { values, positionals: asked } = parseArgs({ options: { share: { type: 'string' } }, allowPositionals: true });
const { share = '100' } = values;
if (!/^(?:100|[1-9]\d?)$/.test(share)) {
  process.stderr.write(`--share takes a percentage from 1 to 100, not "${share}".\n`);
  process.exit(2);
}
const unknown = asked.find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}". The parts are ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(2);
}

if (!existsSync(`${folder}/node_modules/@stryker-mutator/vitest-runner`)) {
  const { status } = spawnSync('npm', ['ci'], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(1);
}

const { Stryker } = await import('@stryker-mutator/core');
for (const [part, { mutate, tests, testTimeoutMs = 20_000 }] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(part)) continue;
  process.env.MUTATION_SHARE = share;
  process.env.MUTATION_TESTS = JSON.stringify(tests);
  process.env.MUTATION_TEST_TIMEOUT = String(testTimeoutMs);
  const results = await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', `${folder}/left-out.mjs`],
    ignorers: ['left-out'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    mutate,
    concurrency: 1,
    coverageAnalysis: 'perTest',
    // A busy machine is not a mutant that hangs.
    timeoutFactor: 5,
    // Each would need all tests anew: they are tables and expressions that are made while a file loads.
    ignoreStatic: true,
    // A sample would replace what the whole has found.
    incremental: share === '100',
    incrementalFile: `mutation/${part}.incremental.json`,
    tempDirName: 'mutation/sandboxes',
    ignorePatterns: ['/dist', '/data', '/coverage', '/mutation'],
    // Stryker would rewrite it with TypeScript's own API, which TypeScript 7 does not have.
    tsconfigFile: 'mutation/none.json',
    disableTypeChecks: false,
    reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
    jsonReporter: { fileName: `mutation/${part}.json` },
    htmlReporter: { fileName: `mutation/${part}.html` },
    allowConsoleColors: false,
    clearTextReporter: { allowColor: false, reportTests: false, reportMutants: false },
  }).runMutationTest();
  process.stdout.write(`${part}: ${results.length} mutants; mutation/${part}.html shows those that survived.\n`);
}
