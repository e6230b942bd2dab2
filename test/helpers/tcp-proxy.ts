import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../src/shared/clock.ts';

/**
 * The treatment of the connections through a proxy: `open` passes everything on; `closed` ends all and takes none;
 * `silent` takes them and passes nothing on in either direction, as a network that has fallen apart.
 */
export type Passage = 'open' | 'closed' | 'silent';

/** Stands between a process and a server, such as its database, and makes their connection as bad as networks can be. */
export interface TcpProxy {
  /** The server's address by way of the proxy. */
  url: string;
  /** Sets what happens to the connections that there are and that come. Bytes held back while silent go on when open. */
  set(passage: Passage): void;
  /** Ends the connections that there are; others come about again. */
  cut(): void;
  /** Delays everything that passes by so many milliseconds. */
  delay(ms: number): void;
  /** Passes on so many bytes at a time, each after so many milliseconds. */
  trickle(bytes: number, ms: number): void;
  /** Sets what happens once so many more messages have come from the process, and resolves then. */
  setAfter(messages: number, passage: Passage): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param serverUrl where it passes everything on to; without a port, PostgreSQL's
 * @param host the address of this machine at which it listens
 * @param clock that of its delays
 */
export async function startTcpProxy(
  serverUrl: string,
  host = '127.0.0.1',
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<TcpProxy> {
  const behind = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let passage: Passage = 'open';
  let delayMs = 0;
  let trickling: { bytes: number; ms: number } | null = null;
  let countMessage = (): void => undefined;

  async function write(to: Socket, bytes: Buffer): Promise<void> {
    for (let at = 0; trickling && at < bytes.length; at += trickling.bytes) {
      await clock.sleep(trickling.ms);
      to.write(bytes.subarray(at, at + trickling.bytes));
    }
    if (!trickling) to.write(bytes);
  }

  function passOn(from: Socket, to: Socket): void {
    sockets.add(from);
    /** Resolves when all that came before has been passed on: nothing overtakes what is delayed. */
    let passed: Promise<unknown> = Promise.resolve();
    from.on('data', (bytes: Buffer) => {
      const isDelayed = delayMs > 0 ? clock.sleep(delayMs) : null;
      passed = Promise.all([passed, isDelayed]).then(() => write(to, bytes));
    });
    if (passage === 'silent') from.pause();
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  const server: Server = createServer((near) => {
    if (passage === 'closed') {
      near.destroy();
      return;
    }
    const far = connect(Number(behind.port || 5432), behind.hostname);
    near.on('data', () => countMessage());
    passOn(near, far);
    passOn(far, near);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(serverUrl);
  url.hostname = host;
  url.port = String(typeof address === 'object' ? address?.port : '');

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  function set(next: Passage): void {
    passage = next;
    if (next === 'closed') cut();
    for (const socket of sockets) socket[next === 'silent' ? 'pause' : 'resume']();
  }

  return {
    url: url.href,
    set,
    cut,
    delay(ms) {
      delayMs = ms;
    },
    trickle(bytes, ms) {
      trickling = { bytes, ms };
    },
    setAfter(messages, next) {
      let left = messages;
      return new Promise((resolve) => {
        countMessage = () => {
          left -= 1;
          if (left !== 0) return;
          set(next);
          resolve();
        };
      });
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
