import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';

interface Database {
  filename: string;
  all: (sql: string, ...rest: unknown[]) => unknown;
}

/** A disk on which a state's file can be kept from growing. SQLite itself refuses the writes, with SQLITE_FULL. */
export interface Disk {
  /** Resolves when every write is refused that needs room. */
  fill(): Promise<void>;
  /** Resolves when none is any more. */
  makeRoom(): Promise<void>;
}

/** Knows every connection to that state that is opened from here on. @see https://www.sqlite.org/pragma.html#pragma_max_page_count */
export function aDisk(stateUrl: string): Disk {
  const file = stateUrl.slice('sqlite://'.length);
  // The one that the store's adapter brings along.
  const sqlite = createRequire(import.meta.resolve('@keyv/sqlite'))('sqlite3') as { Database: { prototype: Database } };
  const { prototype } = sqlite.Database;
  const { all } = prototype;
  const connections = new Set<Database>();
  let limit: number | null = null;
  prototype.all = function limited(sql, ...rest) {
    if (this.filename === file && !connections.has(this)) {
      connections.add(this);
      if (limit !== null) all.call(this, `PRAGMA max_page_count = ${limit}`);
    }
    return all.call(this, sql, ...rest);
  };
  onTestFinished(() => {
    prototype.all = all;
  });
  async function setLimit(pages: number): Promise<void> {
    limit = pages;
    // SQLite's driver runs what comes after beside it, until it has answered.
    const set = [...connections].map(
      (connection) => new Promise((resolve) => all.call(connection, `PRAGMA max_page_count = ${pages}`, resolve)),
    );
    await Promise.all(set);
  }
  // It is never set below what the file has already.
  return { fill: () => setLimit(1), makeRoom: () => setLimit(1_000_000) };
}
