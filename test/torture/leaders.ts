import type { LeaseRecord } from '../../src/store/table/lease.ts';
import type { Database } from './database.ts';

/** Who leads, as the database knows it. */
export interface Leaders {
  /** The process that holds the lease; null where none does. */
  current(): Promise<LeaseRecord | null>;
  /** A line for each two processes that wrote at the same time, by the database's clock. */
  overlaps(): Promise<string[]>;
  /** How many have written. */
  count(): Promise<number>;
}

/** Has the database write down when each process wrote first and last, the lease and what those say that stand by excepted. It knows them by their sessions' name. */
export async function watchLeaders(database: Database): Promise<Leaders> {
  await database.query(`
    CREATE TABLE public.holders (holder text PRIMARY KEY, first_at timestamptz, last_at timestamptz);
    CREATE FUNCTION public.remember() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.holders VALUES (current_setting('application_name'), clock_timestamp(), clock_timestamp())
        ON CONFLICT (holder) DO UPDATE SET last_at = clock_timestamp();
      RETURN NULL;
    END $$;
    CREATE TRIGGER remember_written AFTER INSERT OR UPDATE ON dealbell.state
      FOR EACH ROW WHEN (NEW.key NOT IN ('lease', 'standby')) EXECUTE FUNCTION public.remember();
    CREATE TRIGGER remember_deleted AFTER DELETE ON dealbell.state
      FOR EACH ROW EXECUTE FUNCTION public.remember();`);
  return {
    async current() {
      const [row] = await database.query("SELECT value FROM dealbell.state WHERE key = 'lease'");
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
