import { createHash } from 'node:crypto';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { z } from 'zod';
import { AppError, UserError } from '../shared/errors.ts';
import { REQUEST_TIMEOUT_MS } from '../shared/request-timeout.ts';
import { OWNERS_FILE } from '../store/table/sqlite.ts';
import { isOnServer, placeOf } from '../store/table/state-place.ts';

// Through this socket, the operator's commands reach a bot that is running on the same machine. Whoever may open it may change
// every subscription, so it is its owner's alone, as the state is.

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

/** The largest file with subscriptions, in bytes. */
export const MOST_FILE_BYTES = 16 * 1024 * 1024;
/** JSON takes up to six bytes for one of a text. */
const MOST_REQUEST_BYTES = 6 * MOST_FILE_BYTES;
/** How long the bot may take for an answer, in milliseconds. */
const ANSWERS_WITHIN_MS = 30_000;

const ROUTE = '/subscriptions';
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
export async function openOperatorSocket(
  path: string,
  apply: (file: FileToApply) => Promise<ApplyReply>,
): Promise<() => Promise<void>> {
  const server = fastify({
    bodyLimit: MOST_REQUEST_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
  });
  server.get(ROUTE, async () => ({}));
  server.post(ROUTE, async ({ body }): Promise<ApplyReply> => {
    const { data } = FILE.safeParse(body);
    if (!data)
      return { result: 'refused', problems: ['The request is malformed: is this program of the same version?'] };
    try {
      return await apply(data);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { result: 'refused', problems: [error.message] };
    }
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

/** The answer of who listens there, JSON; null where nobody does. */
function ask(path: string, method: 'GET' | 'POST', content?: unknown): Promise<unknown> {
  const body = content === undefined ? '' : JSON.stringify(content);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const unanswered = (cause: unknown) => {
      const message = 'Dealbell ended before it answered. "plan" tells whether it has applied the file.';
      reject(new UserError(message, { cause }));
    };
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const asking = request({ socketPath: path, path: ROUTE, method, headers: body === '' ? {} : headers, signal });
    asking.on('error', (error: NodeJS.ErrnoException) => {
      if (NOBODY.has(error.code ?? '')) return resolve(null);
      if (error.code !== 'EACCES' && error.code !== 'EPERM') return unanswered(error);
      const message = `${path} belongs to another user. Run this as the user who runs Dealbell.`;
      reject(new UserError(message, { cause: error }));
    });
    asking.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', unanswered);
      response.on('end', () => {
        try {
          resolve(JSON.parse(text) as unknown);
        } catch (error) {
          unanswered(error);
        }
      });
    });
    asking.end(body);
  });
}
