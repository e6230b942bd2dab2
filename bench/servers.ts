import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type ServerKind = 'catalog-service' | 'large-feeds' | 'fastify' | 'fastify-empty' | 'json-server';

/** Asks a child what it has done so far. */
export type ChildRequest = 'usage';

export interface ChildUsage {
  /** Processor time. */
  cpuMicroseconds: number;
  /** Answers of feeds; 0 of a server that isn't the catalog's. */
  feedsServed: number;
}

export interface ChildServer {
  origin: string;
  /** Processor time that it has used so far. */
  cpuMicroseconds(): Promise<number>;
  /** The answers of feeds that it has sent so far. */
  feedsServed(): Promise<number>;
  stop(): void;
}

/** Starts a server in a process of its own. */
export async function startServer(kind: ServerKind, argument: string): Promise<ChildServer> {
  const child = fork(fileURLToPath(new URL('./child-server.js', import.meta.url)), [kind, argument]);
  const exited = once(child, 'exit').then(() => {
    throw new Error(`The server to measure, ${kind}, has ended; what it wrote above says why.`);
  });
  exited.catch(() => undefined);
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve);
      exited.catch(reject);
    });

  const { origin } = (await answer()) as { origin: string };
  const usage = async () => {
    child.send('usage' satisfies ChildRequest);
    return (await answer()) as ChildUsage;
  };
  return {
    origin,
    cpuMicroseconds: async () => (await usage()).cpuMicroseconds,
    feedsServed: async () => (await usage()).feedsServed,
    stop: () => child.disconnect(),
  };
}
