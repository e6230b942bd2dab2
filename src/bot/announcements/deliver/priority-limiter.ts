/** What is done in channels, the most pressing first. */
export const URGENCIES = ['post', 'publish', 'edit'] as const;
export type Urgency = (typeof URGENCIES)[number];

/**
 * How much is under way at once, whatever the number of channels: enough for Discord's 50 requests a second at 2 s each.
 * The less pressing never takes all the places, so that a new post finds one.
 */
const PLACES: Readonly<Record<Urgency, number>> = { post: 100, publish: 50, edit: 25 };

export interface Gate {
  /** Does the work when there is a place for it: posts before publications before edits. */
  pass<T>(urgency: Urgency, work: () => Promise<T>): Promise<T>;
}

export function createGate(): Gate {
  const waiting: Record<Urgency, (() => void)[]> = { post: [], publish: [], edit: [] };
  let busy = 0;

  function admit(): void {
    for (const urgency of URGENCIES) {
      while (busy < PLACES[urgency]) {
        const enter = waiting[urgency].shift();
        if (!enter) break;
        busy += 1;
        enter();
      }
      // Whoever is less pressing waits until nobody more pressing does.
      if (waiting[urgency].length > 0) return;
    }
  }

  return {
    async pass(urgency, work) {
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
