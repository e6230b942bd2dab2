import { LRUCache } from 'lru-cache';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/time.ts';
import type { Answer, CallOptions, Lane } from './catalog.ts';
import { Demand, onAbort, withDeadline } from './demand.ts';
import { CatalogError, CatalogHttpError, CatalogTimeoutError } from './errors.ts';
import type { Problem } from './limits.ts';
import type { Parsed } from './wire.ts';

interface Age {
  /** Up to here an answer is given as it is. */
  freshMs: number;
  /** Up to here it is given at once to people who ask, while a new one is fetched for the next. */
  revalidateMs: number;
  /** Up to here it stands in, marked as stale, where no new one can be had. 0: it is not kept at all. */
  staleMs: number;
}

/** How old an answer may be. Only what does not expire or sell out is shown while a new one is on its way. */
const AGES = {
  // Megabytes, of which the poller keeps what it needs.
  feed: { freshMs: 0, revalidateMs: 0, staleMs: 0 },
  offer: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: DAY_MS },
  events: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: DAY_MS },
  event: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: DAY_MS },
  eventOffer: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: DAY_MS },
  dealcasts: { freshMs: 5 * MINUTE_MS, revalidateMs: HOUR_MS, staleMs: 72 * HOUR_MS },
  polls: { freshMs: 5 * MINUTE_MS, revalidateMs: HOUR_MS, staleMs: 72 * HOUR_MS },
  monkeychats: { freshMs: 15 * MINUTE_MS, revalidateMs: 6 * HOUR_MS, staleMs: 72 * HOUR_MS },
} as const satisfies Record<string, Age>;

type Resource = keyof typeof AGES;

/** How long a call may take in all, the wait in the queue and every retry included. */
export const PATIENCE_MS: Record<Lane, number> = { interactive: 20_000, announcement: MINUTE_MS, background: 120_000 };

/** The least recently used answers beyond these are forgotten. */
const MAX_ENTRIES = 1_000;

interface CacheEntry extends Omit<Answer<unknown>, 'isStale'> {
  /** How much was cut because it was over a limit. */
  cut: number;
  /** On the monotonic clock, to tell its age by. */
  keptAtMs: number;
}

/** A request that all who ask for the same share. */
interface InFlight {
  demand: Demand;
  answer: Promise<CacheEntry>;
}

/** Asks the catalog for one thing on behalf of everybody in `demand`. */
type Fetch<T> = (demand: Demand) => Promise<Parsed<T>>;

