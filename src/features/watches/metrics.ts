import type { FeatureGauge } from '../../app/feature.ts';
import { personAt } from '../../deals/person.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { Person } from '../../store/server-records.ts';
import type { WatchAim } from './watch.ts';

export const GAUGES: readonly FeatureGauge[] = [
  { name: 'watches', help: "People's watches by aim and state.", labels: ['aim', 'state'] },
];

type WatchState = 'active' | 'paused' | 'closed';

/** The number of watches by aim and state; a paused one counts as paused, whatever its person's messages. */
export function watchFacts(
  subscriptions: Iterable<Subscription>,
  people: { get(id: string): Pick<Person, 'closed'> | undefined },
): Record<WatchAim, Record<WatchState, number>> {
  const none = (): Record<WatchState, number> => ({ active: 0, paused: 0, closed: 0 });
  const numbers = { price: none(), stock: none(), low: none(), end: none(), new: none() };
  for (const { watch, guildId, pausedBy } of subscriptions) {
    if (!watch) continue;
    const isClosed = (people.get(personAt(guildId) ?? '')?.closed ?? null) !== null;
    numbers[watch.aim][pausedBy !== null ? 'paused' : isClosed ? 'closed' : 'active'] += 1;
  }
  return numbers;
}
