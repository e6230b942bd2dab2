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
  // Some libraries name a type although they send nothing.
  app.addContentTypeParser('*', options, async (_request: unknown, body: Buffer) => {
    if (body.length > 0) throw new DiscordError('invalidForm');
    return { json: undefined, files: [] };
  });
}

/** The body of a request, or an empty one. */
export function bodyOf(request: { body: unknown }): RequestBody {
  const body = request.body;
  if (isRecord(body) && Array.isArray(body['files'])) return { json: body['json'], files: body['files'] };
  return { json: undefined, files: [] };
}

/** A string, which stays as it is, or a number of an id's length: as a number it would lose its last digits. */
const TEXT_OR_ID = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])\d{16,20}(?![\w.])/g;

/** Ids may be numbers: https://discord.com/developers/docs/reference#snowflakes */
function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    const json: unknown = JSON.parse(text);
    // Only of what is JSON is each quote the beginning or the end of a string.
    const asTexts = (part: string) => (part.startsWith('"') ? part : `"${part}"`);
    return withTextIds(/\d{16}/.test(text) ? JSON.parse(text.replace(TEXT_OR_ID, asTexts)) : json);
  } catch {
    throw new DiscordError('invalidJson');
  }
}

/** The files of a request are numbered: their ids may be numbers of any length. */
function withTextIds(json: unknown): unknown {
  if (!isRecord(json)) return json;
  const { attachments, data } = json;
  const numbered = (one: unknown) =>
    isRecord(one) && typeof one['id'] === 'number' ? { ...one, id: String(one['id']) } : one;
  return {
    ...json,
    ...(Array.isArray(attachments) && { attachments: attachments.map(numbered) }),
    ...(isRecord(data) && { data: withTextIds(data) }),
  };
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
