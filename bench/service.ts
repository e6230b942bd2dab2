import { load } from './load.ts';
import {
  type Contender,
  elapsedMs,
  formatCount,
  measure,
  ratioOf,
  type Section,
  spreadOf,
  spreadRows,
} from './measure.ts';
import { type ChildServer, startServer } from './servers.ts';

const OFFERS = 12_400;
const CONNECTIONS = 32;
const ROUNDS = { warmUp: 2, counted: 9 };

const OURS = 'catalog service';
const BARE = 'bare Fastify, the same bytes';
const JSON_SERVER = 'json-server 0.17.4, the same data';

/** A feed page of 100 offers, asked for again and again. */
export async function benchService(): Promise<Section[]> {
  const servers: ChildServer[] = [];
  const start = async (...args: Parameters<typeof startServer>) => {
    const server = await startServer(...args);
    servers.push(server);
    return server;
  };
  try {
    const ours = await start('catalog-service', String(OFFERS));
    const oursUrl = `${ours.origin}/feed/Electronics?page=1`;
    const bare = await start('fastify', oursUrl);
    const jsonServer = await start('json-server', ours.origin);
    const jsonServerUrl = `${jsonServer.origin}/Electronics?_page=1&_limit=100`;
    const pageBytes = await load(oursUrl, { connections: 1, requests: 1 });

    const cpu = new Map<string, number[]>();
    const contender = (name: string, server: ChildServer, url: string, requests: number): Contender => ({
      name,
      async run() {
        const before = await server.cpuMicroseconds();
        const ms = await elapsedMs(() => load(url, { connections: CONNECTIONS, requests }));
        cpu.set(name, [...(cpu.get(name) ?? []), ((await server.cpuMicroseconds()) - before) / requests]);
        return requests / (ms / 1000);
      },
    });
    const samples = await measure(
      [
        contender(OURS, ours, oursUrl, 10_000),
        contender(BARE, bare, `${bare.origin}/feed/Electronics?page=1`, 10_000),
        contender(JSON_SERVER, jsonServer, jsonServerUrl, 500),
      ],
      ROUNDS,
    );
    const cpuOf = (name: string) => spreadOf(cpu.get(name)?.slice(ROUNDS.warmUp) ?? []).median;
    const toBare = ratioOf(samples, OURS, BARE);
    const toBareByCpu = cpuOf(BARE) / cpuOf(OURS);
    const toJsonServer = ratioOf(samples, OURS, JSON_SERVER);
    return [
      {
        title: 'Service: a feed page of 100 offers',
        how: `\`npm run bench -- service\`. ${formatCount(OFFERS)} offers, page 1 of Electronics (${formatCount(pageBytes)} bytes, not compressed), ${CONNECTIONS} connections kept alive; each server in a process of its own, the load in another, ${ROUNDS.counted} rounds in turns after ${ROUNDS.warmUp} to warm up. The load keeps a core of the two busy and is the limit for the two fast servers, so the processor time of the server alone is told as well.`,
        head: ['requests per second', 'median', 'min', 'max', 'processor time a request'],
        rows: spreadRows(samples, formatCount).map((row) => [...row, `${cpuOf(row[0]).toFixed(0)} µs`]),
        claims: [
          {
            promise: 'At least 0.7 of bare Fastify',
            measured: `${toBare.median.toFixed(2)} (${toBare.min.toFixed(2)} to ${toBare.max.toFixed(2)}), and ${toBareByCpu.toFixed(2)} by processor time`,
            isKept: Math.min(toBare.median, toBareByCpu) >= 0.7,
          },
          {
            promise: 'At least 5 times json-server',
            measured: `${toJsonServer.median.toFixed(1)} times (${toJsonServer.min.toFixed(1)} to ${toJsonServer.max.toFixed(1)})`,
            isKept: toJsonServer.median >= 5,
          },
        ],
      },
    ];
  } finally {
    for (const server of servers) server.stop();
  }
}
