import type { ResourceKey } from '../../deals/subscription.ts';
import { ageMs, type Clock, wallMsOf } from '../../shared/clock.ts';
import type { ResourceStore } from '../../store/catalog-records.ts';

export interface Failure {
  /** Since when every attempt has failed: epoch milliseconds. */
  sinceMs: number;
  /** The reason of the last failure, in a plain sentence that names no file and no key. */
  reason: string;
}

/** Like `Failure`, but monotonic: setting the wall clock makes it neither longer nor shorter. */
interface FailingSince {
  sinceMonotonicMs: number;
  reason: string;
}

/** When the resources were polled, and with which result. */
export class PollHistory {
  readonly #clock: Clock;
  /** When each resource was last tried: monotonic milliseconds. */
  readonly #attempts = new Map<ResourceKey, number>();
  readonly #failures = new Map<ResourceKey, FailingSince>();
  /** Why polling as a whole fails; null while it succeeds. */
  #failing: FailingSince | null = null;
  /** Monotonic milliseconds. */
  #lastPollMs: number | null;

  constructor(resources: ResourceStore, clock: Clock) {
    this.#clock = clock;
    // The records are all that is known of former runs.
    for (const resource of resources.keys()) {
      const polledAtMs = resources.get(resource)?.polledAtMs ?? clock.now();
      this.#attempts.set(resource, clock.monotonicMs() - ageMs(polledAtMs, clock.now()));
    }
    this.#lastPollMs = this.#attempts.size === 0 ? null : Math.max(...this.#attempts.values());
  }

  begin(resource: ResourceKey): void {
    this.#attempts.set(resource, this.#clock.monotonicMs());
  }

  succeeded(resource: ResourceKey): void {
    this.#lastPollMs = this.#clock.monotonicMs();
    this.#failing = null;
    this.#failures.delete(resource);
  }

  failed(resource: ResourceKey, reason: string): void {
    this.#failures.set(resource, this.#failingOn(this.#failures.get(resource), reason));
  }

  /** Records that polling as a whole failed. */
  failedAsWhole(reason: string): void {
    this.#failing = this.#failingOn(this.#failing, reason);
  }

  /** The failure since which every attempt has failed; null where the last one succeeded. */
  failureOf(resource: ResourceKey): Failure | null {
    return this.#dated(this.#failures.get(resource));
  }

  /** The failure since which every poll has failed, apart from polls that people cause; null while they succeed. */
  failing(): Failure | null {
    return this.#dated(this.#failing);
  }

  /** When a poll last succeeded: epoch milliseconds. */
  lastPollMs(): number | null {
    return this.#lastPollMs === null ? null : wallMsOf(this.#lastPollMs, this.#clock);
  }

  /** When a resource was last tried: epoch milliseconds, by the wall clock as it is now; null for never. */
  lastTriedMs(resource: ResourceKey): number | null {
    const triedMs = this.#attempts.get(resource);
    return triedMs === undefined ? null : wallMsOf(triedMs, this.#clock);
  }

  #failingOn(before: FailingSince | null | undefined, reason: string): FailingSince {
    return { sinceMonotonicMs: before?.sinceMonotonicMs ?? this.#clock.monotonicMs(), reason };
  }

  #dated(failing: FailingSince | null | undefined): Failure | null {
    return failing ? { sinceMs: wallMsOf(failing.sinceMonotonicMs, this.#clock), reason: failing.reason } : null;
  }
}
