import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config.ts';
import { operateSubscriptions } from '../../src/app/operator/subscriptions.ts';
import {
  applyByRunningBot,
  isBotListening,
  openOperatorSocket,
  operatorSocketOf,
} from '../../src/app/operator-socket.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';

async function aHouseWithFile(stateUrl = temporaryState()) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  const house = await aHouse({ content: () => folder.content });
  const file = join(temporaryFolder(), 'deals.json');
  const socket = operatorSocketOf(stateUrl);
  return {
    house,
    socket,
    startBot: (settings: Record<string, string> = {}) => house.startBot({ STATE_URL: stateUrl, ...settings }),
    /** Writes a file with these subscriptions for #deals, and returns its text. */
    write: (...subscriptions: Record<string, unknown>[]): string => {
      const channel = house.discord.channel('deals').id;
      const entries = subscriptions.map((one) => ({ channel, ...one }));
      const text = JSON.stringify({
        version: 1,
        servers: [{ id: house.discord.guildId, subscriptions: entries }],
      });
      writeFileSync(file, text);
      return text;
    },
    /** Runs a job of the operator's. Resolves with what it said. */
    operate: async (...args: string[]): Promise<string> => {
      const lines: string[] = [];
      await operateSubscriptions([...args, file], {
        config: parseConfig({ STATE_URL: stateUrl }),
        clock: systemClock,
        dealbell: '0.0.0',
        features: [],
        say: (line) => lines.push(line),
        ask: null,
      });
      return lines.join('\n');
    },
  };
}

const run = () => Promise.reject(new Error('Nobody asks for a job here.'));
const HOME = { source: 'feed', feed: 'Home', 'catch-up': 1 };
const listed = async (house: House) => textOf(await house.asAda('deals', '/subscription list'));

test('a running bot applies a file at once, and posts by it', async () => {
  const { house, socket, startBot, write, operate } = await aHouseWithFile();
  const app = await startBot();
  write(HOME);
  expect(await operate('apply', '--yes')).toMatch(
    /1 to add.*\nApplied\. The running Dealbell posts accordingly from now on\.$/s,
  );
  await house.tick(app);
  await app.settled();
  expect(house.announcements('deals').map(textOf).join()).toContain('Kettle');
  expect(house.logLines.some((line) => line.includes('"added":1') && line.includes('a file was applied'))).toBe(true);
  expect(await operate('apply', '--yes')).toBe('Nothing to do: 1 unchanged.');
  expect(statSync(socket).mode & 0o777, 'its owner alone may open it').toBe(0o600);
  await app.stop();
  expect(existsSync(socket)).toBe(false);
});

test('the bot checks a file by its own settings', async () => {
  const { house, startBot, write, operate } = await aHouseWithFile();
  await startBot({ MAX_SUBSCRIPTIONS_PER_SERVER: '1' });
  write(HOME, { source: 'polls' });
  await expect(operate('apply', '--yes')).rejects.toThrow(
    /^The running Dealbell has not applied it:\n {2}- servers\[0\]\.subscriptions: .*1/,
  );
  expect(await listed(house)).not.toContain('Home');
});

test('where the subscriptions have changed since the plan, nothing is applied', async () => {
  const { house, socket, startBot, write } = await aHouseWithFile();
  await startBot();
  const text = write(HOME);
  const reply = await applyByRunningBot(socket, { format: 'json', text, digest: 'of an older plan' });
  expect(reply).toEqual({ result: 'outdated' });
  expect(await listed(house)).not.toContain('Home');
});

test('of two at once that are the same, both have applied it, once', async () => {
  const { house, startBot, write, operate } = await aHouseWithFile();
  await startBot();
  write(HOME);
  const said = await Promise.all([operate('apply', '--yes'), operate('apply', '--yes')]);
  for (const one of said) expect(one).toMatch(/Applied\.|Nothing to do/);
  expect((await listed(house)).match(/Home/g)).toHaveLength(1);
});

test('before it is through with its start, the bot takes no file, and says so', async () => {
  const { house, startBot, write, operate } = await aHouseWithFile();
  house.discord.faults.use(({ path }) => (path === '/gateway/bot' ? { kind: 'drop', accepted: false } : undefined));
  await startBot();
  write(HOME);
  await expect(operate('apply', '--yes')).rejects.toThrow('Dealbell is starting. Nothing was changed: try again.');
});

