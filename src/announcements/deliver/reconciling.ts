import { shut } from './attempt.ts';
import type { Result } from './channel-work.ts';
import { AGAIN, type PostingContext } from './posting-context.ts';
import { recordFound, recordRollUp } from './recording.ts';

/** Reads a channel, and records in the ledger the deliveries that it already contains. */
export async function reconcile(context: PostingContext, channelId: string): Promise<Result> {
  const { store, courier, clock, log } = context;
  const { deliveries, newestMessages } = store;
  const startedMs = clock.monotonicMs();
  const outcome = await courier.findPosted(channelId, newestMessages.of(channelId));
  switch (outcome.kind) {
    case 'found':
      break;
    case 'gone':
    case 'blocked':
    case 'later':
      return shut(context, { guildId: guildOf(context, channelId), channelId }, outcome);
    case 'missing':
    case 'refused':
    case 'unknown':
      log.warn({ channel: channelId, reason: outcome.reason }, 'the channel could not be read');
      return { kind: 'unknown' };
  }
  if (outcome.isCutOff) log.warn({ channel: channelId }, 'only the newest messages of a channel were checked');
  const { posted } = outcome;
  await store.transact(async (changes) => {
    for (const delivery of deliveries.pending(channelId)) {
      const place = posted.get(delivery.id);
      if (place) recordFound(context, changes, delivery, place, delivery.announcement);
    }
    const rollUp = deliveries.pendingRollUp(channelId);
    const place = rollUp && posted.get(rollUp.id);
    if (place) recordRollUp(context, changes, rollUp, place, new Set());
    await deliveries.noteFound(changes, channelId, posted, clock.now());
    for (const { messageId } of posted.values()) newestMessages.note(changes, channelId, messageId);
  });
  context.channels.get(channelId).wasRead(startedMs);
  return AGAIN;
}

/** The server of what waits for a channel. */
function guildOf({ store: { deliveries } }: PostingContext, channelId: string): string {
  return (deliveries.pendingRollUp(channelId) ?? deliveries.pending(channelId)[0])?.guildId ?? '';
}
