// Proves that each feature can be deleted: takes it out of a copy of the working tree (its folder, its tests, its lines in
// the list), and checks types and unused code. Then the same without any feature, with those tests of the core that see the
// list, one of which starts the bot and has it post. All other tests of the core, and the rules that look at one file alone,
// read nothing that changes. For a feature that is named, the tests run without that one.
// Usage: node scripts/deletable.mjs [name of a feature ...]
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createVitest } from 'vitest/node';
import { FEATURE_IMPORTS } from './fences.mjs';
import { copyWorkingTree, filesOf } from './working-copy.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIST = 'src/features/index.ts';

/** Finds what doesn't compile. What the compiler found before, of files that have not changed since, it doesn't look for again. */
const TYPES = ['types', 'tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', 'types.tsbuildinfo'];

/**
 * Finds code that is not used any more. An export that only a feature used may keep its keyword where its own file uses it,
 * and package.json the libraries that only it used: whoever deletes it for good deletes these, too.
 */
const UNUSED = [
  'lint',
  'knip',
  '--config',
  'knip.deletable.json',
  '--exclude',
  'dependencies',
  '--cache',
  '--cache-location',
  'knip.cache',
];

const all = readdirSync(join(ROOT, 'src/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !all.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no feature ${unknown}. There are ${all.join(', ')}.\n`);
  process.exit(2);
}

const { copy, renew } = copyWorkingTree();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const knip = JSON.parse(readFileSync(join(ROOT, 'knip.json'), 'utf8'));
writeFileSync(join(copy, 'knip.deletable.json'), JSON.stringify({ ...knip, ignoreExportsUsedInFile: true }));

const startedMs = Date.now();
/** Runs the tests of the core that see the list. One worker loads the modules once, and what it compiled is kept in the copy. */
const TESTS = [
  'tests',
  'vitest',
  '--run',
  '--project',
  'fast',
  ...(await testsThatSeeTheList()),
  '--experimental.fsModuleCache',
  '--experimental.fsModuleCachePath=vitest.cache',
];
const failed = [];
for (const names of asked.length > 0 ? asked.map((name) => [name]) : [...all.map((name) => [name]), all]) {
  if (!(await isDeletable(names))) failed.push(names);
}
process.stdout.write(
  `${failed.length === 0 ? 'Each can be deleted' : 'Not all can be deleted'}, ${seconds(startedMs)}\n`,
);
process.exit(failed.length === 0 ? 0 : 1);

/** Whether the rest stands without these features and those that need them. */
async function isDeletable(names) {
  const gone = withDependents(names);
  const begunMs = Date.now();
  for (const name of gone) {
    for (const folder of [`src/features/${name}`, `test/features/${name}`]) {
      rmSync(join(copy, folder), { recursive: true, force: true });
    }
  }
  writeFileSync(join(copy, LIST), listWithout(gone));
  const isWithoutAny = gone.length === all.length;
  const checks = [
    TYPES,
    // Without any feature, the seams themselves are not used.
    ...(isWithoutAny ? [] : [UNUSED]),
    // What the core needs of some feature as it runs, it needs there, too. One that was asked for is tried by itself.
    ...(isWithoutAny || asked.length > 0 ? [TESTS] : []),
  ];
  const problems = await Promise.all(checks.map(run));
  const failure = problems.filter((problem) => problem !== null).join('');
  renew([LIST, ...gone.flatMap((name) => [...filesOf(`src/features/${name}`), ...filesOf(`test/features/${name}`)])]);
  const without = gone.length === all.length ? 'any feature' : gone.join(', ');
  process.stdout.write(`${failure ? '✗' : '✓'} without ${without}, ${seconds(begunMs)}\n${failure}`);
  return failure === '';
}

/** The tests of the core that import the list, by whatever way. */
async function testsThatSeeTheList() {
  const vitest = await createVitest('test', { root: ROOT, watch: false, project: ['fast'], related: [LIST] });
  const tests = await vitest.getRelevantTestSpecifications();
  await vitest.close();
  return tests.map(({ moduleId }) => relative(ROOT, moduleId)).filter((test) => !test.startsWith('test/features/'));
}

/** The features, and all that may import one of them. */
function withDependents(names) {
  const gone = new Set(names);
  for (const name of gone)
    for (const { from, to } of FEATURE_IMPORTS) if (to.startsWith(`src/features/${name}/`)) gone.add(from);
  return [...gone];
}

/** The list of features without some: each has one import, whose name stands in the list. */
function listWithout(names) {
  let text = readFileSync(join(ROOT, LIST), 'utf8');
  for (const name of names) {
    const [line, object] =
      text.match(new RegExp(`^import \\{ (\\w+) \\} from '\\./${name}/index\\.ts';\\n`, 'm')) ?? [];
    if (line === undefined) throw new Error(`${LIST} has no line for ${name}.`);
    text = text.replace(line, '').replace(new RegExp(`(?<=[[\\s])${object}\\b,? ?`), '');
  }
  writeFileSync(join(copy, LIST), text);
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', LIST], { cwd: copy, stdio: 'ignore' });
  return readFileSync(join(copy, LIST), 'utf8');
}

/** What a check that fails has printed; null where it passes. */
async function run([what, tool, ...options]) {
  const env = { ...process.env, NO_COLOR: '1', VITEST_MAX_WORKERS: '1' };
  const running = promisify(execFile)(join(ROOT, 'node_modules/.bin', tool), options, {
    cwd: copy,
    env,
    maxBuffer: Infinity,
  });
  try {
    await running;
    return null;
  } catch ({ stdout, stderr }) {
    return `${what}: ${tool} ${options.join(' ')}\n${stdout}${stderr}\n`;
  }
}

function seconds(sinceMs) {
  return `${Math.round((Date.now() - sinceMs) / 1000)} s`;
}
