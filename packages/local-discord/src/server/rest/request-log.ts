import type { FastifyInstance } from 'fastify';
import { bodyOf } from './body.ts';

/** A request of a bot, and its answer. */
export interface ApiRequest {
  method: string;
  /** Below `/api/v10`, with its query: `/channels/1/messages?limit=5`. */
  path: string;
  /** The JSON of the request; undefined for none. */
  body: unknown;
  status: number;
  /** The JSON of the answer; undefined for none. */
  answer: unknown;
}

/**
 * Tells of each request as it is answered; one that a fault leaves without an answer is not told.
 * @param tellRequest makes what it tells only where somebody listens
 */
export function logRequests(app: FastifyInstance, tellRequest: (made: () => ApiRequest) => void): void {
  app.addHook('onSend', async (request, { statusCode: status }, payload) => {
    const path = request.url.slice(app.prefix.length);
    tellRequest(() => ({ method: request.method, path, body: bodyOf(request).json, status, answer: parsed(payload) }));
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
