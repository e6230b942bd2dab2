/** Settings with which the demo can't run; each problem names its variable. */
export class SettingsError extends Error {
  constructor(problems: readonly string[], options?: ErrorOptions) {
    const title = problems.length === 1 ? 'There’s a problem' : `There are ${problems.length} problems`;
    super(`${title} with the settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`, options);
  }
}

/** The bot has ended by itself, and has said why. */
export class BotEnded extends Error {
  readonly exitStatus: number;

  constructor(exitStatus: number) {
    super(`The bot has ended with status ${exitStatus}.`);
    this.exitStatus = exitStatus;
  }
}

const EXIT_SETTINGS = 2;

/** Prints an error's message, unless the bot has printed it already, and ends the process with the error's exit status. */
export function endWith(error: unknown): never {
  if (error instanceof BotEnded) process.exit(error.exitStatus);
  const isExplained = error instanceof SettingsError;
  process.stderr.write(`${isExplained ? error.message : describe(error)}\n`);
  process.exit(isExplained ? EXIT_SETTINGS : 1);
}

const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
