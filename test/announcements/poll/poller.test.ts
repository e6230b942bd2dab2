import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { learn } from '../../../src/announcements/poll/planner/learn.ts';
import { createPoller } from '../../../src/announcements/poll/poller.ts';
import { healthOf } from '../../../src/app/health.ts';
import type { Answer, CallOptions, Catalog, Unreadable } from '../../../src/catalog/catalog.ts';
import { CatalogHttpError } from '../../../src/catalog/errors.ts';
import type { Announcement, EntityUpdate } from '../../../src/deals/announcement.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import { USUAL_LOOK } from '../../../src/deals/look.ts';
import type { Feed, Offer } from '../../../src/deals/offer.ts';
import type { Poll } from '../../../src/deals/poll.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import type { Delivery } from '../../../src/store/delivery.ts';
import type { Post } from '../../../src/store/posts.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import {
  aKnownOffer,
  anEvent,
  anEventOffer,
  anItem,
  anOffer,
  aSubscription,
  HOUR_MS,
  NOW_MS,
  uuid,
} from '../../helpers/things.ts';

/** A poller on a real store, whose next commit can be made to fail, as a full disk would make it. */
async function aPoller(
  stateUrl = temporaryState(),
  clock = new ManualClock('2026-10-06T12:00:00Z'),
  minIntervalMs = 60_000,
) {
  const store = await openStore(stateUrl);
  onTestFinished(() => store.close());
  let isFailing = false;
  let beforeForgetting = async () => {};
  function orFail<T>(write: () => Promise<T>): Promise<T> {
    if (!isFailing) return write();
    isFailing = false;
    return Promise.reject(new StoreError('The disk is full.'));
  }
  const faulty: Store = {
    ...store,
    transact: (decide) => orFail(() => store.transact(decide)),
    commit: (decide) => beforeForgetting().then(() => store.commit(decide)),
  };
  const feeds = new Map<string, Feed>([['Home', { marketingName: 'Home deals', offers: [], isCutOff: false }]]);
  const polls: Poll[] = [];
  const events: DealEvent[] = [];
  const asked: CallOptions[] = [];
  const running = new AbortController();
  let kicks = 0;
  let broken: Error | null = null;
  let isStale = false;
  let onTheWay = async () => {};
  let unreadable: Unreadable | undefined;
  const answer = <T>(value: T): Answer<T> => ({ value, fetchedAtMs: clock.now(), isStale, malformed: 0, unreadable });
  const quota = { limit: 1000, spent: 0, resetsAtMs: clock.now() + 3_600_000 };
  // Each answer is a new one, as one from the catalog is.
  const catalog: Partial<Catalog> = {
    feeds: {
      async get(name, options) {
        asked.push(options);
        if (broken) throw broken;
        const feed = feeds.get(name);
        if (!feed) throw new CatalogHttpError(`There is no feed ${name}.`, 400);
        const sent = structuredClone(feed);
        await onTheWay();
        return answer(sent);
      },
    },
    events: { list: async () => answer([...events]), get: async () => answer(null), offer: async () => answer(null) },
    polls: { list: async () => answer([...polls]) },
    quota: () => ({ v2: quota, portal: quota }),
  };
  const updates: EntityUpdate[] = [];
  const stored = await store.offers.list();
  const book = createOfferBook(stored, (feed) => store.resources.get(`feed:${feed}`));
  const currentState = new CurrentState(book, store);
  /** Here nothing is posted before it is known. */
  const isKnown = ({ key }: EntityUpdate) => currentState.entity(key) !== undefined;
  const poller = createPoller({
    catalog: catalog as Catalog,
    offers: book,
    currentState,
    store: faulty,
    deliverer: {
      kick: () => {
        kicks += 1;
      },
      async refresh(changes, some) {
        const known = some.filter(isKnown);
        changes.afterwards(() => void updates.push(...known));
      },
    },
    minIntervalMs,
    clock,
    log: createLog('silent'),
    signal: running.signal,
  });
  await store.subscriptions.save(aSubscription('s', { kinds: [...KINDS_OF.feed.all] }));
  /** The deliveries that are to be posted in a channel. */
  const enqueued = (channelId = '10') => store.deliveries.pending(channelId).map(({ announcement }) => announcement);
  return {
    poller,
    currentState,
    store,
    clock,
    book,
    feeds,
    polls,
    events,
    quota,
    updates,
    /** Puts offers in a feed, in place of those with the same ids. */
    put: (offers: Offer[], feed = 'Home') => {
      const others = (feeds.get(feed)?.offers ?? []).filter(({ id }) => !offers.some((offer) => offer.id === id));
      feeds.set(feed, { marketingName: `${feed} deals`, isCutOff: false, offers: [...others, ...offers] });
    },
    look: (feed = 'Home') => poller.poll(`feed:${feed}`, 'announcement'),
    failNext: () => {
      isFailing = true;
    },
    meanwhile: (what: typeof beforeForgetting) => {
      beforeForgetting = what;
    },
    /** So little is left of the day that polls are minutes apart. */
    scarce: () => {
      quota.spent = 850;
    },
    /** Empties a feed. */
    clear: (feed = 'Home') => feeds.set(feed, { marketingName: `${feed} deals`, offers: [], isCutOff: false }),
    /** The unreadable items that the next answers hold. */
    lose: (what: Unreadable | undefined) => {
      unreadable = what;
    },
    /** Runs between the making of an answer about a feed and its arrival. */
    onTheWay: (what: typeof onTheWay) => {
      onTheWay = what;
    },
    answerStale: (stale: boolean) => {
      isStale = stale;
    },
    enqueued,
    /** The options of the requests for feeds. */
    asked,
    kicks: () => kicks,
    abort: () => running.abort(),
    /** Makes every request for a feed fail in an unforeseen way. */
    breakWith: (error: Error | null) => {
      broken = error;
    },
    kinds: (channelId?: string) => enqueued(channelId).map(({ kind }) => kind),
    subjects: () => enqueued().map(({ subject }) => subject),
  };
}

