import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Offer } from '../../../src/deals/offer.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aPostOffice, type Run } from '../../helpers/post-office.ts';
import { aKnownOffer, anOffer, uuid } from '../../helpers/things.ts';

const MOST_MS = 25_000;
const TEN = Array.from({ length: 10 }, (_, index) => index + 1);
const NEVER_ENDS = { endDateMs: null };

/** Ten posts in #deals and one in #announcements, and what Discord is asked to edit. */
async function anOffice(ageMs = HOUR_MS) {
  const office = await aPostOffice();
  const { clock, discord, book } = office;
  const edited: string[] = [];
  discord.faults.use(({ method, path }) => {
    if (method === 'PATCH') edited.push(path.split('/').at(-1) ?? '');
    return undefined;
  });
  const run = await office.run();
  const [deals, announcements] = ['deals', 'announcements'].map((name) => office.channelId(name)) as [string, string];
  const here = await run.subscribe({ id: 'here', channelId: deals });
  const there = await run.subscribe({ id: 'there', channelId: announcements });
  const know = (number: number, offer: Partial<Offer> = {}) =>
    book.put([aKnownOffer(number, { ...NEVER_ENDS, ...offer })]);
  for (const number of [...TEN, 11]) know(number);
  await run.enqueue(
    here,
    TEN.map((number) => anOffer(number, NEVER_ENDS)),
  );
  await run.enqueue(there, [anOffer(11, NEVER_ENDS)]);
  await run.settle();
  await clock.advance(ageMs);
  const posts = () => office.posts(deals);
  const idOf = (number: number) => posts().find((post) => textOf(post).includes(`Kettle ${number}]`))?.id;
  return {
    ...office,
    run,
    start: () => office.run(),
    here,
    know,
    edited,
    posts,
    idOf,
    announcements,
    soldOut: (channel = deals) => office.posts(channel).filter((post) => textOf(post).includes('Sold out')).length,
    /** Tells what offers are by now, as a poll does. */
    change: async ({ store, deliverer }: Run, offers: readonly [number, Partial<Offer>][]) => {
      for (const [number, offer] of offers) know(number, offer);
      const updates = offers.map(([number, offer]) => ({
        key: `offer:${uuid(number)}` as const,
        item: anOffer(number, { ...NEVER_ENDS, ...offer }),
      }));
      await store.transact((changes) => deliverer.refresh(changes, updates));
      deliverer.kick();
    },
    /** Lets time pass until all is edited. Resolves with how long that took: milliseconds. */
    untilTrue: async ({ deliverer }: Run): Promise<number> => {
      const startMs = clock.monotonicMs();
      while (deliverer.status().editsPending > 0) {
        let isWaiting = false;
        const wait = () => {
          isWaiting = true;
        };
        // Nobody sleeps any more once all is edited.
        void clock.untilSleeping((ms) => ms > 0 && ms <= 6_100).then(wait, () => undefined);
        while (!isWaiting && deliverer.status().editsPending > 0) await setImmediate();
        if (isWaiting) await clock.advance(100);
      }
      return clock.monotonicMs() - startMs;
    },
  };
}

const soldOutAll = TEN.map((number): [number, Partial<Offer>] => [number, { isSoldOut: true }]);
const at = (dollars: number) => ({ salePrice: { minimum: dollars, maximum: dollars } });

test('ten old posts that sell out at once are true within 25 s, and Discord refuses no edit', async () => {
  const { run, edited, soldOut, change, untilTrue } = await anOffice();
  await change(run, soldOutAll);
  expect(await untilTrue(run)).toBeLessThanOrEqual(MOST_MS);
  expect([soldOut(), edited.length]).toEqual([10, 10]);
});

test('posts that are young are all edited at once', async () => {
  const { run, edited, soldOut, change, untilTrue } = await anOffice(HOUR_MS - 60_001);
  await change(run, soldOutAll);
  expect(await untilTrue(run)).toBeLessThan(1_000);
  expect([soldOut(), edited.length]).toEqual([10, 10]);
});

test('where the bot does not know of its latest edits, Discord’s refusals pace it, with and without a time', async () => {
  const { run, start, soldOut, change, untilTrue, edited, discord } = await anOffice();
  await change(run, soldOutAll);
  await discord.waitFor(() => soldOut() === 3 || undefined);
  await run.stop();
  const again = await start();
  again.deliverer.kick();
  expect(await untilTrue(again)).toBeLessThanOrEqual(MOST_MS);
  expect(soldOut()).toBe(10);
  expect(edited.length, 'one is refused').toBe(11);
});

test('what is over is told before prices, and of several states only the latest', async () => {
  const { run, edited, posts, idOf, change, untilTrue } = await anOffice();
  const dear = [1, 2, 3, 4].map((number): [number, Partial<Offer>] => [number, at(15)]);
  const over = [8, 9].map((number): [number, Partial<Offer>] => [number, { isSoldOut: true }]);
  await run.store.postingPause.begin(0);
  await change(run, [...dear, ...over, [10, { endDateMs: 1 }], [1, at(14)]]);
  await run.store.postingPause.end();
  const ids = [8, 9, 10, 1, 2, 3, 4].map(idOf);
  run.deliverer.kick();
  await untilTrue(run);
  expect(new Set(edited.slice(0, 3))).toEqual(new Set(ids.slice(0, 3)));
  expect(new Set(edited)).toEqual(new Set(ids));
  expect(edited).toHaveLength(7);
  expect(textOf(posts().find(({ id }) => id === ids[3]) ?? { components: [] })).toContain('$14.00');
});

test('edits that wait hold up no post in their channel, and no edit in another one', async () => {
  const { run, posts, here, know, soldOut, change, discord, announcements } = await anOffice();
  await change(run, soldOutAll);
  await discord.waitFor(() => soldOut() === 3 || undefined);
  know(12);
  await run.enqueue(here, [anOffer(12, NEVER_ENDS)]);
  await change(run, [[11, { isSoldOut: true }]]);
  await discord.waitFor(() => (posts().length === 11 && soldOut(announcements) === 1) || undefined);
  expect(soldOut(), 'no time has passed').toBe(3);
});
