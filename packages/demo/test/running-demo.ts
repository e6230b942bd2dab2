import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { atExit } from '../../../test/helpers/at-exit.ts';
import type { DemoAction, DemoState, PageMessage, PageState } from '../../local-discord/src/index.ts';

/** The programs of the demo, for `builtProgram`. */
export const DEMO_PROGRAMS = [
  'packages/demo/src/main.ts',
  { in: 'src/app/driven/driven.ts', out: 'src/driven' },
] as const;

/** Each start of a process takes seconds on a busy machine. */
export const WITHIN_MS = 120_000;

export interface RunningDemo {
  process: ChildProcess;
  /** What it has printed. */
  output(): string;
  /** Its log, and its errors. */
  log(): string;
  /** Resolves with its address when it runs; rejects with what it said where it ends before. */
  address: Promise<string>;
  /** Resolves when neither the demo nor a bot that it started is left: they share its output. */
  ended: Promise<{ status: number | null; output: string; errors: string }>;
  /** The ids of its bot's processes; Linux only. */
  botIds(): number[];
  state(): Promise<PageState>;
  /** The bot's posts in #deals. */
  deals(): Promise<PageMessage[]>;
}

/** Kills a demo with all that it started. Ctrl-C in a terminal doesn't: it signals only the process group of the tests. */
function killGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // It has ended, with all that it started.
  }
}

/**
 * Starts the program as `npm start` does where nothing is set, as the leader of a process group.
 * @param more `atEnd` takes what ends it (by default the test does when it is finished), `options` are those of its command line
 */
export function startDemo(
  program: { folder: string; path: string },
  environment: Readonly<Record<string, string>>,
  {
    atEnd = onTestFinished,
    options = [],
  }: { atEnd?: (stop: () => Promise<void>) => void; options?: readonly string[] } = {},
): RunningDemo {
  const child = spawn(process.execPath, [program.path, ...options], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', PORT: '0', ...environment },
    cwd: program.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid = 0 } = child;
  const kill = () => killGroup(pid);
  const callOff = atExit(kill);
  atEnd(async () => {
    kill();
    await ended;
    callOff();
  });
  let output = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(([status]: unknown[]) => ({
    status: status as number | null,
    output,
    errors,
  }));
  const opened = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const [, found] = /(?:Open|Health)\s+(http\S+)\n/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const address = Promise.race([
    opened,
    ended.then(({ status }) => Promise.reject(new Error(`It ended with ${status}: ${errors}`))),
  ]);
  address.catch(() => undefined);
  async function state(): Promise<PageState> {
    return (await (await fetch(`${await address}/page/state`)).json()) as PageState;
  }
  return {
    process: child,
    output: () => output,
    log: () => errors,
    address,
    ended,
    botIds: () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    state,
    async deals() {
      const { channels, messages } = await state();
      const id = channels.find((channel) => channel.name === 'deals')?.id ?? '';
      return (messages[id] ?? []).filter(({ author }) => author.bot === true);
    },
  };
}

/** Resolves when the demo has posted more than `count` times in #deals. */
export async function untilPosted(demo: RunningDemo, count: number): Promise<PageMessage[]> {
  await expect
    .poll(async () => (await demo.deals()).length, { timeout: WITHIN_MS, interval: 100 })
    .toBeGreaterThan(count);
  return demo.deals();
}

/** The demo's state as the page gets it. */
export async function demoOf(demo: RunningDemo): Promise<DemoState> {
  const { demo: state } = await demo.state();
  if (!state) throw new Error('Local Discord is part of no demo.');
  return state;
}

/** Uses a lever. @param origin of the page that does; by default none, as of a program */
export async function actOn(demo: RunningDemo, action: DemoAction, origin?: string): Promise<Response> {
  return fetch(`${await demo.address}/demo/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(origin !== undefined && { origin }) },
    body: JSON.stringify(action),
  });
}
