import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type ServerKind = 'catalog-service' | 'large-feeds' | 'fastify' | 'fastify-empty' | 'json-server';

/** Asks a child for the processor time that it has used so far. */
export type ChildRequest = 'cpu';

export interface ChildServer {
  origin: string;
  /** Processor time that it has used so far. */
  cpuMicroseconds(): Promise<number>;
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
  return {
    origin,
    async cpuMicroseconds() {
      child.send('cpu' satisfies ChildRequest);
      const { cpuMicroseconds } = (await answer()) as { cpuMicroseconds: number };
      return cpuMicroseconds;
    },
    stop: () => child.disconnect(),
  };
}
