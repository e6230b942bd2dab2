import { type Clock, wallMsOf, within } from './clock.ts';
import type { Log } from './log.ts';

/** What a bot needs from outside. */
export const DEPENDENCIES = ['discord', 'catalog', 'database'] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

/** Asks for something; rejects where it can't be had. The signal aborts once the answer no longer matters. */
export type Ask = (signal: AbortSignal) => Promise<unknown>;

/** Asks a server over HTTP. Resolves with the body of its answer; rejects where it gives none, or has failed itself. */
export async function askServer(url: string, request: RequestInit): Promise<string> {
  const response = await fetch(url, { ...request, redirect: 'manual' });
  const body = await response.text();
  if (response.status >= 500) throw new Error(`it answered ${response.status}`);
  return body;
}

/** The time in which each answers where it is reached and not too slow to work with: milliseconds. */
const ANSWERS_WITHIN_MS: Readonly<Record<Dependency, number>> = { discord: 5_000, catalog: 5_000, database: 1_000 };
/** A dependency counts as away once it has not answered in time for so long: milliseconds. */
const AWAY_AFTER_MS = 30_000;

export interface ReachabilityParts {
  clock: Clock;
  log: Log;
  /** How to ask Discord and the catalog; one that is absent counts as reached. */
  asks: Partial<Readonly<Record<Dependency, Ask>>>;
}

/** A dependency that is away, and since when: epoch milliseconds. */
export interface Away {
  dependency: Dependency;
  sinceMs: number;
}

interface Seen {
  /** When the last ask that was answered in time began, by the monotonic clock. */
  answeredAtMs: number;
  isAnswering: boolean;
  isLogged: boolean;
}

/** Tells which of its dependencies this process reaches, as it has found out by asking. */
export class Reachability {
  /** The clock of the asks. */
  readonly clock: Clock;
  readonly #parts: ReachabilityParts;
  readonly #seen = new Map<Dependency, Seen>();

  constructor(parts: ReachabilityParts) {
    this.clock = parts.clock;
    this.#parts = parts;
  }

  /** Asks for everything once. Resolves with what has answered in time. Logs what is away from now on, and what is back. */
  async look(askDatabase: Ask): Promise<Dependency[]> {
    const asks = { ...this.#parts.asks, database: askDatabase };
    const answering = await Promise.all(DEPENDENCIES.map((name) => this.#isAnswering(name, asks[name])));
    this.#logChanges();
    return DEPENDENCIES.filter((_, index) => answering[index]);
  }

  /** Lists the dependencies that were asked and have not answered in time for 30 seconds. */
  away(): Away[] {
    return DEPENDENCIES.flatMap((dependency) => {
      const seen = this.#seen.get(dependency);
      if (!seen || seen.isAnswering || this.clock.monotonicMs() - seen.answeredAtMs < AWAY_AFTER_MS) return [];
      return [{ dependency, sinceMs: wallMsOf(seen.answeredAtMs, this.clock) }];
    });
  }

  async #isAnswering(dependency: Dependency, ask: Ask | undefined): Promise<boolean> {
    const askedAtMs = this.clock.monotonicMs();
    const answered = new AbortController();
    const isAnswering = await within(
      this.clock,
      ANSWERS_WITHIN_MS[dependency],
      ask?.(answered.signal) ?? Promise.resolve(),
    ).then(
      () => true,
      () => false,
    );
    answered.abort();
    // Before the first ask nothing is known, so that the time counts from then.
    const { answeredAtMs, isLogged } = this.#seen.get(dependency) ?? { answeredAtMs: askedAtMs, isLogged: false };
    this.#seen.set(dependency, { answeredAtMs: isAnswering ? askedAtMs : answeredAtMs, isAnswering, isLogged });
    return isAnswering;
  }

  #logChanges(): void {
    const { log } = this.#parts;
    const away = new Set(this.away().map(({ dependency }) => dependency));
    for (const [part, seen] of this.#seen) {
      if (away.has(part) === seen.isLogged || (seen.isLogged && !seen.isAnswering)) continue;
      seen.isLogged = !seen.isLogged;
      if (seen.isLogged) log.warn({ part }, 'no answer in time for 30 seconds');
      else log.info({ part }, 'it answers in time again');
    }
  }
}
