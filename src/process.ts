import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Config, parseConfig } from './app/config.ts';
import type { DemoFailure } from './demo/failure.ts';
import { AppError, ConfigError, DiscordRefusedError, StateInUseError } from './shared/errors.ts';

/** The longest stop; a longer one is cut short, which the state survives at any point. */
export const STOP_WITHIN_MS = 1_800;

export const EXIT_CONFIG = 2;
const EXIT_STATE_IN_USE = 3;
/** Discord refuses further connections, so an immediate restart by a supervisor would be useless. */
const EXIT_DISCORD_REFUSED = 4;

/**
 * Reads the settings of this process. Variables that are already set take precedence over those in `.env`.
 * @throws ConfigError with every problem
 */
export function readConfig(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return parseConfig(process.env);
}

/** The version in package.json; the programs are built into `dist/src`. */
export function ownVersion(): string {
  const file = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}

/** Ends the process with an error: its message, and the exit status that stands for it. */
export function endWith(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(exitStatusOf(error));
}

/** The text of an error for the person who started the process: a sentence where it is one of our own, else its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof AppError) return withReason(error);
  if (isDemoFailure(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The demo is a built file of its own, with a class of its own. */
function isDemoFailure(error: unknown): error is DemoFailure {
  return error instanceof Error && 'exitStatus' in error && typeof error.exitStatus === 'number';
}

/** The exit status of an error; 1 where it has none of its own. */
export function exitStatusOf(error: unknown): number {
  if (isDemoFailure(error)) return error.exitStatus;
  if (error instanceof ConfigError) return EXIT_CONFIG;
  if (error instanceof StateInUseError) return EXIT_STATE_IN_USE;
  return error instanceof DiscordRefusedError ? EXIT_DISCORD_REFUSED : 1;
}

/** An error's message with its cause: a StoreError alone does not say that the disk is full. */
function withReason(error: AppError): string {
  const isExplained = error instanceof ConfigError || !(error.cause instanceof Error);
  return isExplained ? error.message : `${error.message}\n${(error.cause as Error).message}`;
}