test.runIf(process.platform !== 'win32')('what a killed bot left there stands in the way of nobody', async () => {
  const stateUrl = temporaryState();
  const { startBot, socket, write, operate } = await aHouseWithFile(stateUrl);
  const store = await openStore(stateUrl);
  await store.commit((changes) => store.markSetUp(changes));
  await store.close();
  const listening = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => console.log('there'))`;
  const child = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(existsSync(socket)).toBe(true);
  write(HOME);
  expect(await operate('apply', '--yes')).toMatch(/Applied\. The next start posts accordingly\.$/);
  await startBot();
  write(HOME, { source: 'polls' });
  expect(await operate('apply', '--yes')).toContain('The running Dealbell posts accordingly');
});

test('a bot that ends before it answers may have applied the file: that is said', async () => {
  const { house, socket, startBot, write, operate } = await aHouseWithFile();
  const app = await startBot();
  await app.stop();
  const dying = createServer((request, response) => {
    if (request.method === 'GET') response.end('{}');
    else request.socket.destroy();
  }).listen(socket);
  onTestFinished(() => void dying.close());
  await once(dying, 'listening');
  write(HOME);
  await expect(operate('apply', '--yes')).rejects.toThrow(
    'Dealbell ended before it answered. "plan" tells whether it has applied the file.',
  );
  expect(house.logLines.some((line) => line.includes('a file was applied'))).toBe(false);
});

test('a bot that stops while somebody is connected does not wait for them', async () => {
  const { socket, startBot } = await aHouseWithFile();
  const app = await startBot();
  const idle = connect(socket);
  onTestFinished(() => void idle.destroy());
  await once(idle, 'connect');
  const closed = once(idle, 'close');
  await app.stop();
  await closed;
});

test('a process that took the state over keeps its socket when the former one closes', async () => {
  const socket = join(temporaryFolder(), 'state.sock');
  const apply = async () => ({ result: 'applied' }) as const;
  const file = { format: 'json', text: '', digest: '' } as const;
  const closeFormer = await openOperatorSocket(socket, { apply: async () => ({ result: 'outdated' }), run });
  const closeNext = await openOperatorSocket(socket, { apply, run });
  onTestFinished(closeNext);
  await closeFormer();
  expect(await applyByRunningBot(socket, file)).toEqual({ result: 'applied' });
});

test('a request of another form is refused with a sentence', async () => {
  const socket = join(temporaryFolder(), 'state.sock');
  onTestFinished(await openOperatorSocket(socket, { apply: async () => ({ result: 'applied' }), run }));
  const odd = { format: 'xml', text: '', digest: '' } as never;
  expect(await applyByRunningBot(socket, odd)).toMatchObject({
    result: 'refused',
    problems: [expect.stringContaining('same version')],
  });
});

test('where no socket can be made, the bot runs and says why, and nobody is found there', async () => {
  const folder = join(temporaryFolder(), 'a-folder-with-a-long-name'.repeat(6));
  mkdirSync(folder, { recursive: true });
  const { house, startBot, socket } = await aHouseWithFile(`sqlite://${join(folder, 'state.sqlite')}`);
  const app = await startBot();
  expect(await house.health(app)).toMatchObject({ status: 'ok' });
  expect(house.logLines.some((line) => line.includes("the operator's commands can't reach this process"))).toBe(true);
  expect(await isBotListening(socket)).toBe(false);
});

test('the socket is beside the state; of a database it has a name of its own', () => {
  expect(operatorSocketOf('sqlite://data/dealbell.sqlite', 'linux')).toBe('data/dealbell.sqlite.sock');
  const url = 'postgres://dealbell:secret@db.example/deals';
  expect(operatorSocketOf(url, 'linux')).toMatch(/\/dealbell-[0-9a-f]{16}\.sock$/);
  expect(operatorSocketOf(url, 'linux')).not.toBe(operatorSocketOf(`${url}?schema=other`, 'linux'));
  expect(operatorSocketOf('sqlite://data/dealbell.sqlite', 'win32')).toMatch(/^\\\\\.\\pipe\\dealbell-[0-9a-f]{16}$/);
});
