import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FEATURES } from '../../src/features/index.ts';
import { openStore } from '../../src/store/store.ts';
import { builtProgram } from '../helpers/built-program.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { aSubscription } from '../helpers/things.ts';

const PROGRAM = builtProgram('src/app/operator/operator.ts');
/** A user of whom this test owns nothing: "nobody", as most systems number it. */
const STRANGER = 65_534;
const isRoot = process.getuid?.() === 0;

/** What an operator works with: a state of a stopped bot, a backup of it, and a file of subscriptions. */
async function aPlace(folder = temporaryFolder()) {
  const url = `sqlite://${join(folder, 'state.sqlite')}`;
  const store = await openStore(url);
  await store.commit((changes) => store.markSetUp(changes));
  await store.subscriptions.save(
    aSubscription('s', { guildId: '100000000000000001', channelId: '200000000000000001' }),
  );
  await store.copyTo(join(folder, 'copy.sqlite'));
  await store.close();
  writeFileSync(join(folder, 'deals.json'), JSON.stringify({ version: 1, servers: [] }));
  return { folder, url, path: (name: string) => join(folder, name) };
}
type Place = Awaited<ReturnType<typeof aPlace>>;

/** Runs a command as this user, or another one. */
async function run(url: string, args: readonly string[], uid?: number) {
  const child = spawn(process.execPath, [PROGRAM.path, ...args], {
    cwd: PROGRAM.folder,
    env: { PATH: process.env['PATH'], STATE_URL: url, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const [status] = (await once(child, 'close')) as [number];
  return { status, text };
}

/** Each command with all that it needs to succeed. */
const COMMANDS: Readonly<Record<string, (place: Place) => string[]>> = {
  backup: ({ path }) => ['backup', path('new.sqlite')],
  restore: ({ path }) => ['restore', path('copy.sqlite')],
  'move-state': ({ url, path }) => ['move-state', url, `sqlite://${path('moved.sqlite')}`],
  'check-setup': () => ['check-setup'],
  export: ({ path }) => ['subscriptions', 'export', path('export.yaml')],
  plan: ({ path }) => ['subscriptions', 'plan', path('deals.json')],
  apply: ({ path }) => ['subscriptions', 'apply', path('deals.json'), '--yes'],
  convert: ({ path }) => ['subscriptions', 'convert', path('deals.json')],
  audit: () => ['audit'],
};
const NAMES = Object.keys(COMMANDS);
/** Those that read nothing but what is given to them, or only a running bot can do: they never come to the state. */
const WITHOUT_STATE = ['convert', 'audit'];

/** No stack, no error of the system in its own words alone, and something to read. */
function expectSentence(text: string, status: number): void {
  expect(status, text).toBeGreaterThan(0);
  expect(text).toMatch(/\w[>)]?[.!]?\s*$/);
  expect(text).not.toMatch(/^\s+at .+:\d+/m);
  expect(text).not.toMatch(/^(?:\w*Error|node:|Uncaught)/m);
}

/** What the state holds now. */
async function stored({ url }: Place): Promise<string[]> {
  const store = await openStore(url);
  const ids = store.subscriptions.all().map(({ id }) => id);
  await store.close();
  return ids;
}

test.each(NAMES)(
  '%s: each says by --help what it does, takes no unknown option and not too many arguments',
  async (name) => {
    const place = await aPlace();
    const [command = '', ...rest] = COMMANDS[name]?.(place) ?? [];
    const [help, odd, many] = await Promise.all([
      run('nonsense', [command, '--help']),
      run(place.url, [command, ...rest, '--constructor']),
      run(place.url, [command, ...rest, 'one', 'two', 'three']),
    ]);
    expect(help).toMatchObject({ status: 0, text: expect.stringContaining(`Usage: npm run ${command} -- `) });
    expect(Math.max(...help.text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expectSentence(odd.text, odd.status);
    expect(odd.text).toContain("--constructor isn't an option. Use --help for the list.");
    expectSentence(many.text, many.status);
    expect(many.text).toMatch(/enough: |isn't an option/);
    expect(await stored(place)).toEqual(['s']);
  },
);

test('the commands of features are all here', () => {
  const features = FEATURES.flatMap(({ operatorCommands = [] }) => operatorCommands).map(({ name }) => name);
  const here = Object.values(COMMANDS).map((argsOf) => argsOf({ folder: '', url: '', path: (one) => one })[0]);
  expect(new Set(here)).toEqual(new Set(['backup', 'restore', 'move-state', 'check-setup', ...features]));
});

test.each([
  [['restore'], 'Name the backup'],
  [['move-state'], 'Name both states'],
  [['move-state', 'sqlite://a'], 'Name both states'],
  [['subscriptions'], 'Say what to do'],
  [['subscriptions', 'plan'], 'Name the file'],
  [['subscriptions', 'apply'], 'Name the file'],
  [['subscriptions', 'convert'], 'Name the file'],
  [['subscriptions', 'constructor'], 'is none of export, plan, apply, convert'],
  [['constructor'], '"constructor" is none of backup, '],
  [['__proto__'], '"__proto__" is none of backup, '],
  [[], '"" is none of backup, '],
])('%j lacks an argument: the sentence names it', async (args, sentence) => {
  const { text, status } = await run((await aPlace()).url, args);
  expectSentence(text, status);
  expect(text).toContain(sentence);
});

test.each([
  ['restore', 'copy.sqlite'],
  ['plan', 'deals.json'],
  ['apply', 'deals.json'],
  ['convert', 'deals.json'],
])('%s without its file, or with a folder there, says so', async (name, file) => {
  const place = await aPlace();
  const other = { ...place, path: (one: string) => (one === file ? place.path('gone') : place.path(one)) };
  const missing = await run(place.url, COMMANDS[name]?.(other) ?? []);
  expectSentence(missing.text, missing.status);
  expect(missing.text).toContain(`${place.path('gone')} does not exist.`);
  mkdirSync(place.path('gone'));
  const folder = await run(place.url, COMMANDS[name]?.(other) ?? []);
  expectSentence(folder.text, folder.status);
  expect(await stored(place)).toEqual(['s']);
});

test.each(['backup', 'move-state', 'export', 'plan'])('%s without a state says so, and makes none', async (name) => {
  const place = await aPlace();
  const url = `sqlite://${place.path('none/state.sqlite')}`;
  const { text, status } = await run(url, COMMANDS[name]?.({ ...place, url }) ?? []);
  expectSentence(text, status);
  expect(text).toMatch(/There is no state/);
  expect(existsSync(place.path('none'))).toBe(false);
});

/** A small file system of its own, where this machine lets a test have one; null elsewhere. */
function ownFileSystem(kilobytes: number): { folder: string; remountReadOnly(): void } | null {
  const folder = temporaryFolder();
  const mount = (...args: string[]) => spawnSync('mount', [...args, folder]).status === 0;
  if (!isRoot || !mount('-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=0700`, 'tmpfs')) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return { folder, remountReadOnly: () => mount('-o', 'remount,ro') };
}

test.each(NAMES)('%s on a full disk leaves the state as it is, and says what to do', async (name) => {
  const disk = ownFileSystem(4096);
  if (!disk) return;
  const place = await aPlace(disk.folder);
  spawnSync('dd', ['if=/dev/zero', `of=${place.path('filling')}`, 'bs=4096'], { stdio: 'ignore' });
  const { text, status } = await run(place.url, COMMANDS[name]?.(place) ?? []);
  // What writes nothing succeeds, or fails for another reason.
  if (status !== 0) expectSentence(text, status);
  if (['backup', 'restore', 'move-state', 'export'].includes(name)) expect(text).toMatch(/no space left|is full/);
  spawnSync('rm', [place.path('filling')]);
  expect(await stored(place)).toEqual(['s']);
});

test.each(NAMES)('%s on a disk that is read-only leaves it alone, and says what to do', async (name) => {
  const disk = ownFileSystem(4096);
  if (!disk) return;
  const place = await aPlace(disk.folder);
  disk.remountReadOnly();
  const { text, status } = await run(place.url, COMMANDS[name]?.(place) ?? []);
  expectSentence(text, status);
});

test.each(NAMES.filter((name) => !WITHOUT_STATE.includes(name)))(
  '%s by another user than the bot’s changes nothing, and says whose it is',
  async (name) => {
    if (!isRoot) return;
    const place = await aPlace();
    chmodSync(place.folder, 0o700);
    const { text, status } = await run(place.url, COMMANDS[name]?.(place) ?? [], STRANGER);
    expectSentence(text, status);
    expect(text).toContain('Run this as the user who runs Dealbell');
  },
);

test.each(NAMES)('%s by root leaves nothing that the bot’s user can’t use', async (name) => {
  if (!isRoot) return;
  const place = await aPlace();
  for (const file of ['.', ...readdirSync(place.folder)]) chownSync(place.path(file), STRANGER, STRANGER);
  const { text, status } = await run(place.url, COMMANDS[name]?.(place) ?? []);
  if (status !== 0) expectSentence(text, status);
  const owners = readdirSync(place.folder, { recursive: true }).map((file) => statSync(place.path(String(file))).uid);
  expect(new Set(owners)).toEqual(new Set([STRANGER]));
  // The bot's user can do it all after that.
  const again = await run(place.url, ['backup', place.path('again.sqlite')], STRANGER);
  expect(again).toMatchObject({ status: 0 });
});

test('what is exported or backed up is its owner’s alone', async () => {
  const place = await aPlace();
  for (const name of ['backup', 'export']) await run(place.url, COMMANDS[name]?.(place) ?? []);
  for (const file of ['new.sqlite', 'export.yaml']) expect(statSync(place.path(file)).mode & 0o777).toBe(0o600);
});

test.each(NAMES)('%s that is ended at once leaves a state that opens', async (name) => {
  const place = await aPlace();
  const before = temporaryFolder();
  cpSync(place.folder, before, { recursive: true });
  const child = spawn(process.execPath, [PROGRAM.path, ...(COMMANDS[name]?.(place) ?? [])], {
    cwd: dirname(PROGRAM.path),
    env: { PATH: process.env['PATH'], STATE_URL: place.url, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => child.kill('SIGKILL'));
  await once(child, 'close');
  expect(await stored(place)).toEqual(name === 'apply' ? expect.any(Array) : ['s']);
});
