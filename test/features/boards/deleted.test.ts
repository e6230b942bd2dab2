import { expect, test } from 'vitest';
import type { DealEvent } from '../../../src/deals/event.ts';
import type { ChangeOutcome } from '../../../src/discord/courier.ts';
import { BOARD_AGAIN } from '../../../src/features/boards/owed.ts';
import type { Dressed } from '../../helpers/appearances.ts';
import { retryMs } from '../../helpers/back-offs.ts';
import { aDelivery, anEvent, anEventOffer, eventStartedOf, NOW_MS } from '../../helpers/things.ts';
import { anUpkeep } from '../../helpers/upkeep.ts';
import { BOARDS } from './boards.ts';

const CHANNEL = '10';
const MISSING: ChangeOutcome = { kind: 'missing', reason: 'unknown-message' };
const RUNNING = anEvent(1, { type: 'DealOff', title: 'Big sale', endDateMs: null, offers: [anEventOffer(1)] });

/** A board that stands, and an edit of it that is due. Discord denies its message as often as the test says. */
async function aBoard(
  changes: Dressed = {},
  { occurrence = '', denials = 2, now = RUNNING, isRestarted = false } = {},
) {
  const source = { kind: 'events', sites: [], types: [] } as const;
  const settings: Dressed = {
    source: { ...source, sites: [], types: [] },
    kinds: ['event-started'],
    isBoard: true,
    createdBy: '5',
    ...changes,
  };
  const upkeep = await anUpkeep(settings, undefined, BOARDS);
  const { store, script, kick, currentState, deliverer, pass } = upkeep;
  const see = (item: DealEvent) =>
    currentState.setEntities('events', [{ announcement: eventStartedOf(item), record: undefined }], true);
  // A pin would take an answer that is meant for the edit.
  script.mayPin = false;
  see(RUNNING);
  const delivery = aDelivery('d1', {
    announcement: { ...eventStartedOf(RUNNING), occurrence },
    matches: [{ subscriptionId: 's', terms: ['sale'], roleIds: ['7'] }],
  });
  await store.transact((added) => store.deliveries.add(added, [delivery], (all) => [...all]));
  await kick();
  const key = `event:${RUNNING.id}` as const;
  const [board] = (await store.posts.about([key])).get(key) ?? [];
  expect([board?.deliveryId, board?.isBoard === true]).toEqual(['d1', changes.isBoard !== false]);
  const changed = { ...now, title: 'Bigger sale' };
  if (isRestarted) currentState.setEntities('events', [], false);
  else see(changed);
  script.changes.push(...Array.from({ length: denials }, () => MISSING));
  await store.transact((queued) => deliverer.refresh(queued, [{ key, item: changed }]));
  await kick();
  await pass(retryMs());
  return {
    ...upkeep,
    posts: async () => (await store.posts.about([key])).get(key) ?? [],
    ended: () => store.deliveries.ended('d1'),
  };
}

test('a board that was denied once stands', async () => {
  const { posts, tries, script } = await aBoard({}, { denials: 1 });
  expect(await posts()).toMatchObject([{ deliveryId: 'd1' }]);
  expect([tries.length, script.told]).toEqual([1, []]);
});

test('a board that was deleted is made again by a delivery of its own, and rings nobody', async () => {
  const { posts, tries, script, store, ended, clock } = await aBoard();
  expect(await ended()).toMatchObject({ messageId: null, deletedAtMs: clock.now() });
  const [again, ...others] = await posts();
  expect(others).toEqual([]);
  expect(again).toMatchObject({
    channelId: CHANNEL,
    announcement: { kind: 'event-started', subject: RUNNING.id, occurrence: BOARD_AGAIN },
    matches: [{ subscriptionId: 's', terms: ['sale'] }],
    isBoard: true,
  });
  expect(again?.deliveryId).not.toBe('d1');
  expect(tries.map(({ roles }) => roles)).toEqual([['7'], []]);
  expect(tries.at(-1)?.message.deliveryId).toBe(again?.deliveryId);
  expect(await store.deliveries.ended(again?.deliveryId ?? '')).toMatchObject({ outcome: 'posted' });
  expect([store.subscriptions.get('s')?.isBoard, script.told]).toEqual([true, []]);
});

test('where the one that was made again is deleted, too, its author is told once, and boards of other events go on', async () => {
  const { posts, tries, script, store } = await aBoard({}, { occurrence: BOARD_AGAIN });
  expect([await posts(), tries.length]).toEqual([[], 1]);
  expect(store.subscriptions.get('s')).toMatchObject({ isBoard: true });
  expect(script.told).toEqual([['5', expect.stringContaining(`**Big sale** in <#${CHANNEL}> was deleted twice`)]]);
});

test('a subscription that was added on the command line has nobody to tell', async () => {
  const { script, store } = await aBoard({ createdBy: '' }, { occurrence: BOARD_AGAIN });
  expect([store.subscriptions.get('s')?.isBoard, script.told]).toEqual([true, []]);
});

test.each([
  ['whose event is over', {}, { ...RUNNING, endDateMs: NOW_MS - 1 }],
  ['of a post that is no board', { isBoard: false }, RUNNING],
])('a message %s is not made again', async (_, changes, now) => {
  const { posts, tries, script } = await aBoard(changes, { now });
  expect([await posts(), tries.length, script.told]).toEqual([[], 1, []]);
});

test.each<[string, Dressed]>([
  ['is edited', {}],
  ['is deleted by the bot, which was stopped before it knew of that', { appearance: { whenOver: 'delete' } }],
])(
  'where no answer has shown its event since a restart, a board that %s once it is over is not made again',
  async (_, changes) => {
    const now = { ...RUNNING, endDateMs: NOW_MS - 1 };
    const { posts, tries, script } = await aBoard(changes, { now, isRestarted: true });
    expect([await posts(), tries.length, script.told]).toEqual([[], 1, []]);
  },
);
