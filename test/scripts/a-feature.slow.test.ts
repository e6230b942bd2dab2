import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { copyWorkingTree } from '../../scripts/working-copy.mjs';

const PAGE = readFileSync('docs/a-feature.md', 'utf8');
/** The files that the page shows, by their paths. */
const FILES = [...PAGE.matchAll(/^```(?:ts|json) (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => ({
  path,
  text,
}));
const LIST = 'src/features/index.ts';
/** The most lines of a feature that somebody makes in an hour. */
const MOST_LINES = 150;

test('the feature of docs/a-feature.md is short, its types and lint are right, and its test passes', () => {
  const { copy } = copyWorkingTree();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  };
  for (const { path, text } of FILES) write(path, text);
  const list = readFileSync(LIST, 'utf8');
  const added = list
    .replace(/^import /m, "import { rolling } from './roll/index.ts';\nimport ")
    .replace(/(FEATURES: readonly Feature\[\] = \[)/, '$1rolling, ');
  write(LIST, added);

  const run = (program: string, ...options: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, options, { cwd: copy, encoding: 'utf8' });
    expect(status, `${program} ${options.join(' ')}\n${stdout}${stderr}`).toBe(0);
  };
  const tool = (name: string) => resolve('node_modules/.bin', name);
  run(process.execPath, 'scripts/placeholders.mjs');
  run(tool('biome'), 'check', '--write', LIST);
  run(tool('biome'), 'ci', 'src/features', 'test/features/roll');
  run(tool('tsc'), '--noEmit');
  run(tool('oxlint'), '--deny-warnings', 'src/features', 'test/features/roll');
  run(tool('vitest'), 'run', '--project', 'fast', 'test/features/roll', 'test/discord/i18n', 'test/commands');

  const lines = FILES.filter(({ path }) => path.startsWith('src/')).map(
    ({ text }) => text.trimEnd().split('\n').length,
  );
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_LINES);
});
