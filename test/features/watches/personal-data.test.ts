import { expect, onTestFinished, test } from 'vitest';
import { appearanceFrom } from '../../../src/deals/appearance.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import { USUAL_PACING_OF_PERSON } from '../../../src/deals/settings.ts';
import { watches } from '../../../src/features/watches/index.ts';
import { forgetPerson, personalDataOf } from '../../../src/features/watches/personal-data.ts';
import { rollUpOf } from '../../../src/store/delivery.ts';
import type { Post } from '../../../src/store/posts.ts';
import { postsIn } from '../../../src/store/rate-log.ts';
import type { Person } from '../../../src/store/server-records.ts';
import { type FeatureRecords, openStore } from '../../../src/store/store.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { backendAt, openedRecords, openedState } from '../../helpers/opened-state.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDelivery, anOffer, aSubscription, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

const RECORDS = watches.records ? [watches.records] : [];
const WATCH = { aim: 'new', product: null, below: null } as const;
const MOST_OF_ALL = '\u{10FFFF}';

/** Somebody with a watch, to whom two messages were sent (the second tells of two offers), while three offers wait. */
async function aPerson({ store, name, number }: { store: Store; name: string; number: number }) {
  const { deliveries, people, subscriptions, posts, edits, removals, newestMessages, rateLog } = store;
  const [place, channelId] = [placeOfPerson(name), `channel-of-${name}`];
  const person: Person = {
    id: name,
    channelId,
    locale: 'de',
    ...USUAL_PACING_OF_PERSON,
    usedAtMs: NOW_MS,
    closed: null,
    shownWaiting: null,
  };
  const watch = aSubscription(`watch-of-${name}`, { guildId: place, channelId, createdBy: name, watch: WATCH });
  const told = aSubscription(`server-of-${name}`, { createdBy: name });
  for (const one of [watch, told]) await subscriptions.save(one);
  await people.save(person.id, person);
  const all = ['alone', 'one', 'other', 'third', 'fourth', 'waiting'].map((which, index) =>
    aDelivery(`${which}-of-${name}`, {
      guildId: place,
      channelId,
      announcement: newOfferOf(anOffer(number + index)),
      dueAtMs: NOW_MS + index,
    }),
  );
  const [alone, one, other, third, fourth, waiting] = all as [
    Delivery,
    Delivery,
    Delivery,
    Delivery,
    Delivery,
    Delivery,
  ];
  await store.transact((changes) => deliveries.add(changes, all, (fresh) => [...fresh]));
  const ended = { outcome: 'posted', messageChannelId: channelId, endedAtMs: NOW_MS } as const;
  const sent = rollUpOf([one, other], 'late');
  await store.commit((changes) => deliveries.rollUp(changes, sent));
  const message = `${number}00`;
  const post: Post = {
    deliveryId: alone.id,
    guildId: place,
    channelId,
    messageChannelId: channelId,
    messageId: message,
    announcement: alone.announcement,
    matches: [],
    mentionRoleIds: [],
    isPublished: false,
    look: appearanceFrom({ style: 'compact' }),
    alsoTells: [],
    face: null,
    postedAtMs: NOW_MS,
  };
  await store.commit((changes) => {
    deliveries.end(changes, alone, { ...ended, messageId: message });
    deliveries.endRollUp(changes, sent, { ...ended, messageId: `${number}01` }, new Set());
    posts.save(changes, post);
    const edit = { channelId, messageId: message, queuedAtMs: NOW_MS, isPublished: false, item: anOffer(number) };
    edits.add(changes, [{ ...edit, thing: `offer:${uuid(number)}`, deliveryId: alone.id }]);
    removals.add(changes, [
      { guildId: place, channelId, messageChannelId: channelId, messageId: message, queuedAtMs: NOW_MS },
    ]);
    newestMessages.note(changes, channelId, `${number}01`);
  });
  await store.commit((changes) => {
    deliveries.rollUp(changes, rollUpOf([third, fourth], 'late'));
    rateLog.record(changes, postsIn(channelId), waiting.id);
  });
  return { person, watch, told, post, all, waiting, unsent: [third, fourth], sent: [alone, one, other] };
}

type Store = Awaited<ReturnType<typeof openedRecords>>;
type Delivery = ReturnType<typeof aDelivery>;

