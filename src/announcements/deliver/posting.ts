import { nextTryMs, personAt } from '../../deals/watch.ts';
import type { Delivery, RollUp } from '../../store/delivery.ts';
import { endAll } from './attempt.ts';
import type { Channel } from './channel.ts';
import type { Result, Task } from './channel-work.ts';
import { nextStep, type Step } from './plan.ts';
import { post } from './post.ts';
import { AGAIN, type PostingContext, type PostingParts, paceOf } from './posting-context.ts';
import { outOfQuiet, quietUntil } from './quiet-hours.ts';
import { reconcile } from './reconciling.ts';
import { dissolve, postRollUp, postTogether } from './rolling-up.ts';

/** Recomputed times within this are the same: they may differ by rounding. */
const SAME_MOMENT_MS = 1_000;

/** Empties the outbox of a channel. */
export interface Posting extends Task {
  doubt(channelId: string): void;
  /** Marks a channel as gone: its next step ends the pending deliveries. */
  abandon(channelId: string): void;
  /** Undoes `abandon` where that step was not done yet: the channel is back. */
  reclaim(channelId: string): void;
  /** How the channel's hourly limit holds back due deliveries; null where it does not. */
  limitOf(channelId: string): ReachedLimit | null;
}

export type ReachedLimit = NonNullable<Extract<Step, { do: 'wait' }>['limit']>;

export function createPosting(parts: PostingParts): Posting {
  const { channels, log } = parts;
  restoreTries(parts);

  /** Logs a limit once each time it is reached. */
  function logLimit(channel: Channel, limit: ReachedLimit | null): void {
    if (!limit) channel.loggedLimitMs = 0;
    else if (Math.abs(channel.loggedLimitMs - limit.nextPostAtMs) > SAME_MOMENT_MS) {
      const { mostPerHour: most, waiting, nextPostAtMs } = limit;
      channel.loggedLimitMs = nextPostAtMs;
      log.info(
        { channel: channel.id, mostPerHour: most, waiting, nextPostAt: new Date(nextPostAtMs).toISOString() },
        'hourly limit reached',
      );
    }
  }

  return {
    dueAtMs(channelId) {
      const channel = channels.get(channelId);
      if (channel.isGone) return 0;
      const step = planOf(parts, channelId);
      logLimit(channel, step.do === 'wait' ? step.limit : null);
      return step.do === 'wait' ? step.untilMs : 0;
    },
    async step(channelId) {
      const channel = channels.get(channelId);
      if (channel.isGone) return endAll(parts, channelId);
      if (!channel.isReconciled || channel.hasOverdueTry) return reconcile(parts, channelId);
      return carryOut(parts, planOf(parts, channelId));
    },
    doubt(channelId) {
      channels.get(channelId).isReconciled = false;
    },
    abandon(channelId) {
      channels.get(channelId).isGone = true;
    },
    reclaim(channelId) {
      channels.get(channelId).isGone = false;
    },
    limitOf(channelId) {
      const step = planOf(parts, channelId);
      return step.do === 'wait' ? step.limit : null;
    },
  };
}

/** Restores the attempts of an earlier run of which the outcome is not known: they were counted before they were made. */
function restoreTries({ store: { deliveries, paces }, channels, clock }: PostingParts): void {
  const nowMs = clock.now();
  for (const channelId of deliveries.channels()) {
    const pending = paces.of(paceOf(channelId), nowMs).filter(({ id }) => deliveries.isPending(id));
    for (const { id, atMs } of pending) channels.get(channelId).beginTry(id, nowMs - atMs);
  }
}

async function carryOut(context: PostingContext, step: Step): Promise<Result> {
  switch (step.do) {
    case 'post':
      return post(context, step.delivery);
    case 'post-together':
      return postTogether(context, step);
    case 'repeat-roll-up':
      return postRollUp(context, step.rollUp, null);
    case 'dissolve':
      return dissolve(context, step.rollUp);
    case 'wait':
      return AGAIN;
  }
}

function planOf({ store, channels, clock }: PostingContext, channelId: string): Step {
  const { deliveries, subscriptions, paces } = store;
  const nowMs = clock.now();
  const retryMs = closedUntilMs(store, channelId, nowMs);
  if (retryMs > nowMs) return { do: 'wait', untilMs: retryMs, limit: null };
  const openMsOf = quietUntil(subscriptions, nowMs);
  const pending = outOfQuiet(deliveries.pending(channelId), openMsOf, nowMs);
  const rollUp = deliveries.pendingRollUp(channelId);
  return nextStep({
    pending,
    rollUp,
    isRollUpOpen: (rollUp?.members ?? []).every(({ matches }) => openMsOf(matches) <= nowMs),
    mostPerHour: mostPerHour(subscriptions, pending, rollUp, nowMs),
    posted: paces.of(paceOf(channelId), nowMs).filter(({ id }) => !deliveries.isPending(id)),
    mayArrive: channels.get(channelId).mayArrive(),
    nowMs,
  });
}

/**
 * Until when a person who takes no direct messages is left alone: epoch milliseconds; `nowMs` for anybody else. Kept in
 * the state, because each refused message counts against the bot, and a restart would try all of them again.
 */
export function closedUntilMs(
  { deliveries, people }: Pick<PostingContext['store'], 'deliveries' | 'people'>,
  channelId: string,
  nowMs: number,
): number {
  const owed = deliveries.pendingRollUp(channelId) ?? deliveries.pending(channelId)[0];
  const personId = owed && personAt(owed.guildId);
  return personId ? nextTryMs(people.get(personId)?.closed ?? null, nowMs) : nowMs;
}

/**
 * The lowest limit of the subscriptions whose deliveries are due. A removed subscription sets none: deliveries that
 * nobody wants any more cost no post.
 */
function mostPerHour(
  subscriptions: PostingContext['store']['subscriptions'],
  pending: readonly Delivery[],
  rollUp: RollUp | undefined,
  nowMs: number,
): number {
  const due = pending.filter(({ dueAtMs }) => dueAtMs <= nowMs);
  const matches = [...due, ...(rollUp?.members ?? [])].flatMap((delivery) => delivery.matches);
  const ids = new Set(matches.map(({ subscriptionId }) => subscriptionId));
  const caps = [...ids].map((id) => subscriptions.get(id)?.mostPerHour ?? Number.POSITIVE_INFINITY);
  return Math.max(
    1,
    caps.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  );
}
