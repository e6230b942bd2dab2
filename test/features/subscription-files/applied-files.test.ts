import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../../src/app/config.ts';
import { isBotListening, linesOfRunningBot, operatorSocketOf } from '../../../src/app/operator-socket.ts';
import { SETTINGS } from '../../../src/deals/settings.ts';
import { subscriptionFiles } from '../../../src/features/subscription-files/index.ts';
import { SUBSCRIPTIONS } from '../../../src/features/subscription-files/terminal/command.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { openStore } from '../../../src/store/store.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { argumentsOf } from '../../helpers/operator-arguments.ts';
import { temporaryFolder, temporaryState } from '../../helpers/temporary-folder.ts';

async function aHouseWithFile(stateUrl = temporaryState()) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  const house = await aHouse({ content: () => folder.content, features: [subscriptionFiles] });
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
      await SUBSCRIPTIONS.run(argumentsOf(SUBSCRIPTIONS, ...args, file), {
        config: parseConfig({ STATE_URL: stateUrl }),
        clock: systemClock,
        dealbell: '0.0.0',
        settings: SETTINGS,
        records: [],
        say: (line) => lines.push(line),
        showProgress: () => undefined,
        ask: null,
        isBotListening: () => isBotListening(socket),
        socket,
        askBot: (...asked) => linesOfRunningBot(socket, ...asked),
      });
      return lines.join('\n');
    },
  };
}

const HOME = { source: 'feed', feed: 'Home', 'catch-up': 1 };
/** The last line of the answer of who listens at a socket. */
async function lastOf(socket: string, ...asked: unknown[]): Promise<unknown> {
  const sentences = { notRunning: 'Start it first.', cutOff: 'It has ended.' };
  for await (const line of linesOfRunningBot(socket, 'subscriptions', asked, sentences)) {
    if ((line as { result: string }).result !== 'checked') return line;
  }
  return undefined;
}

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

test('a mistake is named by where it stands in the whole file', async () => {
  const { socket, startBot, write } = await aHouseWithFile();
  await startBot({ MAX_SUBSCRIPTIONS_PER_SERVER: '1' });
  const { servers } = JSON.parse(write(HOME, { source: 'polls' })) as { servers: unknown[] };
  const reply = await lastOf(socket, { digest: '', servers: 1 }, { at: 7, written: servers[0] });
  expect(reply).toEqual({ result: 'refused', problems: [expect.stringMatching(/^servers\[7\]\.subscriptions: /)] });
});

test('where the subscriptions have changed since the plan, nothing is applied', async () => {
  const { house, socket, startBot, write } = await aHouseWithFile();
  await startBot();
  const { servers } = JSON.parse(write(HOME)) as { servers: unknown[] };
  const reply = await lastOf(socket, { digest: 'of an older plan', servers: 1 }, { at: 0, written: servers[0] });
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
  mkdirSync(dirname(socket), { mode: 0o700 });
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

test.each([
  [[]],
  [[{ format: 'json', text: '', digest: '' }]],
  [
    [
      { digest: '', servers: 2 },
      { at: 0, written: null },
    ],
  ],
  [
    [
      { digest: '', servers: 1 },
      { at: -1, written: null },
    ],
  ],
])('the request %j of another form is refused with a sentence', async (asked) => {
  const { socket, startBot } = await aHouseWithFile();
  await startBot();
  expect(await lastOf(socket, ...asked)).toMatchObject({
    result: 'refused',
    problems: [expect.stringContaining('same version')],
  });
});
