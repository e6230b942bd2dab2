import { destination, type Logger, pino } from 'pino';

/** Logs to standard error as the bot does: a line for people in a terminal, JSON elsewhere. */
export function createLog(level: string): Logger {
  const forPeople = { write: (json: string) => process.stderr.write(`${readable(json)}\n`) };
  return pino({ level, base: null }, process.stderr.isTTY ? forPeople : destination(2));
}

const MARKS = new Map([
  [60, 'FATAL '],
  [50, 'ERROR '],
  [40, 'WARN  '],
]);

function readable(json: string): string {
  const { level, time, msg, err } = JSON.parse(json) as Record<string, unknown>;
  const reason = typeof err === 'object' && err !== null && 'message' in err ? `, ${String(err.message)}` : '';
  const line = `${new Date(Number(time)).toTimeString().slice(0, 8)} ${MARKS.get(Number(level)) ?? ''}${String(msg)}${reason}`;
  return line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