test.each([-24, -3])('polls that fail are told after 15 minutes though the clock jumps by %i hours', async (hours) => {
  const { poller, clock, feeds } = await aPoller();
  await poller.tick();
  feeds.delete('Home');
  const health = () =>
    healthOf(
      { shards: [{ shard: 0, isUp: true }], stateProblem: null, pausedSinceMs: null, announced: 0, ...poller.status() },
      clock.now(),
    );
  await clock.advance(60_000);
  await poller.tick();
  const sinceMs = clock.now();
  await clock.advance(5 * 60_000);
  clock.jump(hours * HOUR_MS);
  await poller.tick();
  await clock.advance(10 * 60_000 - 1);
  expect(health()).toMatchObject({ status: 'ok', lastPoll: new Date(clock.now() - 16 * 60_000 + 1).toISOString() });
  await clock.advance(1);
  const since = new Date(sinceMs + hours * HOUR_MS).toISOString();
  expect(health()).toMatchObject({ status: 'unwell', reason: expect.stringContaining(since) });
  expect(poller.status().resources[0]?.failure?.sinceMs).toBe(sinceMs + hours * HOUR_MS);
});

test('a server’s subscriptions weigh ever less: four of one are as much as one each of three', async () => {
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

test('what was polled in the future counts as polled at the restart, and is polled again at its pace', async () => {
  const stateUrl = temporaryState();
  const ahead = await aPoller(stateUrl);
  ahead.clock.jump(5 * HOUR_MS);
  await ahead.look();
  await ahead.store.close();
  const { poller, clock, store } = await aPoller(stateUrl);
  expect(poller.status().lastPollMs).toBe(clock.now());
  const polledAtMs = store.resources.get('feed:Home')?.polledAtMs;
  await clock.advance(30_000);
  await poller.tick();
  expect(store.resources.get('feed:Home')?.polledAtMs).toBe(polledAtMs);
  await clock.advance(30_000);
  await poller.tick();
  expect(store.resources.get('feed:Home')?.polledAtMs).toBe(clock.now());
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

test('a poll that a clock dated while it was ahead puts off no later one', async () => {
  const bot = await aPoller();
  await bot.look();
  const usual = await minutesToNextPoll(bot);
  expect(usual).toBeGreaterThan(5);
  bot.clock.jump(5 * 60_000);
  await bot.look();
  bot.clock.jump(-5 * 60_000);
  expect(await minutesToNextPoll(bot)).toBe(usual);
});

test('a clock that is set, to and fro or for good, makes no poll due and puts none off', async () => {
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

test('a clock that is set back after a restart puts off no poll', async () => {
  const stateUrl = temporaryState();
  const before = await aPoller(stateUrl);
  await before.look();
  const usual = await minutesToNextPoll(before);
  expect(usual).toBeGreaterThan(5);
  await before.store.close();
  await before.clock.advance(4 * 60_000);
  const bot = await aPoller(stateUrl, before.clock);
  bot.clock.jump(-3 * 60_000);
  expect(await minutesToNextPoll(bot)).toBe(usual - 4);
});

test('people who subscribe to a feed within a minute cost one request, and each gets the newest', async () => {
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

test('a resource that is followed again is polled at once: what appears before the first look counts as old', async () => {
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

/** A delivery as it stands in its channel. */
function aPost({ id, guildId, channelId, announcement, matches }: Delivery): Post {
  return {
    deliveryId: id,
    guildId,
    channelId,
    messageChannelId: channelId,
    messageId: 'm',
    announcement,
    matches,
    mentionRoleIds: [],
    isPublished: false,
    look: USUAL_LOOK,
    alsoTells: [],
    face: null,
    postedAtMs: NOW_MS,
  };
}

test('a poll that could not be stored is made up for: nothing lost, nothing twice', async () => {
  const { poller, store, put, feeds, look, failNext, enqueued } = await aPoller();
  put([anOffer(1), anOffer(2, { isSoldOut: true }), anOffer(3)]);
  await look();
  // Everything that can happen at once: one new, one relisted, one cheaper, one back, one gone.
  feeds.delete('Home');
  put([
    anOffer(1, { salePrice: { minimum: 10, maximum: 10 } }),
    anOffer(2),
    anOffer(4, { title: 'Kettle 3' }),
    anOffer(5),
  ]);
  await store.subscriptions.save(aSubscription('late', { channelId: '11', catchUp: 1 }));
  failNext();
  await expect(look()).rejects.toThrow(StoreError);
  await look();
  await look();
  expect(
    enqueued()
      .map(({ kind, subject }) => `${kind} ${subject}`)
      .toSorted(),
  ).toEqual([`new-offer ${uuid(5)}`, `price-drop ${uuid(1)}`, `relisted ${uuid(4)}`, `restocked ${uuid(2)}`]);
  expect(store.subscriptions.get('late')?.catchUp).toBe(0);
  expect(poller.status().resources).toMatchObject([{ resource: 'feed:Home', offers: 4, failure: null }]);
});

test('a first sight that could not be stored stays one', async () => {
  const { put, look, failNext, subjects } = await aPoller();
  put([anOffer(1)]);
  failNext();
  await expect(look()).rejects.toThrow(StoreError);
  await look();
  expect(subjects()).toEqual([]);
});

test('a poll of the events that could not be stored is made up for', async () => {
  const { poller, store, events, failNext, subjects } = await aPoller();
  await store.subscriptions.save(
    aSubscription('e', { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] }),
  );
  await poller.poll('events', 'announcement');
  events.push(anEvent(1));
  failNext();
  await expect(poller.poll('events', 'announcement')).rejects.toThrow(StoreError);
  await poller.poll('events', 'announcement');
  await poller.poll('events', 'announcement');
  expect(subjects()).toEqual([uuid(1)]);
});

test('a subscription that is removed while an answer is read is shown nothing of it', async () => {
  const { store, put, look, onTheWay, enqueued } = await aPoller();
  put([anOffer(1)]);
  await look();
  await store.subscriptions.save(aSubscription('late', { channelId: '11', catchUp: 1 }));
  let removing = Promise.resolve();
  onTheWay(async () => {
    removing = store.subscriptions.remove('late');
  });
  await look();
  await removing;
  expect(enqueued('11')).toEqual([]);
  expect(store.subscriptions.get('late')).toBeUndefined();
});

test('a tick polls what is due, and no sooner', async () => {
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

test('a tick survives a failing poll and says since when', async () => {
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

test('what people ask for in vain is no illness of the bot', async () => {
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

test('a stale answer tells nothing new, and the next fresh one makes up for it', async () => {
  const { poller, put, clock, answerStale, subjects } = await aPoller();
  await poller.tick();
  put([anOffer(1)]);
  answerStale(true);
  await clock.advance(60_000);
  await poller.tick();
  expect(subjects()).toEqual([]);
  expect(poller.status().failingSinceMs).toBe(clock.now());
  answerStale(false);
  await clock.advance(60_000);
  await poller.tick();
  expect(subjects()).toEqual([uuid(1)]);
});

test('whoever subscribes again while a resource is being forgotten misses nothing that comes after', async () => {
  const { poller, store, put, clock, meanwhile, subjects } = await aPoller();
  await poller.tick();
  await store.subscriptions.remove('s');
  const polled: Promise<unknown>[] = [];
  meanwhile(async () => {
    await store.subscriptions.save(aSubscription('again'));
    polled.push(poller.poll('feed:Home', 'interactive'));
    // A write takes this long on a slow disk.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  });
  await poller.tick();
  await Promise.all(polled);
  put([anOffer(1)]);
  await clock.advance(60_000);
  await poller.poll('feed:Home', 'announcement');
  expect(subjects()).toEqual([uuid(1)]);
});

test('a price that falls is told to every feed that holds the offer, once, whichever feed shows it first', async () => {
  const { store, put, look, kinds, clock } = await aPoller();
  await store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed: 'Tools' } }));
  put([]);
  put([], 'Tools');
  await look();
  await look('Tools');
  put([anOffer(1)]);
  put([anOffer(1)], 'Tools');
  await look();
  await look('Tools');
  await clock.advance(60_000);
  const cheaper = anOffer(1, { salePrice: { minimum: 10, maximum: 10 } });
  put([cheaper]);
  put([cheaper], 'Tools');
  await look('Tools');
  await look();
  expect(kinds('10')).toEqual(['new-offer', 'price-drop']);
  expect(kinds('11')).toEqual(['new-offer', 'price-drop']);
});

test.each([false, true])(
  'what one poll finds of an offer is one post in a channel, all that want it named; cut off: %s',
  async (isCutOff) => {
    const { store, put, look, failNext, kinds } = await aPoller();
    await store.subscriptions.save(aSubscription('t', { source: { kind: 'feed', feed: 'Tools' } }));
    await store.subscriptions.save(aSubscription('home', { channelId: '11' }));
    put([anOffer(1)]);
    put([], 'Tools');
    await look();
    await look('Tools');
    put([anOffer(1, { salePrice: { minimum: 10, maximum: 10 } })], 'Tools');
    if (isCutOff) {
      failNext();
      await expect(look('Tools')).rejects.toThrow(StoreError);
    }
    await look('Tools');
    expect(kinds('10')).toEqual(['new-offer']);
    expect(
      store.deliveries
        .pending('10')[0]
        ?.matches.map(({ subscriptionId }) => subscriptionId)
        .toSorted(),
    ).toEqual(['s', 't']);
    expect(kinds('11')).toEqual(['price-drop']);
  },
);

test('what was told as new is told again when it is cheaper, though it enters another feed in the same look', async () => {
  const { store, put, look, kinds } = await aPoller();
  await store.subscriptions.save(aSubscription('t', { source: { kind: 'feed', feed: 'Tools' } }));
  put([], 'Tools');
  await look();
  await look('Tools');
  put([anOffer(1)]);
  await look();
  put([anOffer(1, { salePrice: { minimum: 10, maximum: 10 } })], 'Tools');
  await look('Tools');
  await look('Tools');
  expect(kinds()).toEqual(['new-offer', 'price-drop']);
});

test('what is shown is refreshed when it sells out, changes its price, and is gone', async () => {
  const { put, clear, look, updates, clock } = await aPoller();
  put([anOffer(1)]);
  await look();
  expect(updates).toEqual([]);
  put([anOffer(1, { salePrice: { minimum: 25, maximum: 25 } })]);
  await look();
  put([anOffer(1, { isSoldOut: true })]);
  await look();
  clear();
  await look();
  put([anOffer(1)]);
  await look();
  await clock.advance(HOUR_MS);
  clear();
  await look();
  await look();
  expect(updates.map(({ key }) => key)).toEqual(updates.map(() => `offer:${uuid(1)}`));
  expect(updates.map(({ item }) => item)).toMatchObject([
    { salePrice: { minimum: 25 } },
    { isSoldOut: true },
    { isSoldOut: false },
    { endDateMs: clock.now() },
  ]);
});

test('an event that sells out, ends or is taken down is refreshed; what is left of it alone is no reason', async () => {
  const { poller, currentState, store, events, updates, clock } = await aPoller();
  await store.subscriptions.save(
    aSubscription('e', { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] }),
  );
  const show = async (...shown: DealEvent[]) => {
    events.splice(0, events.length, ...shown);
    await poller.poll('events', 'announcement');
  };
  await show(anEvent(1), anEvent(2));
  await show(anEvent(1, { offers: [anEventOffer(101, { percentageRemaining: 3 })] }), anEvent(2));
  expect(updates).toEqual([]);
  await show(anEvent(1, { offers: [anEventOffer(101, { soldOut: true })] }), anEvent(2));
  await show(anEvent(1, { offers: [anEventOffer(101, { soldOut: true })] }));
  expect(
    updates.map(({ key }) => key),
    'one answer may be wrong',
  ).toEqual([`event:${uuid(1)}`]);
  await show(anEvent(1, { offers: [anEventOffer(101, { soldOut: true })] }));
  expect(updates.map(({ key }) => key)).toEqual([`event:${uuid(1)}`, `event:${uuid(2)}`]);
  expect(currentState.entity(`event:${uuid(2)}`)).toMatchObject({ endDateMs: clock.now() });
  await clock.advance(2 * HOUR_MS);
  await poller.tick();
  expect(updates.slice(2)).toMatchObject([{ key: `event:${uuid(1)}` }]);
});

test('an offer is known by the items that an event names for it, however late it enters a feed', async () => {
  const { poller, put, look, events, book } = await aPoller();
  const [named, other] = [anEventOffer(1, { items: [anItem(11), anItem(12)] }), anEventOffer(2, { items: [] })];
  events.push(anEvent(9, { offers: [named] }), anEvent(8, { offers: [other] }));
  await poller.poll('events', 'announcement');
  put([1, 2, 3].map((number) => anOffer(number)));
  await look();
  expect([1, 2, 3].map((number) => book.get(uuid(number))?.itemIds)).toEqual([
    [uuid(11), uuid(12)],
    undefined,
    undefined,
  ]);
});

test.each(['taken down', 'over'] as const)(
  'an event that is %s while the bot is away is made right where it stands or is about to, once',
  async (what) => {
    const stateUrl = temporaryState();
    const run = async (shown: DealEvent[], passed: number) => {
      const bot = await aPoller(stateUrl);
      await bot.store.subscriptions.save(
        aSubscription('e', { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] }),
      );
      await bot.clock.advance(passed);
      bot.events.push(...shown);
      if (shown.length === 0 && what === 'over') await bot.poller.tick();
      // Only what two answers in a row lack has been taken down.
      else for (let look = 0; look < 2; look += 1) await bot.poller.poll('events', 'announcement');
      return bot;
    };
    const [posted, waiting, running] = [anEvent(1), anEvent(2), anEvent(3, { endDateMs: NOW_MS + 9 * HOUR_MS })];
    const before = await run([running], 0);
    before.events.push(posted, waiting);
    await before.poller.poll('events', 'announcement');
    const [first] = before.store.deliveries.pending('10');
    if (!first) throw new Error('Nothing is to be posted.');
    await before.store.commit((changes) => before.store.posts.save(changes, aPost(first)));
    await before.store.commit((changes) =>
      before.store.deliveries.end(changes, first, {
        outcome: 'posted',
        messageChannelId: '10',
        messageId: 'm',
        endedAtMs: 1,
      }),
    );

    const passed = what === 'over' ? 2 * HOUR_MS : HOUR_MS / 2;
    const after = await run(what === 'over' ? [] : [running], passed);
    expect(after.updates.map(({ key }) => key).toSorted()).toEqual([`event:${uuid(1)}`, `event:${uuid(2)}`]);
    for (const number of [1, 2]) {
      const item = after.currentState.entity(`event:${uuid(number)}`);
      expect(item && 'endDateMs' in item && item.endDateMs).toBeLessThanOrEqual(after.clock.now());
    }
    // The post shows the state of that moment, and the announcement that was about to be posted is dropped.
    for (const delivery of after.store.deliveries.pending('10')) {
      await after.store.commit((changes) =>
        after.store.deliveries.end(changes, delivery, {
          outcome: 'over',
          messageChannelId: null,
          messageId: null,
          endedAtMs: 1,
        }),
      );
    }
    for (const { item } of after.updates) {
      if (item && 'offers' in item && item.id === first.announcement.subject) {
        await after.store.commit((changes) =>
          after.store.posts.save(
            changes,
            aPost({ ...first, announcement: { ...first.announcement, item } as Announcement }),
          ),
        );
      }
    }
    expect((await run(what === 'over' ? [] : [running], passed + 60_000)).updates).toEqual([]);
  },
);

test('a poll is told once, however people vote', async () => {
  const { poller, store, polls, kinds } = await aPoller();
  await store.subscriptions.save(aSubscription('p', { source: { kind: 'polls' }, kinds: ['new-poll'] }));
  await poller.poll('polls', 'announcement');
  for (const voteCount of [0, 12]) {
    const questions = [{ text: 'Tea?', responses: [{ text: 'Yes', voteCount }] }];
    polls.splice(0, 1, { discussionUrl: null, site: null, questions });
    await poller.poll('polls', 'announcement');
  }
  expect(kinds()).toEqual(['new-poll']);
});

test('what appeared while nobody followed a feed is no news to whoever subscribes then', async () => {
  const { poller, store, put, kinds } = await aPoller();
  put([anOffer(1)], 'Tools');
  await poller.poll('feed:Tools', 'interactive');
  put([anOffer(2)], 'Tools');
  await poller.poll('feed:Tools', 'interactive');
  await store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed: 'Tools' } }));
  put([anOffer(3)], 'Tools');
  await poller.poll('feed:Tools', 'interactive');
  expect(kinds('11')).toEqual([]);
  put([anOffer(4)], 'Tools');
  await poller.poll('feed:Tools', 'announcement');
  expect(kinds('11')).toEqual(['new-offer']);
});

test('what is found after a long gap is marked, so that it is told together', async () => {
  const { store, put, look, clock } = await aPoller();
  await look();
  put([anOffer(1)]);
  await clock.advance(3 * HOUR_MS);
  await look();
  put([anOffer(2)]);
  await look();
  expect(store.deliveries.pending('10').map(({ isLate }) => isLate)).toEqual([true, false]);
});

test('the gap is measured from when an answer was asked for: the machine may sleep while it is on its way', async () => {
  const { store, put, look, clock, onTheWay } = await aPoller();
  await look();
  onTheWay(() => clock.advance(3 * HOUR_MS));
  await look();
  onTheWay(async () => {});
  put([anOffer(1)]);
  await look();
  expect(store.deliveries.pending('10').map(({ isLate }) => isLate)).toEqual([true]);
});

test('that a feed was cut off or can not be read is told', async () => {
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

test('what has long been over is forgotten, but not what a feed still shows, and its product is known again', async () => {
  const { poller, put, look, feeds, book, clock, kinds } = await aPoller();
  put([anOffer(1, { endDateMs: null }), anOffer(2, { endDateMs: null, isSoldOut: true })]);
  await look();
  feeds.delete('Home');
  put([anOffer(2, { endDateMs: null, isSoldOut: true })]);
  await look();
  await look();
  await clock.advance(7 * 24 * HOUR_MS);
  await poller.sweep();
  expect(book.size, 'a week can be looked back on').toBe(2);
  await clock.advance(25 * HOUR_MS);
  await look();
  await poller.sweep();
  expect([...book.all()].map(({ offer }) => offer.id)).toEqual([uuid(2)]);
  put([anOffer(3, { title: 'Kettle 1', endDateMs: null })]);
  await look();
  expect(kinds()).toEqual(['relisted']);
});

test('of a store that lives fast only the last to end are remembered', async () => {
  const { poller, book } = await aPoller();
  const gone = { home: { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: NOW_MS, isOld: false } };
  book.put([
    aKnownOffer(1),
    ...Array.from({ length: 20_002 }, (_, index) =>
      aKnownOffer(index + 2, {}, { feeds: gone, overAtMs: NOW_MS - index }),
    ),
  ]);
  await poller.sweep();
  expect(book.size).toBe(20_001);
  expect(book.get(uuid(1))).toBeDefined();
  expect(book.get(uuid(20_003))).toBeUndefined();
});

const MANY = Array.from({ length: 300 }, (_, index) => anOffer(index + 1, { startDateMs: null }));

test('one empty answer ends nothing; the next poll comes soon, and only with it is that believed', async () => {
  const { poller, put, clear, clock, updates, subjects, book, scarce, store } = await aPoller();
  scarce();
  put(MANY);
  await poller.tick();
  const nextPollMs = () => poller.status().resources[0]?.plan?.nextPollMs ?? 0;
  const usuallyMs = nextPollMs() - clock.now();
  expect(usuallyMs).toBeGreaterThan(60_000);

  for (const round of [1, 2]) {
    clear();
    await poller.poll('feed:Home', 'announcement');
    expect([updates, book.live('Home').length], `answer ${round}`).toEqual([[], 300]);
    expect(nextPollMs() - clock.now()).toBe(60_000);
    put(MANY);
    await clock.advance(60_000);
    await poller.tick();
    expect([updates, book.live('Home').length]).toEqual([[], 300]);
    expect(nextPollMs() - clock.now()).toBeGreaterThan(60_000);
  }

  clear();
  put([anOffer(301, { startDateMs: null })]);
  await poller.poll('feed:Home', 'announcement');
  expect(subjects(), 'what is new is told at once').toContain(uuid(301));
  await clock.advance(59_999);
  await poller.tick();
  expect(updates).toEqual([]);
  await clock.advance(1);
  await poller.tick();
  expect(updates).toHaveLength(300);
  expect(book.live('Home')).toHaveLength(1);
  expect(store.resources.get('feed:Home')?.isDoubtful).toBe(false);
});

test('a second look that fails is tried again no sooner than any other poll', async () => {
  const { poller, put, clear, feeds, look, clock, scarce } = await aPoller();
  scarce();
  put(MANY);
  await look();
  clear();
  await look();
  const waitMs = () => (poller.status().resources[0]?.plan?.nextPollMs ?? 0) - clock.now();
  expect(waitMs()).toBe(60_000);
  feeds.delete('Home');
  await clock.advance(60_000);
  await poller.tick();
  expect(poller.status().resources[0]?.failure).not.toBeNull();
  expect(waitMs()).toBeGreaterThan(60_000);
});

test('that an offer was missing is known after a restart, and that a second look is to come soon', async () => {
  const stateUrl = temporaryState();
  const before = await aPoller(stateUrl);
  before.put(MANY);
  await before.look();
  before.clear();
  await before.look();
  const after = await aPoller(stateUrl);
  await after.clock.advance(60_000);
  expect(after.poller.status().resources[0]?.plan?.nextPollMs).toBe(after.clock.now());
  await after.look();
  expect(after.updates).toHaveLength(300);
});

test('what can not be read is neither gone nor changed, and what waits to be told of it still does', async () => {
  const { currentState, put, clear, look, lose, updates, clock, subjects } = await aPoller();
  await look();
  put([anOffer(1), anOffer(2)]);
  await look();
  clear();
  put([anOffer(2)]);
  lose({ ids: [uuid(1)], hasNameless: false });
  for (let poll = 0; poll < 5; poll += 1) await look();
  expect(updates).toEqual([]);
  expect(currentState.entity(`offer:${uuid(1)}`)).toEqual(anOffer(1));
  lose(undefined);
  put([anOffer(1)]);
  await clock.advance(60_000);
  await look();
  expect([updates, subjects().toSorted()]).toEqual([[], [uuid(1), uuid(2)]]);
});

test.each<[string, Unreadable]>([
  ['that has an id', { ids: [uuid(2)], hasNameless: false }],
  ['without an id', { ids: [], hasNameless: true }],
])('an event %s that can not be read goes on as it was, and ends in its time', async (_, unreadable) => {
  const { poller, currentState, store, events, lose, updates, clock } = await aPoller();
  await store.subscriptions.save(
    aSubscription('e', { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] }),
  );
  events.push(anEvent(1), anEvent(2));
  await poller.poll('events', 'announcement');
  events.pop();
  lose(unreadable);
  for (let poll = 0; poll < 5; poll += 1) await poller.poll('events', 'announcement');
  expect(updates).toEqual([]);
  expect(currentState.seen('events')?.announcements).toHaveLength(2);
  await clock.advance(HOUR_MS);
  await poller.tick();
  expect(updates.map(({ key }) => key).toSorted()).toEqual([`event:${uuid(1)}`, `event:${uuid(2)}`]);
});

test('the offers of an event that can not be read are as they were, what else happens in it is shown', async () => {
  const { poller, store, events, lose, updates } = await aPoller();
  await store.subscriptions.save(
    aSubscription('e', { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] }),
  );
  const [first, second, third] = [anEventOffer(101), anEventOffer(103), anEventOffer(105)];
  const show = async (...offers: (typeof first)[]) => {
    events.splice(0, 1, anEvent(1, { offers }));
    await poller.poll('events', 'announcement');
  };
  await show(first, second, third);
  // One without its id, one without its items.
  lose({ ids: [], hasNameless: false, offers: new Map([[uuid(1), { ids: [third.id], hasNameless: true }]]) });
  await show(first, { ...third, items: [] });
  expect(updates).toEqual([]);
  await show({ ...first, soldOut: true }, { ...third, items: [] });
  expect(updates.map(({ item }) => item)).toMatchObject([{ offers: [{ id: first.id, soldOut: true }, second, third] }]);
});

test('a poll that may be what could not be read is still shown, and one that is missing is not', async () => {
  const { poller, currentState, polls, lose } = await aPoller();
  polls.push({ discussionUrl: null, site: null, questions: [{ text: 'Tea?', responses: [] }] });
  await poller.poll('polls', 'interactive');
  polls.pop();
  for (const left of [1, 0]) {
    lose(left === 1 ? { ids: [], hasNameless: true } : undefined);
    await poller.poll('polls', 'interactive');
    expect(currentState.seen('polls')?.announcements).toHaveLength(left);
  }
});

test.each([
  [20_000, 20_000],
  [20_001, 0],
])('once %i more offers are known than after the last sweep, %i that are long over stay', async (count, left) => {
  const { book, look } = await aPoller();
  const overAtMs = NOW_MS - 9 * 24 * HOUR_MS;
  book.put(Array.from({ length: count }, (_, index) => aKnownOffer(index, {}, { feeds: {}, overAtMs })));
  await look();
  expect(book.size).toBe(left);
});

test.each([
  [10 * 60_000, 60_000],
  [30_000, 30_000],
])(
  'with polls at least %i ms apart, people get an answer that is at most %i ms old',
  async (minIntervalMs, maxAgeMs) => {
    const { poller, asked } = await aPoller(undefined, undefined, minIntervalMs);
    await poller.poll('feed:Home', 'interactive');
    await poller.poll('feed:Home', 'announcement');
    expect(asked).toMatchObject([
      { lane: 'interactive', maxAgeMs },
      { lane: 'announcement', maxAgeMs: minIntervalMs },
    ]);
  },
);

test('every poll lets the deliverer look for work, one that fails too, and so does every tick', async () => {
  const { poller, look, feeds, kicks } = await aPoller();
  await look();
  expect(kicks()).toBe(1);
  feeds.delete('Home');
  await expect(look()).rejects.toThrow('There is no feed Home.');
  expect(kicks()).toBe(2);
  await poller.tick();
  expect(kicks(), 'the feed was polled this minute').toBe(3);
});

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

test('a poll that the stopping program cancels is no failure', async () => {
  const { poller, breakWith, abort } = await aPoller();
  breakWith(new Error('This operation was aborted.'));
  abort();
  await poller.tick();
  await expect(poller.poll('feed:Home', 'announcement')).rejects.toThrow('aborted');
  expect(poller.status()).toMatchObject({ failingSinceMs: null, failingBecause: null });
  expect(poller.status().resources.map(({ failure }) => failure)).toEqual([null]);
});

test('an unforeseen error is told without its own words, which may hold anything', async () => {
  const { poller, breakWith } = await aPoller();
  breakWith(new TypeError('feeds of undefined'));
  await poller.tick();
  expect(poller.status().failingBecause).toBe('Something unexpected went wrong.');
});

test('an old answer enqueues nothing and says that there was no fresh one', async () => {
  const { poller, put, look, answerStale } = await aPoller();
  await look();
  put([anOffer(1)]);
  answerStale(true);
  expect(await look()).toMatchObject({ enqueued: [], isStale: true });
  expect(poller.status().failingBecause).toBe('The catalog had no fresh answer.');
});

test('what time alone brings is told without a poll, and is not late', async () => {
  const { poller, store, put, look, feeds, clock, kinds } = await aPoller();
  put([anOffer(1, { endDateMs: clock.now() + 8 * HOUR_MS })]);
  await look();
  // From here on no poll succeeds.
  feeds.delete('Home');
  await clock.advance(5 * HOUR_MS - 1);
  await poller.tick();
  expect(kinds()).toEqual([]);
  await clock.advance(1);
  await poller.tick();
  expect(kinds()).toEqual(['ending-soon']);
  expect(store.deliveries.pending('10').map(({ isLate }) => isLate)).toEqual([false]);
});

test('a subscription that still waits for its first offers makes its feed urgent, whoever else follows it', async () => {
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

test('what nobody follows is listed as such, without a plan', async () => {
  const { poller, store, look } = await aPoller();
  await look();
  await store.subscriptions.remove('s');
  expect(poller.status().resources).toMatchObject([{ resource: 'feed:Home', isFollowed: false, plan: null }]);
});

test('the record of a resource says what its last answer was', async () => {
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

test('the times of day of a feed’s offers are learned: all at the first sight, then what is new since the last poll', async () => {
  const { poller, store, put, look, clock } = await aPoller();
  const learned = () => store.resources.get('feed:Home')?.learned;
  const start = (hoursAgo: number) => ({ startDateMs: clock.now() - hoursAgo * HOUR_MS });
  put([anOffer(1, start(5)), anOffer(2, start(7))]);
  const startedAtMs = [clock.now() - 5 * HOUR_MS, clock.now() - 7 * HOUR_MS];
  await look();
  const first = learn(undefined, { polledAtMs: clock.now(), previousPolledAtMs: null, startedAtMs });
  expect(learned()).toEqual(first);

  const previousPolledAtMs = clock.now();
  await clock.advance(30 * 60_000);
  put([anOffer(3, start(0.25))]);
  await look();
  const second = learn(first, {
    polledAtMs: clock.now(),
    previousPolledAtMs,
    startedAtMs: [clock.now() - HOUR_MS / 4],
  });
  expect(learned()).toEqual(second);

  // Followed again: what it holds has been learned before, or came at a time that nobody saw.
  await store.subscriptions.remove('s');
  await poller.tick();
  await store.subscriptions.save(aSubscription('s'));
  await clock.advance(30 * 60_000);
  put([anOffer(4, start(0.25))]);
  await look();
  expect(learned()).toEqual(learn(second, { polledAtMs: clock.now(), previousPolledAtMs: null, startedAtMs: [] }));

  // Nobody follows it: a lookup teaches nothing.
  await store.subscriptions.remove('s');
  const before = learned();
  await clock.advance(30 * 60_000);
  put([anOffer(5, start(0.25))]);
  await look();
  expect(learned()).toEqual(before);
});

test('what is found after two hours is not late, and a millisecond later it is', async () => {
  const { store, put, look, clock } = await aPoller();
  await look();
  for (const [number, ms] of [2 * HOUR_MS, 2 * HOUR_MS + 1].entries()) {
    await clock.advance(ms);
    put([anOffer(number + 1)]);
    await look();
  }
  const late = new Map(
    store.deliveries.pending('10').map(({ announcement, isLate }) => [announcement.subject, isLate]),
  );
  expect(late).toEqual(
    new Map([
      [uuid(1), false],
      [uuid(2), true],
    ]),
  );
});

test('what has long been over is forgotten early where 20,000 more offers are known than after the last sweep', async () => {
  const { look, book } = await aPoller();
  const longAgoMs = NOW_MS - 60 * 24 * HOUR_MS;
  const gone = { home: { firstSeenMs: longAgoMs, unseenSinceMs: null, goneSinceMs: longAgoMs, isOld: false } };
  const over = (number: number) => aKnownOffer(number, {}, { feeds: gone, overAtMs: longAgoMs });
  book.put(Array.from({ length: 20_000 }, (_, index) => over(index + 1)));
  await look();
  expect(book.size).toBe(20_000);
  book.put([over(20_001)]);
  await look();
  expect(book.size).toBe(0);
});

test('people are answered with what is a minute old at most, and never with what is older than the least interval', async () => {
  for (const [minIntervalMs, forPeopleMs] of [
    [300_000, 60_000],
    [30_000, 30_000],
  ] as const) {
    const { poller, asked, store } = await aPoller(temporaryState(), undefined, minIntervalMs);
    await store.subscriptions.remove('s');
    await poller.poll('feed:Home', 'interactive');
    await poller.poll('feed:Home', 'announcement');
    expect(asked.map(({ lane, maxAgeMs }) => [lane, maxAgeMs])).toEqual([
      ['interactive', forPeopleMs],
      ['announcement', minIntervalMs],
    ]);
  }
});

test('a feed that nobody follows is asked for by each who wants it: only the catalog’s client keeps its answer', async () => {
  const { poller, asked, store } = await aPoller();
  await store.subscriptions.remove('s');
  for (let times = 0; times < 2; times += 1) await poller.poll('feed:Home', 'interactive');
  expect(asked).toHaveLength(2);
});

/** A clock on which every look at it takes 2 ms, so that long work takes turns of three steps. */
class SlowClock extends ManualClock {
  #looks = 0;
  #meanwhile: { atLook: number; act: () => void } | null = null;

  override monotonicMs(): number {
    this.#looks += 1;
    if (this.#meanwhile?.atLook === this.#looks) this.#meanwhile.act();
    return super.monotonicMs() + 2 * this.#looks;
  }

  /** Does something in the midst of the work that comes next, after so many steps. */
  afterSteps(steps: number, act: () => void): void {
    this.#meanwhile = { atLook: this.#looks + steps, act };
  }
}

const SIXTY = Array.from({ length: 60 }, (_, index) => anOffer(index + 1));

test('a subscription that goes while a long answer is compared gets nothing of it, and one that comes all', async () => {
  const clock = new SlowClock('2026-10-06T12:00:00Z');
  const { store, put, look, enqueued } = await aPoller(temporaryState(), clock);
  await store.subscriptions.save(aSubscription('t', { channelId: '11' }));
  await look();
  put(SIXTY);
  let changing: Promise<unknown> = Promise.resolve();
  clock.afterSteps(100, () => {
    const added = aSubscription('u', { channelId: '12' });
    changing = Promise.all([store.subscriptions.remove('t'), store.subscriptions.save(added)]);
  });
  await look();
  await changing;
  expect(['10', '11', '12'].map((channel) => enqueued(channel).length)).toEqual([60, 0, 60]);
});

test('what changes while news is matched counts from the next news on: a commit sees one state', async () => {
  const clock = new SlowClock('2026-10-06T12:00:00Z');
  const { store, put, look, enqueued } = await aPoller(temporaryState(), clock);
  await store.subscriptions.save(aSubscription('t', { channelId: '11' }));
  await look();
  put(SIXTY);
  let removing: Promise<unknown> = Promise.resolve();
  // The steps of the comparison come first: 60 for the keys and 60 for the offers.
  clock.afterSteps(180, () => {
    removing = store.subscriptions.remove('t').then(() => enqueued('11').length);
  });
  await look();
  expect(await removing).toBe(60);
  put([anOffer(61)]);
  await look();
  expect(['10', '11'].map((channel) => enqueued(channel).length)).toEqual([61, 60]);
});

test.each([
  ['compared', 100],
  ['matched', 180],
])('the bot that stops while a long answer is %s stores nothing of it, and finds all of it again', async (_, steps) => {
  const [state, clock] = [temporaryState(), new SlowClock('2026-10-06T12:00:00Z')];
  const { store, put, look, abort, book, poller } = await aPoller(state, clock);
  await look();
  const before = store.resources.get('feed:Home');
  put(SIXTY);
  clock.afterSteps(steps, abort);
  await expect(look()).rejects.toThrow('aborted');
  expect([store.deliveries.pending('10'), book.size, store.resources.get('feed:Home')]).toEqual([[], 0, before]);
  expect(poller.status().resources.map(({ failure }) => failure)).toEqual([null]);
  await store.close();
  const again = await aPoller(state, clock);
  again.put(SIXTY);
  await again.look();
  expect(again.enqueued()).toHaveLength(60);
});

test('two long answers that arrive at once are compared one after the other: an offer of both is new once', async () => {
  const clock = new SlowClock('2026-10-06T12:00:00Z');
  const { store, put, look, enqueued } = await aPoller(temporaryState(), clock);
  await store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed: 'Tools' } }));
  put([], 'Tools');
  await look();
  await look('Tools');
  put(SIXTY);
  put(SIXTY, 'Tools');
  await Promise.all([look(), look('Tools')]);
  expect(['10', '11'].map((channel) => enqueued(channel).length)).toEqual([60, 60]);
  const [record] = await store.offers.list();
  expect(Object.keys(record?.feeds ?? {})).toEqual(['home', 'tools']);
});
