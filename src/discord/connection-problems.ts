import type { Log } from '../shared/log.ts';

/** The parts of the connection to Discord that can fail separately. */
type Part = 'gateway' | 'commands';

/** The problems that separate the bot from Discord, for the health check. */
export interface ConnectionProblems {
  /** Records why a part does not work, in a sentence, or null once it does. A change is logged once. */
  report(part: Part, problem: string | null): void;
  all(): string[];
  /** Resolves when the first one is reported. */
  readonly first: Promise<void>;
}

export function createConnectionProblems(log: Log): ConnectionProblems {
  const problems = new Map<Part, string>();
  let resolveFirst: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    resolveFirst = resolve;
  });
  return {
    first,
    all: () => [...problems.values()],
    report(part, problem) {
      if ((problems.get(part) ?? null) === problem) return;
      if (problem === null) {
        problems.delete(part);
        log.info({ part }, 'Discord is working again');
      } else {
        problems.set(part, problem);
        log.warn({ part }, `${problem} Dealbell keeps trying.`);
        resolveFirst();
      }
    },
  };
}
