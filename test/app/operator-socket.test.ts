import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  isBotListening,
  linesOfRunningBot,
  openOperatorSocket,
  operatorSocketOf,
} from '../../src/app/operator-socket.ts';
import { aCatalogFolder } from '../helpers/catalog-folder.ts';
import { aHouse } from '../helpers/house.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';

const SENTENCES = { notRunning: 'Start it first.', cutOff: 'It has ended.' };

/** The first line that who listens there says of a job. */
async function asked(socket: string, withinMs = 30_000): Promise<unknown> {
  for await (const line of linesOfRunningBot(socket, 'greet', [{}], { ...SENTENCES, withinMs })) return line;
  return undefined;
}

async function aHouseAt(stateUrl = temporaryState()) {
  const house = await aHouse({ content: () => aCatalogFolder().content });
  return { house, socket: operatorSocketOf(stateUrl), startBot: () => house.startBot({ STATE_URL: stateUrl }) };
}

test('a bot listens at a socket of its own until it stops', async () => {
  const { socket, startBot } = await aHouseAt();
  expect(await isBotListening(socket)).toBe(false);
  const app = await startBot();
  expect(await isBotListening(socket)).toBe(true);
  if (process.platform !== 'win32') {
    const modes = [socket, dirname(socket)].map((path) => statSync(path).mode & 0o777);
    expect(modes, 'its owner alone may open it, or put another one there').toEqual([0o600, 0o700]);
  }
  await app.stop();
  expect(existsSync(socket)).toBe(false);
  expect(await isBotListening(socket)).toBe(false);
  await expect(asked(socket)).rejects.toThrow('Start it first.');
});

test('before it is through with its start, the bot does no job, and says so', async () => {
  const { house, socket, startBot } = await aHouseAt();
  house.discord.faults.use(({ path }) => (path === '/gateway/bot' ? { kind: 'drop', accepted: false } : undefined));
  await startBot();
  const problems = ['Dealbell is starting. Nothing was changed: try again.'];
  expect(await asked(socket)).toEqual({ result: 'refused', problems });
});

test('a job that is silent for longer than it may be is given up', async () => {
  const socket = join(temporaryFolder(), 'state.sock');
  let isHeard = false;
  let leave: (() => void) | undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  onTestFinished(
    await openOperatorSocket(socket, {
      async run(_job, _asked, { signal }) {
        isHeard = true;
        signal.addEventListener('abort', () => leave?.());
        if (signal.aborted) leave?.();
        await left;
        return {};
      },
    }),
  );
  await expect(asked(socket, 20)).rejects.toThrow('It has ended.');
  // Where this process was busy, who asks has left before.
  if (isHeard) await left;
});

test('a bot that stops while somebody is connected does not wait for them', async () => {
  const { socket, startBot } = await aHouseAt();
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
  const closeFormer = await openOperatorSocket(socket, { run: async () => ({ result: 'of the former one' }) });
  const closeNext = await openOperatorSocket(socket, { run: async () => ({ result: 'of the next one' }) });
  onTestFinished(closeNext);
  await closeFormer();
  expect(await asked(socket)).toEqual({ result: 'of the next one' });
});

test('where no socket can be made, the bot runs and says why, and nobody is found there', async () => {
  const folder = join(temporaryFolder(), 'a-folder-with-a-long-name'.repeat(6));
  mkdirSync(folder, { recursive: true });
  const { house, startBot, socket } = await aHouseAt(`sqlite://${join(folder, 'state.sqlite')}`);
  const app = await startBot();
  expect(await house.health(app)).toMatchObject({ status: 'ok' });
  expect(house.logLines.some((line) => line.includes("the operator's commands can't reach this process"))).toBe(true);
  expect(await isBotListening(socket)).toBe(false);
});

/** The things that another user may have put where the bot's folder is to be. */
const STRANGE: Readonly<Record<string, (folder: string) => void>> = {
  'is a link': (folder) => symlinkSync(temporaryFolder(), folder),
  ...(process.getuid?.() === 0 && {
    'is another user’s': (folder: string) => {
      mkdirSync(folder, { mode: 0o700 });
      chownSync(folder, 12_345, 12_345);
    },
  }),
};

test.skipIf(process.platform === 'win32').each(Object.entries(STRANGE))(
  'where the socket’s folder %s, the bot doesn’t listen there, and nothing is sent to who does',
  async (_, prepare) => {
    const { house, startBot, socket } = await aHouseAt();
    const folder = dirname(socket);
    prepare(folder);
    const heard: string[] = [];
    const stranger = createServer((connection) => connection.on('data', (bytes) => heard.push(String(bytes))));
    stranger.listen(socket);
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const app = await startBot();
    expect(await house.health(app)).toMatchObject({ status: 'ok' });
    expect(house.logLines.some((line) => line.includes("the operator's commands can't reach this process"))).toBe(true);
    await expect(asked(socket)).rejects.toThrow('belongs to another user');
    await expect(isBotListening(socket)).rejects.toThrow(folder);
    expect(heard).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')(
  'a folder that others may write to is used only once the bot has closed it',
  async () => {
    const { startBot, socket } = await aHouseAt();
    mkdirSync(dirname(socket));
    chmodSync(dirname(socket), 0o770);
    await expect(isBotListening(socket)).rejects.toThrow('is open to other users. Restart Dealbell');
    const app = await startBot();
    expect(await isBotListening(socket)).toBe(true);
    await app.stop();
  },
);

test('the socket is beside the state; of a database it has a name of its own', () => {
  expect(operatorSocketOf('sqlite://data/dealbell.sqlite', 'linux')).toBe('data/dealbell.sqlite.run/bot.sock');
  const url = 'postgres://dealbell:secret@db.example/deals';
  expect(operatorSocketOf(url, 'linux')).toMatch(
    new RegExp(`/dealbell-${process.getuid?.()}-[0-9a-f]{16}/bot\\.sock$`),
  );
  expect(operatorSocketOf(url, 'linux')).not.toBe(operatorSocketOf(`${url}?schema=other`, 'linux'));
  expect(operatorSocketOf('sqlite://data/dealbell.sqlite', 'win32')).toMatch(/^\\\\\.\\pipe\\dealbell-[0-9a-f]{16}$/);
});
