import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { entityKey, KINDS, partsOf } from '../../src/announcements/kinds/index.ts';
import type { Announcement } from '../../src/deals/announcement.ts';
import { USUAL_APPEARANCE } from '../../src/deals/appearance.ts';
import type { DealEvent } from '../../src/deals/event.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import type { Delivery } from '../../src/store/delivery.ts';
import { openStore } from '../../src/store/store.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import {
  aDealcast,
  aDelivery,
  aKnownOffer,
  anEvent,
  anEventOffer,
  anOffer,
  aRollUp,
  NOW_MS,
  newOfferOf,
  uuid,
} from '../helpers/things.ts';

const started = (number: number, changes: Partial<DealEvent> = {}) =>
  KINDS['event-started'].announce(anEvent(number, changes));
const record = { firstSeenMs: NOW_MS, lastSeenMs: NOW_MS, face: 'x' } as const;

/** The current state of a bot that has just started on a state, with offer 1 known. */
async function aState() {
  const store = await openStore(temporaryState(), new ManualClock());
  onTestFinished(() => store.close());
  const book = createOfferBook([aKnownOffer(1)], () => undefined);
  return {
    store,
    state: new CurrentState(book, store),
    add: (...deliveries: Delivery[]) =>
      store.transact((changes) => store.deliveries.add(changes, deliveries, (one) => [...one])),
    postOf: (announcement: Announcement) =>
      store.commit((changes) =>
        store.posts.save(changes, {
          deliveryId: `of ${announcement.subject}`,
          guildId: '1',
          channelId: '10',
          messageChannelId: '10',
          messageId: '77',
          announcement,
          matches: [],
          mentionRoleIds: [],
          isPublished: false,
          look: USUAL_APPEARANCE,
          alsoTells: [],
          face: null,
          postedAtMs: NOW_MS,
        }),
      ),
  };
}

test('after a start the entities are those that are posted, wait alone or wait in a roll-up', async () => {
  const { store, state, add, postOf } = await aState();
  const [part = started(4)] = partsOf(started(4, { offers: [anEventOffer(104, { percentageRemaining: 5 })] }));
  const video = KINDS['new-dealcast'].announce(aDealcast(1));
  await postOf(started(1));
  await postOf(newOfferOf(anOffer(9)));
  const together = [
    aDelivery('c', { announcement: started(3) }),
    aDelivery('d', { announcement: part }),
    aDelivery('e', { announcement: video }),
  ] as const;
  await add(aDelivery('b', { channelId: '11', announcement: started(2) }), ...together);
  await store.commit((changes) => store.deliveries.rollUp(changes, aRollUp(...together)));
  await store.commit((changes) => store.known.save(changes, 'events', new Map([[uuid(2), record]])));
  const events = await state.entities('events');
  expect([...events.keys()].toSorted()).toEqual([1, 2, 3, 4].map((number) => `event:${uuid(number)}`));
  expect(events.get(`event:${uuid(2)}`)).toEqual({ announcement: started(2), record });
  expect(events.get(`event:${uuid(1)}`)).toEqual({ announcement: started(1), record: undefined });
  expect(state.entity(`event:${uuid(4)}`)).toEqual(part.item);
  const [[key, dealcast] = []] = await state.entities('dealcasts');
  expect([key, dealcast?.announcement]).toEqual([entityKey(video), video]);
  expect(await state.entities('polls')).toEqual(new Map());
});

test('an edit that waits tells how its event is, and only that of an event that is told', async () => {
  const { store, state, postOf } = await aState();
  await postOf(started(1));
  const edit = (number: number) => ({
    thing: `event:${uuid(number)}` as const,
    deliveryId: 'a',
    channelId: '10',
    messageId: '77',
    isPublished: false,
    item: anEvent(number, { title: 'As edited' }),
    queuedAtMs: NOW_MS,
  });
  await store.commit((changes) => store.edits.add(changes, [edit(1), edit(2)]));
  const events = await state.entities('events');
  expect([...events.values()].map(({ announcement }) => announcement)).toEqual([started(1, { title: 'As edited' })]);
});

test('what a resource holds is told once it was read since the start', async () => {
  const { store, state } = await aState();
  const answer = [{ announcement: started(1), record }];
  expect(state.seen('events')).toBeNull();
  state.setEntities('events', answer, true);
  expect(state.seen('events'), 'never recorded').toBeNull();
  await store.commit((changes) =>
    store.resources.set(changes, 'events', {
      firstSeenMs: 0,
      polledAtMs: NOW_MS,
      isFollowed: true,
      isCutOff: false,
      marketingName: null,
    }),
  );
  expect(state.seen('events')).toEqual({ announcements: [started(1)], fetchedAtMs: NOW_MS });
  expect(state.seen('polls')).toBeNull();
  const restarted = new CurrentState(
    createOfferBook([], () => undefined),
    store,
  );
  restarted.setEntities('events', answer, false);
  expect(restarted.seen('events'), 'known only in part').toBeNull();
});

test('an announcement shows its entity as it is known, and as it was announced where that is not known', async () => {
  const { state } = await aState();
  expect(state.of(newOfferOf(anOffer(1, { title: 'Announced' }))).item).toMatchObject({ title: 'Kettle 1' });
  const nobodys = newOfferOf(anOffer(3));
  expect(state.of(nobodys)).toBe(nobodys);
});
