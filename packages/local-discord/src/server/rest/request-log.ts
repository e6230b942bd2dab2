import type { FastifyInstance } from 'fastify';
import { MOST_REQUESTS } from '../numbers.ts';
import { bodyOf } from './body.ts';

/** A request of a bot, and its answer. */
export interface ApiRequest {
  /** When it was answered: epoch milliseconds. */
  atMs: number;
  method: string;
  /** Below `/api/v10`, with its query: `/channels/1/messages?limit=5`. */
  path: string;
  /** The JSON of the request; undefined for none. */
  body: unknown;
  status: number;
  /** The JSON of the answer; undefined for none. */
  answer: unknown;
}

/** The latest requests of bots, and whoever wants to hear of the next ones. */
export class RequestLog {
  readonly #latest: ApiRequest[] = [];
  readonly #listeners = new Set<(request: ApiRequest) => void>();

  /** The oldest first. */
  get latest(): readonly ApiRequest[] {
    return this.#latest;
  }

  /** Returns a function that removes the listener. */
  onRequest(listener: (request: ApiRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  note(request: ApiRequest): void {
    this.#latest.push(request);
    if (this.#latest.length > MOST_REQUESTS) this.#latest.shift();
    for (const listener of this.#listeners) listener(request);
  }
}

/** Notes each request as it is answered; one that a fault leaves without an answer is not noted. */
export function logRequests(app: FastifyInstance, log: RequestLog, now: () => number): void {
  app.addHook('onSend', async (request, { statusCode: status }, payload) => {
    const path = request.url.slice(app.prefix.length);
    const { json: body } = bodyOf(request);
    log.note({ atMs: now(), method: request.method, path, body, status, answer: parsed(payload) });
    return payload;
  });
}

function parsed(payload: unknown): unknown {
  return typeof payload === 'string' && payload !== '' ? JSON.parse(payload) : undefined;
}

/** Adds each operation to the list as it is made: `GET /channels/:channelId`. */
export function listOperations(app: FastifyInstance, operations: string[]): void {
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'HEAD') operations.push(`${one} ${url.slice(app.prefix.length)}`);
  });
}
