import type { Announcement } from '../../deals/announcement.ts';
import { announcementDelayMs } from '../../deals/announcement-delay.ts';
import type { Delivery } from '../../store/delivery.ts';
import { isLive } from '../kinds/index.ts';
import { attempt, failed } from './attempt.ts';
import type { Result } from './channel-work.ts';
import { cardHash } from './message-renderer.ts';
import { AGAIN, DONE, forget, isWanted, optionsAt, type PostingContext } from './posting-context.ts';
import { recordFound, recordPost, unposted } from './recording.ts';

/** Makes one attempt to post a single delivery. */
export async function post(context: PostingContext, delivery: Delivery): Promise<Result> {
  const { store, channelProblems, currentState, renderer, clock, log } = context;
  const { id, guildId, channelId, matches } = delivery;
  const announcement = currentState.of(delivery.announcement);
  const found = (await store.deliveries.foundPlaces([id])).get(id);
  if (found) {
    await recordFound(context, delivery, found, announcement);
    return DONE;
  }
  if (!(await isStillWanted(context, delivery, announcement))) return AGAIN;
  const nowMs = clock.now();
  const options = optionsAt(context, guildId, matches, nowMs);
  const title = renderer.title(announcement, guildId);
  const { outcome, card } = await attempt(context, delivery, options, {
    title,
    card: () => renderer.card(announcement, { deliveryId: id, guildId, channelId, matches, look: options.look }, nowMs),
    plain: (refused) => renderer.plain(announcement, refused, guildId),
  });
  if (outcome.kind !== 'sent') {
    return failed(context, delivery, outcome, (ending) => store.deliveries.end(delivery, ending));
  }
  const { place } = outcome;
  await channelProblems.resolve(delivery);
  await recordPost(context, delivery, { place, announcement, cardHash: card && cardHash(card), options });
  await store.newestMessages.note(channelId, place.messageId);
  const delayMs = announcementDelayMs(announcement, clock.now());
  log.info({ delivery: id, channel: channelId, kind: announcement.kind, title, delayMs }, 'announced');
  return DONE;
}

/**
 * Whether the delivery is still to be posted. Ends it where it is over; withdraws it where nobody wants it any more.
 */
export async function isStillWanted(
  context: PostingContext,
  delivery: Delivery,
  announcement: Announcement,
): Promise<boolean> {
  const { deliveries } = context.store;
  const nowMs = context.clock.now();
  const about = { delivery: delivery.id, kind: announcement.kind };
  if (!isWanted(context, delivery.matches)) {
    context.log.info(about, 'unsubscribed or paused before it could be posted');
    await deliveries.withdraw(delivery);
  } else if (!isLive(announcement, nowMs)) {
    context.log.info(about, 'ended before it could be posted');
    await deliveries.end(delivery, unposted('over', nowMs));
  } else return true;
  await forget(context, delivery);
  return false;
}
