import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { Deliverer } from '../../src/announcements/deliver/deliverer.ts';
import { createPoller } from '../../src/announcements/poll/poller.ts';
import type { Answer, Catalog } from '../../src/catalog/catalog.ts';
import type { DealEvent } from '../../src/deals/event.ts';
import type { Offer } from '../../src/deals/offer.ts';
import type { ResourceKey } from '../../src/deals/subscription.ts';
import type { Courier } from '../../src/discord/courier.ts';
import { translatorFor } from '../../src/discord/i18n/translator.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { StoreError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { textOf } from '../helpers/discord-form.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { anEvent, anEventOffer, anOffer, aSubscription, uuid } from '../helpers/things.ts';

const SOLD_OUT = /sold out/i;

/** The contents of Discord and the catalog, and a state in a file: these outlive a run. */
function aWorld() {
  const url = temporaryState();
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  /** The text of each message. */
  const messages = new Map<string, string>();
  const shown = { offers: [] as Offer[], events: [] as DealEvent[] };
  const courier: Courier = {
    async post({ channelId, deliveryId, card }) {
      messages.set(deliveryId, textOf(card));
      return { kind: 'sent', place: { channelId, messageId: deliveryId } };
    },
    async edit({ messageId }, { card }) {
      messages.set(messageId, textOf(card));
      return { kind: 'done' };
    },
    remove: async () => ({ kind: 'done' }),
    publish: async () => ({ kind: 'done' }),
    reply: async () => ({ kind: 'done' }),
    mayRing: () => true,
    mayPin: () => false,
    pin: async () => ({ kind: 'done' }),
    findPosted: async () => ({ kind: 'found', posted: new Map(), messages: [], isCutOff: false }),
    confirm: async () => ({ kind: 'done' as const }),
    hasNonces: () => true,
    sendDirectMessage: async () => undefined,
  };
  const answer = <T>(value: T): Answer<T> => ({
    value: structuredClone(value),
    fetchedAtMs: clock.now(),
    isStale: false,
    malformed: 0,
    unreadable: undefined,
  });
  const quota = { limit: 1000, spent: 0, resetsAtMs: clock.now() + 3_600_000 };
  const catalog: Partial<Catalog> = {
    feeds: { get: async () => answer({ marketingName: 'Home', offers: shown.offers, isCutOff: false }) },
    events: { list: async () => answer(shown.events), get: async () => answer(null), offer: async () => answer(null) },
    quota: () => ({ v2: quota, portal: quota }),
  };

  async function run(resource: ResourceKey) {
    let commit: Commit = (write) => write();
    const store = await openStore(url, clock);
    const guarded: Store = {
      ...store,
      transact: (decide) => commit(() => store.transact(decide)) as never,
    };
    const stored = await store.offers.all();
    const offers = createOfferBook(stored, (feed) => store.resources.get(`feed:${feed}`));
    const currentState = new CurrentState(offers, store);
    const common = { currentState, clock, log: createLog('silent') };
    const deliverer = new Deliverer({
      ...common,
      store,
      courier,
      requestsPerSecond: 50,
      successes: () => 0,
      translatorOf: () => translatorFor('en-US'),
    });
    const { signal } = new AbortController();
    const poller = createPoller({
      settings: [],
      ...common,
      catalog: catalog as Catalog,
      offers,
      store: guarded,
      deliverer,
      minIntervalMs: 60_000,
      signal,
    });
    let isStopped = false;
    async function stop(): Promise<void> {
      if (isStopped) return;
      isStopped = true;
      await deliverer.stop();
      await store.close();
    }
    onTestFinished(stop);
    await store.subscriptions.save(aSubscription('s'));
    await store.subscriptions.save(
      aSubscription('e', { source: { kind: 'events', sites: [], types: [] }, kinds: ['event-started'] }),
    );
    /** One poll, and all that comes of it. */
    async function look(): Promise<void> {
      await clock.advance(60_000);
      await poller.poll(resource, 'announcement');
      await deliverer.settled();
    }
    return {
      store,
      currentState,
      poller,
      deliverer,
      look,
      stop,
      /** Does all that can be done in the channels. */
      async work() {
        deliverer.kick();
        await deliverer.settled();
      },
      onCommit: (what: Commit) => {
        commit = what;
      },
    };
  }

  return {
    run,
    clock,
    shown,
    text: (id?: string) => [...messages].flatMap(([key, text]) => (id && key !== id ? [] : [text])).join(),
  };
}

/** Runs in place of the write that makes a detection known, and gets that write. */
type Commit = (write: () => Promise<unknown>) => Promise<unknown>;

