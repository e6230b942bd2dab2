import type { LeaseRecord } from '../../src/shared/storage/lease.ts';
import type { Database } from './database.ts';

/** Tables of which the leader writes one at least with each thing that it does. */
const WATCHED = ['outbox', 'ledger', 'paces', 'posts', 'spending', 'resources', 'newest_messages'];

/** Who leads, as the database knows it. */
export interface Leaders {
  /** The process that holds the lease; null where none does. */
  current(): Promise<LeaseRecord | null>;
  /** A line for each two holders that wrote at the same time, by the database's clock. */
  overlaps(): Promise<string[]>;
  /** How many have written. */
  count(): Promise<number>;
}

/** Has the database write down when each holder wrote first and last. */
export async function watchLeaders(database: Database): Promise<Leaders> {
  await database.query(`
    CREATE TABLE public.holders (holder text PRIMARY KEY, first_at timestamptz, last_at timestamptz);
    CREATE FUNCTION public.remember() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF coalesce(current_setting('dealbell.holder', true), '') <> '' THEN
        INSERT INTO public.holders VALUES (current_setting('dealbell.holder'), clock_timestamp(), clock_timestamp())
          ON CONFLICT (holder) DO UPDATE SET last_at = clock_timestamp();
      END IF;
      RETURN NULL;
    END $$;
    ${WATCHED.map(
      (table) => `CREATE TRIGGER remember AFTER INSERT OR DELETE ON dealbell.${table}
        FOR EACH STATEMENT EXECUTE FUNCTION public.remember();`,
    ).join('\n')}`);
  return {
    async current() {
      const [row] = await database.query('SELECT value FROM dealbell.lease');
      const record = row ? (JSON.parse(row['value'] as string) as LeaseRecord) : null;
      return record?.holder ? record : null;
    },
    async overlaps() {
      const rows = await database.query(`
        SELECT one.holder AS one, other.holder AS other, one.last_at - other.first_at AS both
        FROM public.holders one JOIN public.holders other ON one.first_at < other.first_at AND one.last_at > other.first_at`);
      return rows.map((row) => `Two processes wrote at the same time: ${JSON.stringify(row)}`);
    },
    async count() {
      const [row] = await database.query('SELECT count(*)::int AS count FROM public.holders');
      return Number(row?.['count']);
    },
  };
}
