import { shut } from './attempt.ts';
import type { Result } from './channel-work.ts';
import { AGAIN, type PostingContext } from './posting-context.ts';
import { recordFound, recordRollUp } from './recording.ts';

/** Reads a channel, and records in the ledger the deliveries that it already contains. */
export async function reconcile(context: PostingContext, channelId: string): Promise<Result> {
  const { store, courier, clock, log } = context;
  const { deliveries, newestMessages } = store;
  const pending = deliveries.pending(channelId);
  const rollUp = deliveries.pendingRollUp(channelId);
  const startedMs = clock.monotonicMs();
  const outcome = await courier.findPosted(channelId, newestMessages.of(channelId));
  switch (outcome.kind) {
    case 'found':
      break;
    case 'gone':
    case 'blocked':
    case 'later':
      return shut(context, { guildId: (rollUp ?? pending[0])?.guildId ?? '', channelId }, outcome);
    case 'missing':
    case 'refused':
    case 'unknown':
      log.warn({ channel: channelId, reason: outcome.reason }, 'the channel could not be read');
      return { kind: 'unknown' };
  }
  if (outcome.isCutOff) log.warn({ channel: channelId }, 'only the newest messages of a channel were checked');
  for (const delivery of pending) {
    const place = outcome.posted.get(delivery.id);
    if (place) await recordFound(context, delivery, place, delivery.announcement);
  }
  const place = rollUp && outcome.posted.get(rollUp.id);
  if (place) await recordRollUp(context, rollUp, place, new Set());
  await deliveries.noteFound(channelId, outcome.posted, clock.now());
  // The newest message is noted only now that all of them are in the ledger.
  for (const { messageId } of outcome.posted.values()) await newestMessages.note(channelId, messageId);
  context.reconciled.add(channelId);
  context.openTries.read(channelId, startedMs);
  return AGAIN;
}
