import { loadavg } from 'node:os';
import { createLog } from '../src/shared/log.ts';
import { openBackend } from '../src/store/table/backend.ts';
import type { Kind } from '../src/store/table/kind.ts';
import { State } from '../src/store/table/state.ts';
import { formatCount, measure, ratioOf, type Section, spreadOf } from './measure.ts';
import { onDistantPostgres, onEachBackend, type StatePlace } from './states.ts';

/** A delivery takes up about this much. */
const ROW = { text: 'x'.repeat(3_000) };
const ROUNDS = { warmUp: 2, counted: 10 };
const DELIVERIES = 50;
/** The promise may cost a delivery this much at most; Discord takes about one a second in a channel. */
const MOST_MS = 20;
/** A database elsewhere in the same region: the way there and back. */
const DATABASE_AWAY_MS = 20;

const kindOf = (name: string): Kind<object> => ({ name, read: (row) => row ?? undefined });
const [DELIVERY, PACE, LEDGER, POST] = [kindOf('delivery'), kindOf('pace'), kindOf('ledger'), kindOf('post')];

/** A delivery's three commits: it is found, an attempt to post it begins, and it has been posted. */
async function deliver(state: State, number: number): Promise<void> {
  const id = `d${number}`;
  await state.commit((changes) => changes.set(DELIVERY, id, ROW));
  await state.commit((changes) => changes.set(PACE, id, { times: [] }));
  await state.commit((changes) => {
    changes.set(LEDGER, id, {});
    changes.set(POST, id, ROW);
    changes.delete(DELIVERY, id);
  });
}

/** Milliseconds each, of deliveries to one channel and to many. */
function contendersOf(name: string, state: State) {
  const numbers = Array.from({ length: DELIVERIES }, (_, index) => index);
  const timed = (work: () => Promise<unknown>) => async () => {
    const startMs = performance.now();
    await work();
    return (performance.now() - startMs) / DELIVERIES;
  };
  return [
    {
      name: `${name}, one after another`,
      run: timed(async () => {
        for (const number of numbers) await deliver(state, number);
      }),
    },
    { name: `${name}, at once`, run: timed(() => Promise.all(numbers.map((number) => deliver(state, number)))) },
  ];
}

async function measured(place: StatePlace) {
  const { backend: name, url } = place;
  const backend = openBackend(url);
  await backend.lease.replace(undefined, '{"holder":"bench"}');
  await backend.lease.fence('bench');
  try {
    return await measure(contendersOf(name, new State(backend, { log: createLog('warn') })), ROUNDS);
  } finally {
    await backend.close();
    await place.remove();
  }
}

/** Measures the cost of commits that survive a power cut and that happen only while the lease is held. */
export async function benchStore(): Promise<Section[]> {
  const samples = new Map<string, number[]>();
  for (const place of [...onEachBackend(), await onDistantPostgres(DATABASE_AWAY_MS)]) {
    for (const [name, spread] of await measured(place)) samples.set(name, spread);
  }
  const [load = Number.NaN] = loadavg();
  const medianOf = (name: string) => spreadOf(samples.get(name) ?? []).median;
  const names = [...samples.keys()];
  return [
    {
      title: 'What the promise costs a delivery’s commits',
      how: `\`npm run bench -- store\`. ${formatCount(DELIVERIES)} deliveries of 3 kB in ${ROUNDS.counted} rounds, of three commits each: it is found, an attempt to post it begins, it has been posted. A commit waits for the disk, so that a power cut takes none of it, and looks up in its own transaction whether the lease is held. Commits at once are written together. The machine’s load was ${load.toFixed(1)} at the end.`,
      head: ['commits', 'ms a delivery', 'times one after another'],
      rows: names.map((name) => [
        name,
        medianOf(name).toFixed(2),
        ratioOf(samples, name, name.replace('at once', 'one after another')).median.toFixed(2),
      ]),
      // One after another, a distant database takes three ways there and back.
      claims: names
        .filter((name) => name.endsWith('at once') || !name.includes('away'))
        .map((name) => ({
          promise: `${name}: a delivery’s commits take at most ${MOST_MS} ms`,
          measured: `${medianOf(name).toFixed(2)} ms`,
          isKept: medianOf(name) <= MOST_MS,
        })),
    },
  ];
}
