// The commands of the person who runs Dealbell, beside the bot itself.
// Usage: node dist/src/operator.js backup [file] | restore <file> | move-state <from> <to> | check-setup [--json],
// and the commands of features

import { createInterface } from 'node:readline/promises';
import { settingsOf } from '../../../commands/subscription/flags.ts';
import { FEATURES } from '../../features/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { ConfigError, UsageError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import { backUp, restore } from '../../store/backup.ts';
import { moveState } from '../../store/move-state.ts';
import { placeOf } from '../../store/table/state-place.ts';
import { withPassword } from '../config.ts';
import type { OperatorCommand } from '../feature.ts';
import { isBotListening, linesOfRunningBot, operatorSocketOf } from '../operator-socket.ts';
import { EXIT_CONFIG, endOutputWithItsReader, endWith, ownVersion, readConfig } from '../process.ts';
import { isWellSetUp, type SetupCheck, setupAsJson, setupAsText } from '../setup-report.ts';
import { checkSetup } from './check-setup.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

async function makeBackup(path?: string): Promise<void> {
  const { stateUrl, backup } = readConfig(FEATURES);
  const file = await backUp(stateUrl, path ?? { folder: backup.folder, nowMs: systemClock.now() });
  say(`Backed up to ${file}.`);
}

async function restoreBackup(path?: string): Promise<void> {
  if (path === undefined) throw new UsageError('Name the backup: npm run restore -- <file>.');
  const { stateUrl } = readConfig(FEATURES);
  const { asidePath, isMerged } = await restore(stateUrl, path, { dealbell: ownVersion(), ...leaseParts() });
  say(`Restored ${path}.`);
  if (asidePath !== null) say(`The state that it replaces is kept as ${asidePath}.`);
  if (isMerged) return;
  say(
    'Posts made after the backup are found in their channels. How many requests were made today is as in the backup.',
  );
}

async function move(from?: string, to?: string): Promise<void> {
  if (from === undefined || to === undefined) {
    throw new UsageError('Name both states: npm run move-state -- <from> <to>, each as in STATE_URL.');
  }
  const { statePassword } = readConfig(FEATURES);
  const [source, target] = [withPassword(from, statePassword), withPassword(to, statePassword)];
  const rows = await moveState(source, target, leaseParts());
  say(`Copied ${rows} rows to ${placeOf(target)}, and compared each of them.`);
  say(`Set STATE_URL to it. ${placeOf(source)} is left as it is: don't start Dealbell on it again.`);
}

const leaseParts = () => ({
  clock: systemClock,
  log: createLog('silent'),
  signal: new AbortController().signal,
  onLost: (error: Error) => endWith(error),
});

/** Exit status 1 where something is to be fixed, as a script needs it; 2 where a setting is invalid. */
async function printSetup(option?: string): Promise<void> {
  if (option !== undefined && option !== '--json') throw new UsageError(`${option} is not known: --json is.`);
  const report = option === '--json' ? setupAsJson : setupAsText;
  let checks: SetupCheck[];
  try {
    checks = await checkSetup(readConfig(FEATURES), systemClock, FEATURES);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    say(report(error.problems.map((detail) => ({ part: 'settings', result: 'failed', detail }))));
    process.exitCode = EXIT_CONFIG;
    return;
  }
  if (!isWellSetUp(checks)) process.exitCode = 1;
  // What has not answered in time is waited for no longer.
  process.stdout.write(`${report(checks)}\n`, () => process.exit());
}

/** Does a command of a feature. */
async function runCommand(command: OperatorCommand, args: readonly string[]): Promise<void> {
  try {
    const config = readConfig(FEATURES);
    const socket = operatorSocketOf(config.stateUrl);
    process.exitCode = await command.run(args, {
      config,
      settings: settingsOf(FEATURES),
      records: FEATURES.flatMap(({ records }) => records ?? []),
      clock: systemClock,
      dealbell: ownVersion(),
      say,
      showProgress: createProgress(),
      ask: process.stdin.isTTY ? askInTerminal : null,
      isBotListening: () => isBotListening(socket),
      socket,
      askBot: (...asked) => linesOfRunningBot(socket, ...asked),
    });
  } catch (error) {
    endWith(error, command.failsWith?.(args));
  }
}

/** Asks in the terminal. */
async function askInTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

/** How often the progress is printed where it can't be rewritten, in milliseconds. */
const PROGRESS_MS = 10_000;

/** Tells on standard error how far long work is: in a terminal in one line. */
function createProgress(): (line: string | null) => void {
  const { stderr } = process;
  if (stderr.isTTY) return (line) => stderr.write(`\r\u001B[K${line?.slice(0, stderr.columns - 1) ?? ''}`);
  let toldMs = systemClock.monotonicMs();
  return (line) => {
    if (line === null || systemClock.monotonicMs() - toldMs < PROGRESS_MS) return;
    toldMs = systemClock.monotonicMs();
    stderr.write(`${line}\n`);
  };
}

/** The jobs, each with the most arguments that it takes. */
const JOBS: Readonly<Record<string, { run: (...args: string[]) => Promise<void>; most: number }>> = {
  backup: { run: makeBackup, most: 1 },
  restore: { run: restoreBackup, most: 1 },
  'move-state': { run: move, most: 2 },
  'check-setup': { run: printSetup, most: 1 },
  // These check the number of their arguments themselves.
  ...Object.fromEntries(
    FEATURES.flatMap(({ operatorCommands = [] }) => operatorCommands).map((command) => [
      command.name,
      { run: (...args: string[]) => runCommand(command, args), most: Number.POSITIVE_INFINITY },
    ]),
  ),
};

async function main([name = '', ...rest]: readonly string[]): Promise<void> {
  const job = JOBS[name];
  if (!job) throw new UsageError(`"${name}" is none of ${Object.keys(JOBS).join(', ')}.`);
  if (rest.length > job.most) {
    throw new UsageError(`${job.most === 1 ? 'One argument is' : 'Two arguments are'} enough: ${rest.join(' ')}.`);
  }
  await job.run(...rest);
}

// What a command does is done, whoever reads along.
endOutputWithItsReader();
main(process.argv.slice(2)).catch((error: unknown) => endWith(error));
