import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent } from 'undici';
import { CatalogError, CatalogNetworkError, CatalogSchemaError } from './errors.ts';

export interface AddressOptions {
  name: 'v2' | 'portal';
  /** The base of the interface's paths, without its `/2`. */
  url: string;
  key: string;
  /** The keys of both interfaces, because one address may serve both. */
  secrets: readonly string[];
}

export type Query = readonly (readonly [name: string, value: string])[];

/** The destination of a request. Only `path` and `headers` contain the key, so they go only onto the wire. */
export interface Target {
  /** `https://host:port` */
  origin: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  /** The request's name in logs and errors: it contains no key, and no user name or password of the base address. */
  label: string;
  /** Removes every key from a text of the catalog, which may quote one. */
  redact(text: string): string;
}

interface HttpRequest extends Omit<Target, 'redact'> {
  /** A JSON text, which makes the request a POST. */
  body?: string | undefined;
}

export interface HttpReply {
  status: number;
  /** The `Retry-After` header as it came. */
  retryAfter?: string | undefined;
  text: string;
}

export interface Http {
  /** Rejects with a CatalogNetworkError, a CatalogSchemaError (too large, not decodable) or the signal's reason. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>;
  close(): Promise<void>;
}

/** Builds a request's target and its label without a key side by side (specification: "Authentication"). */
export function createAddress({ name, url, key, secrets }: AddressOptions) {
  const { origin, pathname } = new URL(url);
  const root = pathname.replace(/\/+$/, '');
  const spellings = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret), queryText([['', secret]]).slice('?='.length)]);
  const redact = (text: string) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '***'), text);
  const headers: Record<string, string> = name === 'portal' ? { 'x-api-key': key } : {};
  const keyQuery: Query = name === 'portal' ? [] : [['key', key]];

  /** @param path encoded */
  return (method: 'GET' | 'POST', path: string, query: Query): Target => ({
    origin,
    path: `${root}${path}${queryText([...query, ...keyQuery])}`,
    label: `${method} ${origin}${root}${path}${queryText(query)}`,
    headers,
    redact,
  });
}

function queryText(query: Query): string {
  if (query.length === 0) return '';
  const parameters = new URLSearchParams();
  for (const [field, value] of query) parameters.append(field, value);
  return `?${parameters.toString()}`;
}

/** More than eight times the largest answer that has been seen. As it comes, and decoded. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

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
    async send({ label, headers, body, origin, path }, signal) {
      try {
        const reply = await agent.request({
          origin,
          path,
          method: body === undefined ? 'GET' : 'POST',
          headers: { accept: 'application/json', 'accept-encoding': 'gzip, br', ...headers },
          body: body ?? null,
          signal,
        });
        const encoding = firstOf(reply.headers['content-encoding'])?.trim().toLowerCase() || 'identity';
        const text = await (encoding === 'identity'
          ? readText(reply.body, label)
          : decompress(reply.body, encoding, label));
        return { status: reply.statusCode, retryAfter: firstOf(reply.headers['retry-after']), text };
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof CatalogError ? error : noWholeAnswer(label, error);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Decodes a body as it comes: whole buffers of it would leave holes in the C library's memory. */
async function decompress(body: AsyncIterable<Buffer>, encoding: string, label: string): Promise<string> {
  const decoder = DECODERS.get(encoding);
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
    if (bytes > MAX_BODY_BYTES) {
      throw new CatalogSchemaError(`${label} answered with more than ${MAX_BODY_BYTES / 1024 / 1024} MiB.`);
    }
    yield chunk;
  }
}

/** Without a cause: undici's own error may carry the path, in which v2's key travels. */
function noWholeAnswer(label: string, error: unknown): CatalogError {
  return new CatalogNetworkError(`${label} sent no complete answer (${codeOf(error)}).`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
