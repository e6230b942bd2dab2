import { subscribe } from 'node:diagnostics_channel';
import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * The file descriptor from which a run that stands still reads. Not the standard input: a library that imports all of
 * `node:process` touches that, and from then on it can't be read synchronously.
 */
export const GO_ON_FD = 3;

/** Counts the steps of a run. */
export interface Steps {
  counts(): { writes: number; calls: number };
}

/** The events that each copy of undici publishes about a request. */
interface RequestMessage {
  request: { method: string; path: string };
}

/** The statements that change a file of SQLite. */
const WRITE = /^\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|VACUUM|COMMIT)\b/i;

/** The actions at steps, counted from 1. */
interface Script {
  /** 0 for never. */
  killAt: number;
  /** The delay after that step. */
  killLaterMs: number;
  /** Several may be the same. */
  pauseAt: readonly number[];
  /** Called with the change of the bot's clock while it stands still: milliseconds, 0 for none. */
  setClock: (ms: number) => void;
}

/**
 * Counts the steps of this process from here on: each moment before and after a write to SQLite or an HTTP call.
 * At step `killAt` it names the step on its standard output and ends itself with SIGKILL. Where it is to pause it says so, and
 * stands still until a line comes on `GO_ON_FD` that says by how much its clock is set: whatever is to happen at that step has
 * happened then.
 */
export function watchSteps({ killAt, killLaterMs, pauseAt, setClock }: Script): Steps {
  let step = 0;
  const counts = { writes: 0, calls: 0 };

  function pass(when: 'before' | 'after', what: string): void {
    step += 1;
    for (const at of pauseAt) if (at === step) pause();
    if (step !== killAt) return;
    writeSync(1, `killed ${when} ${what}\n`);
    if (killLaterMs === 0) end();
    else setTimeout(end, killLaterMs);
  }

  const end = () => process.kill(process.pid, 'SIGKILL');

  function pause(): void {
    writeSync(1, 'paused\n');
    setClock(Number(readLine()));
  }

  const nameOf = (message: unknown) => {
    const { method, path } = (message as RequestMessage).request;
    // Keeps only the part of a path that names the resource, because keys and tokens stand behind it.
    return `${method} ${path.split('?')[0]?.split('/').slice(0, 6).join('/')}`;
  };
  subscribe('undici:request:create', (message) => {
    counts.calls += 1;
    pass('before', nameOf(message));
  });
  // The answer is here, and nobody has read it.
  subscribe('undici:request:trailers', (message) => pass('after', nameOf(message)));
  subscribe('undici:request:error', (message) => pass('after', nameOf(message)));

  watchWrites((what) => {
    counts.writes += 1;
    pass('before', what);
    return () => pass('after', what);
  });
  return { counts: () => counts };
}

/** A line of `GO_ON_FD`, until which nothing else goes on. */
function readLine(): string {
  const byte = Buffer.alloc(1);
  let line = '';
  while (readSync(GO_ON_FD, byte) > 0 && byte.toString() !== '\n') line += byte.toString();
  return line;
}

interface Sqlite {
  Database: { prototype: { all: (sql: string, ...rest: unknown[]) => unknown } };
}

/** Calls `before` with the beginning of each statement that writes, and what that returns when it is done. */
function watchWrites(before: (statement: string) => () => void): void {
  // The one that the store's adapter brings along.
  const { Database } = createRequire(import.meta.resolve('@keyv/sqlite'))('sqlite3') as Sqlite;
  const { all } = Database.prototype;
  Database.prototype.all = function watched(sql, ...rest) {
    if (!WRITE.test(sql)) return all.call(this, sql, ...rest);
    const after = before(sql.trim().split(/\s+/).slice(0, 3).join(' '));
    const done = rest.pop();
    const wrapped = (...result: unknown[]) => {
      after();
      if (typeof done === 'function') done(...result);
    };
    return all.call(this, sql, ...rest, wrapped);
  };
}
