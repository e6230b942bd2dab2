import { hash } from 'node:crypto';
import type { RollUpReason } from '../../deals/announcement.ts';
import { type Delivery, idsOf, memberOf, type RollUp } from '../../store/delivery.ts';
import { isLive } from '../kinds/index.ts';
import { attempt, failed } from './attempt.ts';
import type { Result } from './channel-work.ts';
import { activeSubscriptions } from './delivery-options.ts';
import type { HourlyLimit, Step } from './plan.ts';
import { drop, fateOf, post } from './post.ts';
import { AGAIN, DONE, forget, isWanted, optionsAt, type PostingContext, paceOf } from './posting-context.ts';
import { recordFound, recordRollUp, unposted } from './recording.ts';

/** A roll-up of these deliveries. Its id derives from its contents: the same deliveries always give the same id. */
export function rollUpOf(deliveries: readonly [Delivery, ...Delivery[]], reason: RollUpReason): RollUp {
  const [{ guildId, channelId }] = deliveries;
  const ids = deliveries.map(({ id }) => id).sort();
  return {
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
 * and stored with its first attempt, so it can't go stale while the channel is paused.
 */
export async function postTogether(
  context: PostingContext,
  { deliveries: gathered, limit }: Extract<Step, { do: 'post-together' }>,
): Promise<Result> {
  const { store, currentState } = context;
  const found = await store.deliveries.foundPlaces(gathered.map(({ id }) => id));
  const live = gathered.filter((delivery) => !found.has(delivery.id) && fateOf(context, delivery) === 'wanted');
  if (live.length < gathered.length) {
    await store.commit((changes) => {
      for (const delivery of gathered) {
        const place = found.get(delivery.id);
        if (place) recordFound(context, changes, delivery, place, currentState.of(delivery.announcement));
        else drop(context, changes, delivery);
      }
    });
  }
  const [first, ...others] = live;
  if (!first) return AGAIN;
  // A single delivery needs no roll-up.
  if (others.length === 0) return post(context, first);
  return postRollUp(context, rollUpOf([first, ...others], reasonOf(context, live, limit !== null)), limit);
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
  await store.commit((changes) => {
    store.paces.forget(changes, paceOf(rollUp.channelId), rollUp.id);
    store.deliveries.dissolve(changes, rollUp);
  });
  return AGAIN;
}

/** @param limit the hourly limit, where it is the only reason for the roll-up */
export async function postRollUp(context: PostingContext, rollUp: RollUp, limit: HourlyLimit | null): Promise<Result> {
  const { store, channelProblems, currentState, renderer, clock, log } = context;
  const { id, guildId, channelId, members } = rollUp;
  const found = (await store.deliveries.foundPlaces([id])).get(id);
  if (found) {
    await store.commit((changes) => recordRollUp(context, changes, rollUp, found, new Set()));
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
    await store.commit((changes) => {
      store.deliveries.endRollUp(changes, rollUp, unposted('over', nowMs), over);
      forget(context, changes, rollUp);
    });
    return AGAIN;
  }
  const content = { ...rollUp, members: shown };
  const matches = shown.flatMap((member) => member.matches);
  const options = optionsAt(context, guildId, matches, nowMs);
  const rendering = {
    title: renderer.rollUpTitle(content),
    card: () => renderer.rollUp(content, limit, options.look, nowMs),
    plain: null,
  };
  const { outcome } = await attempt(context, rollUp, options, rendering, (changes) => {
    if (!store.deliveries.isPending(id)) store.deliveries.rollUp(changes, rollUp);
  });
  if (outcome.kind !== 'sent') {
    return failed(context, rollUp, outcome, (changes, ending) =>
      store.deliveries.endRollUp(changes, rollUp, ending, over),
    );
  }
  const { place } = outcome;
  await store.commit((changes) => {
    channelProblems.resolve(changes, rollUp);
    recordRollUp(context, changes, rollUp, place, over);
    store.newestMessages.note(changes, channelId, place.messageId);
  });
  log.info({ delivery: id, channel: channelId, count: shown.length }, 'announced in a roll-up');
  return DONE;
}
