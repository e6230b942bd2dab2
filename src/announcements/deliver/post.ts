import { announcementDelayMs } from '../../deals/announcement.ts';
import type { Delivery } from '../../store/delivery.ts';
import type { Changes } from '../../store/table/state.ts';
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
    await store.commit((changes) => recordFound(context, changes, delivery, found, announcement));
    return DONE;
  }
  if (fateOf(context, delivery) !== 'wanted') {
    await store.commit((changes) => drop(context, changes, delivery));
    return AGAIN;
  }
  const nowMs = clock.now();
  const options = optionsAt(context, guildId, matches, nowMs);
  const title = renderer.title(announcement, guildId);
  const { outcome, card } = await attempt(context, delivery, options, {
    title,
    card: () => renderer.card(announcement, { deliveryId: id, guildId, channelId, matches, look: options.look }, nowMs),
    plain: (refused) => renderer.plain(announcement, refused, guildId),
  });
  if (outcome.kind !== 'sent') {
    return failed(context, delivery, outcome, (changes, ending) => store.deliveries.end(changes, delivery, ending));
  }
  const { place } = outcome;
  await store.commit((changes) => {
    channelProblems.resolve(changes, delivery);
    recordPost(context, changes, delivery, { place, announcement, cardHash: card && cardHash(card), options });
    store.newestMessages.note(changes, channelId, place.messageId);
  });
  const delayMs = announcementDelayMs(announcement, clock.now());
  log.info({ delivery: id, channel: channelId, kind: announcement.kind, title, delayMs }, 'announced');
  return DONE;
}

/** Whether a delivery is still to be posted: nobody may want it any more, or its deal may be over. */
export function fateOf(context: PostingContext, { announcement, matches }: Delivery): 'wanted' | 'unwanted' | 'over' {
  if (!isWanted(context, matches)) return 'unwanted';
  return isLive(context.currentState.of(announcement), context.clock.now()) ? 'wanted' : 'over';
}

/** Ends a delivery that is over, and withdraws one that nobody wants any more. */
export function drop(context: PostingContext, changes: Changes, delivery: Delivery): void {
  const { store, clock, log } = context;
  const about = { delivery: delivery.id, kind: delivery.announcement.kind };
  switch (fateOf(context, delivery)) {
    case 'wanted':
      return;
    case 'unwanted':
      store.deliveries.withdraw(changes, delivery);
      changes.afterwards(() => log.info(about, 'unsubscribed or paused before it could be posted'));
      break;
    case 'over':
      store.deliveries.end(changes, delivery, unposted('over', clock.now()));
      changes.afterwards(() => log.info(about, 'ended before it could be posted'));
  }
  forget(context, changes, delivery);
}
