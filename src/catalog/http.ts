import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { type CatalogError, CatalogNetworkError, CatalogSchemaError } from './errors.ts';

interface HttpRequest {
  /** May hold a key: it goes nowhere but onto the wire. */
  url: URL;
  /** What errors call the request: without a key. */
  label: string;
  headers: Record<string, string>;
  /** A JSON text; with it the request is a POST. */
  body?: string | undefined;
  signal: AbortSignal;
}

export interface HttpReply {
  status: number;
  header(name: string): string | undefined;
  text: string;
}

export interface Http {
  /** Rejects with a CatalogNetworkError, a CatalogSchemaError (too large, not decodable) or the signal's reason. */
  send(request: HttpRequest): Promise<HttpReply>;
  close(): Promise<void>;
}

/** More than eight times the largest answer that has been seen. Counted after decoding. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** One HTTP exchange at a time over connections of our own that are kept alive. Follows no redirect. */
export function createHttp(): Http {
  // Time limits are the caller's, on its own clock.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000, connections: 10 });
  return {
    async send({ url, label, headers, body, signal }) {
      try {
        const reply = await agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: body === undefined ? 'GET' : 'POST',
          headers: { accept: 'application/json', 'accept-encoding': 'gzip, br', ...headers },
          body: body ?? null,
          signal,
        });
        const text = await readText(reply, label);
        return { status: reply.statusCode, header: (name) => firstOf(reply.headers[name]), text };
      } catch (error) {
        signal.throwIfAborted();
        throw toCatalogError(error, label);
      }
    },
    close: () => agent.destroy(),
  };
}

async function readText(reply: Dispatcher.ResponseData, label: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decode(reply, label)) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new CatalogSchemaError(`${label} answered with more than ${MAX_BODY_BYTES / 1024 / 1024} MiB.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString();
}

function decode(reply: Dispatcher.ResponseData, label: string): Readable {
  const encoding = firstOf(reply.headers['content-encoding'])?.trim().toLowerCase() ?? '';
  // Errors reach the reader of the last stream; leaving that early destroys the first and with it the connection.
  if (encoding === 'gzip' || encoding === 'x-gzip') return pipeline(reply.body, createGunzip(), () => undefined);
  if (encoding === 'br') return pipeline(reply.body, createBrotliDecompress(), () => undefined);
  if (encoding === '' || encoding === 'identity') return reply.body;
  reply.body.on('error', () => undefined).destroy();
  throw new CatalogSchemaError(`${label} answered in an encoding that was not asked for.`);
}

/** A new error without a cause: undici's own may carry the path, in which v2's key travels. */
function toCatalogError(error: unknown, label: string): CatalogError {
  if (error instanceof CatalogSchemaError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (/^(Z_|ERR__)/.test(code)) {
    return new CatalogSchemaError(`${label} answered with a body that can't be decompressed (${code}).`);
  }
  return new CatalogNetworkError(`${label} got no whole answer (${code}).`);
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
