/** The parts that can be made to fail, and for how long until they recover by themselves: milliseconds of real time. */
const LASTS_MS = { discord: 10_000, catalog: 10_000, requests: 20_000 } as const;
export type OutageName = keyof typeof LASTS_MS;

/** Outages that end by themselves. */
export class Outages {
  readonly #untilMs: Record<OutageName, number | null> = { discord: null, catalog: null, requests: null };
  readonly #timers = new Map<OutageName, NodeJS.Timeout>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** When each ends: epoch milliseconds of the machine's clock; null for none. */
  untilMs(): Record<OutageName, number | null> {
    return { ...this.#untilMs };
  }

  has(name: OutageName): boolean {
    return this.#untilMs[name] !== null;
  }

  begin(name: OutageName): void {
    clearTimeout(this.#timers.get(name));
    this.#untilMs[name] = Date.now() + LASTS_MS[name];
    this.#timers.set(
      name,
      setTimeout(() => this.#end(name), LASTS_MS[name]),
    );
    this.#onChange();
  }

  endAll(): void {
    for (const name of this.#timers.keys()) this.#end(name);
  }

  #end(name: OutageName): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    this.#untilMs[name] = null;
    this.#onChange();
  }
}
