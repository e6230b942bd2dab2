// What the person who runs Dealbell does beside it.
// Usage: node dist/src/operator.js backup [file] | restore <file> | check-setup [--json]

import { isWellSetUp, type SetupCheck, setupAsJson, setupAsText } from './bot/operations/setup-report.ts';
import { backUp, backupPath, restore } from './bot/store/backup.ts';
import { checkSetup } from './check-setup.ts';
import { EXIT_CONFIG, endWith, ownVersion, readConfig } from './process.ts';
import { systemClock } from './shared/clock.ts';
import { ConfigError } from './shared/errors.ts';
import { createLog } from './shared/log.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

async function makeBackup(path?: string): Promise<void> {
  const { stateUrl, backup } = readConfig();
  const file = path ?? backupPath(backup.folder, systemClock.now());
  await backUp(stateUrl, file);
  say(`Backed up to ${file}.`);
}

async function restoreBackup(path?: string): Promise<void> {
  if (path === undefined) throw new ConfigError(['Name the backup: npm run restore -- <file>.']);
  const { stateUrl } = readConfig();
  const { asidePath, isMerged } = await restore(stateUrl, path, {
    dealbell: ownVersion(),
    clock: systemClock,
    log: createLog('silent'),
    signal: new AbortController().signal,
    onLost: endWith,
  });
  say(`Restored ${path}.`);
  if (asidePath !== null) say(`The state that it replaces is kept as ${asidePath}.`);
  if (isMerged) return;
  say(
    'Posts made after the backup are found in their channels. How many requests were made today is as in the backup.',
  );
}

/** Exit status 1 where something is to be fixed, as a script needs it; 2 where a setting is invalid. */
async function printSetup(option?: string): Promise<void> {
  if (option !== undefined && option !== '--json') throw new ConfigError([`${option} is not known: --json is.`]);
  const report = option === '--json' ? setupAsJson : setupAsText;
  let checks: SetupCheck[];
  try {
    checks = await checkSetup(readConfig(), systemClock);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    say(report(error.problems.map((detail) => ({ part: 'settings', result: 'failed', detail }))));
    process.exitCode = EXIT_CONFIG;
    return;
  }
  say(report(checks));
  if (!isWellSetUp(checks)) process.exitCode = 1;
}

const JOBS: Readonly<Record<string, (path?: string) => Promise<void>>> = {
  backup: makeBackup,
  restore: restoreBackup,
  'check-setup': printSetup,
};

async function main([name = '', ...rest]: readonly string[]): Promise<void> {
  const job = JOBS[name];
  if (!job) throw new ConfigError([`"${name}" is none of ${Object.keys(JOBS).join(', ')}.`]);
  if (rest.length > 1) throw new ConfigError([`One argument is enough: ${rest.join(' ')}.`]);
  await job(rest[0]);
}

main(process.argv.slice(2)).catch(endWith);
