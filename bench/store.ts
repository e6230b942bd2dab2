import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackend, type Table } from '../src/shared/storage/backend.ts';
import { formatCount, measure, ratioOf, type Section, spreadOf } from './measure.ts';

/** A delivery takes up about this much. */
const ROW = { text: 'x'.repeat(3_000) };
const ROUNDS = { warmUp: 2, counted: 10 };
const DELIVERIES = 50;
/** The promise may cost a delivery this much at most; Discord takes about one a second in a channel. */
const MOST_MS = 20;

/** Measures the cost of writes that survive a power cut and that happen only while the lease is held. */
export async function benchStore(): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const url = `sqlite://${join(folder, 'state.sqlite')}`;
  const open = openBackend(url);
  const leased = openBackend(url);
  await leased.lease.replace(undefined, '{"holder":"bench"}');
  await leased.lease.fence('bench');

  /** A delivery's three writes: into the outbox, into the ledger, out of the outbox. Milliseconds each. */
  const writing = (outbox: Table<object>, ledger: Table<object>) => async () => {
    const startMs = performance.now();
    for (let delivery = 0; delivery < DELIVERIES; delivery += 1) {
      await outbox.set(`d${delivery}`, ROW);
      await ledger.set(`d${delivery}`, { version: 2 });
      await outbox.delete(`d${delivery}`);
    }
    return (performance.now() - startMs) / DELIVERIES;
  };
  const pair = (backend: typeof open, name: string, isDurable: boolean) =>
    writing(
      backend.table<object>(`${name}_outbox`, { isDurable }),
      backend.table<object>(`${name}_ledger`, { isDurable }),
    );
  const samples = await measure(
    [
      { name: 'NORMAL', run: pair(open, 'normal', false) },
      { name: 'FULL', run: pair(open, 'full', true) },
      { name: 'FULL, leased', run: pair(leased, 'leased', true) },
    ],
    ROUNDS,
  );
  await open.close();
  await leased.close();
  rmSync(folder, { recursive: true });

  const medianOf = (name: string) => spreadOf(samples.get(name) ?? []).median;
  const costMs = medianOf('FULL, leased');
  return [
    {
      title: 'What the promise costs a delivery’s writes',
      how: `\`npm run bench -- store\`. ${formatCount(DELIVERIES)} deliveries of 3 kB one after another in ${ROUNDS.counted} rounds: each is put into the outbox, into the ledger, and out of the outbox. FULL waits for the disk at each write, so that a power cut takes none of them; leased writes look up in their own transaction whether the lease is held.`,
      head: ['writes', 'ms a delivery', 'times NORMAL'],
      rows: [...samples.keys()].map((name) => [
        name,
        medianOf(name).toFixed(2),
        ratioOf(samples, name, 'NORMAL').median.toFixed(2),
      ]),
      claims: [
        {
          promise: `a delivery’s writes take at most ${MOST_MS} ms, though they wait for the disk`,
          measured: `${costMs.toFixed(2)} ms`,
          isKept: costMs <= MOST_MS,
        },
      ],
    },
  ];
}
