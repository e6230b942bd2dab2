import { type Logger, pino } from 'pino';

/** The most bytes of lines that wait for a reader; what comes beyond is dropped. */
const MOST_WAITING = 1024 * 1024;

/**
 * Logs to standard error as the bot does: a line for people in a terminal, JSON elsewhere. A reader that stands still or is
 * gone holds nothing up.
 */
export function createLog(level: string): Logger {
  process.stderr.on('error', () => undefined);
  const write = (line: string) => process.stderr.writableLength < MOST_WAITING && process.stderr.write(line);
  const forPeople = { write: (json: string) => write(`${readableLine(JSON.parse(json) as Entry)}\n`) };
  return pino({ level, base: null }, process.stderr.isTTY ? forPeople : { write });
}

const MARKS = new Map([
  [60, 'FATAL '],
  [50, 'ERROR '],
  [40, 'WARN  '],
]);

/** The simulated parts, as people call them. */
const PARTS = new Map([
  ['local-discord', 'local Discord'],
  ['catalog-service', 'simulated catalog'],
]);

/** An entry of the log, as pino writes it. */
export interface Entry {
  level: number;
  time: number;
  msg: string;
  /** The simulated part that it comes from; absent for the demo itself. */
  part?: string;
  /** The request that it is about. */
  method?: string;
  url?: string;
  err?: { message: string };
}

/** One entry as a line without its end: `10:20:30 ERROR local Discord: A request could not be answered (GET /gateway), no.` */
export function readableLine({ level, time, part, msg, method, url, err }: Entry): string {
  const place = part === undefined ? '' : `${PARTS.get(part) ?? part}: `;
  const asked = url === undefined ? '' : ` (${[method, url].join(' ')})`;
  const reason = err === undefined ? '' : `, ${err.message}`;
  const line = `${new Date(time).toTimeString().slice(0, 8)} ${MARKS.get(level) ?? ''}${place}${msg}${asked}${reason}`;
  return line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
