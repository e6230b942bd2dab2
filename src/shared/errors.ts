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
      `${problems.length === 1 ? 'There’s a problem' : `There are ${problems.length} problems`} with the settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
      options,
    );
    this.problems = problems;
  }
}

/** The bot can't listen where the settings say, for now: something else does, or the machine has no such address yet. */
export class AddressUnavailableError extends AppError {
  readonly code = 'ADDRESS_UNAVAILABLE';
}

/** What a command was told is wrong. Ends its process as wrong settings do. */
export class UsageError extends ConfigError {
  constructor(problem: string, options?: ErrorOptions) {
    super([problem], options);
    this.message = problem;
  }
}

/** A sentence to be written in its reader's language: its key in the message catalogue and the values to insert. */
export interface LocalizedText {
  key: string;
  values: Readonly<Record<string, LocalizedValue>>;
}

/**
 * A text is inserted as it is. Lists, joined with "and" or "or", and whole percentages are written as the language
 * writes them.
 */
export type LocalizedValue =
  | string
  | number
  | LocalizedText
  | readonly (string | LocalizedText)[]
  | { either: readonly string[] }
  | { percent: number };

/**
 * An expected failure, in one plain sentence. A localized text is shown, in their language, to the person who asked; a
 * plain text is for the person who starts the bot.
 */
export class UserError extends AppError {
  readonly code = 'USER';
  readonly localized: LocalizedText | null;

  constructor(sentence: string | LocalizedText, options?: ErrorOptions) {
    super(typeof sentence === 'string' ? sentence : sentence.key, options);
    this.localized = typeof sentence === 'string' ? null : sentence;
  }
}

/** Discord accepts no further connection of this bot. Trying again is useless until somebody has fixed the cause. */
export class DiscordRefusedError extends AppError {
  readonly code = 'DISCORD_REFUSED';
}

/** The reason why a state can't be written. */
export type WriteProblem = 'disk-full' | 'disk-failed' | 'read-only' | 'unreachable';

/** The state could not be read or written. */
export class StoreError extends AppError {
  readonly code = 'STORE';
  /** Why the state can't be written; null where that is not known. */
  readonly problem: WriteProblem | null;

  constructor(message: string, { problem = null, ...options }: ErrorOptions & { problem?: WriteProblem | null } = {}) {
    super(message, options);
    this.problem = problem;
  }
}

/** A newer version has written the state. It is left as it is. */
export class NewerStateError extends StoreError {
  /** That version, or the first one with its format; '' where it is not known. */
  readonly writer: string;

  constructor(message: string, writer: string) {
    super(message);
    this.writer = writer;
  }
}

/** Another process holds the lease of the state. */
export class StateInUseError extends AppError {
  readonly code: string = 'STATE_IN_USE';
}

/** This process hands the lease over to another one, which reaches more of what it needs. */
export class StateHandedOverError extends StateInUseError {
  override readonly code = 'STATE_HANDED_OVER';
}
