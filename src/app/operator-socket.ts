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

/** What an audit has found, as it is told to the operator. */
const FINDING_KEY = z.object({
  what: z.enum(['missing', 'unposted', 'twice', 'copy', 'untrue', 'unrecorded']),
  channelId: z.string(),
  deliveryId: z.string().nullable(),
  messageId: z.string().nullable(),
});
const TOLD_FINDING = FINDING_KEY.extend({
  /** Names, as far as the bot knows them; foreign text. */
  server: z.string(),
  channel: z.string(),
  deal: z.string().nullable(),
  link: z.string().nullable(),
});
export type ToldFinding = z.output<typeof TOLD_FINDING>;

/** An audit of all channels, or the repair of these findings. */
const AUDIT_REQUEST = z.object({
  repair: z.object({ findings: z.array(FINDING_KEY), withDeleted: z.boolean() }).nullable(),
});
export type AuditRequest = z.output<typeof AUDIT_REQUEST>;

const READING = z.object({ result: z.literal('reading'), channel: z.string(), number: z.number(), of: z.number() });
/** The channel that is about to be read. */
export type ReadingProgress = Omit<z.output<typeof READING>, 'result'>;

const AUDIT_REPLY = z.discriminatedUnion('result', [
  z.object({
    result: z.literal('audited'),
    channels: z.number(),
    /** The channels that could not be read, by name. */
    unread: z.array(z.string()),
    findings: z.array(TOLD_FINDING),
  }),
  z.object({
    result: z.literal('repaired'),
    steps: z.array(FINDING_KEY.extend({ step: z.enum(['post', 'edit', 'delete', 'record']) })),
    left: z.array(FINDING_KEY.extend({ because: z.enum(['deleted', 'over', 'unwanted', 'unknown', 'changed']) })),
    /** Whether the owner has paused all posting: what is queued waits. */
    isPaused: z.boolean(),
  }),
  z.object({ result: z.literal('refused'), problems: z.array(z.string()) }),
]);
export type AuditReply = z.output<typeof AUDIT_REPLY>;

/** What the bot does for the operator. `signal` aborts when nobody waits for the answer any more. */
export interface OperatorJobs {
  apply: (file: FileToApply) => Promise<ApplyReply>;
  audit: (
    asked: AuditRequest,
    watching: { onReading: (progress: ReadingProgress) => void; signal: AbortSignal },
  ) => Promise<AuditReply>;
}

/** The largest file with subscriptions, in bytes. */
export const MOST_FILE_BYTES = 16 * 1024 * 1024;
/** JSON takes up to six bytes for one of a text. */
const MOST_REQUEST_BYTES = 6 * MOST_FILE_BYTES;
/** How long the bot may take for an answer, in milliseconds. */
const ANSWERS_WITHIN_MS = 30_000;

/** How long it may take for the next line of an audit: a channel takes 61 requests at most. */
const NEXT_LINE_WITHIN_MS = 5 * 60_000;

const ROUTE = '/subscriptions';
const AUDIT_ROUTE = '/audit';
const MALFORMED = {
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
export async function openOperatorSocket(path: string, { apply, audit }: OperatorJobs): Promise<() => Promise<void>> {
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
  server.post(AUDIT_ROUTE, async ({ body }, reply) => {
    const { data } = AUDIT_REQUEST.safeParse(body);
    const lines = new Readable({ read: () => undefined });
    const tell = (line: object) => lines.push(`${JSON.stringify(line)}\n`);
    const left = new AbortController();
    lines.once('close', () => left.abort(new Error('Nobody waits for the audit any more.')));
    const onReading = (progress: ReadingProgress) => tell({ result: 'reading', ...progress });
    const answering = data ? audit(data, { onReading, signal: left.signal }).catch(refusalOf) : MALFORMED;
    void Promise.resolve(answering)
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

/**
 * Has the running bot make an audit, or repair what one has found.
 * @param onReading called before it reads each channel
 * @throws UserError where no bot listens, or it has not answered to the end
 */
export async function auditByRunningBot(
  path: string,
  asked: AuditRequest,
  onReading: (progress: ReadingProgress) => void,
): Promise<AuditReply> {
  const cutOff = 'Dealbell ended before it answered. Run this again: nothing is done twice.';
  const response = await send(path, { route: AUDIT_ROUTE, method: 'POST', content: asked, cutOff });
  if (response === null) throw new UserError(NOT_RUNNING);
  try {
    for await (const line of createInterface({ input: response })) {
      const said = JSON.parse(line) as unknown;
      const reading = READING.safeParse(said).data;
      if (reading) {
        onReading(reading);
        continue;
      }
      const { data } = AUDIT_REPLY.safeParse(said);
      if (data) return data;
      throw new UserError("The running Dealbell's answer can't be read: is this program of the same version?");
    }
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(cutOff, { cause });
  } finally {
    response.destroy();
  }
  throw new UserError(cutOff);
}

const NOT_RUNNING =
  'No running Dealbell uses this state on this machine. Start it first: it makes the audit, because it alone may post. In a container, run this inside it.';

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
  const isLong = route === AUDIT_ROUTE;
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
