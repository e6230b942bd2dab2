import { EVENTS_FULL, type Failure } from '../../../src/discord/outcome.ts';
import type { EventTimes, ScheduledEvents, ShownEvent } from '../../../src/features/events-list/scheduled-events.ts';
import type { Clock } from '../../../src/shared/clock.ts';

type Status = 'scheduled' | 'active' | 'completed';

/** An entry of the list. */
export interface ListedEvent extends ShownEvent, EventTimes {
  guildId: string;
  id: string;
  status: Status;
}

/** What becomes of a request: it fails, before or after Discord has carried it out; null where it's answered. */
type Fault = { failure: Failure; isCarriedOut: boolean } | null;

const UNKNOWN: Failure = { kind: 'missing', reason: 'unknown-event' };
const PAST: Failure = { kind: 'refused', reason: 'Cannot schedule event in the past.' };

/** The Events lists of Discord's servers, as its documentation describes them: they begin and end by themselves. */
export class EventsLists implements ScheduledEvents {
  readonly #clock: Clock;
  readonly #entries = new Map<string, ListedEvent>();
  #made = 0;
  /** The entries that other people have made. */
  others = 0;
  /** The requests so far. */
  readonly asked: string[] = [];
  /** How many requests were answered well. */
  successes = 0;
  /** Asked before each request, with the name of the event that it is about, or ''. */
  fault: (request: string, name: string) => Fault | Promise<Fault> = () => null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The entries that aren't over; those of a server. */
  standing(guildId = '1'): ListedEvent[] {
    const nowMs = this.#clock.now();
    for (const entry of this.#entries.values()) {
      if (entry.status === 'scheduled' && entry.startMs <= nowMs) entry.status = 'active';
      if (entry.status === 'active' && entry.endMs <= nowMs) entry.status = 'completed';
    }
    return [...this.#entries.values()].filter((one) => one.guildId === guildId && one.status !== 'completed');
  }

  /** A moderator deletes an entry. */
  delete(id: string): void {
    this.#entries.delete(id);
  }

  list(guildId: string) {
    return this.#answer('list', '', () => ({
      kind: 'listed' as const,
      events: this.standing(guildId).map(({ id, description, status, startMs, endMs }) => {
        const mark = /🔔 (.*)$/.exec(description)?.[1] ?? null;
        return { id, mark, isBegun: status === 'active', startMs, endMs };
      }),
    }));
  }

  create(guildId: string, event: ShownEvent & EventTimes) {
    return this.#answer('create', event.name, () => {
      if (event.startMs <= this.#clock.now() || event.endMs <= event.startMs) return PAST;
      if (this.standing(guildId).length + this.others >= 100) return EVENTS_FULL;
      this.#made += 1;
      const id = `${100 + this.#made}`;
      this.#entries.set(id, { ...event, guildId, id, status: 'scheduled' });
      return { kind: 'created' as const, id };
    });
  }

  change(_: string, id: string, changes: Partial<ShownEvent & EventTimes>) {
    return this.#answer('change', this.#nameOf(id), () => {
      const entry = this.#unfinished(id);
      if (!entry) return UNKNOWN;
      const { startMs, endMs } = { ...entry, ...changes };
      if (changes.startMs !== undefined && (entry.status === 'active' || startMs <= this.#clock.now())) return PAST;
      if (endMs <= Math.max(startMs, this.#clock.now())) return PAST;
      Object.assign(entry, changes);
      return DONE;
    });
  }

  begin(_: string, id: string) {
    return this.#become('begin', id, 'scheduled', 'active');
  }

  end(_: string, id: string) {
    return this.#become('end', id, 'active', 'completed');
  }

  remove(_: string, id: string) {
    return this.#answer('remove', this.#nameOf(id), () => (this.#entries.delete(id) ? DONE : UNKNOWN));
  }

  #become(request: string, id: string, from: Status, to: Status) {
    return this.#answer(request, this.#nameOf(id), () => {
      const entry = this.#unfinished(id);
      if (!entry) return UNKNOWN;
      if (entry.status !== from) return { kind: 'refused' as const, reason: `Cannot go from ${entry.status}.` };
      entry.status = to;
      return DONE;
    });
  }

  #unfinished(id: string): ListedEvent | undefined {
    this.standing();
    const entry = this.#entries.get(id);
    return entry?.status === 'completed' ? undefined : entry;
  }

  #nameOf(id: string): string {
    return this.#entries.get(id)?.name ?? '';
  }

  async #answer<Outcome>(request: string, name: string, carryOut: () => Outcome): Promise<Outcome | Failure> {
    this.asked.push(request);
    const fault = await this.fault(request, name);
    if (!fault) {
      this.successes += 1;
      return carryOut();
    }
    if (fault.isCarriedOut) carryOut();
    return fault.failure;
  }
}

const DONE = { kind: 'done' as const };
