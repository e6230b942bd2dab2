import { loadavg } from 'node:os';
import { reportOf } from './child-report.ts';
import type { StartReport } from './child-start.ts';
import { formatCount, type Section } from './measure.ts';
import { onEachBackend } from './states.ts';

const MANY = 100_000;
const SERVERS = 10_000;
const TIMES = 3;
const MOST_SECONDS = 3;

/** How long a start with many subscriptions takes until all are in the filter index, and the memory that they need. */
export async function benchStart(): Promise<Section[]> {
  const reports: (StartReport & { backend: string })[] = [];
  for (const { backend, url, settle, remove } of onEachBackend()) {
    try {
      await reportOf('./child-start.js', 'fill', url, String(MANY), String(MANY / SERVERS));
      await settle();
      reports.push({ backend, ...(await middleOf(url)) });
    } finally {
      await remove();
    }
  }
  const [load = Number.NaN] = loadavg();
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const mebibytes = (bytes: number) => formatCount(bytes / 2 ** 20);
  return [
    {
      title: `Start: ${formatCount(MANY)} subscriptions`,
      how: `\`npm run bench -- start\`. A process of its own opens the state, reads ${formatCount(MANY)} subscriptions of ${formatCount(SERVERS)} servers, and indexes their filters, of which a third are different. PostgreSQL has been vacuumed before. Of ${TIMES} times each, the one of the middle. The machine’s load was ${load.toFixed(1)}. Processor time is that of the process with all its threads, without the database’s. In use is what is left of the JavaScript heap after a collection.`,
      head: ['', 'seconds', 'of them reading', 'processor time, s', 'in use, MiB', 'resident at the most, MiB'],
      rows: reports.map(({ backend, openMs, indexMs, cpuMs, heapBytes, peakBytes }) => [
        backend,
        seconds(openMs + indexMs),
        seconds(openMs),
        seconds(cpuMs),
        mebibytes(heapBytes),
        mebibytes(peakBytes),
      ]),
      claims: reports.flatMap(({ backend, openMs, indexMs, peakBytes }) => [
        {
          promise: `${backend}: a start takes at most ${MOST_SECONDS} s`,
          measured: `${seconds(openMs + indexMs)} s`,
          isKept: openMs + indexMs <= MOST_SECONDS * 1000,
          reason: 'Reading the rows’ JSON and collecting garbage take longest.',
        },
        {
          promise: `${backend}: they fit in 1 GiB`,
          measured: `${mebibytes(peakBytes)} MiB at the most`,
          isKept: peakBytes <= 2 ** 30,
          reason: 'The rest is garbage that V8 has not collected by then.',
        },
      ]),
    },
  ];
}

/** The report of the middle one of some runs, by the time that it took. */
async function middleOf(url: string): Promise<StartReport> {
  const reports: StartReport[] = [];
  for (let time = 0; time < TIMES; time += 1) reports.push(await reportOf('./child-start.js', 'start', url));
  reports.sort((a, b) => a.openMs + a.indexMs - b.openMs - b.indexMs);
  const middle = reports[Math.floor(TIMES / 2)];
  if (!middle) throw new Error('There was no run.');
  return middle;
}
