import { hash } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { MINUTE_MS } from '../shared/time.ts';

/**
 * Time within which a request must arrive whole, in milliseconds, so that slow clients don't keep connections open. Node
 * checks every 30 s, answers a late request with 408 and closes its connection.
 */
export const REQUEST_TIMEOUT_MS = MINUTE_MS;

/** The style of the pages that the bot serves: the only thing that a browser takes from them besides their text. */
export const STYLE = `
  body { font: 1.1rem/1.6 system-ui, sans-serif; margin: 3rem auto; max-width: 30rem; padding: 0 1rem; }
  dt { color: #667; } dd { margin: 0 0 1rem; font-weight: 600; }
`;

/** @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Security-Policy */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  ...['base-uri', 'form-action', 'frame-ancestors'].map((directive) => `${directive} 'none'`),
].join('; ');

/**
 * An HTTP server of the bot's: nothing that it serves runs code in a browser or is taken for another type.
 * @param trustedProxies addresses whose X-Forwarded-* headers say who asks, and how
 */
export function createHttpServer(trustedProxies: readonly string[] = []): FastifyInstance {
  const server = fastify({
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
  });
  server.addHook('onSend', async (_, reply, payload) => {
    reply.headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' });
    return payload;
  });
  return server;
}
