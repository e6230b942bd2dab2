import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** The most bytes of lines that wait until they can be written. */
const MOST_WAITING = 1024 * 1024;
/** When a write that could not be made is tried again, in milliseconds. */
const AGAIN_AFTER_MS = 100;
/** How long the end of the process waits for a reader, in milliseconds. */
const LAST_WITHIN_MS = 1_000;
const LAST_AGAIN_AFTER_MS = 20;

/** The error of a write to a full pipe: libuv makes pipes and sockets of a process non-blocking. */
const FULL_PIPE = 'EAGAIN';
/** Errors after which the same write may work later. */
const PASSING = new Set([FULL_PIPE, 'EINTR', 'EBUSY', 'ENOBUFS', 'ENOSPC', 'EDQUOT']);

/**
 * Writes the lines of a log to a file descriptor, and never holds up the process: what can't be written waits, up to a
 * megabyte, and what comes beyond is dropped and counted. A reader that is gone ends the log, and nothing else.
 */
export class LogOutput implements DestinationStream {
  readonly #fd: number;
  readonly #onDropped: (lines: number) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param onDropped told how many lines were dropped, once those that waited are written */
  constructor(fd: number, onDropped: (lines: number) => void) {
    this.#fd = fd;
    this.#onDropped = onDropped;
  }

  write(line: string): void {
    if (this.#isOver) return;
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#timer === null) this.#writeWaiting();
  }

  /** Writes what waits, and waits for a reader for a second at most: the last thing that a process does. */
  end(): void {
    const untilMs = performance.now() + LAST_WITHIN_MS;
    while (this.#writeWaiting() === FULL_PIPE && performance.now() < untilMs) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_AGAIN_AFTER_MS);
    }
  }

  /** Writes as much of what waits as can be written now. Returns the error that ended it, if it was one. */
  #writeWaiting(): string | null {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    try {
      for (let next = this.#waiting[0]; next; next = this.#waiting[0]) this.#written(next, writeSync(this.#fd, next));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (PASSING.has(code)) this.#timer = setTimeout(() => this.#writeWaiting(), AGAIN_AFTER_MS).unref();
      else this.#giveUp();
      return code;
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#onDropped(dropped);
    return null;
  }

  /** The rest of a line that was written in part goes first, so that lines stay whole. */
  #written(bytes: Buffer, count: number): void {
    this.#waitingBytes -= count;
    if (count === bytes.length) this.#waiting.shift();
    else this.#waiting[0] = bytes.subarray(count);
  }

  #giveUp(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#dropped = 0;
  }
}
