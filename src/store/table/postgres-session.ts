import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import pg from 'pg';
import { type BackOff, backOffMs } from '../../shared/backoff.ts';
import { type Clock, silence, within } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Query } from './database.ts';
import { UNREACHABLE } from './failures.ts';

/** The longest time that the database works on one statement, by its own clock: milliseconds. */
const STATEMENT_MS = 10_000;
/** The longest time without an answer to a statement; after that the connection counts as lost: milliseconds. */
const ANSWER_MS = 12_000;
/**
 * The longest silence of the database while a connection comes about, which takes several round trips: after that it
 * counts as lost. Milliseconds.
 */
const SILENCE_MS = 5_000;
/** How long a statement waits for a database that can't be reached: milliseconds. */
const PATIENCE_MS = 15_000;
/** Interval between two lines of the log while the database can't be reached, in milliseconds. */
const TOLD_EVERY_MS = MINUTE_MS;
/** The pauses between two tries to connect: milliseconds. */
const BACK_OFF: BackOff = { firstMs: 100, factor: 2, longestMs: 2_000 };

/** How long the database waits for the end of a former connection: milliseconds. */
const END_WITHIN_MS = 5_000;
const END_OTHERS = `SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid()`;

interface Connection {
  client: pg.Client;
  /** Resolves when statements can run. */
  ready: Promise<unknown>;
}

type Row = Readonly<Record<string, unknown>>;

export interface SessionParts {
  /** Address of the database, with the password. */
  url: string;
  clock: Clock;
  log: Log;
  /** Called with true whenever the database can't be reached, and with false when it is again. */
  onAway: (isAway: boolean) => void;
  /** Whether statements now wait for the database for as long as it takes. Absent: they never do. */
  isPatient?: (() => boolean) | undefined;
}

/**
 * One connection to PostgreSQL, on which statements run one after another, in the order of calls. A connection that is
 * lost is made again, and the statement whose answer was lost with it is run again: each sets rows to what they are to
 * hold, so that running it twice does no harm. The former connection is ended in the database first, so that nothing
 * that is still on its way there comes after what is newer.
 */
export class PostgresSession {
  readonly #parts: SessionParts;
  /** By this name the database knows all connections of this session, and of no other. */
  readonly #name = `dealbell ${randomUUID()}`;
  readonly #statements = new PQueue({ concurrency: 1 });
  /** Statements that each new connection begins with. */
  readonly #preparations: string[] = [];
  #connection: Connection | null = null;
  readonly #closing = new AbortController();
  /** When the log last said that the database can't be reached, by the monotonic clock; null while it can. */
  #toldAtMs: number | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * Runs one statement; without values, it may be several, which are then one transaction. Rejects where the database
   * refuses it, or can't be reached within 15 seconds.
   */
  readonly query: Query = (sql, values) => {
    const sinceMs = this.#parts.clock.monotonicMs();
    return this.#statements.add(() => this.#persist(sql, values, sinceMs));
  };

  /** Runs statements now, and at the beginning of each later connection. */
  async prepare(sql: string): Promise<void> {
    this.#preparations.push(sql);
    await this.query(sql);
  }

  /** Ends the connection after the statement that runs now. What waits behind it rejects. */
  async close(): Promise<void> {
    this.#closing.abort(lost(new Error('this process has closed the connection')));
    await this.#statements.onIdle();
    // Asked for it, the database ends the session at once, and frees its lock.
    await this.#connection?.client.end().catch(() => undefined);
    this.#connection = null;
  }

