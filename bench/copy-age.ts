import { randomUUID } from 'node:crypto';
import { COPIED_TABLES, copyState } from '../src/app/state-copy.ts';
import { openStore } from '../src/bot/store/store.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { openBackend } from '../src/shared/storage/backend.ts';
import { openGatewayTables } from '../src/shared/storage/gateway-tables.ts';
import { runPostgres } from '../test/helpers/postgres.ts';
import { aSubscription } from '../test/helpers/things.ts';
import { elapsedMs, formatCount, type Section, spreadOf, spreadRows } from './measure.ts';

const SUBSCRIPTIONS = 10_000;
const CHANGES = 500;
/** A copy that was true longer ago answers nobody. */
const TRUE_FOR_MS = 5_000;

/**
 * How long after its change a row is in the copy of another process, which shares this one here.
 * @param database address of a PostgreSQL
 */
export async function benchCopyAge(database: string): Promise<Section> {
  const schema = `bench_${randomUUID().replaceAll('-', '')}`;
  const stateUrl = `${database}?schema=${schema}`;
  const store = await openStore(stateUrl);
  let notify: () => void = () => undefined;
  const tables = await openGatewayTables(stateUrl, {
    count: 1,
    holder: 'bench',
    log: createLog('silent'),
    onStateChange: () => notify(),
  });
  const backend = openBackend(stateUrl);
  try {
    await store.markSetUp();
    await store.openPublished();
    const all = Array.from({ length: SUBSCRIPTIONS }, (_, number) => aSubscription(String(number)));
    await store.subscriptions.apply(() => ({ saved: all, removed: [] }));
    await tables.changes.follow(COPIED_TABLES);
    await tables.changes.listen();
    const copy = await copyState(backend, tables.changes, systemClock);
    if (!copy) throw new Error('There is nothing to be copied.');
    const changed: number[] = [];
    const writes: number[] = [];
    for (let count = 0; count < CHANGES; count += 1) {
      const filter = `price<${count}`;
      const isShown = new Promise<void>((resolve) => {
        notify = () => void copy.update().then(() => copy.subscriptions.get('0')?.filter === filter && resolve());
      });
      const save = () => store.subscriptions.save(aSubscription('0', { filter }));
      changed.push(
        await elapsedMs(async () => {
          writes.push(await elapsedMs(save));
          await isShown;
        }),
      );
    }
    return section(writes, changed);
  } finally {
    await tables.close();
    await backend.close();
    await store.close();
    await runPostgres(stateUrl, `DROP SCHEMA IF EXISTS ${schema}, ${schema}_gateway CASCADE`);
  }
}

function section(writes: readonly number[], changed: readonly number[]): Section {
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  const { max } = spreadOf(changed);
  return {
    title: 'Copies: how old what other processes show may be',
    how: `\`npm run bench -- shards\`. One of ${formatCount(SUBSCRIPTIONS)} subscriptions is changed ${CHANGES} times on PostgreSQL; another session is notified and reads it. Times from the beginning of each change.`,
    head: ['', 'median', 'min', 'max'],
    rows: spreadRows(
      new Map([
        ['saved', writes],
        ['in the copy', changed],
      ]),
      ms,
    ),
    claims: [
      {
        promise: `A copy answers with nothing older than ${TRUE_FOR_MS / 1_000} seconds`,
        measured: `${ms(max)} at the most`,
        isKept: max <= TRUE_FOR_MS,
      },
    ],
  };
}
