import { hash } from 'node:crypto';
import type { RollUpReason } from '../../deals/roll-up.ts';
import { type Delivery, idsOf, memberOf, type RollUp } from '../../store/delivery.ts';
import { isLive } from '../kinds/index.ts';
import { attempt, failed } from './attempt.ts';
import type { Result } from './channel-work.ts';
import { activeSubscriptions } from './delivery-options.ts';
import type { HourlyLimit, Step } from './plan.ts';
import { isStillWanted, post } from './post.ts';
import { AGAIN, DONE, forget, isWanted, optionsAt, type PostingContext, paceOf } from './posting-context.ts';
import { recordFound, recordRollUp, unposted } from './recording.ts';

/** A roll-up of these deliveries. Its id derives from its contents: the same deliveries always give the same id. */
export function rollUpOf(deliveries: readonly [Delivery, ...Delivery[]], reason: RollUpReason): RollUp {
  const [{ guildId, channelId }] = deliveries;
  const ids = deliveries.map(({ id }) => id).sort();
  return {
    version: 1,
    id: hash('sha256', JSON.stringify(['roll-up', channelId, ids]), 'base64url').slice(0, 22),
    guildId,
    channelId,
    members: deliveries.map(memberOf),
    replaces: deliveries.flatMap(idsOf),
    createdAtMs: Math.min(...deliveries.map(({ createdAtMs }) => createdAtMs)),
    reason,
  };
}

/**
 * Makes one attempt to post a roll-up of the deliveries that are still live and wanted. The roll-up is made only here,
 * so it can't go stale while the channel is paused.
 */
export async function postTogether(
  context: PostingContext,
  { deliveries: gathered, limit }: Extract<Step, { do: 'post-together' }>,
): Promise<Result> {
  const { deliveries } = context.store;
  const live: Delivery[] = [];
  const found = await deliveries.foundPlaces(gathered.map(({ id }) => id));
  for (const delivery of gathered) {
    const announcement = context.currentState.of(delivery.announcement);
    const place = found.get(delivery.id);
    if (place) await recordFound(context, delivery, place, announcement);
    else if (await isStillWanted(context, delivery, announcement)) live.push(delivery);
  }
  const [first, ...others] = live;
  if (!first) return AGAIN;
  // A single delivery needs no roll-up.
  if (others.length === 0) return post(context, first);
  const rollUp = rollUpOf([first, ...others], reasonOf(context, live, limit !== null));
  await deliveries.rollUp(rollUp);
  return postRollUp(context, rollUp, limit);
}

/** A digest is one whatever else gathers: only what none was due for is there by the limit, or because it is late. */
function reasonOf({ store }: PostingContext, deliveries: readonly Delivery[], isLimited: boolean): RollUpReason {
  const digests = deliveries.filter(({ isDigest }) => isDigest);
  if (digests.length === 0 || (isLimited && digests.length < deliveries.length)) return isLimited ? 'limit' : 'late';
  const modes = digests
    .flatMap(({ matches }) => activeSubscriptions(matches, store.subscriptions))
    .map(({ timing }) => timing.mode);
  return modes.includes('hourly') ? 'hourly' : 'daily';
}

export async function dissolve({ store }: PostingContext, rollUp: RollUp): Promise<Result> {
  await store.paces.forget(paceOf(rollUp.channelId), rollUp.id);
  await store.deliveries.dissolve(rollUp);
  return AGAIN;
}

/** @param limit the hourly limit, where it is the only reason for the roll-up */
export async function postRollUp(context: PostingContext, rollUp: RollUp, limit: HourlyLimit | null): Promise<Result> {
  const { store, channelProblems, currentState, renderer, clock, log } = context;
  const { id, guildId, channelId, members } = rollUp;
  const found = (await store.deliveries.foundPlaces([id])).get(id);
  if (found) {
    await recordRollUp(context, rollUp, found, new Set());
    return DONE;
  }
  const nowMs = clock.now();
  const shown = members.filter(
    ({ announcement, matches }) => isLive(currentState.of(announcement), nowMs) && isWanted(context, matches),
  );
  const isShown = new Set(shown.map(({ deliveryId }) => deliveryId));
  const missed = members.filter(({ deliveryId }) => !isShown.has(deliveryId));
  const over = new Set(missed.flatMap(({ deliveryId, alsoTells }) => [deliveryId, ...alsoTells]));
  if (shown.length === 0) {
    log.info({ delivery: id, channel: channelId }, 'every item of a roll-up ended before it could be posted');
    await store.deliveries.endRollUp(rollUp, unposted('over', nowMs), over);
    await forget(context, rollUp);
    return AGAIN;
  }
  const content = { ...rollUp, members: shown };
  const matches = shown.flatMap((member) => member.matches);
  const options = optionsAt(context, guildId, matches, nowMs);
  const { outcome } = await attempt(context, rollUp, options, {
    title: renderer.rollUpTitle(content),
    card: () => renderer.rollUp(content, limit, options.look, nowMs),
    plain: null,
  });
  if (outcome.kind !== 'sent') {
    return failed(context, rollUp, outcome, (ending) => store.deliveries.endRollUp(rollUp, ending, over));
  }
  await channelProblems.resolve(rollUp);
  await recordRollUp(context, rollUp, outcome.place, over);
  await store.newestMessages.note(channelId, outcome.place.messageId);
  log.info({ delivery: id, channel: channelId, count: shown.length }, 'announced in a roll-up');
  return DONE;
}
