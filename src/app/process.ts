import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, ConfigError, DiscordRefusedError, StateHandedOverError, StateInUseError } from '../shared/errors.ts';
import { createLog, type Log } from '../shared/log.ts';
import { systemProblem } from '../shared/system-errors.ts';
import { readArguments } from './arguments.ts';
import { type Config, parseConfig, shownSettings } from './config.ts';
import { loadEnvFile } from './env-file.ts';
import type { Feature } from './feature.ts';
import { LogOutput } from './log-output.ts';
import { type NameOf, readableLog } from './readable-log.ts';

/** The longest stop; a longer one is cut short, which the state survives at any point. */
export const STOP_WITHIN_MS = 1_800;
/**
 * The longest stop of a process that hands the state over, which nobody waits for. By a slow database it takes some
 * seconds, and cut short, it would leave the state to any process that stands by, 19 seconds later.
 */
const HAND_OVER_WITHIN_MS = 15_000;

/** The longest stop after an error that ends the bot. */
export function stopWithinMs(error: unknown): number {
  return error instanceof StateHandedOverError ? HAND_OVER_WITHIN_MS : STOP_WITHIN_MS;
}

/** The oldest major version of Node that gets security updates. */
const OLDEST_MAINTAINED = 22;

export const EXIT_CONFIG = 2;
const EXIT_STATE_IN_USE = 3;
/** Discord refuses further connections, so an immediate restart by a supervisor would be useless. */
const EXIT_DISCORD_REFUSED = 4;

/** Reads the bot's command line. @throws ConfigError with every problem at once, each naming its option */
export function readOptions(args: string[]): { help: boolean; standby: boolean } {
  const read = readArguments(args, { options: ['standby'], most: 0 });
  if ('problems' in read) throw new ConfigError(read.problems);
  return { help: read.options.has('help'), standby: read.options.has('standby') };
}

/**
 * Reads the settings of this process. Variables that are already set take precedence over those in `.env`.
 * @throws ConfigError with every problem, those of the file first
 */
export function readConfig(features: readonly Feature[]): Config {
  const problems = loadEnvFile();
  if (problems.length === 0) return parseConfig(process.env, features);
  try {
    parseConfig(process.env, features);
  } catch (error) {
    if (error instanceof ConfigError) problems.push(...error.problems);
  }
  throw new ConfigError(problems);
}

/** Reads the version in the nearest package.json above this file: builds put the file into folders of different depths. */
export function ownVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/**
 * The log of a bot's process, on standard error: lines for people in a terminal, elsewhere JSON to the last line, what
 * Node itself says included. It logs `info` until its level is set.
 */
export function createProcessLog(nameOf: NameOf): Log {
  endOutputWithItsReader();
  if (process.stderr.isTTY) {
    return createLog(
      'info',
      readableLog((line) => process.stderr.write(line), nameOf),
    );
  }
  const output = new LogOutput(2, (lines) =>
    log.warn({ lines }, 'lines of the log were dropped: nobody has read them in time'),
  );
  const log = createLog('info', output);
  process.on('exit', () => output.end());
  // Node's own listener prints warnings as text.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node warns'));
  process.on('uncaughtException', (error) => endBotWith(error, log));
  return log;
}

/** Lets a reader of what this process prints go away: an error that nobody listens to would end the process. */
export function endOutputWithItsReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Logs the first line of a bot's process: its version and its settings, without secrets. Sets the level. */
export function logStart(log: Log, config: Config, features: readonly Feature[]): void {
  log.level = config.logLevel;
  log.info({ version: ownVersion(), node: process.version, settings: shownSettings(config, features) }, 'starting');
  if (isPastItsEnd(process.versions.node)) {
    log.warn(
      { node: process.version },
      'this version of Node.js gets no security updates any more: Node.js 24 is recommended',
    );
  }
}

/** Whether a version of Node gets no security updates any more. @see https://github.com/nodejs/release#release-schedule */
export function isPastItsEnd(version: string): boolean {
  return Number.parseInt(version, 10) < OLDEST_MAINTAINED;
}

/** Logs why a bot's process ends, as its last line, and ends it with the error's exit status. */
export function endBotWith(error: unknown, log: Log): never {
  if (process.stderr.isTTY) endWith(error);
  // Whatever is logged else: a process that ends without a word can't be helped.
  if (log.level === 'silent') log.level = 'fatal';
  log.fatal({ status: exitStatusOf(error), ...reasonOf(error) }, 'exiting');
  process.exit(exitStatusOf(error));
}

/** Why a process ends, for programs. Only an error that nobody expected is logged with its stack. */
function reasonOf(error: unknown): { code: string; problems: readonly string[] } | { code: string; err: unknown } {
  if (!(error instanceof AppError)) return { code: 'UNEXPECTED', err: error };
  return { code: error.code, problems: error instanceof ConfigError ? error.problems : [withReason(error)] };
}

/** Prints an error's message, and ends the process with the error's exit status. */
export function endWith(error: unknown, status = exitStatusOf(error)): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(status);
}

/**
 * The text of an error for the person who started the process: a sentence where it is one of our own or of the file system,
 * else its stack.
 */
function messageOf(error: unknown): string {
  if (error instanceof AppError) return withReason(error);
  const problem = systemProblem(error);
  if (problem !== null) return problem;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The exit status of an error; 1 where it has none of its own. */
function exitStatusOf(error: unknown): number {
  if (error instanceof ConfigError) return EXIT_CONFIG;
  if (error instanceof StateInUseError) return EXIT_STATE_IN_USE;
  return error instanceof DiscordRefusedError ? EXIT_DISCORD_REFUSED : 1;
}

/** An error's message with its cause: a StoreError alone does not say that the disk is full. */
function withReason(error: AppError): string {
  const isExplained = error instanceof ConfigError || !(error.cause instanceof Error);
  return isExplained
    ? error.message
    : `${error.message}\n${systemProblem(error.cause) ?? (error.cause as Error).message}`;
}
