import type { Clock } from '../clock.ts';
import type { ThingUpdate } from '../deals/announcement.ts';
import type { Card } from '../discord/cards/parts.ts';
import type { Courier, Outcome } from '../discord/courier.ts';
import type { Words } from '../discord/words/words.ts';
import type { Log } from '../log.ts';
import type { Delivery, DeliveryStore } from '../store/deliveries.ts';
import type { SubscriptionStore } from '../store/subscriptions.ts';
import { cardOf, isLive } from './kinds/index.ts';

/** Between two tries at a channel that did not answer; doubled from one try to the next. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** Between two looks whether the bot may post in a channel again. */
const BLOCKED_RETRY_MS = 60_000;

/** Empties the outbox: one post at a time in a channel, the channels side by side. */
export interface Deliverer {
  /** Starts on whatever is in the outbox and has nobody working on it. */
  kick(): void;
  /** Resolves when nothing is being worked on: the outbox is empty or the deliverer was stopped. */
  settled(): Promise<void>;
  /** Ends the waits and resolves when nothing is under way any more. */
  stop(): Promise<void>;
  /**
   * Queues the edits of all posts that tell of these things, and resolves when they are kept. Called before these states
   * count as known. Rejects with a StoreError.
   */
  refresh(updates: readonly ThingUpdate[]): Promise<void>;
  /** Posts since the start. */
  announced(): number;
}

export interface DelivererParts {
  deliveries: DeliveryStore;
  subscriptions: SubscriptionStore;
  courier: Courier;
  /** The words of a server. */
  wordsOf: (guildId: string) => Words;
  clock: Clock;
  log: Log;
}

export function createDeliverer({
  deliveries,
  subscriptions,
  courier,
  wordsOf,
  clock,
  log,
}: DelivererParts): Deliverer {
  const stopping = new AbortController();
  const working = new Map<string, Promise<void>>();
  // Whatever a former run left may have been posted already: it is looked for before anything is posted there.
  const suspects = new Set(deliveries.channels());
  let announced = 0;

  async function workOn(channelId: string): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const [delivery] = deliveries.pending(channelId);
      if (!delivery) return;
      if (suspects.has(channelId) && !(await reconcile(channelId))) {
        await wait(retryMs(failures++));
        continue;
      }
      const [next] = deliveries.pending(channelId);
      if (!next) return;
      const pauseMs = await deliver(next, failures);
      failures = pauseMs === 0 ? 0 : failures + 1;
      if (pauseMs > 0) await wait(pauseMs);
    }
  }

  /** Moves to the ledger what is in the channel already. False where the channel can't be read just now. */
  async function reconcile(channelId: string): Promise<boolean> {
    const pending = deliveries.pending(channelId);
    const sinceMs = Math.min(...pending.map((delivery) => delivery.createdAtMs));
    const posted = await courier.findPosted(channelId, sinceMs);
    if (!posted) return false;
    for (const delivery of pending) {
      const messageId = posted.get(delivery.id);
      if (messageId !== undefined) await end(delivery, messageId);
    }
    suspects.delete(channelId);
    return true;
  }

  /** One try. Returns how long to leave the channel alone before the next one, in milliseconds. */
  async function deliver(delivery: Delivery, failures: number): Promise<number> {
    const { id, channelId, announcement } = delivery;
    if (!delivery.matches.some(({ subscriptionId }) => subscriptions.get(subscriptionId) !== undefined)) {
      log.info({ delivery: id, kind: announcement.kind }, 'unsubscribed before it could be posted');
      await deliveries.withdraw(delivery);
      return 0;
    }
    if (!isLive(announcement, clock.now())) {
      log.info({ delivery: id, kind: announcement.kind }, 'over before it could be posted');
      await end(delivery, null);
      return 0;
    }
    const outcome = await post(delivery);
    if (outcome.kind !== 'sent') {
      log.warn({ delivery: id, channel: channelId, outcome: outcome.kind, reason: outcome.reason }, 'not posted');
    }
    await note(delivery, outcome);
    switch (outcome.kind) {
      case 'sent':
        announced += 1;
        log.info({ delivery: id, channel: channelId, kind: announcement.kind }, 'announced');
        await end(delivery, outcome.messageId);
        return 0;
      case 'gone':
        for (const lost of deliveries.pending(channelId)) await end(lost, null);
        return 0;
      case 'refused':
        await end(delivery, null);
        return 0;
      case 'blocked':
        return BLOCKED_RETRY_MS;
      case 'unknown':
        suspects.add(channelId);
        return retryMs(failures);
    }
  }

  /** A card that can't be made is one that Discord can't take: it must not hold up those behind it. */
  async function post({ id, guildId, channelId, announcement }: Delivery): Promise<Outcome> {
    let card: Card;
    try {
      card = cardOf(announcement, { deliveryId: id, matched: [], words: wordsOf(guildId), nowMs: clock.now() });
    } catch (error) {
      log.error({ err: error, delivery: id, kind: announcement.kind }, 'no card could be made');
      return { kind: 'refused', reason: 'no card could be made' };
    }
    return courier.post(channelId, card, id);
  }

  /** Tells the subscriptions how it went, where that is news to them. */
  async function note(delivery: Delivery, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'unknown' || outcome.kind === 'refused') return;
    const problem = outcome.kind === 'sent' ? null : outcome.reason;
    const isGone = outcome.kind === 'gone';
    for (const { subscriptionId: id } of delivery.matches) {
      const subscription = subscriptions.get(id);
      if (!subscription || (subscription.problem === problem && !isGone)) continue;
      await subscriptions.update(id, (current) => ({
        ...current,
        problem,
        pausedBy: isGone ? 'gone' : current.pausedBy,
      }));
    }
  }

  function end(delivery: Delivery, messageId: string | null): Promise<void> {
    const { id, channelId } = delivery;
    return deliveries.end(id, { version: 1, channelId, messageId, endedAtMs: clock.now() });
  }

  async function wait(ms: number): Promise<void> {
    try {
      await clock.sleep(ms, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  }

  return {
    kick() {
      if (stopping.signal.aborted) return;
      for (const channelId of deliveries.channels()) {
        if (working.has(channelId)) continue;
        const work = workOn(channelId)
          .catch((error: unknown) => {
            // The outbox still holds the delivery, and whether it was posted is unknown: the next kick looks.
            suspects.add(channelId);
            log.error({ err: error, channel: channelId }, 'delivery to a channel broke off');
          })
          .finally(() => working.delete(channelId));
        working.set(channelId, work);
      }
    },
    async settled() {
      while (working.size > 0) await Promise.all(working.values());
    },
    async stop() {
      stopping.abort();
      await Promise.all(working.values());
    },
    refresh: async () => {},
    announced: () => announced,
  };
}

function retryMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
}
