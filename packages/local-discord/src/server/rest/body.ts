import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { UploadedFile } from '../attachments.ts';
import { DiscordError } from '../discord-error.ts';
import { isRecord } from '../validate/form.ts';

export interface RequestBody {
  json: unknown;
  files: UploadedFile[];
}

const REQUEST_BYTES = 25 * 1024 * 1024;

/**
 * Parses JSON and multipart requests into the one form of {@link RequestBody}:
 * https://discord.com/developers/docs/reference#uploading-files
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: REQUEST_BYTES } as const;
  app.addContentTypeParser('application/json', options, async (_request: unknown, body: Buffer) => ({
    json: parseJson(body.toString('utf8')),
    files: [],
  }));
  app.addContentTypeParser('multipart/form-data', options, async (request: FastifyRequest, body: Buffer) =>
    readMultipart(body, request.headers['content-type'] ?? ''),
  );
}

/** The body of a request, or an empty one. */
export function bodyOf(request: { body: unknown }): RequestBody {
  const body = request.body;
  if (isRecord(body) && Array.isArray(body['files'])) return { json: body['json'], files: body['files'] };
  return { json: undefined, files: [] };
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new DiscordError('invalidJson');
  }
}

async function readMultipart(body: Buffer, contentType: string): Promise<RequestBody> {
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new DiscordError('invalidForm');
  }
  const files: UploadedFile[] = [];
  for (const [part, value] of form) {
    const index = /^files\[(\d+)\]$/.exec(part)?.[1];
    if (index === undefined || typeof value === 'string') continue;
    files.push({
      index: Number(index),
      name: value.name.replace(/[^\w.-]/g, '_') || 'file',
      contentType: value.type || 'application/octet-stream',
      bytes: Buffer.from(await value.arrayBuffer()),
    });
  }
  const json = form.get('payload_json');
  return { json: typeof json === 'string' ? parseJson(json) : Object.fromEntries(form), files };
}
