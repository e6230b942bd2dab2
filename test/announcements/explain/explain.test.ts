import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { NO_MENTIONS } from '../../../src/announcements/deliver/mentions.ts';
import { createExplainer } from '../../../src/announcements/explain/explain.ts';
import { deliveryId, KINDS, partsOf } from '../../../src/announcements/kinds/index.ts';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import type { PollStatus } from '../../../src/announcements/poll/poller.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { USUAL_APPEARANCE } from '../../../src/deals/appearance.ts';
import type { Decision, Verdict } from '../../../src/deals/decision.ts';
import type { KnownOffer } from '../../../src/deals/known-offer.ts';
import type { ResourceKey, Source, Subscription } from '../../../src/deals/subscription.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import type { ResourceRecord } from '../../../src/store/catalog-records.ts';
import type { Delivery, Ending } from '../../../src/store/delivery.ts';
import type { Post } from '../../../src/store/posts.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import {
  aDelivery,
  aKnownOffer,
  anEvent,
  anEventOffer,
  anOffer,
  aRollUp,
  aSubscription,
  NOW_MS,
  newOfferOf,
  uuid,
} from '../../helpers/things.ts';

const POLLED: ResourceRecord = {
  firstSeenMs: NOW_MS - HOUR_MS,
  polledAtMs: NOW_MS - 60_000,
  isFollowed: true,
  isCutOff: false,
  marketingName: null,
};

/** An explainer of a real state, an hour after its feed was first read. */
async function anExplainer(known: readonly KnownOffer[] = [aKnownOffer(1)]) {
  const clock = new ManualClock(new Date(NOW_MS).toISOString());
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const book = createOfferBook(known, () => undefined);
  const currentState = new CurrentState(book, store);
  const quota = {
    v2: { limit: 1_000, spent: 0, resetsAtMs: NOW_MS + HOUR_MS },
    portal: { limit: 1_000, spent: 0, resetsAtMs: NOW_MS + 2 * HOUR_MS },
  };
  const failing = new Map<ResourceKey, number>();
  const explainer = createExplainer({
    settings: [],
    store,
    offers: book,
    currentState,
    poller: {
      status: () =>
        ({
          resources: [...failing].map(([resource, sinceMs]) => ({ resource, failure: { sinceMs, reason: 'silence' } })),
        }) as unknown as PollStatus,
    },
    catalog: { quota: () => quota },
    deliverer: { publishingOf: () => null, setAside: () => [], isPublishedOnly: () => false, mentions: NO_MENTIONS },
    clock,
  });
  await store.commit((changes) => store.resources.set(changes, 'feed:Home', POLLED));
  return {
    store,
    clock,
    currentState,
    quota,
    failing,
    explainer,
    why: (changes: Partial<Subscription> = {}, number = 1) =>
      explainer.why(uuid(number), aSubscription('s', { createdAtMs: NOW_MS - HOUR_MS, ...changes })),
    /** Puts an announcement into the outbox. */
    add: async (announcement: Announcement): Promise<Delivery> => {
      const delivery = aDelivery(deliveryId('10', announcement), { announcement });
      await store.transact((changes) => store.deliveries.add(changes, [delivery], (one) => [...one]));
      return delivery;
    },
  };
}

const POSTED: Ending = { outcome: 'posted', messageChannelId: '10', messageId: '77', endedAtMs: NOW_MS };

const postOf = (announcement: Announcement, changes: Partial<Post> = {}): Post => ({
  deliveryId: deliveryId('10', announcement),
  guildId: '1',
  channelId: '10',
  messageChannelId: '10',
  messageId: '77',
  announcement,
  matches: [{ subscriptionId: 's', terms: [] }],
  mentionRoleIds: [],
  isPublished: false,
  look: USUAL_APPEARANCE,
  alsoTells: [],
  face: null,
  postedAtMs: NOW_MS,
  ...changes,
});

function verdicts({ steps }: Decision): Verdict[] {
  return steps.flatMap((step) => (step.step === 'happened' ? [step.verdict] : []));
}

test('a post is found with its place, and none of another channel or offer', async () => {
  const { store, why } = await anExplainer();
  const announcement = newOfferOf(anOffer(1));
  await store.commit((changes) =>
    store.posts.save(
      changes,
      postOf(announcement, { deliveryId: 'elsewhere', channelId: '11', messageChannelId: '11' }),
    ),
  );
  expect(verdicts(await why())).toEqual([{ is: 'unrecorded' }]);
  await store.commit((changes) => store.posts.save(changes, postOf(announcement)));
  expect(verdicts(await why())).toEqual([
    { is: 'posted', atMs: NOW_MS, at: { channelId: '10', messageId: '77' }, isTogether: false },
  ]);
});

