import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTestLog } from '../../helpers/keys.ts';
import { aPostOffice, type Run } from '../../helpers/post-office.ts';
import { anOffer, HOUR_MS, uuid } from '../../helpers/things.ts';

const PUBLISHED = 1;
const DAY_MS = 24 * HOUR_MS;
/** What discord.js adds to a limit. */
const OFFSET_MS = 50;
const lasting = (number: number, isSoldOut = false) => anOffer(number, { endDateMs: null, isSoldOut });

/** The deliverer with the real client, and a local Discord whose publications somebody else uses up. */
async function anOffice() {
  const lines: Record<string, unknown>[] = [];
  const log = createTestLog((line) => lines.push(JSON.parse(line) as Record<string, unknown>));
  const office = await aPostOffice({ log });
  const { clock, discord } = office;
  discord.othersPublish = 10;
  let asked = 0;
  discord.faults.use(({ path }) => {
    if (path.endsWith('/crosspost')) asked += 1;
    return undefined;
  });
  const run = await office.run();
  const channelId = office.channelId('announcements');
  const subscription = await run.subscribe({ channelId, isPublished: true });
  const posts = () => office.posts(channelId);
  return {
    ...office,
    run,
    /** Another life of the same half. */
    start: () => office.run(),
    subscription,
    lines,
    asked: () => asked,
    posts,
    published: () => posts().filter(({ flags }) => flags === PUBLISHED + (1 << 15)).length,
    /** Posts an offer, and resolves when it stands in the channel. */
    post: async (number: number) => {
      const before = posts().length;
      await run.enqueue(subscription, [lasting(number)]);
      run.deliverer.kick();
      await discord.waitFor(() => posts().length > before || undefined);
      while (run.deliverer.status().pending > 0) await setImmediate();
    },
    untilRefused: () => clock.untilSleeping((ms) => ms > HOUR_MS - 1_000 && ms <= HOUR_MS + OFFSET_MS),
  };
}

async function end(run: Run, number: number): Promise<void> {
  const update = { key: `offer:${uuid(number)}` as const, item: lasting(number, true) };
  await run.store.transact((changes) => run.deliverer.refresh(changes, [update]));
}

test('what may not be published is asked for once, when Discord says, and holds up no post in its channel', async () => {
  const { clock, discord, run, subscription, asked, posts, published, post, untilRefused, lines } = await anOffice();
  const { deliverer } = run;
  await post(1);
  await untilRefused();
  const againMs = clock.now() + HOUR_MS + OFFSET_MS;
  expect(asked()).toBe(1);
  expect(deliverer.publishingOf(subscription.channelId)).toEqual({ waiting: 1, nextAtMs: againMs });
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'not published yet',
      reason: 'rate-limit',
      waiting: 1,
      nextAt: new Date(againMs).toISOString(),
    }),
  );
  await clock.advance(59_000);
  for (const number of [2, 3]) await post(number);
  expect([posts().length, asked()]).toEqual([3, 1]);
  expect(deliverer.publishingOf(subscription.channelId)).toEqual({ waiting: 3, nextAtMs: againMs });

  discord.othersPublish = 0;
  await clock.advance(againMs - clock.now() - 1);
  await setImmediate();
  expect(asked()).toBe(1);
  await clock.advance(1);
  await deliverer.settled();
  expect([asked(), published()]).toEqual([4, 3]);
  expect(deliverer.publishingOf(subscription.channelId)).toBeNull();
});

test('a restart asks once more, and goes on waiting', async () => {
  const { run: first, start, posts, asked, post, untilRefused } = await anOffice();
  await post(1);
  await untilRefused();
  await first.stop();
  const { deliverer } = await start();
  deliverer.kick();
  await untilRefused();
  expect([posts().length, asked(), deliverer.status().publicationsPending]).toEqual([1, 2, 1]);
});

test('a post whose deal is over before it could be published stays a normal post', async () => {
  const { clock, discord, run, asked, published, post, untilRefused, lines } = await anOffice();
  for (const number of [1, 2]) await post(number);
  await untilRefused();
  await end(run, 1);
  expect(run.deliverer.status().publicationsPending).toBe(1);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'not published in time', reason: 'over' }));
  discord.othersPublish = 0;
  await clock.advance(HOUR_MS + OFFSET_MS);
  await run.deliverer.settled();
  expect([asked(), published()]).toEqual([2, 1]);
});

test.each([
  [DAY_MS - 1, 1],
  [DAY_MS, 0],
])('of a post that could not be published for %i ms, %i is published', async (waitedMs, count) => {
  const { clock, discord, run: first, start, published, post, untilRefused } = await anOffice();
  const postedMs = clock.now();
  await post(1);
  await untilRefused();
  await first.stop();
  discord.othersPublish = 0;
  await clock.advance(postedMs + waitedMs - clock.now());
  const { deliverer } = await start();
  deliverer.kick();
  await deliverer.settled();
  expect([published(), deliverer.status().publicationsPending]).toEqual([count, 0]);
});
