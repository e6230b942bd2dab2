import { expect, onTestFinished, test } from 'vitest';
import { openBackend } from '../../../src/store/table/backend.ts';
import { LAST } from '../../../src/store/table/contract.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';
import { startTcpProxy } from '../../helpers/tcp-proxy.ts';
import { backendConformance } from './conformance.ts';

backendConformance(
  'postgres',
  async () => {
    const stateUrl = temporaryPostgres();
    const proxy = await startTcpProxy(stateUrl);
    onTestFinished(() => proxy.close());
    const clock = new ManualClock();
    return {
      backend: openBackend(proxy.url, { networkClock: clock }),
      reopen: () => openBackend(stateUrl),
      async breakOff() {
        proxy.set('closed');
        void letTimePass(clock);
      },
      refuseWrites: () =>
        runPostgres(
          stateUrl,
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
          `CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON state FOR EACH ROW EXECUTE FUNCTION refuse()`,
        ),
    };
  },
  hasPostgres,
);

/** Lets each pause between two tries to connect pass until the test ends. */
async function letTimePass(clock: ManualClock): Promise<void> {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!isOver) {
    await clock.untilSleeping((ms) => ms > 0 && ms <= 2_000);
    await clock.advance(2_000);
  }
}

test.runIf(hasPostgres)(
  'a process without the lease writes nothing to find out that the database is back',
  async () => {
    const stateUrl = temporaryPostgres();
    const proxy = await startTcpProxy(stateUrl);
    onTestFinished(() => proxy.close());
    const [clock, networkClock] = [new ManualClock(), new ManualClock()];
    const backend = openBackend(proxy.url, { clock, networkClock });
    onTestFinished(() => backend.close());
    expect(await backend.page('', LAST)).toEqual([]);
    await runPostgres(
      stateUrl,
      'CREATE TABLE written (key TEXT)',
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO written VALUES (COALESCE(NEW.key, OLD.key)); RETURN NULL; END $$`,
      'CREATE TRIGGER note AFTER INSERT OR DELETE ON state FOR EACH ROW EXECUTE FUNCTION note()',
    );
    proxy.set('closed');
    const reading = backend.lease.read();
    await networkClock.untilSleeping((ms) => ms > 0 && ms <= 2_000);
    expect(backend.writeProblem()).toBe('unreachable');
    proxy.set('open');
    await networkClock.advance(2_000);
    await reading;
    await clock.advance(5_000);
    await expect.poll(() => backend.writeProblem()).toBeNull();
    expect(await runPostgres(stateUrl, 'SELECT key FROM written')).toEqual([]);
  },
);