test('what ended without a post, or in a roll-up, is found in the ledger, and for whom', async () => {
  const { store, why, add } = await anExplainer([aKnownOffer(1), aKnownOffer(2), aKnownOffer(3)]);
  const first = await add(newOfferOf(anOffer(1)));
  const second = await add(newOfferOf(anOffer(2)));
  const third = await add(newOfferOf(anOffer(3)));
  await store.commit((changes) =>
    store.deliveries.end(changes, first, { ...POSTED, outcome: 'over', messageChannelId: null, messageId: null }),
  );
  expect(verdicts(await why())).toEqual([{ is: 'dropped', because: 'over', atMs: NOW_MS }]);
  const others = [{ subscriptionId: 'other', terms: [] }];
  const rollUp = aRollUp(second, { ...third, matches: others });
  await store.commit((changes) => store.deliveries.rollUp(changes, rollUp));
  expect(verdicts(await why({}, 2))).toEqual([{ is: 'waiting', for: 'turn' }]);
  await store.commit((changes) => store.deliveries.endRollUp(changes, rollUp, POSTED, new Set()));
  const together = { is: 'posted', isTogether: true, at: { channelId: '10', messageId: '77' } };
  expect(verdicts(await why({}, 2))).toMatchObject([together]);
  expect(verdicts(await why({}, 3))).toMatchObject([{ is: 'posted-for-others', at: together.at }]);
});

test('what waits for the hour’s limit says until when, and a try that is under way takes no place of it', async () => {
  const { store, why, add } = await anExplainer();
  const delivery = await add(newOfferOf(anOffer(1)));
  await store.commit((changes) => store.rateLog.record(changes, 'post/10', 'a'));
  await store.commit((changes) => store.rateLog.record(changes, 'post/11', 'b'));
  expect(verdicts(await why({ mostPerHour: 1 }))).toEqual([{ is: 'waiting', for: 'cap', untilMs: NOW_MS + HOUR_MS }]);
  expect(verdicts(await why({ mostPerHour: 3 }))).toEqual([{ is: 'waiting', for: 'turn' }]);
  await store.commit((changes) => store.rateLog.forget(changes, 'post/10', 'a'));
  await store.commit((changes) => store.rateLog.record(changes, 'post/10', delivery.id));
  expect(verdicts(await why({ mostPerHour: 1 }))).toEqual([{ is: 'waiting', for: 'turn' }]);
});

test('a feed that was never read, or fails, or has no requests left for polls is told; another’s trouble is not', async () => {
  const { why, quota, failing } = await anExplainer();
  const tools = { source: { kind: 'feed', feed: 'Tools' } } as const;
  const steps = async () => (await why(tools)).steps.filter(({ step }) => step !== 'seen');
  failing.set('feed:Home', NOW_MS);
  quota.v2.spent = 1_000;
  expect(await steps()).toEqual([{ step: 'unseen', lastReadMs: null }]);
  failing.set('feed:Tools', NOW_MS - 1);
  expect(await steps()).toEqual([
    { step: 'unseen', lastReadMs: null },
    { step: 'failing', sinceMs: NOW_MS - 1 },
  ]);
  failing.clear();
  // The tenth that is left is for people alone.
  quota.portal.spent = 899;
  expect(await steps()).toHaveLength(1);
  quota.portal.spent = 900;
  expect(await steps()).toEqual([
    { step: 'unseen', lastReadMs: null },
    { step: 'quota-spent', resetsAtMs: NOW_MS + 2 * HOUR_MS },
  ]);
});

test('a feed that is cut off is told where it lacks the offer, and feeds are called as they are written', async () => {
  const { store, why } = await anExplainer();
  await store.commit((changes) => store.resources.set(changes, 'feed:Tools', { ...POLLED, isCutOff: true }));
  expect((await why({ source: { kind: 'feed', feed: 'Tools' } })).steps).toEqual([
    { step: 'seen', feed: 'Home', atMs: NOW_MS, goneSinceMs: null },
    { step: 'unseen', lastReadMs: POLLED.polledAtMs },
    { step: 'cut-off' },
  ]);
});

test('what the filter looks for is told, and one that can’t be read as that', async () => {
  const { why } = await anExplainer();
  expect(verdicts(await why({ filter: 'samovar' }))).toMatchObject([{ is: 'filtered', by: [{ name: 'filter' }] }]);
  expect(verdicts(await why({ filter: 'price:<x' }))).toEqual([{ is: 'filter-unreadable' }]);
});

