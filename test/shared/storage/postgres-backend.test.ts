import { expect, onTestFinished, test } from 'vitest';
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
      refuseWrites: (table) =>
        runPostgres(
          stateUrl,
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
          `CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
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

test.runIf(hasPostgres)('a process that only reads is refused its writes, on later connections as well', async () => {
  const stateUrl = temporaryPostgres();
  const [leader, proxy] = [openBackend(stateUrl), await startTcpProxy(stateUrl)];
  onTestFinished(() => leader.close());
  onTestFinished(() => proxy.close());
  await leader.table<number>('offers').set('a', 1);
  const reader = openBackend(proxy.url, { isReadOnly: true });
  onTestFinished(() => reader.close());
  const offers = reader.table<number>('offers');
  expect(await offers.get('a')).toBe(1);
  await expect(offers.set('a', 2)).rejects.toThrow();
  proxy.set('closed');
  proxy.set('open');
  expect(await offers.get('a')).toBe(1);
  await expect(offers.delete('a')).rejects.toThrow();
  expect(await leader.table<number>('offers').get('a')).toBe(1);
});

test.runIf(hasPostgres)('a process that only reads has no writes to try again where the database is away', async () => {
  const stateUrl = temporaryPostgres();
  const [clock, proxy] = [new ManualClock(), await startTcpProxy(stateUrl)];
  onTestFinished(() => proxy.close());
  const reader = openBackend(proxy.url, { isReadOnly: true, networkClock: clock });
  onTestFinished(() => reader.close());
  proxy.set('closed');
  const reading = reader.table('offers').get('a');
  void letTimePass(clock);
  await expect(reading).rejects.toThrow();
  expect(reader.writeProblem()).toBeNull();
});
