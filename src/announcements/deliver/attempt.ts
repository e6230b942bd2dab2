import { personAt } from '../../deals/watch.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { NewMessage, PostOutcome } from '../../discord/courier.ts';
import type { Failure } from '../../discord/outcome.ts';
import type { Delivery, Ending, RollUp } from '../../store/delivery.ts';
import type { Changes } from '../../store/table/state.ts';
import type { Result } from './channel-work.ts';
import type { DeliveryOptions } from './delivery-options.ts';
import { DONE, type PostingContext, paceOf } from './posting-context.ts';
import { unposted } from './recording.ts';

/** The message to post. */
interface Rendering {
  title: string;
  card: () => Card;
  /** Makes the card that is tried where Discord refuses the first; null for no second try. */
  plain: ((refused: Card) => Card) | null;
}

/**
 * Makes one attempt to post. Where Discord refuses the card, tries once more with the plain card. A card that can't be
 * rendered counts as refused.
 * @param also changes to be stored with the attempt, before it is made
 */
export async function attempt(
  { store, channels, courier, log }: PostingContext,
  { id, guildId, channelId }: Delivery | RollUp,
  { mentionRoleIds, tagIds, look: { isSilent } }: DeliveryOptions,
  { title, card: make, plain }: Rendering,
  also: (changes: Changes) => void = () => undefined,
): Promise<{ outcome: PostOutcome; card: Card | null }> {
  const message: Omit<NewMessage, 'card'> = {
    deliveryId: id,
    guildId,
    channelId,
    mentionRoleIds,
    tagIds,
    title,
    isSilent,
  };
  let card: Card;
  try {
    card = make();
  } catch (error) {
    log.error({ err: error, delivery: id }, 'a card could not be rendered');
    return { outcome: { kind: 'refused', reason: 'a card could not be rendered' }, card: null };
  }
  // The attempt is counted before it is made, so that a crash can't make the channel exceed its hourly limit.
  await store.commit((changes) => {
    also(changes);
    store.paces.note(changes, paceOf(channelId), id);
  });
  channels.get(channelId).beginTry(id);
  const outcome = await courier.post({ ...message, card });
  if (outcome.kind !== 'refused' || !plain) return { outcome, card };
  log.error({ delivery: id, reason: outcome.reason }, 'Discord rejected the card: retrying with a plain one');
  return { outcome: await courier.post({ ...message, card: plain(card) }), card };
}

/**
 * Handles an attempt that posted nothing, and returns the result for the channel. `end` records how the delivery ended,
 * where it did.
 */
export async function failed(
  context: PostingContext,
  { id, guildId, channelId }: Delivery | RollUp,
  outcome: Failure,
  end: (changes: Changes, ending: Ending) => void,
): Promise<Result> {
  const { store, clock, log } = context;
  const channel = context.channels.get(channelId);
  log.warn({ delivery: id, channel: channelId, outcome: outcome.kind, reason: outcome.reason }, 'not posted');
  if (outcome.kind !== 'unknown') channel.endTry(id);
  switch (outcome.kind) {
    case 'gone':
    case 'blocked':
    case 'later':
      return shut(context, { guildId, channelId }, outcome);
    case 'missing':
    case 'refused':
      await store.commit((changes) => {
        end(changes, unposted('refused', clock.now()));
        store.paces.forget(changes, paceOf(channelId), id);
      });
      return DONE;
    case 'unknown':
      channel.isReconciled = false;
      return outcome;
  }
}

/** Handles a channel that takes no posts for now, or never again. A person's direct messages may always open again. */
export async function shut(
  context: PostingContext,
  place: { guildId: string; channelId: string },
  outcome: Extract<Failure, { kind: 'gone' | 'blocked' | 'later' }>,
): Promise<Result> {
  if (outcome.kind === 'later') return outcome;
  const isGone = outcome.kind === 'gone' && personAt(place.guildId) === null;
  await context.channelProblems.report(place, outcome.reason, isGone);
  return isGone ? endAll(context, place.channelId) : { kind: 'blocked' };
}

/** Ends all pending deliveries, publications and edits of a channel that no longer exists. */
export async function endAll(context: PostingContext, channelId: string): Promise<Result> {
  const { deliveries, publications, edits } = context.store;
  await context.store.commit((changes) => {
    const gone = unposted('gone', context.clock.now());
    const rollUp = deliveries.pendingRollUp(channelId);
    if (rollUp) deliveries.endRollUp(changes, rollUp, gone, new Set());
    for (const delivery of deliveries.pending(channelId)) deliveries.end(changes, delivery, gone);
    for (const publication of publications.pending(channelId)) publications.end(changes, publication);
    for (const edit of edits.pending(channelId)) edits.end(changes, edit);
  });
  context.channels.get(channelId).forget();
  return DONE;
}
