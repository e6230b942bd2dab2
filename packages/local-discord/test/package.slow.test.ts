import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '..');
const DIST = join(FOLDER, 'dist');
/** Inside the project, where the package finds those that it depends on, and outside of its sources, which have its name. */
const INSTALLED = join(FOLDER, `../../dist-installed-${process.pid}`);
const PACKAGE = join(INSTALLED, 'node_modules/@dealbell/local-discord');
const LONGEST_BUILD_MS = 120_000;
/** Discordeno waits five seconds after it has shut down. */
const LONGEST_RUN_MS = 15_000;

let tarball = '';

beforeAll(() => {
  execFileSync(process.execPath, ['build.mjs'], { cwd: FOLDER });
  mkdirSync(PACKAGE, { recursive: true });
  const packed = execFileSync('npm', ['pack', DIST, '--json', '--pack-destination', INSTALLED], { encoding: 'utf8' });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  tarball = join(INSTALLED, filename);
  execFileSync('tar', ['-xzf', tarball, '-C', PACKAGE, '--strip-components=1']);
}, LONGEST_BUILD_MS);

afterAll(() => rmSync(INSTALLED, { recursive: true, force: true }));

test('the package is whole, says what is in it, and has no mistake that publint or attw knows', async () => {
  expect(readdirSync(PACKAGE)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'index.d.ts']));
  const { messages } = await publint({ pkgDir: PACKAGE, strict: true });
  expect(messages).toEqual([]);
  const { problems } = (await checkPackage(createPackageFromTarballData(readFileSync(tarball)))) as {
    problems: { kind: string; resolutionKind?: string }[];
  };
  // It is a module: a CommonJS program of Node 20.19 and later takes one by `require`, too; Node 10 takes none.
  const old = ['node10', 'node16-cjs'];
  expect(problems.filter(({ resolutionKind = '' }) => !old.includes(resolutionKind))).toEqual([]);
});

test.each(readdirSync(join(FOLDER, 'examples')))('the example %s runs with what is packed', (name) => {
  cpSync(join(FOLDER, 'examples', name), join(INSTALLED, name));
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-force-exit', name], {
    cwd: INSTALLED,
    encoding: 'utf8',
    timeout: LONGEST_RUN_MS,
  });
  expect(stdout).toMatch(/# pass 1\n|ℹ pass 1\n/);
  expect(status).toBe(0);
});

test('its types hold without any of this repository, libraries checked', () => {
  writeFileSync(
    join(INSTALLED, 'typed.mts'),
    `import { IDS, type LocalDiscord, startLocalDiscord } from '@dealbell/local-discord';
const discord: LocalDiscord = await startLocalDiscord({ shards: 2 });
const content: string | undefined = discord.messages(IDS.deals)[0]?.content;
// @ts-expect-error no such option
await startLocalDiscord({ shard: 2, content });
`,
  );
  const tsc = join(FOLDER, '../../node_modules/typescript/bin/tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    '--ignoreConfig',
    'typed.mts',
  ];
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...options], {
    cwd: INSTALLED,
    encoding: 'utf8',
    timeout: LONGEST_RUN_MS,
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test('its command shows the page', async () => {
  const program = spawn(process.execPath, [join(PACKAGE, 'cli.js'), '--port', '0', '--state', 'sqlite://:memory:']);
  onTestFinished(() => void program.kill());
  const { value: greeting } = await createInterface({ input: program.stdout })[Symbol.asyncIterator]().next();
  const [url = ''] = /http:\S+/.exec(String(greeting)) ?? [];
  const page = await (await fetch(url)).text();
  const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] ?? '';
  expect((await fetch(new URL(script, url))).headers.get('content-type')).toContain('javascript');
});
