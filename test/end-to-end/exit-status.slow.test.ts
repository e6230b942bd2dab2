import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isPastItsEnd } from '../../src/app/process.ts';
import { builtProgram } from '../helpers/built-program.ts';
import { hasPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { startSimulatedSides } from '../helpers/simulated-sides.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';

const PROGRAM = builtProgram('src/main.ts');

/** Runs Dealbell as `npm start` does where everything is connected. */
function runDealbell(environment: Record<string, string>, options: readonly string[] = []) {
  const child = spawn(process.execPath, [PROGRAM.path, ...options], {
    cwd: PROGRAM.folder,
    env: { PATH: process.env['PATH'], STATE_URL: temporaryState(), PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let [output, errors] = ['', ''];
  let tellRunning: (address: string) => void = () => undefined;
  const running = new Promise<string>((resolve) => {
    tellRunning = resolve;
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
    const [, address] = /"address":"(http[^"]+)",.*"msg":"running"/.exec(errors) ?? [];
    if (address !== undefined) tellRunning(address);
  });
  return {
    child,
    /** Resolves with the address of its health checks when it runs. */
    running,
    /** What it has written to its standard error so far. */
    errors: () => errors,
    exit: once(child, 'close').then(([status]) => ({ status: status as number | null, output, errors })),
  };
}

interface Line {
  level: number;
  msg: string;
  [field: string]: unknown;
}

/** What a process has logged: each line that it wrote to its standard error has to be JSON. */
function linesOf(errors: string): Line[] {
  const lines = errors.split('\n');
  expect(lines.pop(), 'the last line is whole').toBe('');
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Holds that nothing but JSON was written, and returns the last line. */
function lastLine({ output, errors }: { output: string; errors: string }): Line | undefined {
  expect(output).toBe('');
  const lines = linesOf(errors);
  for (const { level, msg } of lines) expect([typeof level, typeof msg]).toEqual(['number', 'string']);
  return lines.at(-1);
}

/** A Discord and a catalog, and the settings that connect them. */
async function simulated() {
  const sides = await startSimulatedSides();
  onTestFinished(sides.stop);
  return sides;
}

test('a refused token ends the process with status 4 and says why in its last line', async () => {
  const { environment } = await simulated();
  const token = 'not.taken';
  const ended = await runDealbell({ ...environment, DISCORD_TOKEN: token }).exit;
  expect(lastLine(ended)).toMatchObject({
    msg: 'exiting',
    level: 60,
    status: 4,
    code: 'DISCORD_REFUSED',
    problems: ['Discord rejected DISCORD_TOKEN. Copy the token again from the developer portal.'],
  });
  expect(ended.errors).not.toContain(token);
  expect(ended.status).toBe(4);
});

test('a connection that is closed for good ends the process with status 4', async () => {
  const { discord, environment } = await simulated();
  const { exit, running } = runDealbell(environment);
  await running;
  discord.faults.closeGateway(4014);
  const ended = await exit;
  expect(lastLine(ended)).toMatchObject({
    msg: 'exiting',
    problems: [expect.stringMatching(/^Discord closed the connection for good: .* developer portal/)],
  });
  expect(ended.status).toBe(4);
});

/** SQLite's package looks for the binary of this architecture, of which it has none. */
const WITHOUT_SQLITE = { npm_config_arch: 'riscv64' };

test('a machine for which there is no SQLite ends the process with a sentence that names the remedy', async () => {
  const { environment } = await simulated();
  const ended = await runDealbell({ ...environment, ...WITHOUT_SQLITE }).exit;
  expect(lastLine(ended)).toMatchObject({
    msg: 'exiting',
    code: 'STORE',
    problems: [expect.stringContaining('STATE_URL')],
  });
  expect(ended.status).toBe(1);
});

test.runIf(hasPostgres)('a state on PostgreSQL needs no SQLite', async () => {
  const { environment } = await simulated();
  const { child, exit, running } = runDealbell({ ...environment, ...WITHOUT_SQLITE, STATE_URL: temporaryPostgres() });
  await running;
  child.kill('SIGTERM');
  expect((await exit).status).toBe(0);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a Discord that is away ends nothing, the address is logged, and %s ends it with status 0',
  async (signal) => {
    const { discord, environment } = await simulated();
    discord.faults.use(({ path }) => (path === '/gateway/bot' ? { kind: 'drop', accepted: false } : undefined));
    const { child, exit, running } = runDealbell(environment);
    const health = await fetch(`${await running}/healthz`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({ status: 'starting' });
    child.kill(signal);
    const ended = await exit;
    expect(lastLine(ended)?.msg).toBe('stopped');
    expect(linesOf(ended.errors)).toContainEqual(expect.objectContaining({ msg: 'stopping', signal }));
    expect(ended.status).toBe(0);
  },
);

test('the first line has the version and the settings, and no secret; a second one says where Node is too old', async () => {
  const { environment } = await simulated();
  const secrets = { HEARTBEAT_URL: 'http://127.0.0.1:9/push/only-mine', CATALOG_V2_KEY: 'key-of-mine' };
  const { child, exit, running } = runDealbell({ ...environment, ...secrets });
  await running;
  child.kill('SIGTERM');
  const ended = await exit;
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(linesOf(ended.errors)[0]).toMatchObject({
    msg: 'starting',
    version,
    settings: {
      DISCORD_TOKEN: 'set',
      CATALOG_V2_KEY: 'set',
      HEARTBEAT_URL: 'set',
      BACKUP_CRON: null,
      LOG_LEVEL: 'info',
    },
  });
  const warned = linesOf(ended.errors).filter(({ msg }) => String(msg).startsWith('this version of Node.js'));
  expect(warned).toHaveLength(isPastItsEnd(process.versions.node) ? 1 : 0);
  for (const secret of ['only-mine', secrets.CATALOG_V2_KEY, environment['DISCORD_TOKEN'] ?? '?']) {
    expect(ended.errors).not.toContain(secret);
  }
});

test('a wrong setting ends the process with status 2', async () => {
  const ended = await runDealbell({ PORT: 'x', POLL_CRON: 'often' }).exit;
  expect(lastLine(ended)).toMatchObject({
    msg: 'exiting',
    code: 'CONFIG',
    problems: [expect.stringMatching(/^POLL_CRON /), 'PORT must be a port number.'],
  });
  expect(ended.status).toBe(2);
});

test('a process that may log nothing still says why it ends', async () => {
  const { environment } = await simulated();
  const ended = await runDealbell({ ...environment, DISCORD_TOKEN: 'not.taken', LOG_LEVEL: 'silent' }).exit;
  expect(linesOf(ended.errors)).toMatchObject([{ msg: 'exiting', code: 'DISCORD_REFUSED' }]);
});

test('an error that nobody expected is logged with its stack and ends the process with status 1', async () => {
  const { environment } = await simulated();
  const folder = temporaryFolder();
  const fault = join(folder, 'fault.mjs');
  // Thrown outside of every promise of the bot, as a defect in a callback is.
  writeFileSync(fault, "process.on('SIGUSR2', () => { throw new TypeError('a defect'); });");
  const { child, exit, running } = runDealbell({ ...environment, NODE_OPTIONS: `--import ${fault}` });
  await running;
  child.kill('SIGUSR2');
  const ended = await exit;
  expect(lastLine(ended)).toMatchObject({
    msg: 'exiting',
    status: 1,
    code: 'UNEXPECTED',
    err: { type: 'TypeError', message: 'a defect', stack: expect.stringContaining(' at ') },
  });
  expect(ended.status).toBe(1);
});

test("Node's own warnings are lines of the log, too", async () => {
  const { environment } = await simulated();
  const fault = join(temporaryFolder(), 'warning.mjs');
  writeFileSync(fault, "process.on('SIGUSR2', () => process.emitWarning('this is old', 'DeprecationWarning'));");
  const { child, exit, running, errors } = runDealbell({ ...environment, NODE_OPTIONS: `--import ${fault}` });
  await running;
  child.kill('SIGUSR2');
  await expect.poll(errors).toContain('this is old');
  child.kill('SIGTERM');
  const ended = await exit;
  expect(lastLine(ended)?.msg).toBe('stopped');
  expect(linesOf(ended.errors)).toContainEqual(
    expect.objectContaining({ msg: 'Node warns', err: expect.objectContaining({ message: 'this is old' }) }),
  );
});

test('a bot on its own without settings names each that is missing, with its remedy, and ends with status 2', async () => {
  const ended = await runDealbell({}).exit;
  expect(lastLine(ended)?.['problems']).toEqual([
    expect.stringMatching(/^DISCORD_TOKEN is missing\. /),
    expect.stringMatching(/^CATALOG_PORTAL_URL is missing\. /),
    expect.stringMatching(/^CATALOG_V2_URL is missing\. /),
  ]);
  expect(ended.status).toBe(2);
});

test('--help prints how to run it and starts nothing', async () => {
  const { status, output, errors } = await runDealbell({ PORT: 'x' }, ['--help']).exit;
  expect(output).toMatch(/^Posts new deals in Discord.*DISCORD_TOKEN.*Exit status/s);
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
});

test('an unknown option ends the process with status 2', async () => {
  const ended = await runDealbell({}, ['--port', '80']).exit;
  expect(lastLine(ended)?.['problems']).toContain("--port isn't an option. Use --help for the list.");
  expect(ended.status).toBe(2);
});
