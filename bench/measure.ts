/** The measurements of a contender, one number a round. */
interface Spread {
  median: number;
  min: number;
  max: number;
}

/** One of those that are measured side by side; `run` does the work once and returns its measure. */
export interface Contender {
  name: string;
  run: () => Promise<number> | number;
}

/** A promise of the project, and its measurement. */
export interface Claim {
  promise: string;
  measured: string;
  isKept: boolean;
  /** The cause that the profile shows where the promise is not kept. */
  reason?: string;
}

/** One table of the results. */
export interface Section {
  title: string;
  /** The way in which it was measured. */
  how: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  claims: readonly Claim[];
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, min: at(0), max: at(sorted.length - 1) };
}

/** The value below which that share of the samples lies: 0.99 for the 99th percentile. */
export function percentileOf(samples: readonly number[], share: number): number {
  return samples.toSorted((a, b) => a - b)[Math.floor((samples.length - 1) * share)] ?? Number.NaN;
}

/**
 * Measures the contenders in turns, so that whatever else the machine does meets all of them, and after rounds to warm
 * up in. Every other round goes backwards: nobody always comes first.
 */
export async function measure(
  contenders: readonly Contender[],
  rounds: { warmUp: number; counted: number },
): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds.warmUp + rounds.counted; round += 1) {
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      globalThis.gc?.();
      const sample = await run();
      if (round >= rounds.warmUp) samples.get(name)?.push(sample);
    }
  }
  return samples;
}

/** `a`'s measure in units of `b`'s, round by round: two that ran side by side met the same machine. */
export function ratioOf(samples: ReadonlyMap<string, readonly number[]>, a: string, b: string): Spread {
  const others = samples.get(b) ?? [];
  return spreadOf((samples.get(a) ?? []).map((sample, round) => sample / (others[round] ?? Number.NaN)));
}

/** A row per contender: median, min and max. */
export function spreadRows(
  samples: ReadonlyMap<string, readonly number[]>,
  show: (value: number) => string,
): (readonly [string, string, string, string])[] {
  return [...samples].map(([name, values]) => {
    const { median, min, max } = spreadOf(values);
    return [name, show(median), show(min), show(max)];
  });
}

/** Milliseconds that `work` takes. */
export async function elapsedMs(work: () => unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** A whole number with its thousands apart. */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
