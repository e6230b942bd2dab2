import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AttachmentStore, StoredFile } from './attachments.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/**
 * Scripts load only from this origin; pictures may load from any site, because a catalog's pictures may be anywhere.
 */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src * data: blob:',
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Types of pictures that a browser may show from here; it downloads every other file. */
const SHOWN_TYPES = /^image\/(png|jpe?g|gif|webp|avif)$/;

/** Serves the built page from the files that lie directly in `directory`. */
export function pageFiles(app: FastifyInstance, directory: string | undefined): void {
  async function sendFile(reply: FastifyReply, name: string): Promise<FastifyReply> {
    const type = TYPES[extname(name)];
    const content = directory && type && /^[\w.-]+$/.test(name) ? await readIfThere(join(directory, name)) : undefined;
    if (!content || !type) return reply.code(404).type('text/plain; charset=utf-8').send(`There is no ${name} here.\n`);
    return reply
      .headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
      .type(type)
      .send(content);
  }

  async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
    if (directory && (await readIfThere(join(directory, 'index.html')))) return sendFile(reply, 'index.html');
    return reply
      .type('text/plain; charset=utf-8')
      .send('Local Discord is running. Its page is not built: run "npm run build".\n');
  }

  app.get('/', async (_request, reply) => sendPage(reply));
  // The page's own addresses: a channel of the server, or a message in it.
  app.get('/channels/:guild/:channel', async (_request, reply) => sendPage(reply));
  app.get('/channels/:guild/:channel/:message', async (_request, reply) => sendPage(reply));
  app.get<{ Params: { file: string } }>('/:file', async (request, reply) => sendFile(reply, request.params.file));
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR'))
      return undefined;
    throw error;
  }
}

/** Serves the files attached to messages, and the pictures of scheduled events as Discord's CDN does. */
export function attachmentFiles(app: FastifyInstance, attachments: AttachmentStore): void {
  app.get<{ Params: { hash: string } }>('/guild-events/:eventId/:hash.:extension', async ({ params }, reply) =>
    sendStored(reply, await attachments.find(params.hash)),
  );
  app.get<{ Params: { id: string } }>('/attachments/:channelId/:id/:name', async (request, reply) => {
    return sendStored(reply, await attachments.find(request.params.id));
  });
}

function sendStored(reply: FastifyReply, file: StoredFile | undefined): FastifyReply {
  if (!file) return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file.\n');
  const shown = SHOWN_TYPES.test(file.contentType);
  return reply
    .headers({ 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" })
    .header('content-disposition', `${shown ? 'inline' : 'attachment'}; filename="${file.name}"`)
    .type(shown ? file.contentType : 'application/octet-stream')
    .send(Buffer.from(file.base64, 'base64'));
}
