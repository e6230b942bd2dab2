import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, rename, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline, Readable } from 'node:stream';
import fastify from 'fastify';
import { AppError, UserError } from '../shared/errors.ts';
import { MINUTE_MS } from '../shared/time.ts';
import { isOnServer, OWNERS_FILE, OWNERS_FOLDER, placeOf } from '../store/table/state-place.ts';
import { REQUEST_TIMEOUT_MS } from './http.ts';

// Through this socket, the operator's commands reach a bot that is running on the same machine. Whoever may open it may change
// every subscription and have posts repaired, so it is its owner's alone, as the state is. Nobody else can put another one in its
// place: the folder that holds it is its owner's alone, too, and both sides look whose it is.

/** Sends the command a line of JSON meanwhile. `signal` aborts when nobody waits for the answer any more. */
export interface Waiting {
  tell: (line: object) => void;
  signal: AbortSignal;
}

/** The bot's jobs for the operator. */
export interface OperatorJobs {
  /** Does a job of a feature, by its name. */
  run: (job: string, asked: readonly unknown[], waiting: Waiting) => Promise<object>;
}

/** The form of requests and answers: JSON, a line each. */
const LINES = 'application/x-ndjson';
/** The largest request, and its largest line, in characters. */
const MOST_REQUEST = 96 * 1024 * 1024;
const MOST_LINE = 16 * 1024 * 1024;
/** How long the bot may take to say that it listens, in milliseconds. */
const ANSWERS_WITHIN_MS = 30_000;
/** How long it may take for the next line of a job, unless the job says otherwise: for a channel, it may make 61 requests. */
const NEXT_LINE_WITHIN_MS = 5 * MINUTE_MS;

const ROUTE = '/';
/** The answer to what can't be read. */
export const MALFORMED = {
  result: 'refused' as const,
  problems: ['The request is malformed: is this program of the same version?'],
};
/** The codes of sockets at which nobody listens: none is there, its process has ended, or its path is too long for one. */
const NOBODY = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ENAMETOOLONG', 'EINVAL']);

/**
 * Where the bot of a state listens, in a folder of its own: beside the state's file, for a database in the machine's temporary
 * folder, where each user has another one.
 */
export function operatorSocketOf(stateUrl: string, platform: NodeJS.Platform = process.platform): string {
  const hash = createHash('sha256').update(placeOf(stateUrl)).digest('hex').slice(0, 16);
  if (platform === 'win32') return `\\\\.\\pipe\\dealbell-${hash}`;
  const folder = isOnServer(stateUrl) ? join(tmpdir(), `dealbell-${ownId()}-${hash}`) : `${placeOf(stateUrl)}.run`;
  return join(folder, 'bot.sock');
}

/** The id of this process's user; 0 where there are none. */
const ownId = () => process.getuid?.() ?? 0;

/** @throws UserError where the folder isn't one of these users'; the error of a folder that is not there */
async function requireFolderOf(folder: string, owners: readonly number[]): Promise<{ mode: number }> {
  const found = await lstat(folder);
  if (found.isDirectory() && owners.includes(found.uid)) return found;
  throw new UserError(`${folder} belongs to another user. Run this as the user who runs Dealbell.`);
}

/** Makes the folder, or takes one that is this user's, and closes it to all others: what mounts a volume may have opened it. */
async function takeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: OWNERS_FOLDER }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await requireFolderOf(folder, [ownId()]);
  await chmod(folder, OWNERS_FOLDER);
}

/**
 * Listens at the socket. The process has to hold the state's lease: what a killed one left there is replaced.
 * @returns stops it
 */
export async function openOperatorSocket(path: string, { run }: OperatorJobs): Promise<() => Promise<void>> {
  const server = fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
  });
  server.addContentTypeParser(LINES, (_request: unknown, body: Readable) => linesOf(body));
  server.get(ROUTE, async () => ({}));
  server.post<{ Params: { job: string }; Body: unknown[] }>('/:job', async ({ params: { job }, body }, reply) => {
    const lines = new Readable({ read: () => undefined });
    const tell = (line: object) => void lines.push(`${JSON.stringify(line)}\n`);
    const left = new AbortController();
    lines.once('close', () => left.abort(new Error('Nobody waits for the answer any more.')));
    void run(job, body, { tell, signal: left.signal })
      .catch(refusalOf)
      .then(tell)
      .finally(() => lines.push(null));
    return reply.type(LINES).send(lines);
  });
  if (path.startsWith('\\\\')) {
    await server.listen({ path });
    return () => server.close();
  }
  await takeOwnFolder(dirname(path));
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

