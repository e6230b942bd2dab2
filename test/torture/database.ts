import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../helpers/free-port.ts';

/** A PostgreSQL of the arena's own, which can be restarted. */
export interface Database {
  /** Address of a state in it. */
  stateUrl: string;
  /** Restarts it: `fast` ends all connections, `immediate` is as a power cut to it. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Runs a statement, however often the database is away meanwhile. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Begins an empty database cluster in a folder of its own. Needs PostgreSQL's programs, and its user where root asks. */
export async function startDatabase(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-postgres-'));
  const owner = ownerOf(folder);
  const port = await freePort();
  const stateUrl = `postgres://dealbell@127.0.0.1:${port}/postgres`;
  async function run(program: string, ...args: string[]): Promise<void> {
    const child = spawn(program, args, { ...owner, cwd: folder, stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}.`);
  }
  const data = join(folder, 'data');
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=50`;
  const control = (...args: string[]) =>
    run('pg_ctl', '-D', data, '-w', '-o', settings, '-l', join(folder, 'log'), ...args);
  await run('initdb', '-D', data, '-A', 'trust', '-U', 'dealbell', '--no-sync');
  await control('start');

  async function queryOnce(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: stateUrl });
    // The connection may end before it is used.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  return {
    stateUrl,
    restart: (mode) => control('restart', '-m', mode),
    async query(sql) {
      for (;;) {
        try {
          return await queryOnce(sql);
        } catch (error) {
          if (error instanceof pg.DatabaseError && !error.code?.startsWith('57')) throw error;
          await sleep(100);
        }
      }
    },
    async stop() {
      await control('stop', '-m', 'immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: there its own user gets the folder. */
function ownerOf(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  const owner = { uid: idOf('-u'), gid: idOf('-g') };
  chownSync(folder, owner.uid, owner.gid);
  return owner;
}
