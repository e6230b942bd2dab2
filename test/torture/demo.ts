import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import { IDS, LOCAL_TOKEN } from '../../packages/local-discord/src/index.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { freePort } from '../helpers/free-port.ts';
import { isAnnouncement } from '../model/reading.ts';

/** Somebody who watches the demo's channel sees something new at least so often. */
const LONGEST_SILENCE_MS = 30_000;
const STARTS_WITHIN_MS = 60_000;
/** One request brings this many messages at most. */
const PAGE = 100;
/** So long it is watched again after it was ended and started anew. */
const MINUTES_AFTER_RESTART = 3;

/**
 * Runs the built program as `npm start` does where nothing is set, and counts what arrives in its channel, minute by minute, as a
 * bot would read it; then ends it, starts it again on the same state and counts on. Resolves with a line for each silence.
 */
export async function watchDemo(minutes: number, say: (line: string) => void): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-demo-'));
  const port = await freePort();
  const problems = await watchLife('after the first start', { folder, port, minutes, say });
  problems.push(...(await watchLife('after the restart', { folder, port, minutes: MINUTES_AFTER_RESTART, say })));
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  else say(`State and log are in ${folder}.`);
  return problems;
}

interface Life {
  folder: string;
  port: number;
  minutes: number;
  say: (line: string) => void;
}

async function watchLife(when: string, { folder, port, minutes, say }: Life): Promise<string[]> {
  const program = startProgram(folder, port);
  const messages = `http://127.0.0.1:${port}/api/v10/channels/${IDS.deals}/messages`;
  const startedAtMs = await untilAnswers(messages, program);
  if (startedAtMs === null) return [`It did not start ${when}.`];
  const postedAtMs: number[] = [];
  // Posts of the previous run are not news.
  const before = await readMessages(messages, null);
  // The channel's own id is older than every message.
  let lastId = before.filter(({ timestamp }) => Date.parse(timestamp) < startedAtMs).at(0)?.id ?? IDS.deals;
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sleep(startedAtMs + minute * MINUTE_MS - Date.now());
    const fresh = (await readMessages(messages, lastId)).filter(isAnnouncement);
    lastId = fresh[0]?.id ?? lastId;
    postedAtMs.push(...fresh.map(({ timestamp }) => Date.parse(timestamp)));
    say(`${when}, minute ${minute}: ${fresh.length} posts`);
  }
  program.kill('SIGTERM');
  await once(program, 'exit');
  return silences([startedAtMs, ...postedAtMs, startedAtMs + minutes * MINUTE_MS]).map((line) => `${when}: ${line}`);
}

function startProgram(folder: string, port: number): ChildProcess {
  const program = fileURLToPath(new URL('../../packages/demo/src/main.js', import.meta.url));
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    STATE_URL: `sqlite://${join(folder, 'dealbell.sqlite')}`,
  };
  const log = openSync(join(folder, 'demo.log'), 'a');
  return spawn(process.execPath, [program], { env, stdio: ['ignore', log, log], cwd: folder });
}

/** The moment of its first answer: epoch milliseconds; null where it ended or did not answer in time. */
async function untilAnswers(address: string, program: ChildProcess): Promise<number | null> {
  const deadlineMs = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < deadlineMs && program.exitCode === null) {
    const isUp = await readMessages(address, null).then(
      () => true,
      () => false,
    );
    if (isUp) return Date.now();
    await sleep(200);
  }
  program.kill('SIGKILL');
  return null;
}

/** The newest first, as Discord gives them. */
async function readMessages(address: string, after: string | null): Promise<PageMessage[]> {
  const query = new URLSearchParams({ limit: String(PAGE), ...(after !== null && { after }) });
  const response = await fetch(`${address}?${query.toString()}`, { headers: { authorization: `Bot ${LOCAL_TOKEN}` } });
  if (!response.ok) throw new Error(`The messages could not be read: ${response.status}.`);
  return (await response.json()) as PageMessage[];
}

/** A line for each time between two of these moments that is longer than anybody should have to wait. */
function silences(momentsMs: readonly number[]): string[] {
  const sorted = momentsMs.toSorted((a, b) => a - b);
  return sorted.flatMap((atMs, index) => {
    const silentMs = (sorted[index + 1] ?? atMs) - atMs;
    if (silentMs <= LONGEST_SILENCE_MS) return [];
    return [`nothing for ${Math.round(silentMs / 1_000)} s, from ${new Date(atMs).toISOString()}.`];
  });
}
