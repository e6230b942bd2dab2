import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../helpers/built-program.ts';
import { startSimulatedSides } from '../helpers/simulated-sides.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

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
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const output = child.stdout.setEncoding('utf8');
  return {
    child,
    /** Resolves with the first that it prints. */
    greeting: once(output, 'data').then(([text]) => String(text)),
    exit: once(child, 'close').then(([status]) => ({ status: status as number | null, errors })),
  };
}

/** A Discord and a catalog, and the settings that connect them. */
async function simulated() {
  const sides = await startSimulatedSides();
  onTestFinished(sides.stop);
  return sides;
}

/** A log line has JSON, a stack has " at ". */
const plainLines = (errors: string) => errors.split('\n').filter((line) => line !== '' && !line.startsWith('{'));

test('a refused token ends the process with status 4 and one plain sentence', { timeout: 60_000 }, async () => {
  const { environment } = await simulated();
  const { exit } = runDealbell({ ...environment, DISCORD_TOKEN: 'not.taken' });
  const { status, errors } = await exit;
  expect(plainLines(errors)).toEqual([
    'Discord rejected DISCORD_TOKEN. Copy the token again from the developer portal.',
  ]);
  expect(status).toBe(4);
});

test('a connection that is closed for good ends the process with status 4', { timeout: 60_000 }, async () => {
  const { discord, environment } = await simulated();
  const { exit, greeting } = runDealbell(environment);
  await greeting;
  discord.faults.closeGateway(4014);
  const { status, errors } = await exit;
  expect(plainLines(errors).join()).toMatch(/^Discord closed the connection for good: .* developer portal/);
  expect(plainLines(errors)).toHaveLength(1);
  expect(status).toBe(4);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a Discord that is away ends nothing, the address is printed, and %s ends it with status 0',
  { timeout: 60_000 },
  async (signal) => {
    const { discord, environment } = await simulated();
    discord.faults.use(({ path }) => (path === '/gateway/bot' ? { kind: 'drop', accepted: false } : undefined));
    const { child, exit, greeting } = runDealbell(environment);
    const address = /http\S+/.exec(await greeting)?.[0] ?? '';
    const health = await fetch(`${address}/healthz`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({ status: 'starting' });
    child.kill(signal);
    const { status, errors } = await exit;
    expect(plainLines(errors)).toEqual([]);
    expect(status).toBe(0);
  },
);

test('a wrong setting ends the process with status 2', { timeout: 60_000 }, async () => {
  const { status, errors } = await runDealbell({ PORT: 'x' }).exit;
  expect(errors).toContain('PORT must be a port number.');
  expect(status).toBe(2);
});

test('a bot on its own without settings names each that is missing, with its remedy, and ends with status 2', {
  timeout: 60_000,
}, async () => {
  const { status, errors } = await runDealbell({}).exit;
  expect(errors).toMatch(
    /DISCORD_TOKEN is missing\. .*CATALOG_PORTAL_URL is missing\. .*CATALOG_V2_URL is missing\. /s,
  );
  expect(status).toBe(2);
});

test('--help prints how to run it and starts nothing', { timeout: 60_000 }, async () => {
  const { exit, greeting } = runDealbell({ PORT: 'x' }, ['--help']);
  expect(await greeting).toMatch(/^Posts new deals in Discord.*DISCORD_TOKEN.*Exit status/s);
  expect(await exit).toEqual({ status: 0, errors: '' });
});

test('an unknown option ends the process with status 2', { timeout: 60_000 }, async () => {
  const { status, errors } = await runDealbell({}, ['--port', '80']).exit;
  expect(errors).toContain("--port isn't an option. Use --help for the list.");
  expect(status).toBe(2);
});
