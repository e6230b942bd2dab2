import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/shared/errors.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { aPoller } from '../../helpers/poller.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anEvent, anOffer, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';

describe('a tick', () => {
  test('polls a resource when it is due, and no sooner', async () => {
    const { poller, put, clock, subjects } = await aPoller();
    await poller.tick();
    put([anOffer(1)]);
    await clock.advance(30_000);
    await poller.tick();
    expect(subjects()).toEqual([]);
    await clock.advance(30_000);
    await poller.tick();
    expect(subjects()).toEqual([uuid(1)]);
    expect(poller.status()).toMatchObject({ lastPollMs: clock.now(), failingSinceMs: null });
  });

  test('polls a feed at once when a new subscription waits for its first offers', async () => {
    const { poller, store, look, quota, clock } = await aPoller();
    await look();
    quota.spent = 890;
    await clock.advance(60_000);
    await poller.tick();
    expect(store.resources.get('feed:Home')?.polledAtMs, 'so little is left').toBe(clock.now() - 60_000);
    await store.subscriptions.save(aSubscription('new', { channelId: '11', catchUp: 1 }));
    await poller.tick();
    expect(store.resources.get('feed:Home')?.polledAtMs).toBe(clock.now());
  });

  test('while a deal-off runs, what is left of the day is spent on events first, and all else keeps what it is promised', async () => {
    const { poller, store, clock, quota, events } = await aPoller();
    for (const kind of ['events', 'polls', 'dealcasts'] as const) {
      const source = kind === 'events' ? { kind, sites: [], types: [] } : { kind };
      await store.subscriptions.save(aSubscription(kind, { source, channelId: `1${kind}`, kinds: [] }));
    }
    quota.spent = 300;
    quota.resetsAtMs = clock.now() + 12 * HOUR_MS;
    const planned = async (type: string, endDateMs: number | null) => {
      events.splice(0, events.length, anEvent(1, { type, endDateMs, startDateMs: clock.now() - HOUR_MS }));
      for (let answers = 0; answers < 3; answers += 1) await poller.poll('events', 'announcement');
      const { resources } = poller.status();
      const [polls, worst] = (['polls', 'worstDelayMs'] as const).map((figure) =>
        Object.fromEntries(resources.map(({ resource, plan }) => [resource, plan?.[figure] ?? 0])),
      );
      return { polls: polls ?? {}, worst: worst ?? {} };
    };
    const usual = await planned('Daily', null);
    const sale = await planned('DealOff', null);
    expect(sale.polls['events']).toBeGreaterThan((usual.polls['events'] ?? 0) * 1.5);
    expect(sale.polls['dealcasts']).toBeLessThan(usual.polls['dealcasts'] ?? 0);
    expect(sale.worst, 'promised to each').toEqual(usual.worst);
    await planned('DealOff', clock.now() + HOUR_MS);
    await clock.advance(HOUR_MS);
    const over = await planned('DealOff', clock.now());
    expect(over.polls['events']).toBeLessThan((sale.polls['events'] ?? 0) / 1.5);
  });

  test('polls a resource at once when somebody follows it again: what appears before that poll is not announced', async () => {
    const { poller, store, clock, quota, look } = await aPoller();
    await look();
    quota.spent = 890;
    const [subscription] = store.subscriptions.all();
    if (!subscription) throw new Error('Nobody follows anything.');
    await store.subscriptions.save({ ...subscription, pausedBy: 'person' });
    await clock.advance(60_000);
    await poller.tick();
    await store.subscriptions.save(subscription);
    await clock.advance(60_000);
    await poller.tick();
    expect(store.resources.get('feed:Home')?.polledAtMs).toBe(clock.now());
  });

  test('repeats a failed poll no sooner than any other, though somebody follows the resource again', async () => {
    const { poller, store, clock, quota, look, feeds, asked } = await aPoller();
    await look();
    quota.spent = 890;
    await store.subscriptions.update('s', (subscription) => ({ ...subscription, pausedBy: 'person' }));
    await poller.tick();
    await store.subscriptions.update('s', (subscription) => ({ ...subscription, pausedBy: null }));
    feeds.delete('Home');
    for (let minutes = 0; minutes < 2; minutes += 1) {
      await clock.advance(60_000);
      await poller.tick();
      expect(asked).toHaveLength(2);
    }
  });

  test('plans as many polls for four subscriptions of one server as for one each of three servers', async () => {
    const { poller, store, feeds, quota } = await aPoller();
    quota.spent = 850;
    for (const feed of ['A', 'B']) feeds.set(feed, { marketingName: feed, offers: [], isCutOff: false });
    const follow = (id: string, feed: string, guildId: string) =>
      store.subscriptions.save(aSubscription(id, { guildId, source: { kind: 'feed', feed } }));
    for (const number of [1, 2, 3, 4]) await follow(`a${number}`, 'A', 'one');
    for (const number of [1, 2, 3]) await follow(`b${number}`, 'B', `${number}`);
    const planned = () => poller.status().resources.map(({ resource, plan }) => [resource, plan?.polls]);
    const polls = new Map(planned().map(([resource, count]) => [resource, count]));
    expect(polls.get('feed:A')).toBe(polls.get('feed:B'));
    await follow('a5', 'A', 'two');
    const more = new Map(planned().map(([resource, count]) => [resource, count]));
    expect(Number(more.get('feed:A'))).toBeGreaterThan(Number(more.get('feed:B')));
  });

  test('every poll wakes the deliverer, a failed one too, and so does every tick', async () => {
    const { poller, look, feeds, kicks } = await aPoller();
    await look();
    expect(kicks()).toBe(1);
    feeds.delete('Home');
    await expect(look()).rejects.toThrow('There is no feed Home.');
    expect(kicks()).toBe(2);
    await poller.tick();
    expect(kicks(), 'the feed was polled this minute').toBe(3);
  });
});

