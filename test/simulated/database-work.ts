import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';

type Method = (sql: string, ...rest: unknown[]) => unknown;

interface Sqlite {
  Database: { prototype: Record<'all' | 'run' | 'exec', Method> };
}

/** Turns of the event loop without any work in the database after which nothing follows from what was done. */
const CALM_TURNS = 5;

/**
 * Watches the statements that this process sends to SQLite from here on. The bot waits for nothing else that is real, so
 * when there are none it waits for the clock or for nothing: also where a channel is closed and its work is never done.
 */
export function watchDatabase(): { settled(): Promise<void> } {
  // The one that the store's adapter brings along.
  const { Database } = createRequire(import.meta.resolve('@keyv/sqlite'))('sqlite3') as Sqlite;
  let underWay = 0;
  for (const name of ['all', 'run', 'exec'] as const) {
    const method = Database.prototype[name];
    Database.prototype[name] = function watched(sql, ...rest) {
      const done = rest.pop();
      underWay += 1;
      return method.call(this, sql, ...rest, function counted(this: unknown, ...result: unknown[]) {
        underWay -= 1;
        if (typeof done === 'function') done.apply(this, result);
      });
    };
  }
  return {
    async settled() {
      for (let calm = 0; calm < CALM_TURNS; calm = underWay === 0 ? calm + 1 : 0) await setImmediate();
    },
  };
}