  async #persist(sql: string, values: readonly unknown[] | undefined, sinceMs: number): Promise<Row[]> {
    const { clock, onAway, isPatient } = this.#parts;
    for (let failures = 1; ; failures += 1) {
      const pauseMs = backOffMs(failures, BACK_OFF);
      const isLate = isPatient?.() !== true && clock.monotonicMs() - sinceMs + pauseMs > PATIENCE_MS;
      try {
        // It has waited for all its time behind a statement that failed: it doesn't wait for another connection.
        if (isLate && failures === 1 && !this.#connection) throw lost(new Error('it was not reached in time'));
        const rows = await this.#send(await this.#connected(), sql, values);
        if (this.#toldAtMs !== null) onAway(false);
        this.#toldAtMs = null;
        return rows;
      } catch (error) {
        if (!isLost(error)) throw error;
        if (isLate || this.#closing.signal.aborted) throw error;
        this.#tellAway(error);
        onAway(true);
      }
      await clock.sleep(pauseMs, this.#closing.signal);
    }
  }

  #tellAway(error: Error): void {
    const { clock, log } = this.#parts;
    if (clock.monotonicMs() - (this.#toldAtMs ?? Number.NEGATIVE_INFINITY) < TOLD_EVERY_MS) return;
    this.#toldAtMs = clock.monotonicMs();
    log.warn({ err: error }, "waiting for the database: it can't be reached");
  }

  async #send(client: pg.Client, sql: string, values?: readonly unknown[]): Promise<Row[]> {
    try {
      return await within(this.#parts.clock, ANSWER_MS, send(client, sql, values));
    } catch (error) {
      if (isOfDatabase(error)) throw error;
      this.#drop(client);
      throw lost(error);
    }
  }

  /** The connection's client; the connection is made where there is none. */
  async #connected(): Promise<pg.Client> {
    this.#closing.signal.throwIfAborted();
    this.#connection ??= this.#connect();
    const { client, ready } = this.#connection;
    try {
      await ready;
      return client;
    } catch (error) {
      this.#drop(client);
      throw isOfDatabase(error) ? error : lost(error);
    }
  }

  #connect(): Connection {
    const client = new pg.Client({
      connectionString: this.#parts.url,
      application_name: this.#name,
      statement_timeout: STATEMENT_MS,
      keepAlive: true,
    });
    // Without a listener, the error of a connection that breaks while nothing runs would end the process.
    client.on('error', () => this.#drop(client));
    return { client, ready: this.#setUp(client) };
  }

  async #setUp(client: pg.Client): Promise<void> {
    const { clock } = this.#parts;
    await connect(client, clock);
    await within(clock, ANSWER_MS, send(client, END_OTHERS, [this.#name, END_WITHIN_MS]));
    for (const sql of this.#preparations) await within(clock, ANSWER_MS, send(client, sql));
  }

  /** Ends a connection without asking the database, which may not hear. */
  #drop(client: pg.Client): void {
    client.connection.stream.destroy();
    if (this.#connection?.client === client) this.#connection = null;
  }
}

/** Connects; rejects where the database is silent for too long. By a slow way to it, the whole may take far longer. */
async function connect(client: pg.Client, clock: Clock): Promise<void> {
  const { connection } = client;
  let callOff = (): void => undefined;
  let restart = (): void => undefined;
  const silent = new Promise<never>((_, reject) => {
    restart = () => {
      callOff();
      callOff = clock.after(SILENCE_MS, () => reject(silence(SILENCE_MS)));
    };
  });
  const startTls = () => {
    restart();
    connection.stream.once('secureConnect', restart);
  };
  restart();
  connection.on('connect', restart).on('sslconnect', startTls).on('message', restart);
  try {
    await Promise.race([client.connect(), silent]);
  } finally {
    connection.off('connect', restart).off('sslconnect', startTls).off('message', restart);
    callOff();
  }
}

async function send(client: pg.Client, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await client.query<Row>(sql, [...values])).rows;
}

/** Codes of the database that mean the end, or the want, of a connection. */
const CONNECTION_CODES = /^(08...|57P0[1-5]|53300)$/;

/** Whether the database itself has answered with the error, and can be asked further. */
function isOfDatabase(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !CONNECTION_CODES.test(error.code ?? '');
}

/** The error of a statement that got no answer. */
function lost(error: unknown): Error {
  if (isLost(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return Object.assign(new Error(reason, { cause: error }), { code: UNREACHABLE });
}

function isLost(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === UNREACHABLE;
}