describe('what people ask for', () => {
  test('two people who subscribe to a feed within a minute cost one request, and each gets the newest offers', async () => {
    const { poller, store, put, feeds, clock, subjects, enqueued } = await aPoller();
    const subscribe = async (channelId: string) => {
      await store.subscriptions.save(aSubscription(channelId, { channelId, catchUp: 2 }));
      const result = await poller.poll('feed:Home', 'interactive');
      return { ...result, subjects: enqueued(channelId).map(({ subject }) => subject) };
    };
    put([1, 2, 3].map((number) => anOffer(number, { startDateMs: NOW_MS + number })));
    const first = await subscribe('11');
    expect(first.subjects).toEqual([uuid(2), uuid(3)]);
    // From here on the catalog refuses the feed.
    feeds.delete('Home');
    await clock.advance(59_999);
    const second = await subscribe('12');
    expect(second).toMatchObject({ subjects: first.subjects, fetchedAtMs: first.fetchedAtMs, isStale: false });
    expect(second.enqueued.map(({ isLate }) => isLate)).toEqual([false, false]);
    expect(store.subscriptions.get('12')?.catchUp).toBe(0);
    expect(subjects(), 'nothing is news to who followed before').toEqual([]);
    await clock.advance(1);
    await expect(subscribe('13')).rejects.toThrow('There is no feed Home.');
    expect(store.subscriptions.get('13')?.catchUp).toBe(2);
  });

  test.each([
    [10 * 60_000, 60_000],
    [30_000, 30_000],
  ])(
    'with polls at least %i ms apart, people get an answer that is at most %i ms old',
    async (minIntervalMs, maxAgeMs) => {
      const { poller, asked } = await aPoller({ minIntervalMs });
      await poller.poll('feed:Home', 'interactive');
      await poller.poll('feed:Home', 'announcement');
      expect(asked).toMatchObject([
        { lane: 'interactive', maxAgeMs },
        { lane: 'announcement', maxAgeMs: minIntervalMs },
      ]);
    },
  );

  test('a feed that nobody follows is asked for each time: only the catalog’s client keeps its answer', async () => {
    const { poller, asked, store } = await aPoller();
    await store.subscriptions.remove('s');
    for (let times = 0; times < 2; times += 1) await poller.poll('feed:Home', 'interactive');
    expect(asked).toHaveLength(2);
  });

  test('a failed request of a person is recorded for the resource, and not as failing polls', async () => {
    const { poller, put, clock, failNext } = await aPoller();
    await poller.tick();
    await clock.advance(60_000);
    put([anOffer(1)]);
    failNext();
    await expect(poller.poll('feed:Home', 'interactive')).rejects.toThrow(StoreError);
    const { failingSinceMs, resources } = poller.status();
    expect(failingSinceMs).toBeNull();
    expect(resources.map(({ failure }) => failure?.sinceMs)).toEqual([clock.now()]);
  });
});

