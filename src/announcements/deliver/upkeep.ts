import { type AsideMessage, isPlainNext, type ThingsAside } from '../../discord/bad-answers.ts';
import type { ChangeOutcome } from '../../discord/courier.ts';
import { type Failure, unlessUnexplained } from '../../discord/outcome.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Changes } from '../../store/table/state.ts';
import { DONE, type Result } from './channel.ts';
import type { DelivererParts } from './parts.ts';

/** A longer rate limit is worth a warning. */
export const SHORT_LIMIT_MS = MINUTE_MS;

/** What the log says once a request is done, while it is to be made again, and where it never will be. */
const LOG_EVENTS = {
  edited: ['edited', 'not edited yet', 'not edited'],
  deleted: ['deleted', 'not deleted yet', 'not deleted'],
  replied: ['replied', 'not replied yet', 'not replied'],
  published: ['published', 'not published yet', 'not published'],
  pinned: ['pinned', 'not pinned yet', 'not pinned'],
  unpinned: ['unpinned', 'not unpinned yet', 'not unpinned'],
} as const;

/** How a request about a message ended for good. `missing`: the message doesn't exist. `gone`: nor does its channel. */
export type Ending = 'done' | 'missing' | 'refused' | 'gone';

/** One request about a message that stands in a channel. Repeated, it does no harm. */
export interface UpkeepRequest {
  /** Names it among those that Discord answers badly. A message's next state is another request. */
  key: string;
  /** What the message is once it is done. */
  done: keyof typeof LOG_EVENTS;
  /** What the log says of it. */
  logged: Readonly<Record<string, unknown>>;
  /** What people are told where Discord keeps answering it badly; null where that is for the log alone. */
  about: AsideMessage | null;
  /** Whether there is a plain card to try where Discord keeps answering badly. */
  hasPlain?: boolean;
  /** Whether nothing is lost where it isn't done: its failures are no news, and one denial ends it. */
  isOptional?: boolean;
  send(isPlain: boolean): Promise<ChangeOutcome>;
  /** Records how it ended, as a part of a commit that may read. */
  end(changes: Changes, ending: Ending): void | Promise<void>;
}

/** What became of a request: null while it is to be made again. */
interface Made {
  ending: Ending | null;
  /** Where the bot may not do it, with the key of a sentence that says what it lacks. */
  result: Exclude<Result, { kind: 'blocked' }> | Extract<Failure, { kind: 'blocked' }>;
}

/** Makes the requests that keep messages as they should be, and decides what each answer of Discord's means for them. */
export class Upkeep {
  readonly #parts: DelivererParts;
  /** What Discord answers badly, by key. */
  readonly #aside: ThingsAside<AsideMessage | null>;
  /** The keys of requests whose message Discord has denied once: one such answer proves nothing. */
  readonly #denied = new Set<string>();

  constructor(parts: DelivererParts, aside: ThingsAside<AsideMessage | null>) {
    this.#parts = parts;
    this.#aside = aside;
  }

  /** When a request that has stepped aside is made again: epoch milliseconds; 0 for any other. */
  againAtMs(key: string): number {
    return this.#aside.againAtMs(key) ?? 0;
  }

  /** Those that may be made now, of which Discord has answered the first badly the fewest times: so none holds up others. */
  ready<T>(waiting: readonly T[], keyOf: (item: T) => string): T[] {
    const nowMs = this.#parts.clock.now();
    return waiting
      .filter((item) => this.againAtMs(keyOf(item)) <= nowMs)
      .toSorted((one, other) => this.#aside.countOf(keyOf(one)) - this.#aside.countOf(keyOf(other)));
  }

  /** Forgets what Discord has answered to requests that are made no more. */
  sweep(): void {
    this.#aside.sweep();
    this.#denied.clear();
  }

  /** Makes a request once, and records how it ended where it did. Rejects with a StoreError. */
  async make(request: UpkeepRequest): Promise<Made> {
    const { key, done, logged, hasPlain = false } = request;
    const { log } = this.#parts;
    const isPlain = hasPlain && isPlainNext(this.#aside.countOf(key));
    const outcome = unlessUnexplained(await request.send(isPlain));
    if (outcome.kind !== 'done') return this.#failed(request, outcome);
    const ended = await this.#end(request, 'done');
    log.info(logged, LOG_EVENTS[done][0]);
    if (this.#aside.end(key, !isPlain)) {
      log.info({ ...logged, title: request.about?.title }, 'Discord has taken it after all');
    }
    return ended;
  }

  async #failed(request: UpkeepRequest, outcome: Failure): Promise<Made> {
    const { done, logged, isOptional = false } = request;
    const { clock, log } = this.#parts;
    const { reason } = outcome;
    const say = isOptional ? 'debug' : 'warn';
    const [, notYet, never] = LOG_EVENTS[done];
    switch (outcome.kind) {
      case 'unknown':
        log[say]({ ...logged, reason }, notYet);
        return { ending: null, result: this.#answeredBadly(request, reason) };
      case 'blocked':
        log[say]({ ...logged, reason }, notYet);
        return { ending: null, result: outcome };
      case 'later': {
        // A limit of seconds is usual where much changes at once.
        const isShort = outcome.afterMs <= SHORT_LIMIT_MS;
        const nextAt = new Date(clock.now() + outcome.afterMs).toISOString();
        log[isShort ? 'debug' : say]({ ...logged, reason, nextAt }, notYet);
        return { ending: null, result: outcome };
      }
      case 'unfound':
      case 'missing':
        log[say]({ ...logged, what: never, reason }, 'the message was not found');
        if (isOptional || this.#denied.has(request.key)) return this.#end(request, 'missing');
        this.#denied.add(request.key);
        return { ending: null, result: { kind: 'unknown' } };
      case 'gone':
      case 'refused':
        log[say]({ ...logged, reason }, never);
        return this.#end(request, outcome.kind);
    }
  }

  async #end(request: UpkeepRequest, ending: Ending): Promise<Made> {
    this.#denied.delete(request.key);
    await this.#parts.store.transact(async (changes) => request.end(changes, ending));
    return { ending, result: DONE };
  }

  /** A request that Discord answers badly while it answers others well steps aside, and the channel goes on at once. */
  #answeredBadly({ key, done, logged, about, hasPlain = false }: UpkeepRequest, reason: string): Made['result'] {
    const { isAside, isFirst } = this.#aside.note(key, about, hasPlain);
    if (isFirst) {
      const nextAt = new Date(this.againAtMs(key)).toISOString();
      const said = { ...logged, title: about?.title, what: LOG_EVENTS[done][2], reason, nextAt };
      this.#parts.log.warn(said, 'Discord keeps answering with an error: others go first');
    }
    return isAside ? DONE : { kind: 'unknown' };
  }
}