/** Keeps answers, and shares each request among all who ask for the same. */
export class ResponseCache {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #entries = new LRUCache<string, CacheEntry>({ max: MAX_ENTRIES });
  readonly #inFlight = new Map<string, InFlight>();
  #closed: CatalogError | null = null;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The answer to `key` of a resource: a kept one where it is young enough, else one that all who ask meanwhile share. */
  async get<T>(resource: Resource, key: string, options: CallOptions, fetch: Fetch<T>): Promise<Answer<T>> {
    options.signal?.throwIfAborted();
    if (this.#closed) throw this.#closed;
    const id = `${resource} ${key}`;
    const ages = AGES[resource];
    const kept = ages.staleMs > 0 ? this.#entries.get(id) : undefined;
    const ageMs = kept ? this.#clock.monotonicMs() - kept.keptAtMs : Number.POSITIVE_INFINITY;
    const maxAgeMs = options.maxAgeMs ?? ages.freshMs;
    if (kept && maxAgeMs > 0 && ageMs <= maxAgeMs) return toAnswer<T>(kept, false);
    if (kept && options.lane === 'interactive' && options.maxAgeMs === undefined && ageMs < ages.revalidateMs) {
      this.#join(resource, id, { lane: 'background' }, fetch).catch((error: unknown) => {
        this.#log.debug({ resource, error: String(error) }, 'An answer could not be renewed.');
      });
      return toAnswer<T>(kept, false);
    }
    if (!this.#inFlight.has(id)) options.beforeRequest?.();
    try {
      return toAnswer<T>(await this.#join(resource, id, options, fetch), false);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (this.#closed || !kept || maxAgeMs === 0 || ageMs >= ages.staleMs || !mayStandIn(error)) throw error;
      this.#log.info({ resource, ageMs, reason: error.message }, 'using an older catalog answer');
      return toAnswer<T>(kept, true);
    }
  }

  /** Rejects everybody who waits. */
  close(error: CatalogError): void {
    this.#closed = error;
    for (const { demand } of this.#inFlight.values()) demand.end(error);
  }

  /** Waits for the answer together with everybody else who asks for it, within the caller's own time. */
  async #join<T>(resource: Resource, id: string, options: CallOptions, fetch: Fetch<T>): Promise<CacheEntry> {
    const { demand, answer } = this.#inFlight.get(id) ?? this.#start(resource, id, fetch);
    const patienceMs = PATIENCE_MS[options.lane];
    const timedOut = () => new CatalogTimeoutError(`The catalog did not answer within ${patienceMs / 1000} s.`);
    demand.join(options.lane, this.#clock.monotonicMs() + patienceMs);
    try {
      return await withDeadline(this.#clock, patienceMs, options.signal, timedOut, () => answer);
    } catch (error) {
      demand.leave(error);
      throw error;
    }
  }

  #start<T>(resource: Resource, id: string, fetch: Fetch<T>): InFlight {
    const demand = new Demand();
    const answer = new Promise<CacheEntry>((resolve, reject) => {
      onAbort(demand.signal, reject);
      // Not before the caller for whom this starts has joined.
      Promise.resolve()
        .then(async () => resolve(this.#keep(resource, id, await fetch(demand))))
        .catch(reject);
    });
    const started: InFlight = { demand, answer };
    const forget = () => {
      if (this.#inFlight.get(id) === started) this.#inFlight.delete(id);
    };
    answer.then(forget, forget);
    // After the last caller has left, the next one starts anew instead of sharing the end of that.
    onAbort(demand.signal, forget);
    this.#inFlight.set(id, started);
    return started;
  }

  #keep<T>(resource: Resource, id: string, { value, problems, unreadable, unknownFields }: Parsed<T>): CacheEntry {
    const cut = problems.filter(({ isCut }) => isCut).length;
    const malformed = problems.length - cut;
    const [fetchedAtMs, keptAtMs] = [this.#clock.now(), this.#clock.monotonicMs()];
    const entry = { value, malformed, cut, unreadable, unknownFields, fetchedAtMs, keptAtMs };
    this.#logProblems(id, entry, problems);
    // Its counts stay in any case: they tell whether its problems have been reported.
    this.#entries.set(id, AGES[resource].staleMs > 0 ? entry : { ...entry, value: null });
    return entry;
  }

  /** Warns once while it stays so: a feed that always holds such an item would fill the log. */
  #logProblems(answer: string, { malformed, cut }: CacheEntry, problems: readonly Problem[]): void {
    const before = this.#entries.peek(answer);
    const level = before?.malformed === malformed && before.cut === cut ? 'debug' : 'warn';
    const first = problems.slice(0, 5);
    if (malformed > 0) this.#log[level]({ answer, malformed, cut, first }, 'malformed items were skipped');
    else if (cut > 0) this.#log[level]({ answer, cut, first }, 'oversized content was cut');
  }
}

/** A refusal is an answer; everything else only means that there is none now. */
function mayStandIn(error: unknown): error is CatalogError {
  return error instanceof CatalogError && !(error instanceof CatalogHttpError && !error.retryable);
}

function toAnswer<T>(entry: CacheEntry, isStale: boolean): Answer<T> {
  const { value, malformed, unreadable, unknownFields, fetchedAtMs } = entry;
  return {
    // The key names the resource, and each resource has one type of value.
    value: value as T,
    malformed,
    fetchedAtMs,
    isStale,
    ...(unreadable ? { unreadable } : {}),
    ...(unknownFields ? { unknownFields } : {}),
  };
}
