import fastify, { type FastifyPluginAsync } from 'fastify';
import { escapeHtml } from '../shared/html.ts';
import { REQUEST_TIMEOUT_MS } from '../shared/request-timeout.ts';
import { currentHealth, type Health, type HealthSource, healthRoutes } from './health.ts';

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
