import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { type CatalogError, CatalogNetworkError, CatalogSchemaError } from './errors.ts';

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

/** A request on its way. */
export interface Exchange {
  /** Rejects with a CatalogNetworkError, a CatalogSchemaError (too large, not decodable) or what `stop` was told. */
  reply: Promise<HttpReply>;
  /** Drops the request, if it has not been answered. */
  stop(reason: unknown): void;
}

export interface Http {
  send(request: HttpRequest): Exchange;
  close(): Promise<void>;
}

type Headers = Record<string, string | string[] | undefined>;

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
    send({ origin, path, label, headers, body }) {
      const handler = new Collector(label);
      agent.dispatch(
        {
          origin,
          path,
          method: body === undefined ? 'GET' : 'POST',
          headers: { accept: 'application/json', 'accept-encoding': 'gzip, br', ...headers },
          body: body ?? null,
        },
        handler,
      );
      return handler;
    },
    close: () => agent.destroy(),
  };
}

/** Collects one answer. undici's own streams of bodies would take as long as the rest of an exchange. */
class Collector implements Dispatcher.DispatchHandler, Exchange {
  readonly reply: Promise<HttpReply>;
  readonly #label: string;
  #resolve: (reply: HttpReply) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #stopped: Error | null = null;
  #status = 0;
  #headers: Headers = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(label: string) {
    this.#label = label;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  stop(reason: unknown): void {
    this.#stopped = reason as Error;
    this.#reject(this.#stopped);
    this.#controller?.abort(this.#stopped);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Stopped while it waited for a connection.
    if (this.#stopped) controller.abort(this.#stopped);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
    if (encodingOf(headers) !== '' && !DECODERS.has(encodingOf(headers))) {
      this.stop(new CatalogSchemaError(`${this.#label} answered in an encoding that was not asked for.`));
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BODY_BYTES) this.stop(this.#tooLarge());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first, ...others] = this.#chunks;
    const body = first && others.length === 0 ? first : Buffer.concat(this.#chunks, this.#bytes);
    const decode = DECODERS.get(encodingOf(this.#headers));
    if (decode) this.#decoded(decode, body).then(this.#resolve, this.#reject);
    else this.#resolve(this.#replyOf(body));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A new error without a cause: undici's own may carry the path, in which v2's key travels.
    this.#reject(new CatalogNetworkError(`${this.#label} got no whole answer (${codeOf(error)}).`));
  }

  #replyOf(body: Buffer): HttpReply {
    const headers = this.#headers;
    return { status: this.#status, header: (name) => firstOf(headers[name]), text: body.toString() };
  }

  async #decoded(decode: typeof gunzip.__promisify__, body: Buffer): Promise<HttpReply> {
    try {
      return this.#replyOf(await decode(body, { maxOutputLength: MAX_BODY_BYTES }));
    } catch (error) {
      throw this.#undecodable(codeOf(error));
    }
  }

  #undecodable(code: string): CatalogError {
    if (code === 'ERR_BUFFER_TOO_LARGE') return this.#tooLarge();
    return new CatalogSchemaError(`${this.#label} answered with a body that can't be decompressed (${code}).`);
  }

  #tooLarge(): CatalogError {
    return new CatalogSchemaError(`${this.#label} answered with more than ${MAX_BODY_BYTES / 1024 / 1024} MiB.`);
  }
}

function encodingOf(headers: Headers): string {
  const encoding = firstOf(headers['content-encoding'])?.trim().toLowerCase() ?? '';
  return encoding === 'identity' ? '' : encoding;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