async function twoPeople() {
  const { url, state, backend } = openedState();
  const store = await openedRecords(state, undefined, RECORDS);
  const ben = await aPerson({ store, name: 'ben', number: 1 });
  const ada = await aPerson({ store, name: 'ada', number: 11 });
  return { url, backend, store, ben, ada };
}

test('what is kept of a person is theirs alone, what waits in a roll-up included', async () => {
  const { store, ben } = await twoPeople();
  const data = await personalDataOf('ben', store);
  expect(data).toMatchObject({
    person: ben.person,
    watches: [ben.watch],
    messages: [ben.post],
    subscriptions: [ben.told],
    paces: [{ id: ben.waiting.id }],
  });
  expect(data.waiting).toEqual([
    { id: ben.waiting.id, announcement: ben.waiting.announcement, dueAtMs: ben.waiting.dueAtMs },
    ...ben.unsent.map(({ id, announcement }) => ({ id, announcement, dueAtMs: 0 })),
  ]);
  expect(data.sent.map(({ id }) => id).toSorted()).toEqual(ben.sent.map(({ id }) => id).toSorted());
  expect(new Set(data.sent.map(({ messageId }) => messageId))).toEqual(new Set(['100', '101']));
  expect(Object.values(await personalDataOf('nobody', store)).flat()).toEqual([null]);
});

test('of a person who was forgotten no row names the person or the channel, and nothing is sent again', async () => {
  const { url, backend, store, ben, ada } = await twoPeople();
  const before = await personalDataOf('ada', store);
  await forgetPerson('ben', store);
  for (const run of [store, await openedRecords(openedState(url).state, undefined, RECORDS)]) {
    expect(Object.values(await personalDataOf('ben', run)).flat()).toEqual([null, ben.told]);
    expect(run.deliveries.channels()).toEqual([ada.person.channelId]);
    expect(run.edits.channels()).toEqual([ada.person.channelId]);
    expect(run.removals.channels()).toEqual([ada.person.channelId]);
    expect(run.newestMessages.of(ben.person.channelId)).toBeNull();
    expect(await personalDataOf('ada', run)).toEqual({
      ...before,
      // The clock goes on between the runs.
      paces: before.paces.map(({ id }) => ({ id, atMs: expect.any(Number) as number })),
    });
    const again = await run.transact((changes) => run.deliveries.add(changes, ben.all, (fresh) => [...fresh]));
    expect(again.map(({ id }) => id)).toEqual([...ben.unsent, ben.waiting].map(({ id }) => id));
    await run.commit((changes) => run.deliveries.abandon(changes, ben.person.channelId));
  }
  const rows = await backend.page('', MOST_OF_ALL);
  const own = rows.filter(
    ({ key, value }) => `${key}${value}`.includes(ben.person.channelId) || value.includes('@me/ben'),
  );
  expect(own.map(({ key }) => key)).toEqual([]);
});

test('features forget the person in the same commit', async () => {
  const { state } = openedState();
  const forgotten: string[] = [];
  const commits: unknown[] = [];
  const feature: FeatureRecords = {
    kinds: [],
    open: async () => ({}),
    forgetPlace: (changes, place) => {
      forgotten.push(place);
      commits.push(changes);
    },
  };
  const store = await openedRecords(state, undefined, [...RECORDS, feature]);
  await forgetPerson('ben', store);
  expect([forgotten, commits.length]).toEqual([['@me/ben'], 1]);
});

test('who was never seen is forgotten without a change', async () => {
  const { backend, store } = await twoPeople();
  const before = await backend.page('', MOST_OF_ALL);
  await forgetPerson('nobody', store);
  expect(await backend.page('', MOST_OF_ALL)).toEqual(before);
});

test('while a state is cleaned of a person, its lease says that its holder is busy', async () => {
  const url = temporaryState();
  const clock = new ManualClock();
  const store = await openStore(url, clock, {
    dealbell: '0.0.0',
    clock,
    log: createTestLog(() => undefined),
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  onTestFinished(() => store.close());
  const backend = backendAt(url);
  onTestFinished(() => backend.close());
  const lease = async () => JSON.parse((await backend.lease.read()) ?? '{}') as { silentMs?: number };
  expect(await lease()).not.toHaveProperty('silentMs');
  await store.scrub();
  expect(await lease()).toMatchObject({ silentMs: 120_000 });
  await clock.advance(1_500);
  await expect.poll(lease).not.toHaveProperty('silentMs');
});