describe('a poll that fails', () => {
  test('a tick goes on after a failed poll, and the status says since when polls fail and why', async () => {
    const { poller, put, clock, failNext, subjects } = await aPoller();
    await poller.tick();
    put([anOffer(1)]);
    await clock.advance(60_000);
    const failedAtMs = clock.now();
    failNext();
    await poller.tick();
    expect(poller.status()).toMatchObject({
      failingSinceMs: failedAtMs,
      // Nobody else may learn where the state lies.
      failingBecause: "The bot's state could not be read or written.",
    });
    await clock.advance(60_000);
    await poller.tick();
    expect(subjects()).toEqual([uuid(1)]);
    expect(poller.status().failingSinceMs).toBeNull();
  });

  test('a stale answer counts as a failure and announces nothing; the next fresh one announces what it missed', async () => {
    const { poller, put, look, clock, answerStale, subjects } = await aPoller();
    await poller.tick();
    put([anOffer(1)]);
    answerStale(true);
    await clock.advance(60_000);
    await poller.tick();
    expect(subjects()).toEqual([]);
    expect(poller.status()).toMatchObject({
      failingSinceMs: clock.now(),
      failingBecause: 'The catalog had no fresh answer.',
    });
    expect(await look()).toMatchObject({ enqueued: [], isStale: true });
    answerStale(false);
    await clock.advance(60_000);
    await poller.tick();
    expect(subjects()).toEqual([uuid(1)]);
  });

  test('the failures of a resource count from the first of a row, with the reason of the last, until it succeeds', async () => {
    const { poller, look, put, feeds, breakWith, clock } = await aPoller();
    const failureOf = (feed: string) =>
      poller.status().resources.find(({ resource }) => resource === `feed:${feed}`)?.failure;
    const sinceMs = clock.now();
    feeds.delete('Home');
    await poller.tick();
    await clock.advance(60_000);
    breakWith(new Error('unforeseen'));
    await poller.tick();
    const failure = { sinceMs, reason: 'Something unexpected went wrong.', isUnknown: false };
    expect(failureOf('Home')).toEqual(failure);
    expect(poller.status()).toMatchObject({ failingSinceMs: sinceMs, failingBecause: failure.reason });
    breakWith(null);
    put([], 'Tools');
    await look('Tools');
    expect(failureOf('Home')).toEqual(failure);
    expect(poller.status().failingSinceMs, 'any poll that succeeds ends that').toBeNull();
    const againMs = clock.now();
    await expect(look()).rejects.toThrow('There is no feed Home.');
    expect(poller.status().failingSinceMs).toBe(againMs);
    put([]);
    await look();
    expect(failureOf('Home')).toBeNull();
    expect(poller.status().failingSinceMs).toBeNull();
  });

  test('the status does not quote an unforeseen error', async () => {
    const { poller, breakWith } = await aPoller();
    breakWith(new TypeError('feeds of undefined'));
    await poller.tick();
    expect(poller.status().failingBecause).toBe('Something unexpected went wrong.');
  });

  test('a poll that is cancelled when the bot stops is no failure', async () => {
    const { poller, breakWith, abort } = await aPoller();
    breakWith(new Error('This operation was aborted.'));
    abort();
    await poller.tick();
    await expect(poller.poll('feed:Home', 'announcement')).rejects.toThrow('aborted');
    expect(poller.status()).toMatchObject({ failingSinceMs: null, failingBecause: null });
    expect(poller.status().resources.map(({ failure }) => failure)).toEqual([null]);
  });
});

