import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { aPostOffice, type Run } from '../../helpers/post-office.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

const PUBLISHED = 1;
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
  expect(deliverer.publishingOf(subscription.channelId)).toEqual({ waiting: 1, nextAtMs: againMs, because: 'limit' });
  expect(lines).toContainEqual(
    expect.objectContaining({
      reason: 'rate-limit',
      waiting: 1,
      nextAt: new Date(againMs).toISOString(),
    }),
  );
  await clock.advance(59_000);
  for (const number of [2, 3]) await post(number);
  expect([posts().length, asked()]).toEqual([3, 1]);
  expect(deliverer.publishingOf(subscription.channelId)).toEqual({ waiting: 3, nextAtMs: againMs, because: 'limit' });

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
  const { clock, discord, run, asked, posts, published, post, untilRefused, lines } = await anOffice();
  const queuedAtMs = clock.now();
  for (const number of [1, 2]) await post(number);
  await untilRefused();
  await end(run, 1);
  expect(run.deliverer.status().publicationsPending).toBe(1);
  expect(lines).toContainEqual(expect.objectContaining({ message: posts()[0]?.id, reason: 'over' }));
  const left = (number: number) => run.store.unpublished.get(posts()[number]?.id ?? '');
  expect(await left(0)).toEqual({ because: 'over', queuedAtMs, atMs: clock.now() });
  expect(await left(1)).toBeUndefined();
  discord.othersPublish = 0;
  await clock.advance(HOUR_MS + OFFSET_MS);
  await run.deliverer.settled();
  expect([asked(), published()]).toEqual([2, 1]);
});

test.each([
  [DAY_MS - 1, 1],
  [DAY_MS, 0],
])('of a post that could not be published for %i ms, %i is published', async (waitedMs, count) => {
  const { clock, discord, run: first, start, posts, published, post, untilRefused } = await anOffice();
  const postedMs = clock.now();
  await post(1);
  await untilRefused();
  await first.stop();
  discord.othersPublish = 0;
  await clock.advance(postedMs + waitedMs - clock.now());
  const { deliverer, store } = await start();
  deliverer.kick();
  await deliverer.settled();
  expect([published(), deliverer.status().publicationsPending]).toEqual([count, 0]);
  const unpublished = await store.unpublished.among(posts().map(({ id }) => id));
  expect([...unpublished.values()]).toEqual(
    count === 1 ? [] : [{ because: 'too-late', queuedAtMs: postedMs, atMs: clock.now() }],
  );
});

test('why a post was left unpublished is known for 45 days', async () => {
  const { clock, run, posts, post, untilRefused } = await anOffice();
  await post(1);
  await untilRefused();
  await end(run, 1);
  const ids = posts().map(({ id }) => id);
  const keptMs = 45 * DAY_MS;
  await run.store.sweep(clock.now() + keptMs);
  expect((await run.store.unpublished.among(ids)).size).toBe(1);
  await run.store.sweep(clock.now() + keptMs + 1);
  expect((await run.store.unpublished.among(ids)).size).toBe(0);
});

test.each([
  [{ kind: 'refused', error: 'missingPermissions' }, 'permission', null],
  [{ kind: 'drop', accepted: false }, 'silence', null],
  [{ kind: 'refused', error: 'wrongChannelType' }, 'permission', null],
  [{ kind: 'refused', error: 'invalidForm' }, null, 'refused'],
] as const)('a publication that fails (%o) is told as what it is', async (fault, because, left) => {
  const { discord, run, posts, post, subscription } = await anOffice();
  discord.faults.use(({ path }) => (path.endsWith('/crosspost') ? fault : undefined));
  await post(1);
  const waiting = () => run.deliverer.publishingOf(subscription.channelId);
  while (waiting() === null && run.deliverer.status().publicationsPending > 0) await setImmediate();
  expect(waiting()?.because ?? null).toBe(because);
  const unpublished = await run.store.unpublished.among(posts().map(({ id }) => id));
  expect([...unpublished.values()].map(({ because: why }) => why)).toEqual(left === null ? [] : [left]);
});
