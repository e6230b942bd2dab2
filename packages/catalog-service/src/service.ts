import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { type CatalogContent, FEED_NAMES, jsonText } from './content.ts';
import type { Endpoint, Family } from './endpoint.ts';
import { type FaultSettings, Faults } from './faults.ts';
import { Limiter, type Limits } from './limits.ts';
import { describedAs, operationOf, preflightOf, registerDocs } from './openapi.ts';
import { PORTAL_ENDPOINTS } from './portal/endpoints.ts';
import { feedAnswer } from './portal/feed-page.ts';
import { forbidden, methodNotAllowed, notFound, Refusal } from './refusal.ts';
import { sendJson, sendRefusal } from './reply.ts';
import { v2Endpoints } from './v2/endpoints.ts';

/** Time within which a request must arrive whole, in milliseconds; a late one is answered with 408. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface CatalogServiceOptions {
  host: string;
  /** The port to listen on; 0 takes any free one. */
  port: number;
  /** The keys that both interfaces accept. */
  keys: readonly string[];
  clock: Clock;
  log: Logger;
  content: CatalogContent;
  /** The limits of each key, counted separately at each of the two interfaces. */
  limits: Limits;
  faults?: FaultSettings;
  /** The origin in links to pictures, where others than this service serve them. */
  pictureOrigin?: () => string;
  /** Called with each answer that was sent whole: its path, and its JSON. */
  onServed?: (path: string, text: string) => void;
}

export interface CatalogService {
  /** Resolves with the origin, for example `http://127.0.0.1:4100`, once requests are answered. */
  start(): Promise<string>;
  /** Resolves once the port is free; connections that are still open are closed. */
  stop(): Promise<void>;
}

/** Headers of the answers to the three OPTIONS; the specification shows the headers' names and not their values. */
const PREFLIGHT_HEADERS = {
  'cache-control': 'public, max-age=600',
  'access-control-allow-headers': 'Accept, Content-Type, X-Api-Key',
};

/** Serves the catalog interface: v2 under `/2/`, the portal at `/feed`, `/getoffers` and `/offers`, on one origin. */
export function createCatalogService(options: CatalogServiceOptions): CatalogService {
  const { clock, content, log } = options;
  const limiters: Record<Family, Limiter> = { v2: new Limiter(options.limits), portal: new Limiter(options.limits) };
  const keys = new Set(options.keys);
  const faults = options.faults && new Faults(options.faults, clock);
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 500 },
  });
  let origin = '';
  const now = () => content.at(clock.now(), options.pictureOrigin?.() ?? origin);
  const sent = new WeakMap<FastifyRequest, string>();

  takeAnyBody(app);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/2/')) reply.header('access-control-allow-origin', '*');
  });
  app.addHook('onResponse', async (request, reply) => {
    const text = sent.get(request);
    if (text !== undefined && reply.statusCode === 200) options.onServed?.(pathOf(request), text);
  });
  const endpoints = [...v2Endpoints(content.siteDomain), ...PORTAL_ENDPOINTS];
  answerRefusals(app, log, endpoints);
  app.register(async (routes) => {
    await registerDocs(routes);
    for (const endpoint of endpoints) {
      const { family } = endpoint;
      routes.route({
        method: endpoint.method,
        url: endpoint.path,
        config: describedAs(() => operationOf(endpoint)),
        async onRequest(request) {
          const key = family === 'v2' ? queryKey(request) : request.headers['x-api-key'];
          if (typeof key !== 'string' || !keys.has(key)) throw forbidden();
          // A request counts from here on, whatever its answer is.
          limiters[family].admit(key, clock.now());
        },
        async handler(request, reply) {
          const answer = endpoint.handle(request, now());
          const text = typeof answer === 'string' ? answer : jsonText(answer);
          if (options.onServed) sent.set(request, text);
          return faults ? faults.send(request, reply, text) : sendJson(request, reply, text);
        },
      });
      if (family === 'portal') preflight(routes, endpoint);
    }
    routes.get('/openapi.json', async (request, reply) => sendJson(request, reply, jsonText(routes.swagger())));
    routes.get<{ Params: { name: string } }>('/photos/:name.svg', async (request, reply) => {
      const picture = content.picture?.(request.params.name);
      if (picture === undefined) throw notFound();
      return reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(picture);
    });
  });

  return {
    async start() {
      origin = await app.listen({ host: options.host, port: options.port });
      try {
        // The costliest answers and those requested first are made here, so that no request waits for them.
        const moment = now();
        for (const name of FEED_NAMES) feedAnswer(moment.feed(name), undefined);
      } catch (error) {
        await app.close();
        throw error;
      }
      return origin;
    },
    async stop() {
      await app.close();
    },
  };
}

/** Answers OPTIONS here, because @fastify/cors answers only browsers, and without the body of the specification. */
function preflight(app: FastifyInstance, endpoint: Endpoint): void {
  app.options(endpoint.path, { config: describedAs(() => preflightOf(endpoint)) }, async (request, reply) => {
    reply.headers({ ...PREFLIGHT_HEADERS, 'access-control-allow-methods': methodsOf(endpoint).join(', ') });
    return sendJson(request, reply, '{}');
  });
}

/** The methods by which an endpoint is asked. */
function methodsOf({ family, method }: Endpoint): string[] {
  return [...(method === 'GET' ? ['GET', 'HEAD'] : [method]), ...(family === 'portal' ? ['OPTIONS'] : [])];
}

function isAtPath({ path }: Endpoint, asked: string): boolean {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`).test(asked);
}

function answerRefusals(app: FastifyInstance, log: Logger, endpoints: readonly Endpoint[]): void {
  app.addHook('onResponse', async (request, reply) => {
    // The query is left out: it may hold a key.
    log.debug({ method: request.method, path: pathOf(request), status: reply.statusCode, ms: reply.elapsedTime });
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof Refusal) return sendRefusal(request, reply, error);
    if (isClientError(error)) return sendRefusal(request, reply, new Refusal(400, { message: error.message }));
    log.error({ err: error, method: request.method, url: pathOf(request) }, 'A request could not be answered');
    return sendRefusal(request, reply, new Refusal(500, { message: 'Internal server error' }));
  });
  app.setNotFoundHandler((request, reply) => {
    const there = endpoints.find((endpoint) => isAtPath(endpoint, pathOf(request)));
    const methods = there && methodsOf(there);
    const isOther = methods !== undefined && !methods.includes(request.method);
    return sendRefusal(request, reply, isOther ? methodNotAllowed(methods) : notFound());
  });
}

/** Reads the body of getoffers as JSON whatever its Content-Type is; a schema checks its content. */
function takeAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(String(body)));
    } catch {
      done(null, undefined);
    }
  });
}

function queryKey(request: FastifyRequest): unknown {
  const { query } = request;
  return typeof query === 'object' && query !== null && 'key' in query ? query.key : undefined;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

function isClientError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode < 500;
}
