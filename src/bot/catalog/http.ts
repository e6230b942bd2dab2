import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { Agent } from 'undici';
import { CatalogError, CatalogNetworkError, CatalogSchemaError } from './errors.ts';

interface HttpRequest {
  /** `https://host:port` */
  origin: string;
  /** With its query. May hold a key: it goes nowhere but onto the wire. */
  path: string;
  /** What errors call the request: without a key. */
  label: string;
  headers: Record<string, string>;
  /** A JSON text; with it the request is a POST. */
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

const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
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
        const bytes = await readCapped(reply.body, label);
        const text = (await decoded(bytes, header('content-encoding'), label)).toString();
        return { status: reply.statusCode, header, text };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CatalogError) throw error;
        // A new error without a cause: undici's own may carry the path, in which v2's key travels.
        throw new CatalogNetworkError(`${label} got no whole answer (${codeOf(error)}).`);
      }
    },
    close: () => agent.destroy(),
  };
}

/** All of a body. One that is too large is dropped there, and its connection with it. */
async function readCapped(body: AsyncIterable<Buffer>, label: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw tooLarge(label);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

async function decoded(bytes: Buffer, encoding: string | undefined, label: string): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() || 'identity';
  if (name === 'identity') return bytes;
  const decode = DECODERS.get(name);
  if (!decode) throw new CatalogSchemaError(`${label} answered in an encoding that was not asked for.`);
  try {
    return await decode(bytes, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(label);
    throw new CatalogSchemaError(`${label} answered with a body that can't be decompressed (${code}).`);
  }
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
