import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from './refusal.ts';

const compress = promisify(gzip);

/** Shorter texts, counted in characters, are not compressed, because gzip gains too little. */
const GZIP_FROM = 1400;

/** Sends JSON, compressed where the client takes gzip. */
export async function sendJson(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
  reply.type('application/json');
  if (text.length < GZIP_FROM) return reply.send(text);
  reply.header('vary', 'accept-encoding');
  if (!takesGzip(request.headers['accept-encoding'])) return reply.send(text);
  const bytes = await compress(text, { level: constants.Z_BEST_SPEED });
  return reply.header('content-encoding', 'gzip').send(bytes);
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> {
  reply.code(refusal.status).headers(refusal.headers);
  return sendJson(request, reply, JSON.stringify(refusal.body));
}

/** Whether an `Accept-Encoding` names gzip and does not rule it out by `q=0`. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  return String(accepted ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .some((coding) => /^(?:gzip|\*)(?:$|;)/.test(coding) && !/;\s*q=0(?:\.0*)?$/.test(coding));
}
