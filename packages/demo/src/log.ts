import { destination, type Logger, pino } from 'pino';

/** Logs to standard error as the bot does: a line for people in a terminal, JSON elsewhere. */
export function createLog(level: string): Logger {
  const forPeople = { write: (json: string) => process.stderr.write(`${readableLine(JSON.parse(json))}\n`) };
  return pino({ level, base: null }, process.stderr.isTTY ? forPeople : destination(2));
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

/** One entry as a line without its end: `10:20:30 ERROR local Discord: A request could not be answered (GET /gateway), no.` */
export function readableLine({ level, time, part, msg, method, url, err }: Readonly<Record<string, unknown>>): string {
  const place = part === undefined ? '' : `${PARTS.get(String(part)) ?? String(part)}: `;
  const asked = [method, url].filter((word) => word !== undefined).join(' ');
  const reason = typeof err === 'object' && err !== null && 'message' in err ? `, ${String(err.message)}` : '';
  const text = `${place}${String(msg)}${asked === '' ? '' : ` (${asked})`}${reason}`;
  const line = `${new Date(Number(time)).toTimeString().slice(0, 8)} ${MARKS.get(Number(level)) ?? ''}${text}`;
  return line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
