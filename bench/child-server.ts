import Fastify from 'fastify';
import jsonServer from 'json-server';
import {
  type CatalogContent,
  createCatalogService,
  createSimulator,
  FEED_NAMES,
} from '../packages/catalog-service/src/index.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { withLargeFeeds } from './large-feeds.ts';
import { KEY, UNLIMITED } from './limits.ts';
import type { ChildRequest, ChildUsage, ServerKind } from './servers.ts';

/** The ways to serve, each of which resolves with its origin. */
const SERVERS: Record<ServerKind, (argument: string) => Promise<string>> = {
  /** @param offers how many */
  'catalog-service': (offers) => catalogService(simulated(offers)),

  /** @param offers how many, besides those of the large feeds */
  'large-feeds': (offers) => catalogService(withLargeFeeds(simulated(offers))),

  /** @param url every path is answered with what is there */
  fastify: async (url) => bareFastify(await fetchText(url)),

  'fastify-empty': () => bareFastify('[]'),

  /** @param origin of a catalog service, whose feeds become the resources */
  'json-server': async (origin) => {
    const feeds: Record<string, unknown> = {};
    for (const name of FEED_NAMES) {
      const page = JSON.parse(await fetchText(`${origin}/feed/${name}`)) as { Items: unknown };
      feeds[name] = page.Items;
    }
    const app = jsonServer.create();
    app.use(jsonServer.defaults({ logger: false }));
    app.use(jsonServer.router(feeds));
    return new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => {
        const address = server.address();
        if (typeof address === 'object' && address) resolve(`http://127.0.0.1:${address.port}`);
      });
    });
  },
};

let feedsServed = 0;

function simulated(offers: string): CatalogContent {
  return createSimulator({ seed: 'bench', offers: Number(offers), pace: 'store' });
}

function catalogService(content: CatalogContent): Promise<string> {
  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [KEY],
    clock: systemClock,
    log: createLog('warn'),
    content,
    limits: UNLIMITED,
    onServed(path) {
      if (path.startsWith('/feed/')) feedsServed += 1;
    },
  });
  return service.start();
}

function bareFastify(text: string): Promise<string> {
  const app = Fastify({ logger: false });
  app.get('/*', async (_request, reply) => reply.type('application/json').send(text));
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { headers: { 'x-api-key': KEY } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return response.text();
}

const [kind, argument = ''] = process.argv.slice(2);
process.on('message', (_request: ChildRequest) => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system, feedsServed } satisfies ChildUsage);
});
process.once('disconnect', () => process.exit());
process.send?.({ origin: await SERVERS[kind as ServerKind](argument) });
