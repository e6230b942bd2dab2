import { createHash } from 'node:crypto';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { z } from 'zod';
import { AppError, UserError } from '../shared/errors.ts';
import { REQUEST_TIMEOUT_MS } from '../shared/request-timeout.ts';
import { isOnServer, OWNERS_FILE, placeOf } from '../store/table/state-place.ts';

// Through this socket, the operator's commands reach a bot that is running on the same machine. Whoever may open it may change
// every subscription and have posts repaired, so it is its owner's alone, as the state is.

/** A file that is to be applied, and the plan of which the operator was told. */
const FILE = z.object({ format: z.enum(['yaml', 'json']), text: z.string(), digest: z.string() });
export type FileToApply = z.output<typeof FILE>;

const REPLY = z.discriminatedUnion('result', [
  z.object({ result: z.literal('applied') }),
  /** The subscriptions were changed after the plan was made: nothing is applied. */
  z.object({ result: z.literal('outdated') }),
  /** The bot can't apply it now, or not this file, in sentences. */
  z.object({ result: z.literal('refused'), problems: z.array(z.string()) }),
]);
export type ApplyReply = z.output<typeof REPLY>;

/** Sends the command a line of JSON meanwhile. `signal` aborts when nobody waits for the answer any more. */
export interface Waiting {
  tell: (line: object) => void;
  signal: AbortSignal;
}

/** What the bot does for the operator. */
export interface OperatorJobs {
  apply: (file: FileToApply) => Promise<ApplyReply>;
  /** Does a job of a feature, by its name. */
  run: (job: string, asked: unknown, waiting: Waiting) => Promise<object>;
}

/** The largest file with subscriptions, in bytes. */
export const MOST_FILE_BYTES = 16 * 1024 * 1024;
/** JSON takes up to six bytes for one of a text. */
const MOST_REQUEST_BYTES = 6 * MOST_FILE_BYTES;
/** How long the bot may take for an answer, in milliseconds. */
const ANSWERS_WITHIN_MS = 30_000;

/** How long it may take for the next line of a job: for a channel, it may make 61 requests. */
const NEXT_LINE_WITHIN_MS = 5 * 60_000;

const ROUTE = '/subscriptions';
/** The answer to what can't be read. */
export const MALFORMED = {
  result: 'refused' as const,
  problems: ['The request is malformed: is this program of the same version?'],
};
/** The codes of sockets at which nobody listens: none is there, its process has ended, or its path is too long for one. */
const NOBODY = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ENAMETOOLONG', 'EINVAL']);

