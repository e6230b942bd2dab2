import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../helpers/built-program.ts';
import { aCatalogFolder } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { freePort } from '../helpers/free-port.ts';
import { aHouse } from '../helpers/house.ts';
import { hasPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { startTcpProxy } from '../helpers/tcp-proxy.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

const PROGRAM = builtProgram('src/main.ts');

/** Each start of a program takes seconds on a busy machine. */
const WITHIN_MS = 120_000;

interface Bot {
  child: ChildProcess;
  /** Resolves when it runs; rejects with what it said where it ends before. */
  running: Promise<void>;
  exit: Promise<{ status: number | null; errors: string }>;
  /** What it has written to its standard error so far. */
  errors(): string;
}

function startBot(environment: Record<string, string>, ...args: string[]): Bot {
  const child = spawn(process.execPath, [PROGRAM.path, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    cwd: PROGRAM.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let errors = '';
  let tellUp = (): void => undefined;
  const isUp = new Promise<void>((done) => {
    tellUp = done;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
    if (errors.includes('"msg":"running"')) tellUp();
  });
  const exit = once(child, 'close').then(([status]: unknown[]) => ({ status: status as number | null, errors }));
  const ended = exit.then(({ status }) => Promise.reject(new Error(`It ended with ${status}: ${errors}`)));
  const running = Promise.race([isUp, ended]);
  running.catch(() => undefined);
  return { child, exit, running, errors: () => errors };
}

test('a second start with the same state names the first one and exits 3; when that is killed, the next one starts at once', {
  timeout: WITHIN_MS,
}, async () => {
  const folder = aCatalogFolder();
  const house = await aHouse({ content: () => folder.content });
  const first = startBot(house.environment);
  await first.running;
  const { status, errors } = await startBot(house.environment).exit;
  expect(status).toBe(3);
  const { msg, code, problems } = JSON.parse(errors.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect({ msg, code }).toEqual({ msg: 'exiting', code: 'STATE_IN_USE' });
  expect(String(problems)).toMatch(
    /^Another Dealbell \(process \d+ on \S+, since \d{4}-[^)]+Z\) is already using this state\./,
  );
  expect(errors).toContain(`process ${first.child.pid} on`);
  expect(errors, 'and no stack').not.toContain('    at ');
  expect(textOf(await house.asBen('deals', '/help'))).toContain('</feed:');

  first.child.kill('SIGKILL');
  await first.exit;
  const next = startBot(house.environment);
  await next.running;
  next.child.kill('SIGTERM');
  expect((await next.exit).status).toBe(0);
});

test.each([['sqlite', temporaryState] as const, ...(hasPostgres ? [['postgres', temporaryPostgres] as const] : [])])(
  'on %s, a process that stands by is ready, and takes over when the other one stops',
  {
    timeout: WITHIN_MS,
  },
  async (_, aStateUrl) => {
    const folder = aCatalogFolder();
    const house = await aHouse({ content: () => folder.content });
    const environment = { ...house.environment, STATE_URL: aStateUrl() };
    const first = startBot(environment, '--standby');
    await first.running;
    const port = await freePort();
    const second = startBot({ ...environment, PORT: String(port) }, '--standby');
    await untilStandby(second, port);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    first.child.kill('SIGTERM');
    expect((await first.exit).status).toBe(0);
    await second.running;
    expect(await healthAt(port)).toMatchObject({ status: 'ok' });
    expect(textOf(await house.asBen('deals', '/help'))).toContain('</feed:');
    second.child.kill('SIGTERM');
    expect((await second.exit).status).toBe(0);
  },
);

test.runIf(hasPostgres).each([[], ['--standby']])(
  'a start (%s) waits for a database that is away, and goes on when it is there',
  { timeout: WITHIN_MS },
  async (...options) => {
    const folder = aCatalogFolder();
    const house = await aHouse({ content: () => folder.content });
    const proxy = await startTcpProxy(temporaryPostgres());
    onTestFinished(() => proxy.close());
    proxy.set('closed');
    const port = await freePort();
    const environment = { ...house.environment, STATE_URL: proxy.url, PORT: String(port) };
    const bot = startBot(environment, ...options);
    await expect
      .poll(() => bot.errors(), { timeout: WITHIN_MS })
      .toContain("waiting for the database: it can't be reached");
    if (options.length > 0) {
      expect(await healthAt(port)).toMatchObject({ status: 'starting', reason: expect.stringContaining('database') });
    }
    proxy.set('open');
    await bot.running;
    expect(await healthAt(port)).toMatchObject({ status: 'ok' });
    bot.child.kill('SIGTERM');
    expect((await bot.exit).status).toBe(0);
  },
);

test('a process that stands by can be stopped', { timeout: WITHIN_MS }, async () => {
  const folder = aCatalogFolder();
  const house = await aHouse({ content: () => folder.content });
  await startBot(house.environment).running;
  const port = await freePort();
  const second = startBot({ ...house.environment, PORT: String(port) }, '--standby');
  await untilStandby(second, port);
  second.child.kill('SIGTERM');
  const { status, errors } = await second.exit;
  expect(status).toBe(0);
  expect(errors).toMatch(/"stopped"\}\n$/);
});

/** Rejects with what the bot said where it ends before. */
async function untilStandby({ running }: Bot, port: number): Promise<void> {
  const isStandby = expect.poll(() => healthAt(port), { timeout: WITHIN_MS }).toMatchObject({ status: 'standby' });
  await Promise.race([isStandby, running]);
}

async function healthAt(port: number): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
  return response?.json() ?? null;
}

test.runIf(process.platform === 'linux')(
  'a state where none can be is refused with a sentence, exit 1',
  { timeout: WITHIN_MS },
  async () => {
    const folder = aCatalogFolder();
    const house = await aHouse({ content: () => folder.content });
    const { status, errors } = await startBot({
      ...house.environment,
      STATE_URL: 'sqlite:///proc/nowhere/deeper/state.sqlite',
    }).exit;
    expect(status).toBe(1);
    expect(errors).toContain("can't be created. Set STATE_URL to another path.");
  },
);
