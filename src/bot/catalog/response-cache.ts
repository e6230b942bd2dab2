import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Answer, CallOptions, Lane, Unreadable } from './catalog.ts';
import { withDeadline } from './deadline.ts';
import { Demand } from './demand.ts';
import { CatalogError, CatalogHttpError, CatalogTimeoutError } from './errors.ts';
import type { Parsed } from './wire.ts';

interface Age {
  /** Up to here an answer is given as it is. */
  freshMs: number;
  /** Up to here it is given at once to people who ask, while a new one is fetched for the next. */
  revalidateMs: number;
  /** Up to here it stands in, marked as stale, where no new one can be had. */
  staleMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How old an answer may be. Only what does not expire or sell out is shown while a new one is on its way. */
const AGES = {
  feed: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 24 * HOUR_MS },
  offer: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 24 * HOUR_MS },
  events: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 24 * HOUR_MS },
  event: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 24 * HOUR_MS },
  eventOffer: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 24 * HOUR_MS },
  dealcasts: { freshMs: 5 * MINUTE_MS, revalidateMs: HOUR_MS, staleMs: 72 * HOUR_MS },
  polls: { freshMs: 5 * MINUTE_MS, revalidateMs: HOUR_MS, staleMs: 72 * HOUR_MS },
  monkeychats: { freshMs: 15 * MINUTE_MS, revalidateMs: 6 * HOUR_MS, staleMs: 72 * HOUR_MS },
} as const satisfies Record<string, Age>;

type Resource = keyof typeof AGES;

/** How long a call may take in all, the wait in the queue and every retry included. */
const PATIENCE_MS: Record<Lane, number> = { interactive: 20_000, announcement: 60_000, background: 120_000 };

/** The least recently fetched answers beyond these are forgotten. */
const MAX_ANSWERS = 1_000;

interface Kept {
  value: unknown;
  malformed: number;
  /** How much was cut because it was over a limit. */
  cut: number;
  unreadable: Unreadable | undefined;
  /** Epoch milliseconds, for people to read. */
  fetchedAtMs: number;
  /** On the monotonic clock, to tell its age by. */
  keptAtMs: number;
}

interface Flight {
  demand: Demand;
  landed: Promise<Kept>;
}

/** Asks the catalog for one thing on behalf of everybody in `demand`. */
type Fetch<T> = (demand: Demand) => Promise<Parsed<T>>;

export interface Answers {
  /** The answer to `key` of a resource: a kept one where it is young enough, else one that all who ask meanwhile share. */
  get<T>(resource: Resource, key: string, options: CallOptions, fetch: Fetch<T>): Promise<Answer<T>>;
  /** Rejects everybody who waits. */
  close(error: CatalogError): void;
}

export function createAnswers({ clock, log }: { clock: Clock; log: Log }): Answers {
  const kept = new Map<string, Kept>();
  const flights = new Map<string, Flight>();
  let closed: CatalogError | null = null;

  async function get<T>(resource: Resource, key: string, options: CallOptions, fetch: Fetch<T>): Promise<Answer<T>> {
    options.signal?.throwIfAborted();
    if (closed) throw closed;
    const id = `${resource} ${key}`;
    const ages = AGES[resource];
    const held = kept.get(id);
    const ageMs = held ? clock.monotonicMs() - held.keptAtMs : Number.POSITIVE_INFINITY;
    const maxAgeMs = options.maxAgeMs ?? ages.freshMs;
    if (held && maxAgeMs > 0 && ageMs <= maxAgeMs) return toAnswer<T>(held, false);
    if (held && options.lane === 'interactive' && options.maxAgeMs === undefined && ageMs < ages.revalidateMs) {
      join(id, { lane: 'background' }, fetch).catch((error: unknown) => {
        log.debug({ resource, error: String(error) }, 'An answer could not be renewed.');
      });
      return toAnswer<T>(held, false);
    }
    if (!flights.has(id)) options.beforeRequest?.();
    try {
      return toAnswer<T>(await join(id, options, fetch), false);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (closed || !held || ageMs >= ages.staleMs || !mayStandIn(error)) throw error;
      log.info({ resource, ageMs, error: String(error) }, 'An older answer stands in.');
      return toAnswer<T>(held, true);
    }
  }

  /** Waits for the answer together with everybody else who asks for it, within the caller's own time. */
  async function join<T>(id: string, options: CallOptions, fetch: Fetch<T>): Promise<Kept> {
    const flight = flights.get(id) ?? depart(id, fetch);
    const patienceMs = PATIENCE_MS[options.lane];
    const timedOut = () => new CatalogTimeoutError(`The catalog did not answer within ${patienceMs / 1000} s.`);
    flight.demand.join(options.lane, clock.monotonicMs() + patienceMs);
    try {
      return await withDeadline(clock, patienceMs, options.signal, timedOut, flight.landed);
    } catch (error) {
      flight.demand.leave(error);
      throw error;
    }
  }

  function depart<T>(id: string, fetch: Fetch<T>): Flight {
    const demand = new Demand();
    const landed = new Promise<Kept>((resolve, reject) => {
      // Whoever comes after the last one has left starts anew instead of sharing the end of that.
      const forget = () => {
        if (flights.get(id) === flight) flights.delete(id);
      };
      const fail = (reason: unknown) => {
        forget();
        reject(reason as Error);
      };
      demand.watch({ ended: fail });
      // Not before the caller for whom this departs has joined.
      Promise.resolve()
        .then(() => fetch(demand))
        .then((parsed) => {
          resolve(keep(id, parsed));
          forget();
        })
        .catch(fail);
    });
    landed.catch(() => undefined);
    const flight: Flight = { demand, landed };
    flights.set(id, flight);
    return flight;
  }

  function keep<T>(id: string, { value, problems, unreadable }: Parsed<T>): Kept {
    const cut = problems.filter(({ isCut }) => isCut).length;
    const malformed = problems.length - cut;
    // Told once while it stays so: a feed that always holds such an item would fill the log.
    const before = kept.get(id);
    const level = before?.malformed === malformed && before.cut === cut ? 'debug' : 'warn';
    const first = problems.slice(0, 5);
    if (malformed > 0) log[level]({ answer: id, malformed, cut, first }, 'Malformed items were left out.');
    else if (cut > 0) log[level]({ answer: id, cut, first }, 'What was over the limits was cut.');
    const fetchedAtMs = clock.now();
    const answer: Kept = { value, malformed, cut, unreadable, fetchedAtMs, keptAtMs: clock.monotonicMs() };
    kept.delete(id);
    kept.set(id, answer);
    const [oldest] = kept.keys();
    if (kept.size > MAX_ANSWERS && oldest !== undefined) kept.delete(oldest);
    return answer;
  }

  return {
    get,
    close(error) {
      closed = error;
      for (const { demand } of flights.values()) demand.end(error);
    },
  };
}

/** A refusal is an answer; everything else only means that there is none now. */
function mayStandIn(error: unknown): boolean {
  return error instanceof CatalogError && !(error instanceof CatalogHttpError && !error.retryable);
}

function toAnswer<T>({ value, malformed, unreadable, fetchedAtMs }: Kept, isStale: boolean): Answer<T> {
  // The key names the resource, and each resource has one type of value.
  return { value: value as T, malformed, fetchedAtMs, isStale, ...(unreadable ? { unreadable } : {}) };
}