type World = ReturnType<typeof aWorld>;

/** Two things of which people see when they are sold out. */
const THINGS = {
  offer: {
    key: `offer:${uuid(1)}`,
    resource: 'feed:Home',
    show: ({ shown }: World, isSoldOut: boolean) => {
      shown.offers = [anOffer(1, { isSoldOut })];
    },
  },
  event: {
    key: `event:${uuid(1)}`,
    resource: 'events',
    show: ({ shown }: World, soldOut: boolean) => {
      shown.events = [anEvent(1, { offers: [anEventOffer(101, { soldOut })] })];
    },
  },
} as const;

/** A run in which the thing stands in a channel, and a catalog in which it is sold out since. */
async function aPosted(kind: keyof typeof THINGS) {
  const world = aWorld();
  const { key, resource, show } = THINGS[kind];
  const bot = await world.run(resource);
  await bot.look();
  show(world, false);
  await bot.look();
  expect(world.text()).toContain(kind === 'offer' ? 'Kettle 1' : 'Event 1');
  expect(world.text()).not.toMatch(SOLD_OUT);
  show(world, true);
  return { world, bot, key, resource, comeBack: () => show(world, false) };
}

const full = async () => {
  throw new StoreError('The disk is full.');
};

const kinds = ['offer', 'event'] as const;

test.each(kinds)('the post of an %s shows what is detected once that is stored, and no sooner', async (kind) => {
  const { world, bot, key } = await aPosted(kind);
  const before = bot.currentState.entity(key);
  const during: unknown[] = [];
  bot.onCommit(async (write) => {
    await bot.work();
    during.push(bot.currentState.entity(key), world.text(), bot.store.edits.size());
    return write();
  });
  await bot.look();
  expect(bot.currentState.entity(key)).not.toEqual(before);
  expect(during).toEqual([before, expect.not.stringMatching(SOLD_OUT), 0]);
  expect(world.text()).toMatch(SOLD_OUT);
  expect(bot.store.edits.size()).toBe(0);
});

test.each(kinds)('a detection of an %s that could not be committed counts for nothing until it is', async (kind) => {
  const { world, bot, key } = await aPosted(kind);
  const before = bot.currentState.entity(key);
  bot.onCommit(full);
  for (let tries = 0; tries < 2; tries += 1) {
    await expect(bot.look()).rejects.toThrow(StoreError);
    await bot.work();
    expect(bot.currentState.entity(key)).toEqual(before);
    expect(world.text()).not.toMatch(SOLD_OUT);
  }
  bot.onCommit((write) => write());
  await bot.look();
  expect(world.text()).toMatch(SOLD_OUT);
});

test.each(kinds)('an %s that is as before after its detection could not be committed is shown so', async (kind) => {
  const { world, bot, comeBack } = await aPosted(kind);
  bot.onCommit(full);
  await expect(bot.look()).rejects.toThrow(StoreError);
  bot.onCommit((write) => write());
  comeBack();
  await bot.look();
  expect(world.text()).not.toMatch(SOLD_OUT);
  expect(bot.store.edits.size()).toBe(0);
});

test.each(kinds.flatMap((kind) => [true, false].map((isStill) => [kind, isStill] as const)))(
  'killed before what was found of an %s is stored, a post is right in the end; still sold out: %s',
  async (kind, isStill) => {
    const { world, bot, resource, comeBack } = await aPosted(kind);
    const isKilled = new Promise<void>((resolve) => {
      bot.onCommit(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    void bot.look();
    await isKilled;
    await bot.stop();
    if (!isStill) comeBack();
    const again = await world.run(resource);
    await again.work();
    await again.look();
    if (isStill) expect(world.text()).toMatch(SOLD_OUT);
    else expect(world.text()).not.toMatch(SOLD_OUT);
    expect(again.store.edits.size()).toBe(0);
  },
);

test.each(kinds)('a new %s whose poll could not be stored is posted by the next one, as it is then', async (kind) => {
  const world = aWorld();
  const { resource, show } = THINGS[kind];
  const bot = await world.run(resource);
  await bot.look();
  show(world, false);
  bot.onCommit(full);
  await expect(bot.look()).rejects.toThrow(StoreError);
  await bot.work();
  expect(world.text()).toBe('');
  bot.onCommit((write) => write());
  await bot.look();
  expect(world.text()).not.toMatch(SOLD_OUT);
  show(world, true);
  await bot.look();
  expect(world.text()).toMatch(SOLD_OUT);
  expect(bot.store.edits.size()).toBe(0);
});
