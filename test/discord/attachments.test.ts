import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { readAttachment } from '../../src/discord/attachments.ts';
import { aFileServer } from '../helpers/file-server.ts';

const MOST = 8 * 1024 * 1024;
const FILE = Buffer.alloc(28, 'x');

/** Reads from a server of files. */
async function files(serve: RequestListener) {
  const { asked, origin } = await aFileServer(serve);
  const read = (url = `${origin}/logo.png`, size = 10, api = `${origin}/api`) =>
    readAttachment({ url, size }, { api, mostBytes: MOST });
  return { asked, origin, read };
}

test('as many bytes as the limit are read and not one more, whatever is said of the size', async () => {
  let length = MOST;
  const { read, asked } = await files((_, response) => {
    response.write(FILE);
    response.end(Buffer.alloc(length - FILE.length));
  });
  expect(await read()).toHaveLength(MOST);
  length += 1;
  expect(await read()).toBeNull();
  expect(asked).toHaveLength(2);
  expect(await read(undefined, MOST + 1)).toBeNull();
  expect(asked).toHaveLength(2);
});

test('an endless answer is broken off', async () => {
  const { read } = await files((_, response) => {
    const piece = Buffer.alloc(1 << 20);
    const go = () => {
      while (!response.destroyed && response.write(piece));
      response.once('drain', go);
    };
    go();
  });
  expect(await read()).toBeNull();
});

test('only Discord is asked, and no redirect is followed', async () => {
  const { read, asked, origin } = await files((request, response) => {
    if (request.url === '/logo.png') response.writeHead(302, { location: '/elsewhere' }).end();
    else response.end(FILE);
  });
  await expect(read()).rejects.toThrow();
  expect(asked).toEqual(['/logo.png']);
  for (const url of ['http://127.0.0.1:9/logo.png', 'file:///etc/passwd', 'nothing', `${origin}.example/logo.png`]) {
    await expect(read(url), url).rejects.toThrow();
  }
  // The public Discord's files are never this machine's.
  await expect(read(undefined, 10, 'https://discord.com/api')).rejects.toThrow();
  expect(asked).toEqual(['/logo.png']);
});

test('an error instead of a file is told', async () => {
  const { read } = await files((_, response) => response.writeHead(404).end(FILE));
  await expect(read()).rejects.toThrow();
});