/** An explainer that knows an event with two offers, of which only the first is almost gone. */
async function ofAnEvent() {
  const some = await anExplainer([]);
  const event = anEvent(1, {
    endDateMs: NOW_MS + HOUR_MS,
    offers: [anEventOffer(101, { percentageRemaining: 5 }), anEventOffer(102)],
  });
  const announcement = KINDS['event-started'].announce(event);
  const [part] = partsOf(announcement);
  if (!part) throw new Error('An offer was to be almost gone.');
  const source: Source = { kind: 'events', sites: [], types: [] };
  await some.store.commit((changes) =>
    some.store.resources.set(changes, 'events', { ...POLLED, firstSeenMs: NOW_MS - 2 * HOUR_MS }),
  );
  const record = { firstSeenMs: NOW_MS - HOUR_MS / 2, lastSeenMs: NOW_MS, face: '' };
  return {
    ...some,
    announcement,
    part,
    record,
    see: () => some.currentState.setEntities('events', [{ announcement, record }], true),
    of: (number: number, changes: Partial<Subscription> = {}) =>
      some.why({ source, kinds: [...KINDS_OF.events.all], ...changes }, number),
  };
}

test('an offer in an event is told from the moment at which it was found, as soon as the events were read', async () => {
  const { store, see, of, part, record } = await ofAnEvent();
  await store.commit((changes) => store.known.save(changes, 'events', new Map([[`almost-gone/${uuid(101)}`, record]])));
  expect((await of(101)).steps).toEqual([{ step: 'unnoticed', kind: 'almost-gone' }]);
  see();
  expect((await of(101)).steps).toMatchObject([
    { step: 'happened', kind: 'almost-gone', atMs: record.firstSeenMs, verdict: { is: 'unrecorded' } },
  ]);
  expect((await of(101)).offer).toMatchObject({ id: uuid(101), title: 'Blender 101' });
  expect((await of(102)).steps).toEqual([{ step: 'unnoticed', kind: 'almost-gone' }]);
  expect((await of(102, { kinds: ['event-started'] })).steps).toEqual([{ step: 'no-offers' }]);
  await store.commit((changes) => store.posts.save(changes, postOf(part)));
  expect(verdicts(await of(101))).toMatchObject([{ is: 'posted', at: { messageId: '77' } }]);
});

test('an offer in an event that no record knows has not been found', async () => {
  const { see, of } = await ofAnEvent();
  see();
  expect((await of(101)).steps).toEqual([{ step: 'unnoticed', kind: 'almost-gone' }]);
});

test('an offer that was posted and that its event lists no more is known by its id alone', async () => {
  const { store, of, add, part } = await ofAnEvent();
  const delivery = await add(part);
  await store.commit((changes) => store.deliveries.end(changes, delivery, POSTED));
  expect((await of(101)).steps).toMatchObject([
    { step: 'happened', kind: 'almost-gone', verdict: { is: 'posted' }, terms: [] },
  ]);
});

test('the preview of a feed plays again every offer that is known, however many', async () => {
  const many = Array.from({ length: 1_001 }, (_, index) => aKnownOffer(index, {}, { firstSeenMs: NOW_MS }));
  const { explainer } = await anExplainer(many);
  const preview = await explainer.preview(aSubscription('s'));
  expect(new Set(preview.entries.map(({ announcement }) => announcement.subject)).size).toBe(1_001);
  expect(preview.entries).toHaveLength(1_001);
  expect(preview).toMatchObject({
    knownSinceMs: POLLED.firstSeenMs,
    lastReadMs: POLLED.polledAtMs,
    isCutOff: false,
    isReadable: true,
  });
  expect(preview.days).toHaveLength(7);
  expect((await explainer.preview(aSubscription('s', { filter: 'price:<x' }))).isReadable).toBe(false);
});

test('the preview of events holds those that are known, with their parts', async () => {
  const { store, see, explainer, record } = await ofAnEvent();
  const subscription = aSubscription('e', {
    source: { kind: 'events', sites: [], types: [] },
    kinds: [...KINDS_OF.events.all],
  });
  await store.commit((changes) =>
    store.known.save(
      changes,
      'events',
      new Map([
        [uuid(1), record],
        [`almost-gone/${uuid(101)}`, record],
      ]),
    ),
  );
  expect((await explainer.preview(subscription)).entries).toEqual([]);
  see();
  const { entries } = await explainer.preview(subscription);
  expect(entries.map(({ announcement, atMs }) => [announcement.kind, atMs])).toEqual([
    ['event-started', record.firstSeenMs],
  ]);
  const onlyParts = await explainer.preview({ ...subscription, kinds: ['almost-gone'] });
  expect(onlyParts.entries.map(({ announcement }) => announcement.subject)).toEqual([uuid(101)]);
});
