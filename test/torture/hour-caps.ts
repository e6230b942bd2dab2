const HOUR_MS = 3_600_000;

/** A line for each place in which more was posted within an hour, by Discord's clock, than it takes. */
export function overposted(
  places: readonly { place: string; postedAtMs: readonly number[]; most: number }[],
): string[] {
  return places.flatMap(({ place, postedAtMs, most }) => {
    const first = postedAtMs.find((atMs, index) => {
      const earlier = postedAtMs[index - most];
      return earlier !== undefined && atMs - earlier < HOUR_MS;
    });
    if (first === undefined) return [];
    return [`#${place}: more than ${most} posts in the hour before ${new Date(first).toISOString()}.`];
  });
}
