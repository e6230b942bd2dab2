import { setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type { Clock } from '../../shared/clock.ts';

/** Makes pictures. */
export interface PictureRenderer {
  /**
   * A PNG of an SVG, drawn when those before it are. Rejects where it can't be made: the library has no program for this
   * platform, or drawing it takes too long.
   */
  render(svg: string): Promise<Buffer>;
  stop(): Promise<void>;
}

/** Pictures of some 20 kB each. */
const MOST_CACHED = 100;
/** Drawing a picture takes 50 ms, and the first one starts the thread. */
const TIMEOUT_MS = 5_000;
/** The most pictures that wait; those beyond are not made. */
const MOST_WAITING = 50;

/**
 * Plain JavaScript in a string, since a worker's file would have to be found from sources and from builds. It finds the
 * library itself, which takes milliseconds.
 */
const WORKER = `
const { createRequire } = require('node:module');
const { parentPort, workerData } = require('node:worker_threads');
const here = createRequire(workerData);
const { Resvg } = here('@resvg/resvg-js');
const fontFile = here.resolve('@expo-google-fonts/questrial/400Regular/Questrial_400Regular.ttf');
const font = { loadSystemFonts: false, fontFiles: [fontFile], defaultFontFamily: 'Questrial' };
parentPort.on('message', (svg) => {
  try {
    parentPort.postMessage({ png: new Resvg(svg, { font }).render().asPng() });
  } catch (error) {
    parentPort.postMessage({ problem: String(error) });
  }
});
`;

interface Drawing {
  resolve(png: Buffer): void;
  reject(error: Error): void;
}

/**
 * Draws in a thread of its own, which the first picture starts: drawing takes some 40 ms, in which nothing else would be
 * answered. Equal pictures are made once.
 */
export function createPictureRenderer(clock: Pick<Clock, 'after'>): PictureRenderer {
  const cache = new LRUCache<string, Promise<Buffer>>({ max: MOST_CACHED });
  const queue = new PQueue({ concurrency: 1 });
  const stopping = new AbortController();
  // Each picture that waits listens to it, and Node warns of more than ten.
  setMaxListeners(MOST_WAITING, stopping.signal);
  let worker: Worker | null = null;
  let drawing: Drawing | null = null;

  /** Gives the picture and the thread up: the next picture gets another one. */
  function fail(error: Error): void {
    drawing?.reject(error);
    const stuck = worker;
    worker = null;
    void stuck?.terminate();
  }

  function start(): Worker {
    const started = new Worker(WORKER, { eval: true, workerData: import.meta.url });
    // A thread that waits for work does not keep the process alive.
    started.unref();
    started.on('message', ({ png, problem }: { png?: Uint8Array; problem?: string }) => {
      if (png) drawing?.resolve(Buffer.from(png));
      else drawing?.reject(new Error(problem));
    });
    started.on('error', (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))));
    started.on('exit', () => {
      if (worker === started) fail(new Error('The thread that draws pictures ended.'));
    });
    return started;
  }

  async function draw(svg: string): Promise<Buffer> {
    worker ??= start();
    const drawn = new Promise<Buffer>((resolve, reject) => {
      drawing = { resolve, reject };
    });
    const callOff = clock.after(TIMEOUT_MS, () => fail(new Error('A picture took too long.')));
    worker.postMessage(svg);
    return drawn.finally(callOff);
  }

  return {
    async render(svg) {
      const known = cache.get(svg);
      if (known) return known;
      if (queue.size + queue.pending >= MOST_WAITING) throw new Error('Too many pictures are being made.');
      const drawn = queue.add(() => draw(svg), { signal: stopping.signal });
      cache.set(svg, drawn);
      // A failure is not kept.
      drawn.catch(() => cache.delete(svg));
      return drawn;
    },
    async stop() {
      stopping.abort(new Error('The bot stops.'));
      await worker?.terminate();
    },
  };
}
