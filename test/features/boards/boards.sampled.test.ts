import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { fingerprintOf } from '../../../src/announcements/kinds/index.ts';
import { enqueue } from '../../../src/announcements/outbox/enqueue.ts';
import type { DealEvent, EventOffer } from '../../../src/deals/event.ts';
import { BOARD_AGAIN } from '../../../src/features/boards/owed.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import type { Backend } from '../../helpers/opened-state.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { isInFull } from '../../helpers/sampled.ts';
import { anEvent, anEventOffer, eventStartedOf, NOW_MS } from '../../helpers/things.ts';
import { BOARDS } from './boards.ts';

const isBoard = (message: PageMessage) => textOf(message).includes('Big day');
const offer = (number: number, left: number): EventOffer =>
  anEventOffer(number, { percentageRemaining: left, soldOut: left === 0 });
const saleOf = (offers: readonly EventOffer[], changes: Partial<DealEvent> = {}) =>
  anEvent(1, { title: 'Big day', type: 'DealOff', endDateMs: null, offers: [...offers], ...changes });

/** What the catalog shows, one after the other; the last one is over. */
const STATES = [
  saleOf([offer(1, 80)]),
  saleOf([offer(1, 20)]),
  saleOf([offer(1, 0), offer(2, 90)]),
  saleOf([offer(2, 90)], { endDateMs: NOW_MS - 1 }),
];

/** What the bot does with one state: as a poll commits it, and the tick after it. */
async function take(run: Run, office: PostOffice, item: DealEvent): Promise<void> {
  const { store, currentState, deliverer } = run;
  const announcement = eventStartedOf(item);
  const before = (await currentState.entities('events')).get(`event:${item.id}`)?.announcement;
  const nowMs = office.clock.now();
  // Other posts show no stock, so it alone is no reason for an update.
  const isOther = before !== undefined && fingerprintOf(before, nowMs) !== fingerprintOf(announcement, nowMs);
  const subscription = store.subscriptions.get('s');
  await store.transact(async (changes) => {
    const occasion = {
      nowMs: office.clock.now(),
      isLate: false,
      clock: office.clock,
      signal: new AbortController().signal,
    };
    const matches = subscription && item.endDateMs === null ? [{ announcement, subscription, terms: [] }] : [];
    const { deliveries, subscriptions } = store;
    const isApart = deliverer.isApart.bind(deliverer);
    await enqueue({ deliveries, subscriptions, isApart }, changes, matches, occasion);
    await deliverer.refresh(changes, isOther ? [{ key: `event:${item.id}`, item }] : []);
    changes.afterwards(() => currentState.setEntities('events', [{ announcement, record: undefined }], true));
  });
  await deliverer.keepPosts();
  await run.settle();
}

const boardsIn = (office: PostOffice) => office.posts(office.channelId('deals')).filter(isBoard);
const pinsIn = (office: PostOffice) => office.discord.pins(office.channelId('deals')).map(({ id }) => id);

/** So many writes lie between two kills where not every one is tried. */
const SAMPLE_STEP = 5;

/**
 * Plays all states with a run that is killed at a write, which another one follows. Resolves with whether there was such a
 * write.
 * @param isDeleted whether a moderator deletes the board after the first state
 */
async function play(office: PostOffice, dieAt: number, isDeleted: boolean): Promise<boolean> {
  let hasDied = false;
  let die = (): void => undefined;
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  let run = await office.run((backend) => {
    const dying = mortal(backend, dieAt);
    return {
      ...dying,
      async write(rows) {
        await dying.write(rows).catch((error: unknown) => {
          hasDied = true;
          die();
          throw error;
        });
      },
    } satisfies Backend;
  });
  for (const state of STATES) {
    const wasDead = hasDied;
    if (isDeleted && state === STATES[1]) office.discord.deleteMessage(boardsIn(office)[0]?.id ?? '');
    await Promise.race([take(run, office, state).catch(() => undefined), ...(wasDead ? [] : [death])]);
    if (hasDied && !wasDead) {
      await run.stop().catch(() => undefined);
      run = await office.run();
      await take(run, office, state);
    }
    const boards = boardsIn(office);
    expect(boards, `one board, killed at ${dieAt}`).toHaveLength(1);
    const text = textOf(boards[0] as PageMessage);
    if (state.endDateMs !== null) continue;
    for (const { percentageRemaining: left } of state.offers) if (left) expect(text).toContain(`${left}% left`);
    expect(pinsIn(office)).toEqual([boards[0]?.id]);
  }
  expect(textOf(boardsIn(office)[0] as PageMessage)).toContain('🏁 **Ended');
  expect(pinsIn(office)).toEqual([]);
  await run.stop();
  return hasDied;
}

