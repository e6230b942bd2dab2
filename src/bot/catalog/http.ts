import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent } from 'undici';
import { CatalogError, CatalogNetworkError, CatalogSchemaError } from './errors.ts';

interface HttpRequest {
  /** `https://host:port` */
  origin: string;
  /** The path with its query. It may hold a key, so it goes only onto the wire. */
  path: string;
  /** The name that errors give the request: it holds no key. */
  label: string;
  headers: Record<string, string>;
  /** A JSON text, which makes the request a POST. */
  body?: string | undefined;
}

export interface HttpReply {
  status: number;
  header(name: string): string | undefined;
  text: string;
}

export interface Http {
  /** Rejects with a CatalogNetworkError, a CatalogSchemaError (too large, not decodable) or the signal's reason. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>;
  close(): Promise<void>;
}

/** More than eight times the largest answer that has been seen. As it comes, and decoded. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Larger than Node's own, so that a long answer takes fewer turns; small enough for the C library to use it again. */
const chunkSize = 64 * 1024;

const DECODERS = new Map([
  ['gzip', () => createGunzip({ chunkSize })],
  ['x-gzip', () => createGunzip({ chunkSize })],
  ['br', () => createBrotliDecompress({ chunkSize })],
]);

/** HTTP exchanges over connections of our own that are kept alive. Follows no redirect. */
export function createHttp(): Http {
  // Time limits are the caller's, on its own clock.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000, connections: 10 });
  return {
    async send({ label, headers, body, ...target }, signal) {
      try {
        const reply = await agent.request({
          ...target,
          method: body === undefined ? 'GET' : 'POST',
          headers: { accept: 'application/json', 'accept-encoding': 'gzip, br', ...headers },
          body: body ?? null,
          signal,
        });
        const header = (name: string) => firstOf(reply.headers[name]);
        const text = await readBody(reply.body, header('content-encoding'), label);
        return { status: reply.statusCode, header, text };
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof CatalogError ? error : noWholeAnswer(label, error);
      }
    },
    close: () => agent.destroy(),
  };
}

/** The text of a body, decoded as it comes: whole buffers of it would leave holes in the C library's memory. */
function readBody(body: AsyncIterable<Buffer>, encoding: string | undefined, label: string): Promise<string> {
  const name = encoding?.trim().toLowerCase() || 'identity';
  return name === 'identity' ? readText(body, label) : decompress(body, name, label);
}

async function decompress(body: AsyncIterable<Buffer>, name: string, label: string): Promise<string> {
  const decoder = DECODERS.get(name);
  if (!decoder) throw new CatalogSchemaError(`${label} answered in an unsupported encoding.`);
  try {
    return await pipeline(received(body, label), decoder(), (decoded: AsyncIterable<Buffer>) =>
      readText(decoded, label),
    );
  } catch (error) {
    if (error instanceof CatalogError) throw error;
    throw new CatalogSchemaError(`${label} answered with a body that can't be decompressed (${codeOf(error)}).`);
  }
}

/** The compressed bytes. Their own failures are told from those of the decoder. */
async function* received(body: AsyncIterable<Buffer>, label: string): AsyncGenerator<Buffer> {
  try {
    yield* capped(body, label);
  } catch (error) {
    throw error instanceof CatalogError ? error : noWholeAnswer(label, error);
  }
}

async function readText(chunks: AsyncIterable<Buffer>, label: string): Promise<string> {
  const decoder = new StringDecoder();
  let text = '';
  for await (const chunk of capped(chunks, label)) text += decoder.write(chunk);
  return text + decoder.end();
}

/** Passes chunks on. A body that is too large is dropped there, and its connection with it. */
async function* capped(chunks: AsyncIterable<Buffer>, label: string): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw tooLarge(label);
    yield chunk;
  }
}

/** Without a cause: undici's own error may carry the path, in which v2's key travels. */
function noWholeAnswer(label: string, error: unknown): CatalogError {
  return new CatalogNetworkError(`${label} sent no complete answer (${codeOf(error)}).`);
}

function tooLarge(label: string): CatalogError {
  return new CatalogSchemaError(`${label} answered with more than ${MAX_BODY_BYTES / 1024 / 1024} MiB.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