/** Reads the lines of a request as they come, so that a large one keeps nobody waiting. Rejects where it is too large. */
async function linesOf(body: Readable): Promise<unknown[]> {
  const lines: unknown[] = [];
  let [rest, length] = ['', 0];
  for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
    const texts = (rest + chunk).split('\n');
    rest = texts.pop() ?? '';
    length += chunk.length;
    if (length > MOST_REQUEST || rest.length > MOST_LINE) throw new UserError('The request is too large.');
    for (const text of texts) lines.push(JSON.parse(text));
  }
  return lines;
}

/** An error's sentence, for the operator. */
function refusalOf(error: unknown): { result: 'refused'; problems: string[] } {
  const isExpected = error instanceof AppError;
  return { result: 'refused', problems: [isExpected ? error.message : 'Something went wrong: the log says what.'] };
}

/** Whether a bot listens at the socket. @throws UserError where this user may not ask */
export async function isBotListening(path: string): Promise<boolean> {
  const cutOff = 'Dealbell ended before it answered. Run this again.';
  const response = await send(path, { route: ROUTE, method: 'GET', withinMs: ANSWERS_WITHIN_MS, cutOff });
  response?.resume();
  return response !== null;
}

/** How a command asks the running bot for a job. */
export interface AskedOfBot {
  /** What to say where no bot listens, and where it ends, or is silent for too long. */
  notRunning: string;
  cutOff: string;
  /** How long it may take for each line, in milliseconds; absent for five minutes. */
  withinMs?: number;
}

/**
 * Has the running bot do a job of a feature. Yields each line that it tells: the last one is its answer.
 * @throws UserError where no bot listens, or it has not answered to the end
 */
export async function* linesOfRunningBot(
  path: string,
  job: string,
  asked: Iterable<unknown>,
  { notRunning, cutOff, withinMs = NEXT_LINE_WITHIN_MS }: AskedOfBot,
): AsyncGenerator<unknown, void> {
  const response = await send(path, { route: `/${job}`, method: 'POST', asked, withinMs, cutOff });
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

/**
 * Whether there is a folder that can hold the bot's socket. Root asks whoever owns the folder around it, too.
 * @throws UserError where it is somebody else's, or anybody could listen in it
 */
async function isInOwnFolder(path: string): Promise<boolean> {
  const folder = dirname(path);
  try {
    const owners = [ownId(), ...(ownId() === 0 ? [(await stat(dirname(folder))).uid] : [])];
    const { mode } = await requireFolderOf(folder, owners);
    if ((mode & ~OWNERS_FOLDER & 0o777) === 0) return true;
    throw new UserError(`${folder} is open to other users. Restart Dealbell, or run chmod 700 on it.`);
  } catch (error) {
    if (error instanceof UserError || !NOBODY.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}

interface Asked {
  route: string;
  method: 'GET' | 'POST';
  /** Each for a line. */
  asked?: Iterable<unknown>;
  /** How long it may be silent, in milliseconds. */
  withinMs: number;
  /** What to say where the bot ends, or is silent for too long. */
  cutOff: string;
}

/** The response of who listens there; null where nobody does. @throws UserError where that is not known to be the bot */
async function send(
  path: string,
  { route, method, asked = [], withinMs, cutOff }: Asked,
): Promise<IncomingMessage | null> {
  const isThere = path.startsWith('\\\\') || (await isInOwnFolder(path));
  if (!isThere) return null;
  const headers = method === 'POST' ? { 'content-type': LINES } : {};
  return new Promise((resolve, reject) => {
    const options = { socketPath: path, path: route, method, headers };
    const asking = request({ ...options, timeout: withinMs });
    asking.on('timeout', () => asking.destroy(new Error(`There was no answer for ${withinMs / 1000} s.`)));
    asking.on('error', (error: NodeJS.ErrnoException) => {
      if (NOBODY.has(error.code ?? '')) return resolve(null);
      if (error.code !== 'EACCES' && error.code !== 'EPERM') return reject(new UserError(cutOff, { cause: error }));
      const message = `${path} belongs to another user. Run this as the user who runs Dealbell.`;
      reject(new UserError(message, { cause: error }));
    });
    asking.on('response', resolve);
    // Where it ends early, that is an error of the request.
    pipeline(Readable.from(textsOf(asked)), asking, () => undefined);
  });
}

function* textsOf(lines: Iterable<unknown>): Generator<string> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`;
}
