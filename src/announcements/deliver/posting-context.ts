import type { Courier } from '../../discord/courier.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Delivery, DeliveryMatch, RollUp } from '../../store/delivery.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import type { CurrentState } from '../current-state.ts';
import type { Channels } from './channel.ts';
import type { ChannelProblems } from './channel-problems.ts';
import type { Result } from './channel-work.ts';
import { activeSubscriptions, type DeliveryOptions, mergeOptions } from './delivery-options.ts';
import type { Editing } from './editing.ts';
import type { MessageRenderer } from './message-renderer.ts';

export interface PostingParts {
  store: Pick<
    Store,
    | 'commit'
    | 'transact'
    | 'deliveries'
    | 'subscriptions'
    | 'people'
    | 'looks'
    | 'posts'
    | 'edits'
    | 'publications'
    | 'paces'
    | 'newestMessages'
  >;
  editing: Editing;
  channelProblems: ChannelProblems;
  currentState: Pick<CurrentState, 'of'>;
  renderer: MessageRenderer;
  channels: Channels;
  courier: Courier;
  clock: Clock;
  log: Log;
}

/** The parts that posting needs. */
export type PostingContext = PostingParts;

export const DONE: Result = { kind: 'done' };
/** Continues at once. Discord has not shown whether the channel takes posts, so its failures stay counted. */
export const AGAIN: Result = { kind: 'again' };

/** The key under which a channel's posts are counted. */
export function paceOf(channelId: string): string {
  return `post/${channelId}`;
}

/** The merged options of the matched subscriptions at a moment. */
export function optionsAt(
  { store }: PostingContext,
  guildId: string,
  matches: readonly DeliveryMatch[],
  atMs: number,
): DeliveryOptions {
  return mergeOptions(activeSubscriptions(matches, store.subscriptions), store.looks.of(guildId), atMs);
}

export function isWanted({ store }: PostingContext, matches: readonly DeliveryMatch[]): boolean {
  return activeSubscriptions(matches, store.subscriptions).length > 0;
}

/** Removes a delivery that ended without a post from the hourly count and from the open attempts. */
export function forget(
  { store, channels }: PostingContext,
  changes: Changes,
  { id, channelId }: Pick<Delivery | RollUp, 'id' | 'channelId'>,
): void {
  store.paces.forget(changes, paceOf(channelId), id);
  changes.afterwards(() => channels.get(channelId).endTry(id));
}
