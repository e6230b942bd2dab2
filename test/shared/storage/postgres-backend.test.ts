import { onTestFinished } from 'vitest';
import { openBackend } from '../../../src/shared/storage/backend.ts';
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
