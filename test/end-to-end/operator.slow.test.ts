import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import { openStore } from '../../src/store/store.ts';
import { builtProgram } from '../helpers/built-program.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aSubscription } from '../helpers/things.ts';

const PROGRAM = builtProgram('src/app/operator/operator.ts');

/** Runs a job as `npm run` does, and resolves with what it printed. */
async function run(environment: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM.path, ...args], {
    cwd: PROGRAM.folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const [status] = (await once(child, 'close')) as [number];
  return { status, output, errors };
}

const fileOf = (url: string) => url.slice('sqlite://'.length);

test('backup and restore say what they did, and where the files are', async () => {
  const url = temporaryState();
  const store = await openStore(url);
  await store.commit((changes) => store.markSetUp(changes));
  await store.subscriptions.save(aSubscription('s'));
  const made = await run({ STATE_URL: url }, 'backup');
  expect(made).toMatchObject({ status: 0, errors: '' });
  const file = /^Backed up to (.+)\.\n$/.exec(made.output)?.[1] ?? '';
  expect(dirname(file)).toBe(join(dirname(fileOf(url)), 'backups'));
  expect(existsSync(file)).toBe(true);
  await store.subscriptions.remove('s');
  await store.close();

  const restored = await run({ STATE_URL: url }, 'restore', file);
  expect(restored).toMatchObject({ status: 0, errors: '' });
  expect(restored.output).toContain(`Restored ${file}.`);
  const aside = /kept as (.+)\.\n/.exec(restored.output)?.[1] ?? '';
  expect(readdirSync(dirname(fileOf(url)))).toContain(aside.split('/').at(-1));
  const after = await openStore(url);
  expect(after.subscriptions.all().map(({ id }) => id)).toEqual(['s']);
  await after.close();
});

test('move-state says what it copied and where the state is now; backups of a database are refused with the tool for them', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  const store = await openStore(from);
  await store.subscriptions.save(aSubscription('s'));
  await store.commit((changes) => store.markSetUp(changes));
  await store.close();
  const moved = await run({}, 'move-state', from, to);
  expect(moved).toMatchObject({ status: 0, errors: '' });
  expect(moved.output).toContain(`Copied 2 rows to `);
  expect(moved.output).toContain(`Set STATE_URL to it. ${fileOf(from)} is left as it is`);
  const again = await run({}, 'move-state', from, to);
  expect(again).toMatchObject({ status: 1, errors: `${fileOf(to)} holds a state already. Name another place.\n` });
  expect((await run({}, 'move-state', from)).errors).toContain('npm run move-state -- <from> <to>');
  const database = { STATE_URL: 'postgres://u@127.0.0.1:9/deals', STATE_PASSWORD: 'not-to-be-seen' };
  for (const job of [['backup'], ['restore', fileOf(from)]]) {
    const { status, errors } = await run(database, ...job);
    expect(status).toBe(1);
    expect(errors).toBe(
      "127.0.0.1:9/deals isn't a file. Use pg_dump and pg_restore for backups of a PostgreSQL database.\n",
    );
  }
});

test('a restore beside a running Dealbell ends with status 3 and names it', async () => {
  const url = temporaryState();
  const store = await openStore(url, systemClock, {
    dealbell: '0.0.0',
    clock: systemClock,
    log: createLog('silent'),
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  onTestFinished(() => store.close());
  await store.commit((changes) => store.markSetUp(changes));
  const { output } = await run({ STATE_URL: url }, 'backup');
  const { status, errors } = await run({ STATE_URL: url }, 'restore', /to (.+)\.\n/.exec(output)?.[1] ?? '');
  expect(status).toBe(3);
  expect(errors).toContain(`process ${process.pid}`);
});

test.each([
  [['restore'], 'npm run restore -- <file>'],
  [['restart'], '"restart" is none of backup, restore, move-state, check-setup'],
  [['check-setup', '--yaml'], "--yaml isn't an option. Use --help for the list."],
  [['backup', 'one', 'two'], 'One argument is enough: one two. Use --help for the list.'],
])('%j ends with status 2', async (args, sentence) => {
  const { status, errors } = await run({ STATE_URL: temporaryState() }, ...args);
  expect(errors).toContain(sentence);
  expect(errors, 'the settings are well').not.toContain('settings');
  expect(status).toBe(2);
});

test.each([
  [[], 'No running Dealbell uses this state on this machine.'],
  [['--repair'], 'Nobody can be asked here. Add --yes'],
  [['--now'], "--now isn't an option."],
])('audit %j ends with status 1: 2 is for what it finds', async (args, sentence) => {
  const { status, errors } = await run({ STATE_URL: temporaryState() }, 'audit', ...args);
  expect(errors).toContain(sentence);
  expect(status).toBe(1);
});

test('a backup of nothing ends with status 1 and makes no state', async () => {
  const url = temporaryState();
  const { status, errors } = await run({ STATE_URL: url }, 'backup');
  expect(errors).toContain('There is no state to back up');
  expect(status).toBe(1);
  expect(readdirSync(dirname(fileOf(url)))).toEqual([]);
});

test('check-setup prints what is wrong with the settings, for people or as JSON', async () => {
  const settings = { STATE_URL: temporaryState(), PORT: 'eighty', POLL_CRON: 'often' };
  const text = await run(settings, 'check-setup');
  expect(text).toMatchObject({ status: 2, errors: '' });
  expect(text.output).toContain('✗ settings  PORT must be a port number');
  expect(text.output).toContain('2 problems to fix.');
  const json = await run(settings, 'check-setup', '--json');
  expect(json.status).toBe(2);
  expect(JSON.parse(json.output)).toMatchObject({ ok: false, checks: [{ part: 'settings', result: 'failed' }, {}] });
});

test('check-setup of the demo has nothing to fix, and ends with status 0', async () => {
  const { status, output, errors } = await run({ STATE_URL: temporaryState(), PORT: '0' }, 'check-setup', '--json');
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  expect(JSON.parse(output)).toMatchObject({ ok: true });
});
