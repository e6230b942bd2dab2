import { describe, expect, test } from 'vitest';
import { MOST_OVER_KEPT } from '../../../src/announcements/detect/detect-offers.ts';
import { SWEEP_AFTER } from '../../../src/announcements/poll/poller.ts';
import type { Unreadable } from '../../../src/catalog/catalog.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { USUAL_APPEARANCE } from '../../../src/deals/appearance.ts';
import { APART_MS } from '../../../src/deals/belief.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { USUAL_TIMING } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import type { Delivery } from '../../../src/store/delivery.ts';
import type { Post } from '../../../src/store/posts.ts';
import { openStore } from '../../../src/store/store.ts';
import { aPoller } from '../../helpers/poller.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import {
  aKnownOffer,
  anEvent,
  anEventOffer,
  anItem,
  anOffer,
  aSubscription,
  NOW_MS,
  uuid,
} from '../../helpers/things.ts';

describe('what is news, and to whom', () => {
  test('offers that appeared while nobody followed a feed are not announced to later subscribers', async () => {
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

  test('somebody who subscribes while a resource is being marked as not followed gets everything after', async () => {
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
    await clock.advance(MINUTE_MS);
    await poller.poll('feed:Home', 'announcement');
    expect(subjects()).toEqual([uuid(1)]);
  });

  test('a price drop is announced once to the followers of every feed that holds the offer, whichever is polled first', async () => {
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
    await clock.advance(MINUTE_MS);
    const cheaper = anOffer(1, { salePrice: { minimum: 10, maximum: 10 } });
    put([cheaper]);
    put([cheaper], 'Tools');
    await look('Tools');
    await look();
    expect(kinds('10')).toEqual(['new-offer', 'price-drop']);
    expect(kinds('11')).toEqual(['new-offer', 'price-drop']);
  });

  test.each([false, true])(
    'all that one poll finds of an offer is one delivery in a channel, for all subscriptions that want it; after a failed commit: %s',
    async (isCutOff) => {
      const { store, put, look, failNext, kinds } = await aPoller();
      await store.subscriptions.save(aSubscription('t', { kinds: ['restocked'] }));
      await store.subscriptions.save(aSubscription('cheap', { channelId: '11', kinds: ['price-drop'] }));
      put([anOffer(1)]);
      await look();
      put([anOffer(1, { isSoldOut: true })]);
      await look();
      await look();
      put([anOffer(1, { salePrice: { minimum: 10, maximum: 10 } })]);
      await look();
      if (isCutOff) {
        failNext();
        await expect(look()).rejects.toThrow(StoreError);
      }
      await look();
      expect(kinds('10')).toEqual(['restocked']);
      expect(
        store.deliveries
          .pending('10')[0]
          ?.matches.map(({ subscriptionId }) => subscriptionId)
          .toSorted(),
      ).toEqual(['s', 't']);
      expect(kinds('11')).toEqual(['price-drop']);
    },
  );

  describe('an offer of two feeds, whose subscriptions post in one channel', () => {
    const AT_NOON = { ...USUAL_TIMING, mode: 'daily', dailyAtMinute: 12 * 60 } as const;

    /** The feed of `s` is polled first, that of `t` ten minutes later. */
    async function foundByBoth(s: Partial<Subscription>, t: Partial<Subscription>, stateUrl = temporaryState()) {
      const all = await aPoller({ stateUrl });
      const { store, put, look, clock } = all;
      await store.subscriptions.save(aSubscription('s', s));
      await store.subscriptions.save(aSubscription('t', { source: { kind: 'feed', feed: 'Tools' }, ...t }));
      for (const feed of ['Home', 'Tools']) {
        put([], feed);
        await look(feed);
      }
      for (const feed of ['Home', 'Tools']) {
        put([anOffer(1)], feed);
        await look(feed);
        await clock.advance(10 * MINUTE_MS);
      }
      return { ...all, secondAtMs: clock.now() - 10 * MINUTE_MS };
    }
    const rolesBySubscription = ({ matches }: Delivery) =>
      Object.fromEntries(matches.map(({ subscriptionId, roleIds = [] }) => [subscriptionId, roleIds]));

    test.each([false, true])(
      'an instant post of the second doesn’t wait for the digest of the first, and each rings its roles; read again: %s',
      async (isReadAgain) => {
        const stateUrl = temporaryState();
        const { store, secondAtMs } = await foundByBoth(
          { timing: AT_NOON, mentioned: ['1'] },
          { mentioned: ['2'] },
          stateUrl,
        );
        if (isReadAgain) await store.close();
        const run = isReadAgain ? await openStore(stateUrl) : store;
        const [delivery, ...others] = run.deliveries.pending('10');
        if (isReadAgain) await run.close();
        expect(others).toEqual([]);
        expect(delivery).toMatchObject({ dueAtMs: secondAtMs, isDigest: false });
        expect(delivery && rolesBySubscription(delivery)).toEqual({ s: ['1'], t: ['2'] });
      },
    );

    test('a digest of the second waits for no digest: the post of the first is due before it', async () => {
      const { store, secondAtMs } = await foundByBoth({ mentioned: ['1'] }, { timing: AT_NOON, mentioned: ['2'] });
      const [delivery] = store.deliveries.pending('10');
      expect(delivery).toMatchObject({ dueAtMs: secondAtMs - 10 * MINUTE_MS, isDigest: false });
      expect(delivery && rolesBySubscription(delivery)).toEqual({ s: ['1'], t: ['2'] });
    });
  });

  test('an offer that enters another feed at a lower price is cheaper once the feed that had it says so', async () => {
    const { store, put, look, kinds } = await aPoller();
    await store.subscriptions.save(aSubscription('t', { source: { kind: 'feed', feed: 'Tools' } }));
    put([], 'Tools');
    await look();
    await look('Tools');
    put([anOffer(1)]);
    await look();
    const cheaper = anOffer(1, { salePrice: { minimum: 10, maximum: 10 } });
    put([cheaper], 'Tools');
    await look('Tools');
    await look('Tools');
    expect(kinds()).toEqual(['new-offer']);
    put([cheaper]);
    await look();
    expect(kinds()).toEqual(['new-offer', 'price-drop']);
  });

  test('a poll of the store is announced once, however people vote', async () => {
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

  test('an end that is near is announced without a poll, and not as late', async () => {
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
});

describe('a poll that could not be stored', () => {
  test('the next poll announces all of it, and nothing twice', async () => {
    const { poller, store, put, feeds, look, failNext, enqueued, clock } = await aPoller();
    put([anOffer(1), anOffer(2, { isSoldOut: true }), anOffer(3)]);
    await look();
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
    for (let answer = 0; answer < 2; answer += 1) {
      failNext();
      await expect(look()).rejects.toThrow(StoreError);
      await look();
      await clock.advance(APART_MS);
    }
    await look();
    expect(
      enqueued()
        .map(({ kind, subject }) => `${kind} ${subject}`)
        .toSorted(),
    ).toEqual([`new-offer ${uuid(5)}`, `price-drop ${uuid(1)}`, `relisted ${uuid(4)}`, `restocked ${uuid(2)}`]);
    expect(store.subscriptions.get('late')?.catchUp).toBe(0);
    expect(poller.status().resources).toMatchObject([{ resource: 'feed:Home', offers: 4, failure: null }]);
  });

  test('a subscription that is owed the newest offers gets them from the next poll, once', async () => {
    const { store, put, look, failNext, enqueued } = await aPoller();
    put([anOffer(1), anOffer(2)]);
    await look();
    await store.subscriptions.save(aSubscription('late', { channelId: '11', catchUp: 1 }));
    failNext();
    await expect(look()).rejects.toThrow(StoreError);
    expect([store.subscriptions.get('late')?.catchUp, enqueued('11')]).toEqual([1, []]);
    await look();
    await look();
    expect([store.subscriptions.get('late')?.catchUp, enqueued('11').length]).toEqual([0, 1]);
  });

  test('a first sight stays one', async () => {
    const { put, look, failNext, subjects } = await aPoller();
    put([anOffer(1)]);
    failNext();
    await expect(look()).rejects.toThrow(StoreError);
    await look();
    expect(subjects()).toEqual([]);
  });

  test('the next poll of the events announces it once', async () => {
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
});

describe('what is found late', () => {
  test('news after a gap of two hours is not late, and a millisecond more is', async () => {
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
    look: USUAL_APPEARANCE,
    alsoTells: [],
    face: null,
    postedAtMs: NOW_MS,
  };
}

describe('what is shown stays true', () => {
  test('the posts of an offer are edited when it changes its price, sells out, is back and is gone', async () => {
    const { put, clear, look, updates, clock } = await aPoller();
    put([anOffer(1), anOffer(2)]);
    await look();
    expect(updates).toEqual([]);
    put([anOffer(1, { salePrice: { minimum: 25, maximum: 25 } })]);
    await look();
    put([anOffer(1, { isSoldOut: true })]);
    await look();
    clear();
    put([anOffer(2)]);
    await look();
    put([anOffer(1)]);
    await look();
    expect(updates, 'one answer may be wrong').toHaveLength(2);
    await look();
    await clock.advance(HOUR_MS);
    clear();
    put([anOffer(2)]);
    await look();
    await clock.advance(APART_MS);
    await look();
    expect(updates.map(({ key }) => key)).toEqual(updates.map(() => `offer:${uuid(1)}`));
    expect(updates.map(({ item }) => item)).toMatchObject([
      { salePrice: { minimum: 25 } },
      { isSoldOut: true },
      { isSoldOut: false },
      { endDateMs: clock.now() },
    ]);
  });

  test('the posts of an event are edited when it sells out, ends or is taken down, and not for how much is left', async () => {
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

  test.each(['taken down', 'over'] as const)(
    'an event that is %s while the bot is away is edited once, in its posts and in the outbox',
    async (what) => {
      const stateUrl = temporaryState();
      const run = async (shown: DealEvent[], passed: number) => {
        const bot = await aPoller({ stateUrl });
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
      expect((await run(what === 'over' ? [] : [running], passed + MINUTE_MS)).updates).toEqual([]);
    },
  );
});

const MANY = Array.from({ length: 300 }, (_, index) => anOffer(index + 1, { startDateMs: null }));

describe('what an answer lacks, or what can’t be read', () => {
  test('one empty answer ends no offer: the next poll comes soon, and only what the offers say themselves is believed', async () => {
    const { poller, put, clear, clock, updates, subjects, book, scarce, store, details } = await aPoller();
    scarce();
    put(MANY);
    await poller.tick();
    const nextPollMs = () => poller.status().resources[0]?.plan?.nextPollMs ?? 0;
    const usuallyMs = nextPollMs() - clock.now();
    expect(usuallyMs).toBeGreaterThan(MINUTE_MS);

    for (const round of [1, 2]) {
      clear();
      await poller.poll('feed:Home', 'announcement');
      expect([updates, book.live('Home').length], `answer ${round}`).toEqual([[], 300]);
      expect(nextPollMs() - clock.now()).toBe(MINUTE_MS);
      put(MANY);
      await clock.advance(MINUTE_MS);
      await poller.tick();
      expect([updates, book.live('Home').length]).toEqual([[], 300]);
      expect(nextPollMs() - clock.now()).toBeGreaterThan(MINUTE_MS);
    }

    clear();
    put([anOffer(301, { startDateMs: null })]);
    await poller.poll('feed:Home', 'announcement');
    expect(subjects(), 'what is new is told at once').toContain(uuid(301));
    await clock.advance(MINUTE_MS - 1);
    await poller.tick();
    expect(updates).toEqual([]);
    for (const { id } of MANY) details.set(id, null);
    await clock.advance(1);
    await poller.tick();
    expect(updates).toHaveLength(300);
    expect(book.live('Home')).toHaveLength(1);
    expect(store.resources.get('feed:Home')?.isDoubtful).toBe(false);
  });

  test('a second poll that fails is repeated no sooner than any other', async () => {
    const { poller, put, clear, feeds, look, clock, scarce } = await aPoller();
    scarce();
    put(MANY);
    await look();
    clear();
    await look();
    const waitMs = () => (poller.status().resources[0]?.plan?.nextPollMs ?? 0) - clock.now();
    expect(waitMs()).toBe(MINUTE_MS);
    feeds.delete('Home');
    await clock.advance(MINUTE_MS);
    await poller.tick();
    expect(poller.status().resources[0]?.failure).not.toBeNull();
    expect(waitMs()).toBeGreaterThan(MINUTE_MS);
  });

  test('a restart forgets neither that offers were missing nor that a second poll is due soon', async () => {
    const stateUrl = temporaryState();
    const before = await aPoller({ stateUrl });
    before.put(MANY);
    await before.look();
    before.clear();
    await before.look();
    const after = await aPoller({ stateUrl });
    await after.clock.advance(MINUTE_MS);
    expect(after.poller.status().resources[0]?.plan?.nextPollMs).toBe(after.clock.now());
    for (const { id } of MANY) after.details.set(id, null);
    await after.poller.tick();
    expect(after.updates).toHaveLength(300);
  });

  test('an offer that can’t be read is neither gone nor changed, and its deliveries stay', async () => {
    const { currentState, put, clear, look, lose, updates, clock, subjects } = await aPoller();
    await look();
    put([anOffer(1), anOffer(2)]);
    await look();
    clear();
    put([anOffer(2)]);
    lose({ ids: [uuid(1)], nameless: 0 });
    for (let poll = 0; poll < 5; poll += 1) await look();
    expect(updates).toEqual([]);
    expect(currentState.entity(`offer:${uuid(1)}`)).toEqual(anOffer(1));
    lose(undefined);
    put([anOffer(1)]);
    await clock.advance(MINUTE_MS);
    await look();
    expect([updates, subjects().toSorted()]).toEqual([[], [uuid(1), uuid(2)]]);
  });

  test('what an item without an id was when its feed was read for the first time is no news in the next two answers', async () => {
    const { put, look, lose, subjects, clock } = await aPoller();
    const next = async (offers: Offer[], nameless: number) => {
      put(offers);
      lose(nameless > 0 ? { ids: [], nameless } : undefined);
      await clock.advance(MINUTE_MS);
      await look();
    };
    await next([anOffer(1)], 3);
    await next([anOffer(2)], 2);
    expect(subjects(), 'one item more can be read').toEqual([]);
    const started = anOffer(3, { startDateMs: clock.now() });
    await next([started, anOffer(4), anOffer(5), anOffer(6)], 0);
    expect(subjects().toSorted(), 'two items were there before; what has started since was not').toEqual(
      [started, anOffer(6)].map(({ id }) => id),
    );
    await next([anOffer(7)], 0);
    expect(subjects()).toContain(uuid(7));
  });

  test('what has started since the first answer was no item of it, however many items of it had no id', async () => {
    const { put, look, lose, subjects, clock } = await aPoller();
    lose({ ids: [], nameless: 3 });
    await look();
    const readMs = clock.now();
    await clock.advance(MINUTE_MS);
    lose(undefined);
    put([readMs, readMs + 1].map((startDateMs, index) => anOffer(index + 1, { startDateMs })));
    await look();
    expect(subjects()).toEqual([uuid(2)]);
  });

  test('an item that has no id for longer than two answers more is news when it can be read', async () => {
    const { put, look, lose, subjects, clock } = await aPoller();
    lose({ ids: [], nameless: 1 });
    for (let answer = 0; answer < 3; answer += 1) {
      await look();
      await clock.advance(MINUTE_MS);
    }
    lose(undefined);
    put([anOffer(1)]);
    await look();
    expect(subjects()).toEqual([uuid(1)]);
  });

  test('an offer that can’t be read when its feed is read for the first time is no news later', async () => {
    const { put, look, lose, subjects, store, clock } = await aPoller();
    put([anOffer(2)]);
    lose({ ids: [uuid(1), uuid(3)], nameless: 0 });
    await look();
    expect(store.resources.get('feed:Home')?.unread).toEqual([uuid(1), uuid(3)]);
    await look();
    // Offer 1 can be read now, offer 3 is gone, and offer 4 can't be read at its first sight.
    lose({ ids: [uuid(4)], nameless: 0 });
    put([anOffer(1)]);
    await look();
    expect(subjects()).toEqual([]);
    expect(store.resources.get('feed:Home')?.unread).toBeUndefined();
    lose(undefined);
    put([anOffer(3), anOffer(4)]);
    await clock.advance(MINUTE_MS);
    await look();
    expect(subjects().toSorted()).toEqual([uuid(3), uuid(4)]);
  });

  test.each<[string, Unreadable]>([
    ['that has an id and can’t be read', { ids: [uuid(2)], nameless: 0 }],
    ['beyond the end of a list that was cut', { ids: [], nameless: Number.POSITIVE_INFINITY }],
  ])('an event %s stays as it was, and ends in its time', async (_, unreadable) => {
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

  test('an item without an identity in every answer keeps no event alive that is gone', async () => {
    const { poller, store, events, lose, updates } = await aPoller();
    await store.subscriptions.save(
      aSubscription('e', { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] }),
    );
    events.push(anEvent(1), anEvent(2));
    await poller.poll('events', 'announcement');
    events.splice(0, 2);
    lose({ ids: [], nameless: 1 });
    const gone = [];
    for (let poll = 0; poll < 4; poll += 1) {
      await poller.poll('events', 'announcement');
      gone.push(updates.map(({ key }) => key));
    }
    const [first, second] = [`event:${uuid(1)}`, `event:${uuid(2)}`];
    // It may have been the first event twice; the second one was certainly gone.
    expect(gone).toEqual([[], [second], [second], [second, first]]);
  });

  test('the offers of an event that can’t be read stay as they were, and changes of the others are shown', async () => {
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
    lose({ ids: [], nameless: 0, offers: new Map([[uuid(1), { ids: [third.id], nameless: 1 }]]) });
    await show(first, { ...third, items: [] });
    expect(updates).toEqual([]);
    await show({ ...first, soldOut: true }, { ...third, items: [] });
    expect(updates.map(({ item }) => item)).toMatchObject([
      { offers: [{ id: first.id, soldOut: true }, second, third] },
    ]);
  });

  test('a poll that may be the unreadable one is still shown, and one that two answers lack is not', async () => {
    const { poller, currentState, polls, lose } = await aPoller();
    polls.push({ discussionUrl: null, site: null, questions: [{ text: 'Tea?', responses: [] }] });
    await poller.poll('polls', 'interactive');
    polls.pop();
    const left = [];
    for (const nameless of [1, 0, 0]) {
      lose(nameless > 0 ? { ids: [], nameless } : undefined);
      await poller.poll('polls', 'interactive');
      left.push(currentState.seen('polls')?.announcements.length);
    }
    expect(left).toEqual([1, 1, 0]);
  });
});

describe('what is forgotten', () => {
  test('an offer that ended eight days ago is forgotten, unless a feed still shows it, and its product is known when it is relisted', async () => {
    const { poller, put, look, feeds, book, clock, kinds } = await aPoller();
    const others = [anOffer(2, { endDateMs: null, isSoldOut: true }), anOffer(4, { endDateMs: null })];
    put([anOffer(1, { endDateMs: null }), ...others]);
    await look();
    feeds.delete('Home');
    put(others);
    await look();
    await clock.advance(APART_MS);
    await look();
    await clock.advance(7 * 24 * HOUR_MS);
    await poller.sweep();
    expect(book.size, 'a week can be looked back on').toBe(3);
    await clock.advance(25 * HOUR_MS);
    await look();
    await poller.sweep();
    expect([...book.all()].map(({ offer }) => offer.id)).toEqual([uuid(2), uuid(4)]);
    put([anOffer(3, { title: 'Kettle 1', endDateMs: null })]);
    await look();
    expect(kinds()).toEqual(['relisted']);
  });

  test('of ended offers so many are kept, the last ones', async () => {
    const { poller, book } = await aPoller();
    const gone = { home: { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: NOW_MS, isOld: false } };
    book.put([
      aKnownOffer(1),
      ...Array.from({ length: MOST_OVER_KEPT + 2 }, (_, index) =>
        aKnownOffer(index + 2, {}, { feeds: gone, overAtMs: NOW_MS - MOST_OVER_KEPT - 1 + index }),
      ),
    ]);
    await poller.sweep();
    expect(book.size).toBe(MOST_OVER_KEPT + 1);
    expect(book.get(uuid(1))).toBeDefined();
    expect([uuid(2), uuid(3)].map((id) => book.get(id))).toEqual([undefined, undefined]);
  });

  test.each([
    [SWEEP_AFTER, SWEEP_AFTER],
    [SWEEP_AFTER + 1, 0],
  ])('once %i more offers are known than after the last sweep, %i that are long over stay', async (count, left) => {
    const { book, look } = await aPoller();
    const overAtMs = NOW_MS - 9 * 24 * HOUR_MS;
    book.put(Array.from({ length: count }, (_, index) => aKnownOffer(index, {}, { feeds: {}, overAtMs })));
    await look();
    expect(book.size).toBe(left);
  });
});
