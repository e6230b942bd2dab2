import { ageMs, type Clock, wallMsOf } from '../../../shared/clock.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import type { ResourceStore } from '../../store/resources.ts';

export interface Failure {
  /** Since when every attempt has failed: epoch milliseconds. */
  sinceMs: number;
  /** The reason of the last failure, in a plain sentence that names no file and no key. */
  reason: string;
}

/** When a resource was last tried: epoch milliseconds, and on the monotonic clock. */
interface Attempt {
  atMs: number;
  monotonicMs: number;
}

/** Like `Failure`, but monotonic: setting the wall clock makes it neither longer nor shorter. */
interface FailingSince {
  sinceMonotonicMs: number;
  reason: string;
}

/** A setting of the wall clock: milliseconds ahead of the monotonic one, and when it was first noticed, monotonic. */
interface ClockSetting {
  offsetMs: number;
  noticedMs: number;
}

/** Settings of the wall clock this close to each other count as the same. */
const SMALL_STEP_MS = 60_000;
/** The most remembered settings of the wall clock; beyond it, the one that was noticed first is forgotten. */
const MAX_SETTINGS = 24;

/** When the resources were polled, and with which result. */
export class PollHistory {
  readonly #clock: Clock;
  readonly #attempts = new Map<ResourceKey, Attempt>();
  readonly #failures = new Map<ResourceKey, FailingSince>();
  /** Why polling as a whole fails; null while it succeeds. */
  #failing: FailingSince | null = null;
  /** Monotonic milliseconds. */
  #lastPollMs: number | null;
  /** The settings that the wall clock has had in this run. */
  readonly #settings: ClockSetting[] = [];

  constructor(resources: ResourceStore, clock: Clock) {
    this.#clock = clock;
    // The records are all that is known of former runs. They are read by the clock as it is now: it may be set later.
    for (const resource of resources.keys()) {
      const atMs = resources.get(resource)?.polledAtMs ?? Infinity;
      const pollAgeMs = ageMs(atMs, clock.now());
      // One from the future was dated by a wrong clock, and tells nothing.
      if (pollAgeMs === Infinity) continue;
      this.#attempts.set(resource, { atMs, monotonicMs: clock.monotonicMs() - pollAgeMs });
    }
    const polledMs = [...this.#attempts.values()].map(({ monotonicMs }) => monotonicMs);
    this.#lastPollMs = polledMs.length === 0 ? null : Math.max(...polledMs);
  }

  begin(resource: ResourceKey): void {
    this.#settingNoticedMs();
    this.#attempts.set(resource, { atMs: this.#clock.now(), monotonicMs: this.#clock.monotonicMs() });
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

  /**
   * When a resource was last tried, by the wall clock as it is set now: epoch milliseconds; null where no attempt is
   * known.
   */
  lastTriedMs(resource: ResourceKey): number | null {
    const attempt = this.#attempts.get(resource);
    return attempt ? Math.round(this.#clock.now() - this.#ageOf(attempt)) : null;
  }

  /**
   * Takes the longer of both clocks' ages: where the wall clock is ahead it may have been set, or the machine may have
   * slept and much may have happened. A clock that is back at a setting from before the attempt was set to and fro, so
   * there was no sleep.
   */
  #ageOf({ atMs, monotonicMs }: Attempt): number {
    const passedMs = this.#clock.monotonicMs() - monotonicMs;
    if (this.#settingNoticedMs() <= monotonicMs) return passedMs;
    const wallAgeMs = ageMs(atMs, this.#clock.now());
    return wallAgeMs === Infinity ? passedMs : Math.max(wallAgeMs, passedMs);
  }

  /** When the present setting of the wall clock was first noticed: monotonic milliseconds. */
  #settingNoticedMs(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const offsetMs = this.#clock.now() - monotonicMs;
    const known = this.#settings.find((setting) => Math.abs(setting.offsetMs - offsetMs) <= SMALL_STEP_MS);
    if (known) return known.noticedMs;
    this.#settings.push({ offsetMs, noticedMs: monotonicMs });
    if (this.#settings.length > MAX_SETTINGS) this.#settings.shift();
    return monotonicMs;
  }

  #failingOn(before: FailingSince | null | undefined, reason: string): FailingSince {
    return { sinceMonotonicMs: before?.sinceMonotonicMs ?? this.#clock.monotonicMs(), reason };
  }

  #dated(failing: FailingSince | null | undefined): Failure | null {
    return failing ? { sinceMs: wallMsOf(failing.sinceMonotonicMs, this.#clock), reason: failing.reason } : null;
  }
}
