/** Counts how often each kind of event happened in a run that has to prove something. */
export interface EventCounts<K extends string> {
  count(kind: K): void;
  /** A line for each kind that never happened: the run has proved nothing about it. */
  missing(): string[];
  /** `missing 12, malformed 9`, in the order of the kinds. */
  summary(): string;
}

export function createEventCounts<K extends string>(kinds: readonly K[]): EventCounts<K> {
  const counts = new Map<K, number>(kinds.map((kind) => [kind, 0]));
  return {
    count(kind) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
    missing: () => kinds.filter((kind) => counts.get(kind) === 0).map((kind) => `The event "${kind}" never happened.`),
    summary: () => [...counts].map(([kind, count]) => `${kind} ${count}`).join(', '),
  };
}

/** The kinds that a list separated by commas names, `all` or `none`; null where a name is of no kind. */
export function namesIn<K extends string>(list: string, kinds: readonly K[]): readonly K[] | null {
  if (list === 'all') return kinds;
  if (list === 'none') return [];
  const names = list.split(',');
  const found = kinds.filter((kind) => names.includes(kind));
  return found.length === names.length ? found : null;
}
