import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../helpers/built-program.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const BOT = builtProgram(
  'src/main.ts',
  { in: 'src/main.ts', out: 'dist/src/main' },
  { in: 'src/app/env-file.ts', out: 'dist/src/env-file' },
);
const OPERATOR = builtProgram('src/app/operator/operator.ts');
const SECRET = 'a-secret-of-mine';

interface Ended {
  status: number | null;
  output: string;
  errors: string;
}

/** Runs a program in a folder, without settings of its own but a port. */
async function runIn(folder: string, program: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output, errors };
}

/** A folder with this `.env`. */
function folderWith(content: string | Uint8Array): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), content);
  return folder;
}

/** What `check-setup` says of the settings, and where the state is. */
async function checked(folder: string): Promise<{ status: number | null; details: string[]; text: string }> {
  const { status, output, errors } = await runIn(folder, OPERATOR.path, 'check-setup', '--json');
  const { checks } = JSON.parse(output) as { checks: { part: string; detail: string }[] };
  const details = checks.flatMap(({ part, detail }) => (part === 'settings' || part === 'state' ? [detail] : []));
  return { status, details, text: output + errors };
}

const EXPECTED = 'Write NAME=value, or # before a comment.';

test('lines that say nothing stop the start, each with its number, and no state is made', async () => {
  const folder = folderWith(
    `# my settings\nSTATE_URL: sqlite://${SECRET}.sqlite\nDISCORD_TOKEN=${SECRET}\n\nCATALOG_V2_KEY\nLOG_LEVEL=loud\n`,
  );
  const problems = [
    `.env, line 2: a colon stands where = should be. ${EXPECTED}`,
    `.env, line 5: there is no =. ${EXPECTED}`,
  ];
  const { status, details, text } = await checked(folder);
  expect(details).toEqual([...problems, expect.stringMatching(/^LOG_LEVEL/)]);
  expect(status).toBe(2);
  const ended = await runIn(folder, BOT.path);
  expect(JSON.parse(ended.errors)).toMatchObject({ msg: 'exiting', problems: expect.arrayContaining(problems) });
  expect(ended.status).toBe(2);
  expect(text + ended.errors + ended.output).not.toContain(SECRET);
  expect(existsSync(join(folder, 'data')), 'a new, empty state').toBe(false);
});

test('a byte order mark is read over', async () => {
  const { details } = await checked(folderWith('\uFEFFSTATE_URL=sqlite://mine.sqlite\n'));
  expect(details).toEqual([
    expect.stringMatching(/^Every setting is valid\. .*\.env is read; /),
    expect.stringContaining('mine.sqlite can be written'),
  ]);
});

test('a folder named .env is refused', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.env'));
  const { status, details } = await checked(folder);
  expect(details).toEqual([expect.stringMatching(/^\.env is a folder, /)]);
  expect(status).toBe(2);
});

test('npm start reads .env as the bot does', async () => {
  // It stands beside the built programs, as in an installation.
  const start = join(BOT.folder, 'scripts/start.mjs');
  mkdirSync(join(BOT.folder, 'scripts'), { recursive: true });
  copyFileSync(join(import.meta.dirname, '../../scripts/start.mjs'), start);
  const ended = await runIn(folderWith(`DISCORD_TOKEN: ${SECRET}\n`), start);
  expect(JSON.parse(ended.errors)).toMatchObject({ msg: 'exiting', problems: [expect.stringContaining('line 1')] });
  expect(ended.status).toBe(2);
});
