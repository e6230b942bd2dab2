import { personAt } from '../../deals/watch.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { NewMessage, PostOutcome } from '../../discord/courier.ts';
import type { Failure } from '../../discord/outcome.ts';
import type { Delivery, Ending, RollUp } from '../../store/delivery.ts';
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
 */
export async function attempt(
  { store, openTries, courier, clock, log }: PostingContext,
  { id, guildId, channelId }: Delivery | RollUp,
  { mentionRoleIds, tagIds, look: { isSilent } }: DeliveryOptions,
  { title, card: make, plain }: Rendering,
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
  await store.paces.note(paceOf(channelId), id, clock.now());
  openTries.begin(channelId, id);
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
  end: (ending: Ending) => Promise<void>,
): Promise<Result> {
  const { store, openTries, reconciled, clock, log } = context;
  log.warn({ delivery: id, channel: channelId, outcome: outcome.kind, reason: outcome.reason }, 'not posted');
  if (outcome.kind !== 'unknown') openTries.end(channelId, id);
  switch (outcome.kind) {
    case 'gone':
    case 'blocked':
    case 'later':
      return shut(context, { guildId, channelId }, outcome);
    case 'missing':
    case 'refused':
      await end(unposted('refused', clock.now()));
      await store.paces.forget(paceOf(channelId), id);
      return DONE;
    case 'unknown':
      reconciled.delete(channelId);
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
  const gone = unposted('gone', context.clock.now());
  const rollUp = deliveries.pendingRollUp(channelId);
  if (rollUp) await deliveries.endRollUp(rollUp, gone, new Set());
  for (const delivery of deliveries.pending(channelId)) await deliveries.end(delivery, gone);
  for (const publication of publications.pending(channelId)) await publications.end(publication);
  for (const edit of edits.pending(channelId)) await edits.end(edit);
  context.reconciled.delete(channelId);
  context.openTries.read(channelId, Number.POSITIVE_INFINITY);
  context.abandoned.delete(channelId);
  return DONE;
}
