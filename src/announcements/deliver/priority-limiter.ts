/** The kinds of work in channels, the most urgent first. */
export const URGENCIES = ['post', 'publish', 'edit'] as const;
export type Urgency = (typeof URGENCIES)[number];

/**
 * The most concurrent operations, whatever the number of channels: enough for Discord's 50 requests a second at 2 s
 * each. Less urgent work never takes all the places, so that a new post finds one, and gets none while more urgent work
 * waits for one.
 */
const CONCURRENCY: Readonly<Record<Urgency, number>> = { post: 100, publish: 50, edit: 25 };

export interface PriorityLimiter {
  /** Runs the work when a place is free: posts before publications before edits. */
  run<T>(urgency: Urgency, work: () => Promise<T>): Promise<T>;
}

export function createPriorityLimiter(): PriorityLimiter {
  const waiting: Record<Urgency, (() => void)[]> = { post: [], publish: [], edit: [] };
  let busy = 0;

  function admit(): void {
    for (const urgency of URGENCIES) {
      while (busy < CONCURRENCY[urgency]) {
        const enter = waiting[urgency].shift();
        if (!enter) break;
        busy += 1;
        enter();
      }
    }
  }

  return {
    async run(urgency, work) {
      await new Promise<void>((enter) => {
        waiting[urgency].push(enter);
        admit();
      });
      try {
        return await work();
      } finally {
        busy -= 1;
        admit();
      }
    },
  };
}