describe('the moments of the polls', () => {
  test('the last attempt is known, whether it failed or not, and null before the first', async () => {
    const { poller, look, clock, feeds } = await aPoller();
    expect(poller.lastAttempt('feed:Home')).toBeNull();
    await look();
    expect(poller.lastAttempt('feed:Home')).toEqual({ atMs: clock.now(), hasFailed: false });
    await clock.advance(60_000);
    feeds.delete('Home');
    await poller.tick();
    expect(poller.lastAttempt('feed:Home')).toEqual({ atMs: clock.now(), hasFailed: true });
  });

  test('a try counts from its beginning, a poll from its success', async () => {
    const { poller, look, onTheWay, clock } = await aPoller();
    const startMs = clock.now();
    const moments = () => [poller.lastAttempt('feed:Home')?.atMs, poller.status().lastPollMs];
    expect(moments()).toEqual([undefined, null]);
    onTheWay(async () => {
      await clock.advance(5_000);
      expect(moments()).toEqual([startMs, null]);
    });
    await look();
    expect(moments()).toEqual([startMs, startMs + 5_000]);
  });

  test('of a former run the moments of the polls are known, and one from the future counts as now', async () => {
    const stateUrl = temporaryState();
    const former = await openStore(stateUrl);
    const record = { firstSeenMs: 0, isFollowed: true, isCutOff: false, marketingName: null };
    const agoMs = { 'feed:Home': HOUR_MS, 'feed:Tools': 2 * HOUR_MS, 'feed:Now': 0, 'feed:Wine': -1 } as const;
    const save = (resource: keyof typeof agoMs) =>
      former.commit((changes) =>
        former.resources.set(changes, resource, { ...record, polledAtMs: NOW_MS - agoMs[resource] }),
      );
    await save('feed:Home');
    await save('feed:Tools');
    await former.close();
    const clock = new ManualClock(new Date(NOW_MS).toISOString());
    const bot = await aPoller({ stateUrl, clock });
    expect(bot.poller.status().lastPollMs).toBe(NOW_MS - HOUR_MS);
    for (const resource of ['feed:Now', 'feed:Wine'] as const) {
      await bot.store.commit((changes) =>
        bot.store.resources.set(changes, resource, { ...record, polledAtMs: NOW_MS - agoMs[resource] }),
      );
    }
    await bot.store.close();
    const { poller } = await aPoller({ stateUrl, clock });
    expect(poller.status().lastPollMs).toBe(NOW_MS);
    const tried = (['feed:Home', 'feed:Tools', 'feed:Now', 'feed:Wine'] as const).map((feed) =>
      poller.lastAttempt(feed),
    );
    expect(tried).toEqual([HOUR_MS, 2 * HOUR_MS, 0, 0].map((ms) => ({ atMs: NOW_MS - ms, hasFailed: false })));
    expect(poller.lastAttempt('feed:Never')).toBeNull();
  });

  test('what was polled in the future counts as polled at the restart, and is polled again at its pace', async () => {
    const stateUrl = temporaryState();
    const ahead = await aPoller({ stateUrl });
    ahead.clock.jump(5 * HOUR_MS);
    await ahead.look();
    await ahead.store.close();
    const { poller, clock, store } = await aPoller({ stateUrl });
    expect(poller.status().lastPollMs).toBe(clock.now());
    const polledAtMs = store.resources.get('feed:Home')?.polledAtMs;
    await clock.advance(30_000);
    await poller.tick();
    expect(store.resources.get('feed:Home')?.polledAtMs).toBe(polledAtMs);
    await clock.advance(30_000);
    await poller.tick();
    expect(store.resources.get('feed:Home')?.polledAtMs).toBe(clock.now());
  });
});

/** The minutes that pass until the feed is polled again, at ten polls an hour. */
async function minutesToNextPoll({
  poller,
  store,
  clock,
  quota,
}: Awaited<ReturnType<typeof aPoller>>): Promise<number> {
  quota.spent = 890;
  const before = store.resources.get('feed:Home')?.polledAtMs;
  for (let minutes = 1; ; minutes += 1) {
    await clock.advance(60_000);
    quota.resetsAtMs = clock.now() + HOUR_MS;
    await poller.tick();
    if (store.resources.get('feed:Home')?.polledAtMs !== before) return minutes;
  }
}

