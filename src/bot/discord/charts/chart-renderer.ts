import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../shared/clock.ts';

/** Makes pictures of charts. */
export interface ChartRenderer {
  /**
   * A PNG of an SVG. Rejects where it can't be made: the library has no program for this platform, or it takes too long.
   */
  render(svg: string): Promise<Buffer>;
  stop(): Promise<void>;
}

/** Pictures of some 20 kB each. */
const MOST_CACHED = 100;
/** A picture takes 50 ms. */
const TIMEOUT_MS = 5_000;
/** The most pictures that wait; those beyond are not made. */
const MOST_WAITING = 50;

const FONT = '@expo-google-fonts/questrial/400Regular/Questrial_400Regular.ttf';

/** Plain JavaScript in a string, since a worker's file would have to be found from sources and from builds. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const { Resvg } = require(workerData.library);
const font = { loadSystemFonts: false, fontFiles: [workerData.font], defaultFontFamily: 'Questrial' };
parentPort.on('message', ({ id, svg }) => {
  try {
    parentPort.postMessage({ id, png: new Resvg(svg, { font }).render().asPng() });
  } catch (error) {
    parentPort.postMessage({ id, problem: String(error) });
  }
});
`;

interface Waiting {
  resolve(png: Buffer): void;
  reject(error: Error): void;
}

/**
 * Draws in a thread of its own, which the first picture starts: drawing takes some 40 ms, in which nothing else would be
 * answered. Equal pictures are made once.
 */
export function createChartRenderer(clock: Pick<Clock, 'after'>): ChartRenderer {
  const cache = new LRUCache<string, Promise<Buffer>>({ max: MOST_CACHED });
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let lastId = 0;

  function end(error: Error): void {
    worker = null;
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
  }

  function start(): Worker {
    const { resolve } = createRequire(import.meta.url);
    const workerData = { library: resolve('@resvg/resvg-js'), font: resolve(FONT) };
    const started = new Worker(WORKER, { eval: true, workerData });
    // A thread that waits for work does not keep the process alive.
    started.unref();
    started.on('message', ({ id, png, problem }: { id: number; png?: Uint8Array; problem?: string }) => {
      const one = waiting.get(id);
      waiting.delete(id);
      if (png) one?.resolve(Buffer.from(png));
      else one?.reject(new Error(problem));
    });
    started.on('error', (error: unknown) => end(error instanceof Error ? error : new Error(String(error))));
    started.on('exit', () => {
      if (worker === started) end(new Error('The thread that draws pictures ended.'));
    });
    return started;
  }

  async function draw(svg: string): Promise<Buffer> {
    if (waiting.size >= MOST_WAITING) throw new Error('Too many pictures are being made.');
    worker ??= start();
    lastId += 1;
    const id = lastId;
    const drawn = new Promise<Buffer>((resolve, reject) => waiting.set(id, { resolve, reject }));
    const callOff = clock.after(TIMEOUT_MS, () => {
      const stuck = worker;
      // It may never come back: the next picture gets another thread.
      end(new Error('A picture took too long.'));
      void stuck?.terminate();
    });
    worker.postMessage({ id, svg });
    return drawn.finally(callOff);
  }

  return {
    async render(svg) {
      const known = cache.get(svg);
      if (known) return known;
      const drawn = draw(svg);
      cache.set(svg, drawn);
      // A failure is not kept.
      drawn.catch(() => cache.delete(svg));
      return drawn;
    },
    async stop() {
      await worker?.terminate();
    },
  };
}
