/** Base of every error that Dealbell raises itself: a literal `code` for programs, a `message` for people. */
export abstract class AppError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The environment is wrong. Holds every problem found, each naming its variable. */
export class ConfigError extends AppError {
  readonly code = 'CONFIG';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
      options,
    );
    this.problems = problems;
  }
}

/** An expected failure. Its message is one plain sentence that is shown to the person who asked, as it is. */
export class UserError extends AppError {
  readonly code = 'USER';
}

/** The state could not be read or written. */
export class StoreError extends AppError {
  readonly code = 'STORE';
}
