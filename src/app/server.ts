import fastify, { type FastifyPluginAsync } from 'fastify';
import { ConfigError } from '../shared/errors.ts';
import { escapeHtml } from '../shared/html.ts';
import { MINUTE_MS } from '../shared/time.ts';
import { currentHealth, type Health, type HealthSource, healthRoutes } from './health.ts';

/**
 * Time within which a request must arrive whole, in milliseconds, so that slow clients don't keep connections open. Node
 * checks every 30 s, answers a late request with 408 and closes its connection.
 */
export const REQUEST_TIMEOUT_MS = MINUTE_MS;

export interface OpsServer {
  /** Resolves with the listening address. */
  start(): Promise<string>;
  stop(): Promise<void>;
}

/** Serves the bot's health checks, a page that shows them, and what features serve beside them. */
export function createOpsServer(options: {
  host: string;
  port: number;
  source: HealthSource;
  routes?: readonly FastifyPluginAsync[];
}): OpsServer {
  const server = fastify({ forceCloseConnections: true, requestTimeout: REQUEST_TIMEOUT_MS });
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
<style>
  body { font: 1.1rem/1.6 system-ui, sans-serif; margin: 3rem auto; max-width: 30rem; padding: 0 1rem; }
  dt { color: #667; } dd { margin: 0 0 1rem; font-weight: 600; }
</style>
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

/** The reasons why a server can't listen, by error code, in terms of the settings. */
const REFUSALS = new Map([
  ['EADDRINUSE', 'something else listens there already. Set another one.'],
  ['EACCES', 'this user may not listen there. Set one above 1023.'],
  ['EADDRNOTAVAIL', 'this machine has no such address. Set HOST to one that it has.'],
  ['ENOTFOUND', 'there is no such host. Set HOST to an address of this machine.'],
]);

/** Turns the error of a server that can't listen into one that names the setting to change. */
export function refusedPlace(
  { host, port }: { host: string; port: number },
  setting: 'PORT' | 'METRICS_PORT' = 'PORT',
): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REFUSALS.get(code);
    if (reason === undefined) throw error;
    throw new ConfigError([`${setting} ${port} on HOST ${host} isn't available: ${reason}`], { cause: error });
  };
}
