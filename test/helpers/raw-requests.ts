import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { seededRandom } from './seeded-random.ts';

/** Ends the test with a failure when anything was thrown outside of every boundary while it ran. */
export function expectNothingUncaught(): void {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtExceptionMonitor', note);
  process.on('unhandledRejection', note);
  onTestFinished(() => {
    process.off('uncaughtExceptionMonitor', note);
    process.off('unhandledRejection', note);
    expect(uncaught).toEqual([]);
  });
}

/** A TCP connection to a server on loopback that takes whatever becomes of it. */
export function openSocket(url: string): Socket {
  const { port } = new URL(url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

/** Sends the bytes and the end of the stream. Resolves with the answer once the server has closed the connection. */
export function sendBytes(url: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = openSocket(url);
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('close', () => resolve(answer));
    socket.end(bytes);
  });
}

/** Sends the bytes, and resets the connection (RST) as soon as the first of the answer is there. */
export function sendAndReset(url: string, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = openSocket(url);
    socket.on('close', () => resolve());
    socket.once('data', () => socket.resetAndDestroy());
    socket.write(bytes);
  });
}

/** The time that a server waits for a whole request, as Node's own server enforces it: milliseconds, 0 for ever. */
export async function requestTimeoutOf(url: string): Promise<number> {
  let timeoutMs = Number.NaN;
  const note = (message: unknown) => {
    const { server } = message as { server: Server };
    timeoutMs = server.requestTimeout;
  };
  subscribe('http.server.request.start', note);
  await fetch(url).finally(() => unsubscribe('http.server.request.start', note));
  return timeoutMs;
}

export const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
export const WEBSOCKET_KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** Targets of requests that programs other than browsers can send. */
export const HOSTILE_TARGETS = [
  '//',
  '///',
  'http://[',
  'http://',
  '//[',
  '*',
  '/%',
  '/%zz',
  '/%00',
  '/%c0%af',
  '/gateway/%',
  '/gateway?%',
  '/gateway//',
  '/gateway?v=11',
  '/gateway?encoding=etf',
  '/../../etc/passwd',
  '/api/v10/channels/%/messages',
  '/2/%',
  '/feed/%ff',
  '/photos/%.svg',
  '?',
  '#',
  `/${'a'.repeat(8000)}`,
  `/?${'a=b&'.repeat(2000)}`,
];

const PARTS = {
  method: ['GET', 'POST', 'OPTIONS', 'CONNECT', 'PRI', 'get', 'X'],
  target: [...HOSTILE_TARGETS, '/', '/gateway', '/page/state', '/page/commands', '/healthz', '/feed/Electronics'],
  header: [
    'Host: 127.0.0.1',
    'Host: [',
    'Host: evil.example',
    'Host:',
    'Origin: http://evil.example',
    'Origin: null',
    'Connection: close',
    'Connection: upgrade, close',
    'Upgrade: websocket',
    'Upgrade: h2c',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Version: 99',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Key: x',
    'Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=1000',
    'Sec-WebSocket-Protocol: ,',
    'Content-Type: application/json',
    'Content-Type: multipart/form-data; boundary=',
    'Content-Type: ;;;',
    'Content-Length: 2',
    'Content-Length: -1',
    'Content-Length: 99999999999999999999',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, identity',
    'Expect: 100-continue',
    'Expect: something',
    'Accept-Encoding: gzip;q=x',
    'If-None-Match: "',
    'Range: bytes=-',
    ' folded: line',
    'No colon',
    '\u0000: \u0000',
  ],
  body: ['', '{}', '{"', '[[[[', 'zz\r\n', '5\r\nhello\r\n0\r\n\r\n', '\u0081\u00ff\u0000', '\u0000\u0000'],
};

/** Requests put together at random from what servers stumble over, the same for the same seed. */
export function randomRequests(seed: number, count: number): Buffer[] {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  return Array.from({ length: count }, () => {
    const headers = Array.from({ length: Math.floor(random() * 9) }, () => pick(PARTS.header));
    if (random() < 0.8) headers.unshift('Host: 127.0.0.1');
    const request = `${pick(PARTS.method)} ${pick(PARTS.target)} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${pick(PARTS.body)}`;
    return Buffer.from(random() < 0.1 ? request.slice(0, Math.floor(random() * request.length)) : request, 'latin1');
  });
}