describe('a clock that is set', () => {
  test.each([-24, -3])(
    'failures count from the first, and the last success from its poll, though the clock jumps by %i hours',
    async (hours) => {
      const { poller, clock, feeds } = await aPoller();
      await poller.tick();
      feeds.delete('Home');
      await clock.advance(60_000);
      await poller.tick();
      const sinceMs = clock.now() + hours * HOUR_MS;
      await clock.advance(5 * 60_000);
      clock.jump(hours * HOUR_MS);
      await poller.tick();
      await clock.advance(10 * 60_000);
      expect(poller.status()).toMatchObject({ failingSinceMs: sinceMs, lastPollMs: clock.now() - 16 * 60_000 });
      expect(poller.status().resources[0]?.failure?.sinceMs).toBe(sinceMs);
    },
  );

  test('a try is as old as the time that passed, however the clock is set', async () => {
    const { poller, look, clock } = await aPoller();
    await look();
    const agoMs = () => clock.now() - (poller.lastAttempt('feed:Home')?.atMs ?? Number.NaN);
    await clock.advance(HOUR_MS);
    for (const hours of [-3, 2, 24]) {
      clock.jump(hours * HOUR_MS);
      expect(agoMs()).toBe(HOUR_MS);
    }
    await clock.advance(60_000);
    expect(agoMs()).toBe(HOUR_MS + 60_000);
  });

  test('a poll while the clock is ahead does not delay the next one', async () => {
    const bot = await aPoller();
    await bot.look();
    const usual = await minutesToNextPoll(bot);
    expect(usual).toBeGreaterThan(5);
    bot.clock.jump(5 * 60_000);
    await bot.look();
    bot.clock.jump(-5 * 60_000);
    expect(await minutesToNextPoll(bot)).toBe(usual);
  });

  test('setting the clock, for a while or for good, makes no poll due and delays none', async () => {
    const bot = await aPoller();
    await bot.look();
    const usual = await minutesToNextPoll(bot);
    expect(usual).toBeGreaterThan(5);
    bot.clock.jump(-3 * HOUR_MS);
    await bot.look();
    bot.clock.jump(3 * HOUR_MS);
    expect(await minutesToNextPoll(bot)).toBe(usual);
    for (const hours of [3, -3]) {
      bot.clock.jump(hours * HOUR_MS);
      expect(await minutesToNextPoll(bot)).toBe(usual);
    }
  });

  test('setting the clock back after a restart delays no poll', async () => {
    const stateUrl = temporaryState();
    const before = await aPoller({ stateUrl });
    await before.look();
    const usual = await minutesToNextPoll(before);
    expect(usual).toBeGreaterThan(5);
    await before.store.close();
    await before.clock.advance(4 * 60_000);
    const bot = await aPoller({ stateUrl, clock: before.clock });
    bot.clock.jump(-3 * 60_000);
    expect(await minutesToNextPoll(bot)).toBe(usual - 4);
  });
});

describe('the status', () => {
  test('says which feed was cut off, and which fails, since when and why', async () => {
    const { poller, store, feeds, look, clock } = await aPoller();
    feeds.set('Home', { marketingName: null, offers: [anOffer(1)], isCutOff: true });
    await look();
    await store.subscriptions.save(aSubscription('t', { source: { kind: 'feed', feed: 'Tools' } }));
    await poller.tick();
    const failedAtMs = clock.now();
    await clock.advance(HOUR_MS);
    await poller.tick();
    expect(poller.status().resources).toMatchObject([
      { resource: 'feed:Home', isFollowed: true, isCutOff: true, offers: 1, failure: null },
      { resource: 'feed:Tools', polledAtMs: null, failure: { sinceMs: failedAtMs, reason: 'There is no feed Tools.' } },
    ]);
  });

  test('lists a resource that nobody follows without a plan', async () => {
    const { poller, store, look } = await aPoller();
    await look();
    await store.subscriptions.remove('s');
    expect(poller.status().resources).toMatchObject([{ resource: 'feed:Home', isFollowed: false, plan: null }]);
  });

  test('the record of a resource holds its name and whether its last answer was cut off or doubtful', async () => {
    const { poller, store, put, look, feeds } = await aPoller();
    await look();
    expect(store.resources.get('feed:Home')).toMatchObject({
      isCutOff: false,
      marketingName: 'Home deals',
      isDoubtful: false,
    });
    put([anOffer(1)]);
    const home = feeds.get('Home');
    if (home) home.isCutOff = true;
    await look();
    expect(store.resources.get('feed:Home')?.isCutOff).toBe(true);
    await poller.poll('events', 'announcement');
    expect(store.resources.get('events')).toMatchObject({ isCutOff: false, marketingName: null, isDoubtful: false });
  });
});

test('what can’t be read of a resource is told at once to the metrics, and in the status after an hour', async () => {
  const { poller, look, lose, put, clock } = await aPoller();
  const told = () => poller.status().resources.map(({ drift }) => drift.fields.map(({ field }) => field));
  put([anOffer(1), anOffer(2)]);
  lose({ ids: [], nameless: 0, fields: new Map([[uuid(1), ['salePrice']]]) });
  await look();
  expect(poller.drift().get('feed:Home')?.fields).toMatchObject([{ field: 'SalePrice', items: 1, of: 2 }]);
  expect(told()).toEqual([[]]);
  await clock.advance(HOUR_MS);
  await look();
  expect(told()).toEqual([['SalePrice']]);
  lose(undefined);
  await look();
  expect(told()).toEqual([[]]);
});
