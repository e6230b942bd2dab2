import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../helpers/built-program.ts';
import { freePort } from '../helpers/free-port.ts';
import { startSimulatedSides } from '../helpers/simulated-sides.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';

const PROGRAM = builtProgram('src/main.ts');
/** SIGTERM ends a process within that. */
const ENDS_WITHIN_MS = 5_000;
/** More than any pipe holds, and than the bot keeps for it. */
const WARNINGS = 4_000;

/** Runs the bot with this standard error. SIGUSR2 lets it log a few megabytes at once. */
async function runBot(stderr: 'pipe' | number) {
  const sides = await startSimulatedSides();
  onTestFinished(sides.stop);
  const flood = join(temporaryFolder(), 'flood.mjs');
  writeFileSync(
    flood,
    `process.on('SIGUSR2', () => {
      for (let number = 1; number <= ${WARNINGS}; number += 1) process.emitWarning('x'.repeat(1_000) + number);
    });`,
  );
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM.path], {
    env: {
      PATH: process.env['PATH'],
      STATE_URL: temporaryState(),
      NODE_OPTIONS: `--import ${flood}`,
      ...sides.environment,
      PORT: String(port),
    },
    stdio: ['ignore', 'ignore', stderr],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const health = () => fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => status);
  await expect.poll(() => health().catch(() => null), { timeout: 30_000, interval: 100 }).toBe(200);
  return { child, health };
}

/** Ends it with SIGTERM. Resolves with its status; 'late' where it takes longer than it may. */
async function terminate(child: ChildProcess): Promise<unknown> {
  const exit = once(child, 'exit').then(([status]) => status as unknown);
  child.kill('SIGTERM');
  const late = AbortSignal.timeout(ENDS_WITHIN_MS);
  return Promise.race([exit, once(late, 'abort').then(() => 'late')]);
}

test('a log that nobody reads holds up neither the bot nor its end', { timeout: 90_000 }, async () => {
  const { child, health } = await runBot('pipe');
  child.kill('SIGUSR2');
  for (let times = 0; times < 3; times += 1) expect(await health()).toBe(200);
  expect(await terminate(child)).toBe(0);
});

test('what was dropped of a log that nobody read is said when it is read again', { timeout: 90_000 }, async () => {
  const { child, health } = await runBot('pipe');
  child.kill('SIGUSR2');
  expect(await health()).toBe(200);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text, { timeout: 30_000 }).toContain('lines of the log were dropped');
  expect(await terminate(child)).toBe(0);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; lines?: number });
  const warned = lines.filter(({ msg }) => msg === 'Node warns').length;
  const dropped = lines.find(({ msg }) => msg.startsWith('lines of the log were dropped'))?.lines ?? 0;
  expect(dropped).toBeGreaterThan(0);
  expect(warned + dropped).toBeGreaterThanOrEqual(WARNINGS);
  expect(lines.at(-1)?.msg).toBe('stopped');
});

test('a process whose log pipe is broken ends at once by a second signal', { timeout: 90_000 }, async () => {
  const { child, health } = await runBot('pipe');
  child.stderr?.destroy();
  expect(await health()).toBe(200);
  // Two lines are logged in one go, and then the process ends: neither can be written.
  child.kill('SIGINT');
  expect(await terminate(child)).toBe(1);
});

test('a bot whose pipe has broken goes on', { timeout: 90_000 }, async () => {
  const { child, health } = await runBot('pipe');
  child.stderr?.destroy();
  child.kill('SIGUSR2');
  for (let times = 0; times < 3; times += 1) expect(await health()).toBe(200);
  expect(await terminate(child)).toBe(0);
});

test.skipIf(process.platform !== 'linux')('a full disk under the log ends nothing', { timeout: 90_000 }, async () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const { child, health } = await runBot(full);
  child.kill('SIGUSR2');
  for (let times = 0; times < 3; times += 1) expect(await health()).toBe(200);
  expect(await terminate(child)).toBe(0);
});
