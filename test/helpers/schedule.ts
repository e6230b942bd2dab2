/** A schedule whose jobs a test runs by their names. */
export function aSchedule() {
  const jobs = new Map<string, { expression: string; run: () => Promise<void> }>();
  return {
    jobs,
    schedule: (name: string, expression: string, run: () => Promise<void>) => {
      jobs.set(name, { expression, run });
      return { stop: async () => void jobs.delete(name) };
    },
  };
}
