import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields that hold a secret wherever they turn up in a logged object. */
const SECRET_FIELDS = ['token', 'key', 'authorization', 'x-api-key'];

/** Logs JSON lines to `destination`, standard output where it is absent. The bot's program passes standard error. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    redact: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`]),
    serializers: { err: withoutRequest },
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Copies an error and its causes without the request that discord.js attaches: an interaction's URL holds its token.
 */
function withoutRequest(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { url: _url, requestBody: _requestBody, raw: _raw, ...rest } = stdSerializers.err(error);
  return rest;
}
