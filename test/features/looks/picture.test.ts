import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { readPicture } from '../../../src/features/looks/picture.ts';
import { aFileServer } from '../../helpers/file-server.ts';

const MOST = 8 * 1024 * 1024;
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(20)]);

/** Reads from a server of files. */
async function files(serve: RequestListener) {
  const { asked, origin } = await aFileServer(serve);
  const read = (url = `${origin}/logo.png`, size = 10, api = `${origin}/api`) =>
    readPicture({ url, size, name: '*logo*.png' }, api).then(
      (data) => data,
      (error: { localized?: { key: string } }) => error.localized?.key ?? error,
    );
  return { asked, origin, read };
}

test.each([
  ['image/png', PNG],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])],
  ['image/gif', Buffer.from('GIF89a......')],
  ['image/webp', Buffer.from('RIFF\x01\x02\x03\x04WEBPVP8 ', 'latin1')],
])('%s is told by its bytes, whatever it is called', async (type, bytes) => {
  const { read } = await files((_, response) => response.setHeader('content-type', 'text/html').end(bytes));
  expect(await read()).toBe(`data:${type};base64,${bytes.toString('base64')}`);
});

test.each(['<svg xmlns="x"/>', '', 'RIFF1234WAVE', '\x89PN', '<html>'])('%j is no picture', async (text) => {
  const { read } = await files((_, response) => response.setHeader('content-type', 'image/png').end(text));
  expect(await read()).toBe('look.bot.noPicture');
});

test('as many bytes as the limit are read and not one more, whatever is said of the size', async () => {
  let length = MOST;
  const { read } = await files((_, response) => {
    response.write(PNG);
    response.end(Buffer.alloc(length - PNG.length));
  });
  expect(await read()).toMatch(/^data:image\/png/);
  length += 1;
  expect(await read()).toBe('look.bot.tooLarge');
  expect(await read(undefined, MOST + 1)).toBe('look.bot.tooLarge');
});

test.each([404, 302])('an answer of %i instead of a file is told, and nobody but Discord is asked', async (status) => {
  const { read, asked, origin } = await files((_, response) => response.writeHead(status, { location: '/x' }).end(PNG));
  expect(await read()).toBe('look.bot.unreadable');
  expect(await read(`${origin}.example/logo.png`)).toBe('look.bot.unreadable');
  expect(asked).toEqual(['/logo.png']);
});
