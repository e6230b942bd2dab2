import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Play = (request: SeenRequest, response: ServerResponse) => void;

/** A catalog that plays what a test tells it, over a real socket. */
export interface ScriptedCatalog {
  url: string;
  seen: SeenRequest[];
  /** Sets what is played from now on. */
  play(play: Play): void;
  /** Resolves once that many requests have come in all. */
  untilSeen(count: number): Promise<void>;
}

export async function startScriptedCatalog(play: Play): Promise<ScriptedCatalog> {
  const seen: SeenRequest[] = [];
  const watchers = new Set<() => void>();
  let current = play;
  const server = createServer((message, response) => {
    void read(message).then((request) => {
      seen.push(request);
      for (const watch of watchers) watch();
      current(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    play(next) {
      current = next;
    },
    untilSeen: (count) =>
      new Promise((resolve) => {
        const watch = () => {
          if (seen.length < count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
  };
}

/** An address at which nobody listens. */
export async function closedUrl(): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

/** Answers with JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Play {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

/** Plays each in turn, the last one for ever. */
export function inTurn(...plays: readonly Play[]): Play {
  let turn = 0;
  return (request, response) => {
    const play = plays[Math.min(turn, plays.length - 1)];
    turn += 1;
    play?.(request, response);
  };
}

async function read(message: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = new URL(message.url ?? '/', 'http://catalog.invalid');
  return {
    method: message.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: message.headers,
    body: Buffer.concat(chunks).toString(),
  };
}
