import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Delivery, DeliveryMatch, RollUp } from '../../store/delivery.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import type { ChannelProblems } from './channel-problems.ts';
import type { Result } from './channel-work.ts';
import { activeSubscriptions, type DeliveryOptions, mergeOptions } from './delivery-options.ts';
import type { Editing } from './editing.ts';
import type { MessageRenderer } from './message-renderer.ts';
import type { OpenTries } from './open-tries.ts';

export interface PostingParts {
  store: Pick<Store, 'deliveries' | 'subscriptions' | 'posts' | 'edits' | 'publications' | 'paces' | 'newestMessages'>;
  editing: Editing;
  channelProblems: ChannelProblems;
  currentState: Pick<CurrentState, 'of'>;
  renderer: MessageRenderer;
  courier: Courier;
  clock: Clock;
  log: Log;
}

/** What is known in a run of what was posted. */
export interface PostingContext extends PostingParts {
  /**
   * Channels of which the ledger knows all that the bot has posted there. Each is read before its first post in a run: a
   * former run may have posted what it could not write down, and the state may be an older copy. It is read again after a
   * try whose outcome nobody knows.
   */
  reconciled: Set<string>;
  /** Channels that are no more. */
  abandoned: Set<string>;
  openTries: OpenTries;
}

export const DONE: Result = { kind: 'done' };
/** Goes on at once, without a word from Discord on whether the channel takes posts: its failures stay counted. */
export const AGAIN: Result = { kind: 'again' };

/** Where the posts of a channel are counted. */
export function paceOf(channelId: string): string {
  return `post/${channelId}`;
}

/** What those say who want it, at a moment. */
export function optionsAt({ store }: PostingContext, matches: readonly DeliveryMatch[], atMs: number): DeliveryOptions {
  return mergeOptions(activeSubscriptions(matches, store.subscriptions), atMs);
}

export function isWanted({ store }: PostingContext, matches: readonly DeliveryMatch[]): boolean {
  return activeSubscriptions(matches, store.subscriptions).length > 0;
}

/** It has ended without a post: it takes no place in the hour, and nothing of it will arrive. */
export async function forget(
  { store, openTries }: PostingContext,
  { id, channelId }: Pick<Delivery | RollUp, 'id' | 'channelId'>,
): Promise<void> {
  await store.paces.forget(paceOf(channelId), id);
  openTries.end(channelId, id);
}
