import type { GatewaySchema } from './gateway-schema.ts';

/** The notification of a change in the state. */
export const STATE_CHANGED = 'state';
/** The latest changes that are kept. A process that has missed more reads the state anew. */
const KEPT_CHANGES = 5_000;
const SERVER = 'pg_postmaster_start_time()::text';

/** The rows that one statement has written or deleted. */
export interface RowChange {
  table: string;
  keys: readonly string[];
}

/** A place in the changes. */
export interface ChangePosition {
  /** Each change has the number after the former one's. */
  number: number;
  /** When the database began to run. Another one may have the same numbers: one that was restored, or stands in. */
  server: string;
}

/** Which rows of the state have changed, numbered without a gap, so that another process can keep a copy of them. */
export interface ChangeFeed {
  /**
   * Makes the database number each change of these tables, whoever makes it, in the transaction of the change. Only the
   * process that leads calls it.
   */
  follow(tables: readonly string[]): Promise<void>;
  /** Begins to listen; `onStateChange` is then called after each change, though now and then one is missed. */
  listen(): Promise<void>;
  /** The position of the latest change; null where no process has led that has changes numbered. */
  latest(): Promise<ChangePosition | null>;
  /** The changes after that one, in order; null where some are not kept any more, or the database is not the same. */
  since(position: ChangePosition): Promise<readonly RowChange[] | null>;
}

/** @param gateway with the schema of the state, whose rows change */
export function createChangeFeed({
  schema,
  stateSchema,
  query,
  prepare,
}: Pick<GatewaySchema, 'schema' | 'query' | 'prepare'> & { stateSchema: string }): ChangeFeed {
  return {
    async follow(tables) {
      await query(`
        SELECT pg_advisory_xact_lock(hashtextextended('dealbell tables', 0));
        ${tables.map((table) => triggersOf(`${stateSchema}.${table}`, schema)).join('\n')}
        INSERT INTO ${schema}.latest_change (position) SELECT 0 WHERE NOT EXISTS (SELECT FROM ${schema}.latest_change);`);
    },

    listen: () => prepare(`LISTEN "${schema}"`),

    async latest() {
      const [row] = await query(`SELECT position, ${SERVER} AS server FROM ${schema}.latest_change`);
      return row ? { number: Number(row['position']), server: String(row['server']) } : null;
    },

    async since({ number, server }) {
      const rows = await query(
        `SELECT latest.position AS latest, ${SERVER} AS server, change.table_name, change.keys
         FROM ${schema}.latest_change AS latest LEFT JOIN ${schema}.changes AS change ON change.position > $1
         ORDER BY change.position`,
        [number],
      );
      const [first] = rows;
      if (first?.['server'] !== server) return null;
      const changes = rows
        .filter((row) => row['table_name'] !== null)
        .map((row) => ({ table: String(row['table_name']), keys: row['keys'] as string[] }));
      return changes.length === Number(first['latest']) - number ? changes : null;
    },
  };
}

/** Creates what is missing. The changes may be lost with the database's memory: then they are not numbered on. */
export function changeTablesOf(schema: string): string {
  return `
    CREATE TABLE IF NOT EXISTS ${schema}.latest_change (position bigint NOT NULL);
    CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.changes (
      position bigint PRIMARY KEY, table_name text NOT NULL, keys text[] NOT NULL
    );
    CREATE OR REPLACE FUNCTION ${schema}.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE changed_keys text[] := (SELECT array_agg(key) FROM changed); latest bigint;
      BEGIN
        IF changed_keys IS NULL THEN RETURN NULL; END IF;
        UPDATE ${schema}.latest_change SET position = position + 1 RETURNING position INTO latest;
        IF latest IS NULL THEN RETURN NULL; END IF;
        INSERT INTO ${schema}.changes VALUES (latest, TG_TABLE_NAME, changed_keys);
        DELETE FROM ${schema}.changes WHERE position <= latest - ${KEPT_CHANGES};
        PERFORM pg_notify('${schema}', '${STATE_CHANGED}');
        RETURN NULL;
      END $$;`;
}

/** One trigger for each kind of statement, as PostgreSQL wants it of those that see all changed rows. */
function triggersOf(table: string, schema: string): string {
  return (['INSERT', 'UPDATE', 'DELETE'] as const)
    .map((statement) => {
      const rows = statement === 'DELETE' ? 'OLD' : 'NEW';
      return `CREATE OR REPLACE TRIGGER note_${statement.toLowerCase()} AFTER ${statement} ON ${table}
        REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.note_change();`;
    })
    .join('\n');
}
