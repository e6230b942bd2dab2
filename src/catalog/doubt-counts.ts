import type { DoubtChanges } from '../deals/doubts.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import { type Clock, wallMsOf } from '../shared/clock.ts';
import { nameInCatalog } from './table.ts';
import { dayOf } from './throttle/rate-budget.ts';

/** A doubt is believed after a second answer or because the offer itself was asked, or it comes to nothing. */
export const DOUBT_ENDS = ['answer', 'asked', 'refuted'] as const;
export type DoubtEnd = (typeof DOUBT_ENDS)[number];

/** How many doubts about a field of a resource began, and how many were believed. */
export interface DoubtedField {
  /** A feed by its name in lower case. */
  resource: ResourceKey;
  /** By its name in the catalog. */
  field: string;
  contradicted: number;
  confirmed: number;
}

export interface DoubtsOfDay {
  /** Midnight UTC, or the start of the process where that was later: epoch milliseconds. */
  sinceMs: number;
  began: number;
  ended: Readonly<Record<DoubtEnd, number>>;
}

/** The field as it is named in parsed values. */
interface Doubted {
  resource: ResourceKey;
  field: string;
}

/** Counts what single answers claim that isn't believed at once, and how that ends. Kept in memory. */
export class DoubtCounts {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #startMonotonicMs: number;
  readonly #fields = new Map<string, DoubtedField>();
  readonly #ended = noneEnded();
  #today: { dayMs: number; began: number; ended: Record<DoubtEnd, number> };

  constructor(clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#clock = clock;
    this.#startMonotonicMs = clock.monotonicMs();
    this.#today = { dayMs: dayOf(clock.now()), began: 0, ended: noneEnded() };
  }

  /** @param by who has spoken */
  note({ began, confirmed, refuted }: DoubtChanges<Doubted>, by: 'answer' | 'asked'): void {
    const today = this.#turnedDay();
    for (const doubt of began) this.#count(doubt, { contradicted: 1, confirmed: 0 });
    for (const doubt of confirmed) this.#count(doubt, { contradicted: 0, confirmed: 1 });
    today.began += began.length;
    for (const ended of [this.#ended, today.ended]) {
      ended[by] += confirmed.length;
      ended.refuted += refuted.length;
    }
  }

  sinceStart(): { fields: readonly DoubtedField[]; ended: Readonly<Record<DoubtEnd, number>> } {
    return { fields: [...this.#fields.values()], ended: { ...this.#ended } };
  }

  today(): DoubtsOfDay {
    const { dayMs, began, ended } = this.#turnedDay();
    const sinceMs = Math.max(dayMs, wallMsOf(this.#startMonotonicMs, this.#clock));
    return { sinceMs, began, ended: { ...ended } };
  }

  #count({ resource, field }: Doubted, more: Pick<DoubtedField, 'contradicted' | 'confirmed'>): void {
    const key = `${field} ${resource}`;
    const { contradicted, confirmed } = this.#fields.get(key) ?? { contradicted: 0, confirmed: 0 };
    this.#fields.set(key, {
      resource,
      field: nameInCatalog(field),
      contradicted: contradicted + more.contradicted,
      confirmed: confirmed + more.confirmed,
    });
  }

  /** The counts of today, which begin anew where midnight has passed. */
  #turnedDay() {
    const dayMs = dayOf(this.#clock.now());
    if (dayMs !== this.#today.dayMs) this.#today = { dayMs, began: 0, ended: noneEnded() };
    return this.#today;
  }
}

const noneEnded = (): Record<DoubtEnd, number> => ({ answer: 0, asked: 0, refuted: 0 });
