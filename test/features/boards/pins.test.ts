import { expect, test } from 'vitest';
import type { DealEvent } from '../../../src/deals/event.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import type { ChangeOutcome } from '../../../src/discord/courier.ts';
import { createLog } from '../../../src/shared/log.ts';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { retryMs } from '../../helpers/back-offs.ts';
import {
  aDelivery,
  aKnownOffer,
  anEvent,
  anEventOffer,
  anOffer,
  eventStartedOf,
  NOW_MS,
  newOfferOf,
  uuid,
} from '../../helpers/things.ts';
import { anUpkeep } from '../../helpers/upkeep.ts';
import { BOARDS } from './boards.ts';

const CHANNEL = '10';
const KEY = `event:${anEvent(1).id}` as const;
const sale = (left: number, changes: Partial<DealEvent> = {}) =>
  anEvent(1, {
    type: 'DealOff',
    title: 'Big sale',
    endDateMs: null,
    offers: [anEventOffer(1, { percentageRemaining: left })],
    ...changes,
  });
const OVER = { endDateMs: NOW_MS - 1 };

/** A channel with the post of an event, which is a board where its subscription asks for that. */
async function aSale(
  changes: Partial<Subscription> = {},
  { mayPin = true, messageChannelId = CHANNEL, lines = [] as string[] } = {},
) {
  const log = createLog('debug', { write: (line: string) => lines.push(line) });
  const upkeep = await anUpkeep(
    { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'], isBoard: true, ...changes },
    log,
    BOARDS,
  );
  const { store, script, answers, kick, currentState, deliverer, idle } = upkeep;
  script.mayPin = mayPin;
  const see = (item: DealEvent) =>
    currentState.setEntities('events', [{ announcement: eventStartedOf(item), record: undefined }], true);
  see(sale(80));
  const delivery = aDelivery('d1', { announcement: eventStartedOf(sale(80)) });
  await store.transact((added) => store.deliveries.add(added, [delivery], (all) => [...all]));
  answers.push({ kind: 'sent', place: { channelId: messageChannelId, messageId: 'm1' } });
  await kick();
  return {
    ...upkeep,
    lines,
    pins: () => store.pins.all().map(({ messageId, is }) => [messageId, is]),
    /** As the tick after a poll that shows this. */
    look: async (item: DealEvent) => {
      see(item);
      await deliverer.keepPosts();
      await kick();
      await idle();
    },
  };
}

test('a board is pinned once, edited where it shows something else, and unpinned when its event is over', async () => {
  const { asked, pins, look, store } = await aSale();
  expect([asked, pins()]).toEqual([['pin 10/m1'], [['m1', 'pinned']]]);
  expect(store.pins.get('m1')).toMatchObject({ channelId: CHANNEL, thing: KEY, queuedAtMs: NOW_MS });
  await look(sale(80));
  expect(asked, 'it shows that already').toHaveLength(1);
  await look(sale(30));
  expect(asked.slice(1)).toEqual([expect.stringMatching(/^edit 10\/m1: .*30% left/s)]);
  await look(sale(30, OVER));
  expect(asked.slice(2).toSorted()).toEqual([expect.stringMatching(/^edit 10\/m1: .*Ended/s), 'unpin 10/m1']);
  expect(pins()).toEqual([]);
  await look(sale(30, OVER));
  expect(asked).toHaveLength(4);
});

test('a post becomes a board when the setting is switched on, and a usual post when it is off', async () => {
  const { asked, pins, look, store } = await aSale({ isBoard: false });
  await look(sale(30));
  expect([asked, pins()], 'other posts show no stock').toEqual([[], []]);
  const set = (isBoard: boolean) =>
    store.commit((changes) => store.subscriptions.change(changes, 's', (one) => ({ ...one, isBoard })));
  await set(true);
  await look(sale(30));
  expect(asked.toSorted()).toEqual([expect.stringMatching(/^edit .*Live board.*30% left/s), 'pin 10/m1']);
  expect(pins()).toEqual([['m1', 'pinned']]);
  await set(false);
  await look(sale(30));
  expect(asked.slice(2).toSorted()).toEqual([expect.stringMatching(/^edit .*Event started/s), 'unpin 10/m1']);
  expect(pins()).toEqual([]);
  await look(sale(20));
  expect(asked).toHaveLength(4);
});

test('an edit that waits already is not queued again, and shows what is so when it is made', async () => {
  const { look, store, script, pass, asked } = await aSale();
  script.changes.push({ kind: 'later', reason: 'rate limit', afterMs: 60_000 });
  await look(sale(30));
  const waiting = store.edits.pending(CHANNEL);
  expect(waiting).toMatchObject([{ deliveryId: 'd1', queuedAtMs: NOW_MS }]);
  await pass(1_000);
  await look(sale(20));
  expect(store.edits.pending(CHANNEL)).toEqual(waiting);
  await pass(60_000);
  expect([store.edits.pending(CHANNEL), asked.at(-1)]).toEqual([[], expect.stringContaining('20% left')]);
});

test('an edit of another post in the channel that waits holds no board back', async () => {
  const { look, store, script, kick, book, deliverer } = await aSale();
  const delivery = aDelivery('d2', { announcement: newOfferOf(anOffer(2)) });
  await store.transact((added) => store.deliveries.add(added, [delivery], (all) => [...all]));
  await kick();
  script.changes.push({ kind: 'later', reason: 'rate limit', afterMs: 60_000 });
  book.put([aKnownOffer(2, { isSoldOut: true })]);
  await store.transact((queued) =>
    deliverer.refresh(queued, [{ key: `offer:${uuid(2)}`, item: anOffer(2, { isSoldOut: true }) }]),
  );
  await kick();
  await look(sale(30));
  expect(store.edits.pending(CHANNEL).map(({ deliveryId }) => deliveryId)).toEqual(['d2', 'd1']);
});

test('a published board is edited for what it becomes, and not for stock alone', async () => {
  const { asked, look, store } = await aSale({ isPublished: true, isBoard: false });
  const edits = () => asked.filter((request) => request.startsWith('edit'));
  await look(sale(30));
  expect(edits()).toEqual([]);
  await store.commit((changes) => store.subscriptions.change(changes, 's', (one) => ({ ...one, isBoard: true })));
  await look(sale(30));
  expect(edits()).toEqual([expect.stringMatching(/Live board.*30% left/s)]);
  await look(sale(20));
  expect(edits()).toHaveLength(1);
});

test('a post of an offer in the same channel is left alone', async () => {
  const { asked, look, store, kick } = await aSale();
  const delivery = aDelivery('d2', { announcement: newOfferOf(anOffer(2)) });
  await store.transact((added) => store.deliveries.add(added, [delivery], (all) => [...all]));
  await kick();
  await look(sale(80));
  expect(asked).toEqual(['pin 10/m1']);
});

test('in a forum, where a board is a thread, nothing is pinned', async () => {
  const { asked, pins, look } = await aSale({}, { messageChannelId: 'thread' });
  await look(sale(80));
  expect([asked, pins()]).toEqual([[], []]);
});

test('without the permission nothing is asked; the board is pinned once it is there', async () => {
  const { asked, pins, look, script } = await aSale({}, { mayPin: false });
  await look(sale(80));
  expect([asked, pins()]).toEqual([[], [['m1', 'wanted']]]);
  script.mayPin = true;
  await look(sale(80));
  expect([asked, pins()]).toEqual([['pin 10/m1'], [['m1', 'pinned']]]);
});

test('a pin that may not be taken away any more is given up after a week, not a moment earlier', async () => {
  const { asked, pins, look, script, pass, clock } = await aSale();
  script.mayPin = false;
  await look(sale(80, OVER));
  expect(pins()).toEqual([['m1', 'unwanted']]);
  await pass(3 * DAY_MS, DAY_MS);
  await look(sale(80, OVER));
  await pass(4 * DAY_MS - 1, DAY_MS);
  expect(pins()).toEqual([['m1', 'unwanted']]);
  await pass(1);
  expect([pins(), clock.now()]).toEqual([[], NOW_MS + 7 * DAY_MS]);
  expect(asked.filter((request) => request.startsWith('unpin'))).toEqual([]);
});

test.each<[outcome: ChangeOutcome, afterMs: number]>([
  [{ kind: 'unknown', reason: 'silence' }, retryMs()],
  [{ kind: 'later', reason: 'rate limit', afterMs: 5_000 }, 5_000],
  [{ kind: 'blocked', reason: 'cannot-post' }, HOUR_MS],
])('a pin that ends in %j is tried %i ms later, not a moment earlier', async (outcome, afterMs) => {
  const { look, asked, pins, script, pass } = await aSale({}, { mayPin: false });
  script.mayPin = true;
  script.changes.push(outcome);
  await look(sale(80));
  expect([asked, pins()]).toEqual([['pin 10/m1'], [['m1', 'wanted']]]);
  await pass(afterMs - 1);
  expect(asked).toHaveLength(1);
  await pass(1);
  expect([asked.length, pins()]).toEqual([2, [['m1', 'pinned']]]);
});

test.each<[ChangeOutcome]>([
  [{ kind: 'refused', reason: 'fifty pins' }],
  [{ kind: 'missing', reason: 'unknown-message' }],
  [{ kind: 'unfound', reason: 'channel-gone' }],
  [{ kind: 'gone', reason: 'channel-gone' }],
])('a pin that ends in %j is not tried again, and there is nothing to take away later', async (outcome) => {
  const { look, asked, pins, script, lines } = await aSale({}, { mayPin: false });
  script.mayPin = true;
  script.changes.push(outcome);
  await look(sale(80));
  await look(sale(80));
  expect([asked, pins()]).toEqual([['pin 10/m1'], [['m1', 'refused']]]);
  expect(lines.filter((line) => line.includes('not pinned'))).toHaveLength(1);
  await look(sale(80, OVER));
  expect([asked.filter((request) => request.includes('pin')), pins()]).toEqual([['pin 10/m1'], []]);
});

test('a pin that can’t be taken away as its message is gone is done', async () => {
  const { look, pins, script, asked } = await aSale();
  script.mayPin = false;
  await look(sale(80, OVER));
  script.mayPin = true;
  script.changes.push({ kind: 'missing', reason: 'unknown-message' });
  await look(sale(80, OVER));
  expect([pins(), asked.at(-1)]).toEqual([[], 'unpin 10/m1']);
});

test('a pin that waits to be taken away is wanted again when its event goes on', async () => {
  const { look, pins, script, asked } = await aSale();
  script.mayPin = false;
  await look(sale(80, OVER));
  expect(pins()).toEqual([['m1', 'unwanted']]);
  await look(sale(80));
  expect(pins()).toEqual([['m1', 'wanted']]);
  script.mayPin = true;
  await look(sale(80));
  expect([pins(), asked.at(-1)]).toEqual([[['m1', 'pinned']], 'pin 10/m1']);
});

test('what becomes of a pin on its way counts for nothing where something else is wanted meanwhile', async () => {
  const { look, pins, script, asked, store } = await aSale({}, { mayPin: false });
  script.mayPin = true;
  script.whileChanging = async () => {
    script.whileChanging = async () => undefined;
    const pin = store.pins.get('m1');
    if (pin) await store.commit((changes) => store.pins.add(changes, [{ ...pin, is: 'unwanted' }]));
  };
  await look(sale(80));
  expect(asked).toEqual(['pin 10/m1', 'unpin 10/m1']);
  expect(pins()).toEqual([]);
});
