// The commands of the person who runs Dealbell, beside the bot itself.
// Usage: node dist/src/operator.js <command> [--help]

import { createInterface } from 'node:readline/promises';
import { settingsOf } from '../../../commands/subscription/flags.ts';
import { FEATURES } from '../../features/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { ConfigError, UsageError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import { backUp, restore } from '../../store/backup.ts';
import { moveState } from '../../store/move-state.ts';
import { placeOf } from '../../store/table/state-place.ts';
import { readArguments } from '../arguments.ts';
import { type Config, withPassword } from '../config.ts';
import type { OperatorCommand, OperatorSurroundings } from '../feature.ts';
import { isBotListening, linesOfRunningBot, operatorSocketOf } from '../operator-socket.ts';
import { EXIT_CONFIG, endOutputWithItsReader, endWith, ownVersion, readConfig } from '../process.ts';
import { isWellSetUp, type SetupCheck, setupAsJson, setupAsText } from '../setup-report.ts';
import { checkSetup } from './check-setup.ts';
import { becomeOwnerOf } from './owner.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** A command whose failures end the process as their kind says, or that sets the exit status by itself. */
interface CoreCommand extends Omit<OperatorCommand, 'run' | 'failsWith'> {
  run(given: readonly string[], options: ReadonlySet<string>): Promise<void>;
}

/** The settings; from here on this process is of the user whose the state is. */
function readOwnConfig(): Config {
  const config = readConfig(FEATURES);
  becomeOwnerOf(config.stateUrl);
  return config;
}

const BACKUP: CoreCommand = {
  name: 'backup',
  help: `Usage: npm run backup -- [file]

Copies the state (STATE_URL), also while Dealbell runs: into that file, which must not exist yet, or into
BACKUP_FOLDER, with the time in its name. A database on PostgreSQL is backed up with pg_dump.`,
  options: [],
  most: 1,
  async run([path]) {
    const { stateUrl, backup } = readOwnConfig();
    const file = await backUp(stateUrl, path ?? { folder: backup.folder, nowMs: systemClock.now() });
    say(`Backed up to ${file}.`);
  },
};

const RESTORE: CoreCommand = {
  name: 'restore',
  help: `Usage: npm run restore -- <file>

Replaces the state (STATE_URL) by a backup, all or nothing, while Dealbell is stopped. The state that it
replaces is kept beside it; what that knew of posts and requests is taken over.`,
  options: [],
  most: 1,
  async run([path]) {
    if (path === undefined) throw new UsageError('Name the backup: npm run restore -- <file>.');
    const { stateUrl } = readOwnConfig();
    const { asidePath, isMerged } = await restore(stateUrl, path, { dealbell: ownVersion(), ...leaseParts() });
    say(`Restored ${path}.`);
    if (asidePath !== null) say(`The state that it replaces is kept as ${asidePath}.`);
    if (isMerged) return;
    say(
      'Posts made after the backup are found in their channels. How many requests were made today is as in the backup.',
    );
  },
};

const MOVE_STATE: CoreCommand = {
  name: 'move-state',
  help: `Usage: npm run move-state -- <from> <to>

Copies the state to another place, each written as in STATE_URL, while Dealbell is stopped, and compares
every row. The former one is left as it is.`,
  options: [],
  most: 2,
  async run([from, to]) {
    if (from === undefined || to === undefined) {
      throw new UsageError('Name both states: npm run move-state -- <from> <to>, each as in STATE_URL.');
    }
    const { statePassword } = readConfig(FEATURES);
    const [source, target] = [withPassword(from, statePassword), withPassword(to, statePassword)];
    becomeOwnerOf(source);
    const rows = await moveState(source, target, leaseParts());
    say(`Copied ${rows} rows to ${placeOf(target)}, and compared each of them.`);
    say(`Set STATE_URL to it. ${placeOf(source)} is left as it is: don't start Dealbell on it again.`);
  },
};

const CHECK_SETUP: CoreCommand = {
  name: 'check-setup',
  help: `Usage: npm run check-setup -- [--json]

Checks everything that a start needs within half a minute: settings, state, backups, ports, the catalog's
keys (a request for each), Discord, and each channel that is subscribed. Posts nothing.

--json  prints JSON

Exit code: 0 nothing to fix, 1 something is to be fixed, 2 a setting is invalid`,
  options: ['json'],
  most: 0,
  async run(_, options) {
    const report = options.has('json') ? setupAsJson : setupAsText;
    let checks: SetupCheck[];
    try {
      checks = await checkSetup(readOwnConfig(), systemClock, FEATURES);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      say(report(error.problems.map((detail) => ({ part: 'settings', result: 'failed', detail }))));
      process.exitCode = EXIT_CONFIG;
      return;
    }
    if (!isWellSetUp(checks)) process.exitCode = 1;
    // What has not answered in time is waited for no longer.
    process.stdout.write(`${report(checks)}\n`, () => process.exit());
  },
};

const leaseParts = () => ({
  clock: systemClock,
  log: createLog('silent'),
  signal: new AbortController().signal,
  onLost: (error: Error) => endWith(error),
});

/** A command of a feature. */
const ofFeature = (command: OperatorCommand): CoreCommand => ({
  ...command,
  async run(given, options) {
    const config = readOwnConfig();
    const socket = operatorSocketOf(config.stateUrl);
    const around: OperatorSurroundings = {
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
    };
    process.exitCode = await command.run({ given, options }, around);
  },
});

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

const OF_FEATURES = FEATURES.flatMap(({ operatorCommands = [] }) => operatorCommands);
const COMMANDS = [BACKUP, RESTORE, MOVE_STATE, CHECK_SETUP, ...OF_FEATURES.map(ofFeature)];
const NAMES = COMMANDS.map(({ name }) => name);
const HELP = `Usage: npm run <command> -- [arguments]

${NAMES.map((name) => `  npm run ${name} -- --help`).join('\n')}`;

async function main([name = '', ...rest]: readonly string[]): Promise<void> {
  if (name === '--help') {
    say(HELP);
    return;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) throw new UsageError(`"${name}" is none of ${NAMES.join(', ')}.`);
  try {
    const read = readArguments(rest, command);
    if ('problems' in read) throw new UsageError(read.problems.join('\n'));
    if (read.options.has('help')) say(command.help);
    else await command.run(read.given, read.options);
  } catch (error) {
    endWith(error, OF_FEATURES.find((one) => one.name === name)?.failsWith?.(rest));
  }
}

// What a command does is done, whoever reads along.
endOutputWithItsReader();
main(process.argv.slice(2)).catch((error: unknown) => endWith(error));
