import type { Subscription } from '../deals/subscription.ts';
import { rowReader } from './rows.ts';
import { rowOf } from './subscription-rows.ts';

// The forms that rows had in states of version 2, and what becomes of them in version 3. Any other row stays as it is.

/** A subscription of which nothing was left out. */
type SecondSubscription = Omit<Subscription, 'version'> & { version: 2 };

interface SecondRemoved {
  version: 1;
  subscription: unknown;
  removedAtMs: number;
}

/** One that lacks a field was not read, so that it must not pass for one that leaves it out. */
const readSubscription = rowReader<SecondSubscription>([2], {
  id: 'string',
  guildId: 'string',
  channelId: 'string',
  source: 'object',
  createdAtMs: 'number',
  kinds: 'list',
  filter: 'string',
  timing: 'object',
  mostPerHour: 'number',
});

const readRemoved = rowReader<SecondRemoved>([1], { subscription: 'object', removedAtMs: 'number' });

/** Rows of subscriptions, and of watches. */
export function subscriptionRow(row: unknown): unknown {
  const second = readSubscription(row);
  return second ? rowOf({ ...second, version: 3 }) : row;
}

export function removedRow(row: unknown): unknown {
  const removed = readRemoved(row);
  const subscription = subscriptionRow(removed?.subscription);
  return removed && subscription !== removed.subscription ? { ...removed, subscription } : row;
}
