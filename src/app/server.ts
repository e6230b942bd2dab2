import type { FastifyPluginAsync } from 'fastify';
import { AddressUnavailableError, ConfigError } from '../shared/errors.ts';
import { escapeHtml } from '../shared/html.ts';
import { currentHealth, type Health, type HealthSource, healthRoutes } from './health.ts';
import { createHttpServer, STYLE } from './http.ts';

export interface OpsServer {
  /** Resolves with the listening address. */
  start(): Promise<string>;
  stop(): Promise<void>;
}

/** Serves the bot's health checks, a page that shows them, and what features serve beside them. */
export function createOpsServer(options: {
  host: string;
  port: number;
  /** As for `createHttpServer`. */
  trustedProxies?: readonly string[];
  source: HealthSource;
  routes?: readonly FastifyPluginAsync[];
}): OpsServer {
  const server = createHttpServer(options.trustedProxies);
  server.register(healthRoutes(options.source));
  for (const routes of options.routes ?? []) server.register(routes);
  server.get('/', async (_, reply) =>
    reply.type('text/html; charset=utf-8').send(statusPage(currentHealth(options.source))),
  );
  return {
    start: () => server.listen({ host: options.host, port: options.port }),
    stop: () => server.close(),
  };
}

/** The page's HTML. Only `reason` may quote the catalog; all other values are our own words, numbers and dates. */
function statusPage({ status, gateway, lastPoll, announced, reason }: Health): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="10">
<title>Dealbell: ${status}</title>
<style>${STYLE}</style>
<h1>Dealbell</h1>
<dl>
  <dt>Status</dt><dd>${status}</dd>
${reason === null ? '' : `  <dt>Why</dt><dd>${escapeHtml(reason)}</dd>\n`}  <dt>Discord</dt><dd>${gateway}</dd>
  <dt>Last catalog check</dt><dd>${lastPoll ?? 'not yet'}</dd>
  <dt>Announced since start</dt><dd>${announced}</dd>
</dl>
</html>
`;
}

/**
 * The reasons why a server can't listen, by error code, in terms of the settings. What passes may be tried again: another
 * process ends, a network comes up.
 */
const REFUSALS = new Map<string, { reason: string; passes?: true }>([
  ['EADDRINUSE', { reason: 'something else listens there already. Set another one.', passes: true }],
  ['EACCES', { reason: 'this user may not listen there. Set one above 1023.' }],
  ['EADDRNOTAVAIL', { reason: 'this machine has no such address. Set HOST to one that it has.', passes: true }],
  ['ENOTFOUND', { reason: 'there is no such host. Set HOST to an address of this machine.' }],
]);

/** Turns the error of a server that can't listen into one that names the setting to change. */
export function refusedPlace(
  { host, port }: { host: string; port: number },
  setting: 'PORT' | 'METRICS_PORT' = 'PORT',
): (error: unknown) => never {
  return (cause) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const refusal = REFUSALS.get(code);
    if (refusal === undefined) throw cause;
    const problem = `${setting} ${port} on HOST ${host} isn't available: ${refusal.reason}`;
    throw refusal.passes ? new AddressUnavailableError(problem) : new ConfigError([problem], { cause });
  };
}