test.each([
  ['stands', false],
  ['is made again', true],
])('whichever write a bot is killed at, one board %s, true and pinned until its end', async (_, isDeleted) => {
  let dieAt = 1;
  for (let hasDied = true; hasDied; dieAt += isInFull ? 1 : SAMPLE_STEP) {
    const office = await aPostOffice({ keep: BOARDS });
    const first = await office.run();
    await first.subscribe({
      channelId: office.channelId('deals'),
      source: { kind: 'events', sites: [], types: [] },
      kinds: ['event-started'],
      isBoard: true,
    });
    await first.stop();
    hasDied = await play(office, dieAt, isDeleted);
    await office.discord.stop();
  }
  expect(dieAt, 'there are writes to die at').toBeGreaterThan(12);
});

test('a board that is made again has an id of its own, however often that is found out', async () => {
  const office = await aPostOffice({ keep: BOARDS });
  const run = await office.run();
  await run.subscribe({
    channelId: office.channelId('deals'),
    source: { kind: 'events', sites: [], types: [] },
    kinds: ['event-started'],
    isBoard: true,
  });
  const [first, second, third] = STATES as [DealEvent, DealEvent, DealEvent];
  await take(run, office, first);
  office.discord.deleteMessage(boardsIn(office)[0]?.id ?? '');
  await take(run, office, second);
  expect(boardsIn(office)).toHaveLength(1);
  const posts = (await run.store.posts.about([`event:${first.id}`])).get(`event:${first.id}`) ?? [];
  expect(posts.map(({ announcement, isBoard: is }) => [announcement.occurrence, is])).toEqual([[BOARD_AGAIN, true]]);
  await take(run, office, third);
  expect(boardsIn(office)).toHaveLength(1);
  expect(pinsIn(office)).toEqual([boardsIn(office)[0]?.id]);
});

test('of a published board, few edits are made: none for stock alone, and one of the hour is left for its end', async () => {
  const office = await aPostOffice({ keep: BOARDS });
  const run = await office.run();
  const channelId = office.channelId('announcements');
  await run.subscribe({
    channelId,
    source: { kind: 'events', sites: [], types: [] },
    kinds: ['event-started'],
    isBoard: true,
    isPublished: true,
  });
  const text = () => textOf(office.posts(channelId).find(isBoard) as PageMessage);
  await take(run, office, saleOf([offer(1, 80), offer(2, 80), offer(3, 80), offer(4, 80)]));
  await take(run, office, saleOf([offer(1, 10), offer(2, 80), offer(3, 80), offer(4, 80)]));
  expect(text(), 'stock alone').not.toContain('10% left');
  const { deliverer, store } = run;
  /** Without the hour's end, for which `settle` would wait. */
  const takeNow = async (item: DealEvent) => {
    await office.clock.advance(1);
    await store.transact(async (changes) => {
      await deliverer.refresh(changes, [{ key: `event:${item.id}`, item }]);
      changes.afterwards(() =>
        run.currentState.setEntities('events', [{ announcement: eventStartedOf(item), record: undefined }], true),
      );
    });
    deliverer.kick();
    await deliverer.settled();
  };
  await takeNow(saleOf([offer(1, 0), offer(2, 80), offer(3, 80), offer(4, 80)]));
  await takeNow(saleOf([offer(1, 0), offer(2, 0), offer(3, 80), offer(4, 70)]));
  expect(text()).toContain('70% left');
  await takeNow(saleOf([offer(1, 0), offer(2, 0), offer(3, 0), offer(4, 60)]));
  expect(text(), 'two an hour').toContain('70% left');
  await takeNow(saleOf([offer(4, 60)], { endDateMs: NOW_MS - 1 }));
  expect(text(), 'the end').toContain('🏁 **Ended');
});
