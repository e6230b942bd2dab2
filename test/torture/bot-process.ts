import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { GO_ON_FD } from './steps-of-run.ts';

/** One life of the bot, as a process of its own. */
export interface Bot {
  process: ChildProcess;
  /** Resolves when it is no more. */
  ended: Promise<Ending>;
  /** Resolves when it has started, or is no more. */
  started: Promise<unknown>;
  /** The last line of its standard output. */
  said(): string;
  /** Resolves with the next thing it says that begins so; with undefined where it ends before that. */
  saysNext(beginning: string): Promise<string | undefined>;
  /** Writes a line to its standard input. */
  tell(line: string): void;
  kill(): Promise<void>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The events around the bot while it stands still at a step of its run (from 1). */
export interface Moment {
  step: number;
  /** Returns by how many milliseconds the bot's clock is set then, where it is. */
  happen: () => number | undefined;
}

/** Starts the bot. What it has not come to when it ends happens then. */
export function spawnBot(options: {
  environment: NodeJS.ProcessEnv;
  /** The folder of its state and its log. */
  folder: string;
  logFile: number;
  moments: readonly Moment[];
  /** The network namespace in which it runs; null for that of this process. */
  namespace: string | null;
}): Bot {
  const { environment, folder, logFile, namespace } = options;
  const moments = options.moments.toSorted((one, other) => one.step - other.step);
  const program = fileURLToPath(new URL('./bot.js', import.meta.url));
  const env = { ...environment, TORTURE_PAUSE_AT: moments.map(({ step }) => step).join() };
  // `ip` becomes the program, so the process's id is the same.
  const within = namespace === null ? [] : ['ip', 'netns', 'exec', namespace];
  const [command, ...args] = [...within, process.execPath, program];
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', logFile, 'pipe'], cwd: folder });
  const { stdin, stdout } = child;
  const goOn = child.stdio[GO_ON_FD];
  if (!stdin || !stdout || !(goOn instanceof Writable)) throw new Error('The bot has no pipes.');
  // It may be gone before it reads what it is told.
  for (const pipe of [stdin, goOn]) pipe.on('error', () => undefined);
  let said = '';
  const lines = createInterface(stdout);
  const started = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      said = line;
      if (line === 'started') resolve();
      if (line !== 'paused') return;
      goOn.write(`${moments.shift()?.happen() ?? 0}\n`);
    });
  });
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
    for (const { happen } of moments.splice(0)) happen();
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  return {
    process: child,
    ended,
    started: Promise.race([started, ended]),
    said: () => said,
    saysNext(beginning) {
      const next = new Promise<string>((resolve) => {
        const look = (line: string) => {
          if (!line.startsWith(beginning)) return;
          lines.off('line', look);
          resolve(line);
        };
        lines.on('line', look);
      });
      return Promise.race([next, ended.then(() => undefined)]);
    },
    tell: (line) => void stdin.write(`${line}\n`),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
