import { type Clock, wallMsOf } from '../shared/clock.ts';
import type { Answer } from './catalog.ts';
import { nameInCatalog } from './table.ts';

/** What the last answers about a resource hold that the bot can't read. */
export interface ResourceDrift {
  /** Those that most items have come first. */
  fields: readonly FieldDrift[];
  /** The fields that the bot doesn't know, and the moment since which every answer has had one. */
  unknown: { names: readonly string[]; sinceMs: number } | null;
}

export interface FieldDrift {
  /** By its name in the catalog; null stands for whole items. */
  field: string | null;
  /** The items of the last answer in which it was unreadable, and all of them. */
  items: number;
  of: number;
  /** Since when it has been so in every answer: epoch milliseconds, by the wall clock as it is now. */
  sinceMs: number;
}

/** Monotonic milliseconds. */
interface Lasting {
  sinceMonotonicMs: number;
}

interface Seen {
  of: number;
  fields: Map<string | null, Lasting & { items: number }>;
  unknown: (Lasting & { names: readonly string[] }) | null;
}

/**
 * Notices that the catalog's format drifts away from what the bot knows of it: a field that is renamed or gets another
 * type keeps its last known value for ever, and nobody would notice. Kept in memory: it is seen again after a restart.
 */
export class Drift {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Takes note of an answer about a resource that holds so many readable items. */
  note(resource: string, { unreadable, unknownFields }: NotedAnswer, readable: number): void {
    const before = this.#seen.get(resource);
    const nowMs = this.#clock.monotonicMs();
    const lost = lostItems(unreadable);
    const counts = unreadFields(unreadable);
    if (lost > 0) counts.set(null, lost);
    this.#seen.set(resource, {
      of: readable + lost,
      fields: new Map(
        [...counts].map(([field, items]) => {
          const sinceMonotonicMs = before?.fields.get(field)?.sinceMonotonicMs ?? nowMs;
          return [field, { items, sinceMonotonicMs }];
        }),
      ),
      unknown: unknownFields
        ? { names: unknownFields, sinceMonotonicMs: before?.unknown?.sinceMonotonicMs ?? nowMs }
        : null,
    });
  }

  /**
   * What the last answer about a resource held.
   * @param lastingMs how long it has to have been so already
   */
  of(resource: string, lastingMs = 0): ResourceDrift {
    const seen = this.#seen.get(resource);
    if (!seen) return { fields: [], unknown: null };
    const { of, fields, unknown } = seen;
    const isLasting = (what: Lasting) => this.#clock.monotonicMs() - what.sinceMonotonicMs >= lastingMs;
    const sinceMs = (what: Lasting) => wallMsOf(what.sinceMonotonicMs, this.#clock);
    return {
      fields: [...fields]
        .filter(([, what]) => isLasting(what))
        .map(([field, what]) => ({ field, items: what.items, of, sinceMs: sinceMs(what) }))
        .toSorted((a, b) => b.items - a.items),
      unknown: unknown && isLasting(unknown) ? { names: unknown.names, sinceMs: sinceMs(unknown) } : null,
    };
  }

  /** The resources whose answers have been noted. */
  resources(): Iterable<string> {
    return this.#seen.keys();
  }
}

type NotedAnswer = Pick<Answer<unknown>, 'unreadable' | 'unknownFields'>;

/** The number of items that could not be read at all. What is beyond a limit of ours was not tried. */
function lostItems(unreadable: NotedAnswer['unreadable']): number {
  if (!unreadable) return 0;
  return unreadable.ids.length + (Number.isFinite(unreadable.nameless) ? unreadable.nameless : 0);
}

/** The number of items in which each field could not be read. A field of an event's offers counts once for each event. */
function unreadFields(unreadable: NotedAnswer['unreadable']): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  const count = (field: string) => counts.set(field, (counts.get(field) ?? 0) + 1);
  for (const fields of unreadable?.fields?.values() ?? []) for (const field of fields) count(nameInCatalog(field));
  for (const offers of unreadable?.offers?.values() ?? []) {
    const fields = new Set([...(offers.fields?.values() ?? [])].flat());
    for (const field of fields) count(nameInCatalog(`offers.${field}`));
  }
  return counts;
}