/** Where the bot of a state listens: beside the state's file, for a database in the machine's temporary folder. */
export function operatorSocketOf(stateUrl: string, platform: NodeJS.Platform = process.platform): string {
  const name = `dealbell-${createHash('sha256').update(placeOf(stateUrl)).digest('hex').slice(0, 16)}`;
  if (platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return isOnServer(stateUrl) ? join(tmpdir(), `${name}.sock`) : `${placeOf(stateUrl)}.sock`;
}

/**
 * Listens at the socket. The process has to hold the state's lease: what a killed one left there is replaced.
 * @returns stops it
 */
export async function openOperatorSocket(path: string, { apply, run }: OperatorJobs): Promise<() => Promise<void>> {
  const server = fastify({
    bodyLimit: MOST_REQUEST_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
  });
  server.get(ROUTE, async () => ({}));
  server.post(ROUTE, async ({ body }): Promise<ApplyReply> => {
    const { data } = FILE.safeParse(body);
    if (!data) return MALFORMED;
    return apply(data).catch(refusalOf);
  });
  server.post<{ Params: { job: string } }>('/:job', async ({ params: { job }, body }, reply) => {
    const lines = new Readable({ read: () => undefined });
    const tell = (line: object) => void lines.push(`${JSON.stringify(line)}\n`);
    const left = new AbortController();
    lines.once('close', () => left.abort(new Error('Nobody waits for the answer any more.')));
    void run(job, body, { tell, signal: left.signal })
      .catch(refusalOf)
      .then(tell)
      .finally(() => lines.push(null));
    return reply.type('application/x-ndjson').send(lines);
  });
  if (path.startsWith('\\\\')) {
    await server.listen({ path });
    return () => server.close();
  }
  // Under its own name, it is its owner's alone before anybody finds it, and replaces another one in one step.
  const made = `${path}.${process.pid}`;
  await rm(made, { force: true });
  await server.listen({ path: made });
  try {
    await chmod(made, OWNERS_FILE);
    await rename(made, path);
  } catch (error) {
    await server.close();
    throw error;
  }
  const { ino } = await stat(path);
  return async () => {
    // A process that took the state over may have put its own there.
    const there = await stat(path).catch(() => null);
    if (there?.ino === ino) await rm(path, { force: true });
    await server.close();
  };
}

/** An error's sentence, for the operator. */
function refusalOf(error: unknown): { result: 'refused'; problems: string[] } {
  const isExpected = error instanceof AppError;
  return { result: 'refused', problems: [isExpected ? error.message : 'Something went wrong: the log says what.'] };
}

/** Whether a bot listens at the socket. @throws UserError where this user may not ask */
export async function isBotListening(path: string): Promise<boolean> {
  return (await ask(path, 'GET')) !== null;
}

/**
 * Has the running bot apply a file.
 * @throws UserError where it has not answered: then it may have applied the file
 */
export async function applyByRunningBot(path: string, file: FileToApply): Promise<ApplyReply> {
  const answer = await ask(path, 'POST', file);
  if (answer === null) throw new UserError('Dealbell has stopped meanwhile. Nothing was changed: run this again.');
  const { data } = REPLY.safeParse(answer);
  if (!data) throw new UserError("The running Dealbell's answer can't be read: is this program of the same version?");
  return data;
}

/** How a command asks the running bot for a job. */
export interface AskedOfBot {
  /** What to say where no bot listens, and where it ends, or is silent for too long. */
  notRunning: string;
  cutOff: string;
}

/**
 * Has the running bot do a job of a feature. Yields each line that it tells: the last one is its answer.
 * @throws UserError where no bot listens, or it has not answered to the end
 */
export async function* linesOfRunningBot(
  path: string,
  job: string,
  content: unknown,
  { notRunning, cutOff }: AskedOfBot,
): AsyncGenerator<unknown, void> {
  const response = await send(path, { route: `/${job}`, method: 'POST', content, cutOff });
  if (response === null) throw new UserError(notRunning);
  try {
    for await (const line of createInterface({ input: response })) yield JSON.parse(line) as unknown;
  } catch (cause) {
    throw new UserError(cutOff, { cause });
  } finally {
    response.destroy();
  }
  throw new UserError(cutOff);
}

/** The answer of who listens there, JSON; null where nobody does. */
async function ask(path: string, method: 'GET' | 'POST', content?: unknown): Promise<unknown> {
  const cutOff = 'Dealbell ended before it answered. "plan" tells whether it has applied the file.';
  const response = await send(path, { route: ROUTE, method, content, cutOff });
  if (response === null) return null;
  try {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new UserError(cutOff, { cause });
  }
}

interface Asked {
  route: string;
  method: 'GET' | 'POST';
  content?: unknown;
  /** What to say where the bot ends, or is silent for too long. */
  cutOff: string;
}

/** The response of who listens there; null where nobody does. */
function send(path: string, { route, method, content, cutOff }: Asked): Promise<IncomingMessage | null> {
  const body = content === undefined ? '' : JSON.stringify(content);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const isLong = route !== ROUTE;
  return new Promise((resolve, reject) => {
    const options = { socketPath: path, path: route, method, headers: body === '' ? {} : headers };
    const asking = request({
      ...options,
      ...(isLong ? { timeout: NEXT_LINE_WITHIN_MS } : { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }),
    });
    asking.on('timeout', () => asking.destroy(new Error('There was no answer for five minutes.')));
    asking.on('error', (error: NodeJS.ErrnoException) => {
      if (NOBODY.has(error.code ?? '')) return resolve(null);
      if (error.code !== 'EACCES' && error.code !== 'EPERM') return reject(new UserError(cutOff, { cause: error }));
      const message = `${path} belongs to another user. Run this as the user who runs Dealbell.`;
      reject(new UserError(message, { cause: error }));
    });
    asking.on('response', resolve);
    asking.end(body);
  });
}
