import { describe, expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import type { PublishingWait } from '../../../src/announcements/deliver/deliverer.ts';
import { createExplainer, type Explainer } from '../../../src/announcements/explain/explain.ts';
import { deliveryId, KINDS, knownAs, partsOf } from '../../../src/announcements/kinds/index.ts';
import { deliveriesOf } from '../../../src/announcements/outbox/enqueue.ts';
import type { PollStatus } from '../../../src/announcements/poll/poller.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { USUAL_APPEARANCE } from '../../../src/deals/appearance.ts';
import type { Decision, Verdict } from '../../../src/deals/decision.ts';
import type { KnownOffer } from '../../../src/deals/known-offer.ts';
import { type ResourceKey, resourceOf, type Source, type Subscription } from '../../../src/deals/subscription.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import type { Delivery, Ending, RollUp } from '../../../src/store/delivery.ts';
import type { Post } from '../../../src/store/posts.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { MENTIONED } from '../../helpers/mentioned.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import {
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

const SEEN_MS = NOW_MS + HOUR_MS;
const LATER_MS = NOW_MS + 2 * HOUR_MS;
const asNew = newOfferOf(anOffer(1));
const ID = deliveryId('10', asNew);

/** What is known of an offer in a channel, and by whose settings it is asked for. Times are epoch milliseconds. */
interface Facts {
  settings: Partial<Subscription>;
  known: KnownOffer | undefined;
  /** The announcement of an event that holds the offer, and when its parts were first seen. */
  event: readonly [Announcement, number] | null;
  /** The record of the resource; null where it was never read. */
  read: { firstSeenMs: number; isCutOff: boolean } | null;
  failingSinceMs: number | null;
  spentUntilMs: number | null;
  pending: readonly Delivery[];
  rollUp: RollUp | null;
  /** When the channel's only post of the hour was made; null for none. */
  postedMs: number | null;
  isPostingPaused: boolean;
  /** The deliveries that have ended alone. */
  ended: readonly (readonly [Delivery, Partial<Ending>])[];
  /** A delivery in a roll-up that was posted: posted with it, or over by then. */
  together: readonly [Delivery, 'posted' | 'over'] | null;
  posts: readonly Post[];
  /** The message that waits to be published, and the channel's wait for that. */
  unpublished: string | null;
  /** The message that was left unpublished. */
  leftUnpublished: string | null;
  publishing: PublishingWait | null;
  nowMs: number;
}

/** An offer that appeared an hour after its feed was first seen and subscribed to, and of which nothing came. */
function facts(changes: Partial<Facts> = {}): Facts {
  return {
    settings: {},
    known: seenAt(SEEN_MS),
    event: null,
    read: { firstSeenMs: NOW_MS, isCutOff: false },
    failingSinceMs: null,
    spentUntilMs: null,
    pending: [],
    rollUp: null,
    postedMs: null,
    isPostingPaused: false,
    ended: [],
    together: null,
    posts: [],
    unpublished: null,
    leftUnpublished: null,
    publishing: null,
    nowMs: LATER_MS,
    ...changes,
  };
}

/** An explainer of a real state that holds these facts, and the subscription that they concern. */
async function explainerOf(some: Facts): Promise<[Explainer, Subscription]> {
  const subscription = aSubscription('s', some.settings);
  const resource = resourceOf(subscription.source);
  const clock = new ManualClock(new Date(some.postedMs ?? some.nowMs).toISOString());
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const record = { polledAtMs: LATER_MS, isFollowed: true, marketingName: null };
  const { read, event, together, postedMs } = some;
  const add = (deliveries: readonly Delivery[]) =>
    store.transact((changes) => store.deliveries.add(changes, deliveries, (fresh) => [...fresh]));
  const ending = (changes: Partial<Ending>): Ending => ({
    outcome: 'posted',
    messageChannelId: '10',
    messageId: '77',
    endedAtMs: SEEN_MS,
    ...changes,
  });
  await add([...some.pending, ...some.ended.map(([delivery]) => delivery), ...(together ? [together[0]] : [])]);
  await store.commit((changes) => {
    if (read) store.resources.set(changes, resource, { ...record, ...read });
    for (const post of some.posts) store.posts.save(changes, post);
    for (const [delivery, how] of some.ended) store.deliveries.end(changes, delivery, ending(how));
    if (some.rollUp) store.deliveries.rollUp(changes, some.rollUp);
    if (some.unpublished !== null) {
      store.publications.add(changes, [{ channelId: '10', messageId: some.unpublished, queuedAtMs: SEEN_MS }]);
    }
    if (some.leftUnpublished !== null) {
      const why = { because: 'over', queuedAtMs: SEEN_MS, atMs: LATER_MS } as const;
      store.unpublished.set(changes, some.leftUnpublished, why);
    }
    if (postedMs !== null) store.rateLog.record(changes, 'post/10', 'another');
  });
  if (together) {
    const [delivery, outcome] = together;
    const rollUp = aRollUp(delivery);
    const over = new Set(outcome === 'over' ? [delivery.id] : []);
    await store.commit((changes) => store.deliveries.rollUp(changes, rollUp));
    await store.commit((changes) => store.deliveries.endRollUp(changes, rollUp, ending({}), over));
  }
  if (some.isPostingPaused) await store.postingPause.begin(NOW_MS);
  const book = createOfferBook(some.known ? [some.known] : [], () => undefined);
  const currentState = new CurrentState(book, store);
  if (event) {
    const [whole, firstSeenMs] = event;
    const parts = partsOf(whole).map(
      (part) => [knownAs(part), { firstSeenMs, lastSeenMs: LATER_MS, face: '' }] as const,
    );
    await store.commit((changes) => store.known.save(changes, resource, new Map(parts)));
    currentState.setEntities(resource, [{ announcement: whole, record: undefined }], true);
  }
  const failing: { resource: ResourceKey; failure: { sinceMs: number } | null }[] = [
    { resource, failure: some.failingSinceMs === null ? null : { sinceMs: some.failingSinceMs } },
  ];
  const quota = {
    limit: 1000,
    spent: some.spentUntilMs === null ? 0 : 1000,
    resetsAtMs: some.spentUntilMs ?? LATER_MS,
  };
  const explainer = createExplainer({
    settings: [],
    store,
    offers: book,
    currentState,
    poller: { status: () => ({ resources: failing }) as unknown as PollStatus },
    catalog: { quota: () => ({ portal: quota, v2: quota }) },
    deliverer: {
      publishingOf: () => some.publishing,
      setAside: () => [],
      isPublishedOnly: () => false,
      mentions: MENTIONED,
    },
    clock,
  });
  await clock.advance(some.nowMs - clock.now());
  return [explainer, subscription];
}

async function why(some: Partial<Facts> = {}): Promise<Decision> {
  const [explainer, subscription] = await explainerOf(facts(some));
  return explainer.why(uuid(1), subscription);
}

function seenAt(
  atMs: number,
  offer: Parameters<typeof anOffer>[1] = {},
  changes: Partial<KnownOffer> = {},
): KnownOffer {
  const presence = { firstSeenMs: atMs, unseenSinceMs: null, goneSinceMs: null, isOld: false };
  return aKnownOffer(1, offer, {
    firstSeenMs: atMs,
    feeds: { home: presence },
    prices: [{ atMs, salePrice: anOffer(1, offer).salePrice }],
    ...changes,
  });
}

function cheaper(minimum: number, changes: Partial<KnownOffer> = {}): KnownOffer {
  const price = (dollars: number) => ({ minimum: dollars, maximum: dollars });
  const prices = [
    { atMs: SEEN_MS, salePrice: price(20) },
    {
      atMs: LATER_MS,
      salePrice: price(minimum),
      drop: { storyMs: LATER_MS, times: 0, before: price(20), beforeForMs: LATER_MS - SEEN_MS },
    },
  ];
  return seenAt(SEEN_MS, { salePrice: price(minimum) }, { prices, ...changes });
}

/** The verdicts, oldest first. */
async function verdicts(some: Partial<Facts> = {}): Promise<Verdict[]> {
  return (await why(some)).steps.flatMap((step) => (step.step === 'happened' ? [step.verdict] : []));
}

async function steps(some: Partial<Facts> = {}): Promise<string[]> {
  return (await why(some)).steps.map(({ step }) => step);
}

/** The delivery of an announcement for subscriptions of the channel. */
function deliveryOf(announcement: Announcement, settings: Partial<Subscription> = {}, id = 's'): Delivery {
  const [delivery] = deliveriesOf(
    [{ announcement, subscription: aSubscription(id, settings), terms: [] }],
    SEEN_MS,
    false,
    {
      mentions: MENTIONED,
    },
  );
  if (!delivery) throw new Error('There is no delivery.');
  return delivery;
}

const post = (changes: Partial<Post> = {}): Post => ({
  deliveryId: ID,
  guildId: '1',
  channelId: '10',
  messageChannelId: '10',
  messageId: '77',
  announcement: asNew,
  matches: [{ subscriptionId: 's', terms: [] }],
  mentionRoleIds: [],
  isPublished: false,
  look: USUAL_APPEARANCE,
  alsoTells: [],
  face: null,
  postedAtMs: SEEN_MS,
  ...changes,
});

describe('what answers the question', () => {
  const small = { settings: { priceDropPercent: 10 } };

  test.each<[string, Partial<Facts>, string]>([
    ['how the newest change ended', { ...small, known: cheaper(19), posts: [post()] }, 'unsuited'],
    [
      'the post, where one of several changes at once was posted',
      { posts: [post()], settings: { kinds: [] } },
      'posted',
    ],
    ['the filter, though it is paused since', { settings: { filter: 'samovar', pausedBy: 'person' } }, 'filtered'],
    ['the pause, where nothing else explains it', { settings: { pausedBy: 'person' } }, 'paused'],
    ['that nothing explains it', {}, 'unrecorded'],
    ['that it never came', { known: undefined }, 'unseen'],
    ['the pause before that', { known: undefined, settings: { pausedBy: 'person' } }, 'paused'],
    ['that such a subscription posts no offers', { settings: { source: { kind: 'polls' }, kinds: [] } }, 'no-offers'],
  ])('is %s', async (_, some, expected) => {
    const decision = await why(some);
    const { reason } = decision;
    expect(reason?.step === 'happened' ? reason.verdict.is : reason?.step).toBe(expected);
    expect(decision.steps).toContain(reason);
  });
});

describe('what became of the roles', () => {
  const mentioning = { mentioned: ['1', '2'] };
  const matched = [{ subscriptionId: 's', terms: [], roleIds: ['1'] }];

  async function outcomes(some: Partial<Facts>): Promise<[string, boolean, string][]> {
    const happened = (await why(some)).steps.flatMap((step) => (step.step === 'happened' ? [step] : []));
    return happened.flatMap(({ mentions }) =>
      mentions.map((one): [string, boolean, string] => [one.roleId, one.isMentioned, one.because.key]),
    );
  }

  test.each<[string, Partial<Facts>, string, boolean, boolean]>([
    ['by the post', { posts: [post({ matches: matched, mentionRoleIds: ['2'] })] }, 'posted', false, true],
    ['while it waits', { pending: [deliveryOf(asNew, mentioning)] }, 'waits', true, true],
    ['in a roll-up', { together: [deliveryOf(asNew, mentioning), 'posted'] }, 'posted', true, true],
  ])('is told of each: %s', async (_, some, key, first, second) => {
    expect(await outcomes({ settings: mentioning, ...some })).toEqual([
      ['1', first, key],
      ['2', second, key],
    ]);
  });

  test.each<[string, Partial<Facts>]>([
    ['it was over first', { together: [deliveryOf(asNew, mentioning), 'over'] }],
    ['nothing was posted', {}],
  ])('is not told where %s', async (_, some) => {
    expect(await outcomes({ settings: mentioning, ...some })).toEqual([]);
  });
});

describe('what can be posted at a person’s wish', () => {
  const ended = (outcome: Ending['outcome']) => [[deliveryOf(asNew), { outcome }]] as const;
  const digest = { timing: { ...aSubscription('s').timing, mode: 'daily' as const } };
  const quiet = (toMinute: number) => ({
    timing: { ...aSubscription('s').timing, quiet: { fromMinute: 0, toMinute } },
  });
  const minuteNow = Math.floor((LATER_MS % (24 * HOUR_MS)) / 60_000);

  test.each<[string, Partial<Facts>, Announcement['kind'] | null]>([
    ['what the filter excludes', { settings: { filter: 'samovar' } }, 'new-offer'],
    ['a kind that is turned off', { settings: { kinds: [] } }, 'new-offer'],
    ['the newest change', { known: cheaper(19), posts: [post()] }, 'price-drop'],
    ['what only another feed lists', { settings: { source: { kind: 'feed', feed: 'Tools' } } }, 'new-offer'],
    ['not what nobody knows', { known: undefined }, null],
    ['not what was posted', { ended: ended('posted') }, null],
    ['not what Discord rejected', { ended: ended('refused') }, null],
    ['not what is sold out', { known: seenAt(SEEN_MS, { isSoldOut: true }) }, null],
    ['not for a paused subscription', { settings: { pausedBy: 'person' } }, null],
    ['not into a blocked channel', { settings: { problem: 'cannot-post' } }, null],
    ['not in quiet hours', { settings: quiet(minuteNow + 1) }, null],
    ['but when they have ended', { settings: quiet(minuteNow) }, 'new-offer'],
    ['not what is due', { pending: [{ ...deliveryOf(asNew), dueAtMs: LATER_MS }] }, null],
    [
      'but what is due a millisecond later',
      { pending: [{ ...deliveryOf(asNew), dueAtMs: LATER_MS + 1 }] },
      'new-offer',
    ],
    ['but what waits for a digest', { pending: [deliveryOf(asNew, digest)], settings: digest }, 'new-offer'],
  ])('%s', async (_, some, kind) => {
    const [explainer, subscription] = await explainerOf(facts(some));
    expect((await explainer.postable(uuid(1), subscription))?.kind ?? null).toBe(kind);
    expect((await explainer.why(uuid(1), subscription)).canPost).toBe(kind !== null);
  });

  test('it shows the offer as it is now', async () => {
    const known = seenAt(
      SEEN_MS,
      { salePrice: { minimum: 9, maximum: 9 } },
      { prices: [{ atMs: SEEN_MS, salePrice: { minimum: 20, maximum: 20 } }] },
    );
    const [explainer, subscription] = await explainerOf(facts({ known }));
    expect(await explainer.postable(uuid(1), subscription)).toMatchObject({ item: { salePrice: { minimum: 9 } } });
  });
});

describe('what became of it comes before all else', () => {
  const posted = { is: 'posted', atMs: SEEN_MS, at: { channelId: '10', messageId: '77' }, isTogether: false };
  const forOther = deliveryOf(asNew, {}, 'other');

  test.each<[string, Partial<Facts>]>([
    ['as its post shows', { posts: [post()] }],
    ['as the ledger shows', { ended: [[deliveryOf(asNew), {}]] }],
    ['whatever is wanted now', { posts: [post()], settings: { kinds: [], filter: 'samovar' } }],
  ])('posted, with the place: %s', async (_, some) => {
    expect(await verdicts(some)).toEqual([posted]);
  });

  test.each([{ messageChannelId: null }, { messageId: null }])(
    'posted at a place that is no longer recorded: %j',
    async (lost) => {
      expect(await verdicts({ ended: [[deliveryOf(asNew), lost]] })).toMatchObject([{ is: 'posted', at: null }]);
    },
  );

  test('posted once, where the ledger knows of the post as well', async () => {
    const ended = [[deliveryOf(asNew), {}]] as const;
    expect(await steps({ posts: [post()], ended })).toEqual(['seen', 'happened']);
    // An offer that is forgotten has nothing but its posts to tell by.
    expect(await verdicts({ known: undefined, posts: [post()], ended })).toHaveLength(1);
  });

  test('dropped in a roll-up, whoever wanted it: the ledger does not say for whom', async () => {
    const dropped = { is: 'dropped', because: 'over', atMs: SEEN_MS };
    expect(await verdicts({ together: [deliveryOf(asNew), 'over'] })).toEqual([dropped]);
    expect(await verdicts({ together: [forOther, 'over'] })).toEqual([dropped]);
  });

  test('posted together with others', async () => {
    expect(await verdicts({ together: [deliveryOf(asNew), 'posted'] })).toEqual([{ ...posted, isTogether: true }]);
    const { atMs, at } = posted;
    expect(await verdicts({ together: [forOther, 'posted'] })).toEqual([{ is: 'posted-for-others', atMs, at }]);
  });

  test.each(['over', 'gone', 'refused'] as const)('dropped: %s', async (outcome) => {
    const ended = [[deliveryOf(asNew), { outcome, messageChannelId: null, messageId: null }]] as const;
    expect(await verdicts({ ended })).toEqual([{ is: 'dropped', because: outcome, atMs: SEEN_MS }]);
  });

  test('posted for so many subscriptions of the channel that not all are listed: for this one too', async () => {
    const listed = (unlisted?: number) => [{ subscriptionId: 'other', terms: [], ...(unlisted && { unlisted }) }];
    expect(await verdicts({ posts: [post({ matches: listed(1) })] })).toMatchObject([{ is: 'posted' }]);
    expect(await verdicts({ posts: [post({ matches: listed() })] })).not.toMatchObject([{ is: 'posted' }]);
  });

  test('posted for another subscription of the channel before it was found for this one, and nothing else', async () => {
    const decision = await why({
      posts: [post({ matches: [{ subscriptionId: 'other', terms: [] }] })],
      settings: { filter: 'kettle', mentioned: ['1'] },
    });
    const { atMs, at } = posted;
    const verdict = { is: 'posted-for-others', atMs, at };
    const told = { step: 'happened', kind: 'new-offer', atMs: SEEN_MS, verdict, terms: [], mentions: [] };
    expect(decision.steps.filter(({ step }) => step !== 'seen')).toEqual([told]);
    expect(decision.reason).toEqual(told);
  });

  test('posted for another subscription of the channel, while this one did not want it', async () => {
    const decision = await why({
      posts: [post({ matches: [{ subscriptionId: 'other', terms: [] }] })],
      settings: { filter: 'samovar' },
    });
    expect(decision.steps).toContainEqual(
      expect.objectContaining({ step: 'happened', verdict: expect.objectContaining({ is: 'filtered' }) }),
    );
    expect(decision.steps).toContainEqual({
      step: 'posted-for-others',
      kind: 'new-offer',
      atMs: SEEN_MS,
      at: { channelId: '10', messageId: '77' },
    });
  });

  test('posted by the post that tells what else was found in the same look', async () => {
    const stock = [
      { atMs: SEEN_MS + 1, isSoldOut: true },
      { atMs: LATER_MS, isSoldOut: false, storyMs: SEEN_MS + 1 },
    ];
    const known = cheaper(10, { stock });
    const restock = { kind: 'restocked' as const, subject: uuid(1), occurrence: String(SEEN_MS + 1), item: anOffer(1) };
    const drop = { kind: 'price-drop' as const, subject: uuid(1), occurrence: '10-0', item: anOffer(1) };
    const dropped = deliveryOf({ ...drop, before: { minimum: 20, maximum: 20 } });
    const pending = [{ ...deliveryOf(restock), alsoTells: [dropped.id] }];
    expect((await verdicts({ known, pending })).slice(1)).toEqual([
      { is: 'waiting', for: 'turn' },
      { is: 'waiting', for: 'turn' },
    ]);
    const posts = [post({ announcement: restock, deliveryId: deliveryId('10', restock) })];
    const ended = [[dropped, {}]] as const;
    expect((await verdicts({ known, posts, ended })).slice(1)).toMatchObject([{ is: 'posted' }, { is: 'posted' }]);
    const others = [{ subscriptionId: 'other', terms: [] }];
    const forOthers = await verdicts({ known, posts: posts.map((one) => ({ ...one, matches: others })), ended });
    expect(forOthers.map(({ is }) => is)).not.toContain('posted');
  });

  test('what was posted of an offer that is forgotten', async () => {
    expect(await why({ known: undefined, posts: [post()] })).toMatchObject({
      offer: { title: 'Kettle 1' },
      steps: [{ step: 'unseen' }, { step: 'happened', kind: 'new-offer', verdict: { is: 'posted' } }],
    });
    expect(await verdicts({ known: undefined, ended: [[deliveryOf(asNew), {}]] })).toMatchObject([{ is: 'posted' }]);
  });

  test('says of a post that waits to be published when it is tried again', async () => {
    const publishing = { waiting: 1, nextAtMs: LATER_MS, because: 'limit' } as const;
    const ended = [[deliveryOf(asNew), {}]] as const;
    const unpublished = { step: 'unpublished', because: 'limit', sinceMs: SEEN_MS, nextAtMs: LATER_MS };
    expect((await why({ ended, unpublished: '77', publishing })).steps).toContainEqual(unpublished);
    expect((await why({ ended, unpublished: '78', publishing })).steps).not.toContainEqual(unpublished);
    expect((await why({ ended, unpublished: '77' })).steps.map(({ step }) => step)).not.toContain('unpublished');
  });
});

test('says of a post that was left unpublished why, since when it had waited, and when it was left', async () => {
  const ended = [[deliveryOf(asNew), {}]] as const;
  const left = { step: 'left-unpublished', because: 'over', sinceMs: SEEN_MS, atMs: LATER_MS };
  expect((await why({ ended, leftUnpublished: '77' })).steps).toContainEqual(left);
  expect((await why({ ended, leftUnpublished: '78' })).steps).not.toContainEqual(left);
});

describe('what is in doubt', () => {
  const said = (field: string, says: unknown) => ({ [field]: { says, sinceMs: LATER_MS } });
  const doubted = (own: NonNullable<KnownOffer['dissents']>[string]): Partial<Facts> => ({
    known: { ...seenAt(SEEN_MS), dissents: { home: own } },
  });
  const about = { step: 'doubted', feed: 'Home', atMs: LATER_MS };

  test.each<[string, NonNullable<KnownOffer['dissents']>[string], unknown]>([
    ['that it is back in stock', said('isSoldOut', false), { ...about, of: 'stock' }],
    ['a price', said('salePrice', { minimum: 2, maximum: 2 }), { ...about, of: 'price', price: { minimum: 2 } }],
    ['that it has no price', said('salePrice', null), { ...about, of: 'noPrice' }],
    ['another end', said('endDateMs', LATER_MS), { ...about, of: 'end' }],
  ])('is the reason, as it is the newest: %s', async (_, own, step) => {
    expect((await why(doubted(own))).reason).toMatchObject(step as object);
  });

  test('is told and is no reason where it changes no post’s fate', async () => {
    const { steps, reason } = await why(doubted(said('title', 'Samovar')));
    expect(steps).toContainEqual({ ...about, of: 'other' });
    expect(reason?.step).toBe('happened');
    const older = await why(doubted({ title: { says: 'Samovar', sinceMs: LATER_MS, isOlder: true } }));
    expect(older.steps).toContainEqual({ step: 'contradicted', feed: 'Home', atMs: LATER_MS });
  });

  test('is nothing that a feed said which no longer shows it', async () => {
    const known = seenAt(SEEN_MS);
    const gone = { ...known.feeds['home'], goneSinceMs: LATER_MS } as KnownOffer['feeds'][string];
    const { steps } = await why({
      known: { ...known, feeds: { home: gone }, dissents: { home: said('isSoldOut', false) } },
    });
    expect(steps.map(({ step }) => step)).not.toContain('doubted');
  });

  test.each<[string, Partial<Facts>, string[] | null]>([
    ['what could not be read of a new offer', { settings: { filter: '-category:PC' } }, ['category']],
    ['what the filter asks nothing about', { settings: { filter: 'samovar' } }, null],
    [
      'what another feed shows',
      { settings: { filter: '-category:PC', source: { kind: 'feed', feed: 'Tools' } } },
      null,
    ],
  ])('and is not decided where the filter asks about it: %s', async (_, some, fields) => {
    const arrival = { answers: 1, undecided: ['categories'], wasOver: false };
    const { reason } = await why({ known: { ...seenAt(SEEN_MS), arrival }, ...some });
    const verdict = reason?.step === 'happened' ? reason.verdict : null;
    expect(verdict?.is === 'undecided' ? verdict.fields : null).toEqual(fields);
  });

  test.each([
    ['one answer alone', true, { is: 'undecided', fields: ['low'] }],
    ['two answers', undefined, { is: 'unrecorded' }],
  ] as const)(
    'a drop is decided by what was observed before once two answers have shown it: %s',
    async (_, isSeenOnce, verdict) => {
      const known = cheaper(10);
      const observed = {
        atMs: LATER_MS,
        sinceMs: NOW_MS,
        low: { price: 15, atMs: NOW_MS },
        lowestSinceMs: NOW_MS,
        usual: null,
      };
      const prices = known.prices.map((price) =>
        price.drop ? { ...price, observed, ...(isSeenOnce && { isSeenOnce }) } : price,
      );
      const told = await verdicts({ known: { ...known, prices }, settings: { filter: 'low:ever' } });
      expect(told[1]).toEqual(verdict);
    },
  );
});

describe('what waits', () => {
  const daily = { timing: { ...aSubscription('s').timing, mode: 'daily' as const } };
  const quiet = { timing: { ...aSubscription('s').timing, quiet: { fromMinute: 0, toMinute: 23 * 60 } } };
  const digestMs = Date.UTC(2026, 9, 7, 9);
  const oneAnHour = { mostPerHour: 1 };

  test.each<[string, Partial<Subscription>, Partial<Facts>, unknown]>([
    ['for the digest', daily, {}, { is: 'waiting', for: 'digest', untilMs: digestMs }],
    ['for the end of the quiet hours', quiet, {}, { is: 'waiting', for: 'quiet', untilMs: Date.UTC(2026, 9, 6, 23) }],
    [
      'for room in the hour',
      oneAnHour,
      { postedMs: SEEN_MS + 1 },
      { is: 'waiting', for: 'cap', untilMs: LATER_MS + 1 },
    ],
    ['for the channel', { problem: 'cannot-post' }, {}, { is: 'waiting', for: 'channel' }],
    ['for the owner', { problem: 'cannot-post' }, { isPostingPaused: true }, { is: 'waiting', for: 'pause' }],
    ['for the owner, not the digest', daily, { isPostingPaused: true }, { is: 'waiting', for: 'pause' }],
    ['for its turn', {}, {}, { is: 'waiting', for: 'turn' }],
    [
      'for a feed that shows it again',
      {},
      { known: { ...seenAt(SEEN_MS), overAtMs: LATER_MS } },
      { is: 'waiting', for: 'missing' },
    ],
    [
      'for nothing but its turn from the end of a digest on',
      daily,
      { nowMs: digestMs },
      { is: 'waiting', for: 'turn' },
    ],
    ['for nothing but its turn once there is room', oneAnHour, { postedMs: SEEN_MS }, { is: 'waiting', for: 'turn' }],
  ])('%s', async (_, settings, others, verdict) => {
    expect(await verdicts({ settings, pending: [deliveryOf(asNew, settings)], ...others })).toEqual([verdict]);
  });

  test('in a roll-up', async () => {
    const mine = deliveryOf(asNew);
    const rolled = (delivery: Delivery, others: Partial<Facts> = {}) =>
      verdicts({ pending: [delivery], rollUp: aRollUp(delivery), ...others });
    const untilMs = LATER_MS + 1;
    expect(await rolled(mine, { settings: oneAnHour, postedMs: SEEN_MS + 1 })).toEqual([
      { is: 'waiting', for: 'cap', untilMs },
    ]);
    expect(await rolled(deliveryOf(asNew, {}, 'other'))).toEqual([{ is: 'unrecorded' }]);
    expect(await rolled(deliveryOf(newOfferOf(anOffer(2))))).toEqual([{ is: 'unrecorded' }]);
  });

  test('what waits for another subscription says nothing of this one', async () => {
    const pending = [deliveryOf(asNew, {}, 'other')];
    expect(await verdicts({ pending, settings: { kinds: ['restocked'] } })).toEqual([{ is: 'kind-not-wanted' }]);
  });
});

describe('what was recorded, not announced', () => {
  const oldSince = (atMs: number) =>
    seenAt(atMs, {}, { feeds: { home: { firstSeenMs: atMs, unseenSinceMs: null, goneSinceMs: null, isOld: true } } });

  test.each<[string, Partial<Facts>, unknown]>([
    ['the first sight of the feed', { known: oldSince(NOW_MS) }, { is: 'first-sight' }],
    [
      'not called so where the first reading is not known',
      { known: oldSince(NOW_MS), read: null },
      { is: 'unfollowed' },
    ],
    ['nobody followed the feed', { known: oldSince(SEEN_MS) }, { is: 'unfollowed' }],
    [
      'before the subscription was made',
      { settings: { createdAtMs: LATER_MS } },
      { is: 'before-subscription', createdAtMs: LATER_MS },
    ],
    ['but not at the moment at which it was', { settings: { createdAtMs: SEEN_MS } }, { is: 'unrecorded' }],
    [
      'sold out when it was seen',
      {
        known: seenAt(
          SEEN_MS,
          { isSoldOut: true },
          { soldOutAtMs: SEEN_MS, stock: [{ atMs: SEEN_MS, isSoldOut: true }] },
        ),
      },
      { is: 'over-when-seen', because: 'sold-out' },
    ],
    [
      'over when it was seen',
      { known: seenAt(SEEN_MS, { endDateMs: SEEN_MS }) },
      { is: 'over-when-seen', because: 'ended' },
    ],
  ])('%s', async (_, some, verdict) => {
    expect(await verdicts(some)).toEqual([verdict]);
  });
});

describe('what the subscription does not want', () => {
  test('the kind', async () => {
    expect(await verdicts({ settings: { kinds: ['price-drop'] } })).toEqual([{ is: 'kind-not-wanted' }]);
  });

  test('a price that fell too little', async () => {
    const small = { is: 'unsuited', because: { key: 'unsuited.fellTooLittle' } };
    expect((await verdicts({ known: cheaper(19) }))[1]).toMatchObject(small);
    expect((await verdicts({ known: cheaper(18) }))[1]).not.toMatchObject(small);
  });

  test('what the filter does not take, term by term', async () => {
    expect((await why({ settings: { filter: 'kettle price:<10 -refurb*' } })).steps).toMatchObject([
      { step: 'seen', feed: 'Home', atMs: SEEN_MS, goneSinceMs: null },
      {
        step: 'happened',
        verdict: { is: 'filtered' },
        terms: [
          { name: 'kettle', holds: true },
          { name: 'price < 10', holds: false, isDecisive: true, found: '$20.00' },
          { name: 'refurb*', isNegated: true, holds: true },
        ],
      },
    ]);
  });

  test('the filter sees what the offer was when it happened', async () => {
    const settings: Partial<Subscription> = { filter: 'price:<10', kinds: ['new-offer', 'price-drop'] };
    expect(await verdicts({ known: cheaper(5), settings })).toMatchObject([{ is: 'filtered' }, { is: 'unrecorded' }]);
  });

  test('a filter that can’t be read', async () => {
    expect(await verdicts({ settings: { filter: 'price:<x' } })).toEqual([{ is: 'filter-unreadable' }]);
  });

  test('what nothing explains is not explained away', async () => {
    expect(await verdicts()).toEqual([{ is: 'unrecorded' }]);
  });
});

describe('what was never seen', () => {
  const cutOff = { firstSeenMs: NOW_MS, isCutOff: true };

  test('by a feed that was looked at, never looked at, or is cut off', async () => {
    expect((await why({ known: undefined })).steps).toEqual([{ step: 'unseen', lastReadMs: LATER_MS }]);
    expect((await why({ known: undefined, read: null })).steps).toEqual([{ step: 'unseen', lastReadMs: null }]);
    expect(await steps({ known: undefined, read: cutOff })).toEqual(['unseen', 'cut-off']);
    expect(await steps({ read: cutOff }), 'it was seen').toEqual(['seen', 'happened']);
  });

  test('in the feed that the subscription follows', async () => {
    expect(await steps({ settings: { source: { kind: 'feed', feed: 'Tools' } } })).toEqual(['seen', 'unseen']);
  });

  test('as the catalog does not answer, or the requests are spent', async () => {
    const troubled = { failingSinceMs: SEEN_MS, spentUntilMs: LATER_MS };
    expect((await why({ known: undefined, ...troubled })).steps).toEqual([
      { step: 'unseen', lastReadMs: LATER_MS },
      { step: 'failing', sinceMs: SEEN_MS },
      { step: 'quota-spent', resetsAtMs: LATER_MS },
    ]);
  });

  test('by a subscription that has no offers', async () => {
    expect(await steps({ settings: { source: { kind: 'dealcasts' } } })).toEqual(['seen', 'no-offers']);
  });
});

test('that it is over, that the subscription rests, and that its channel is shut', async () => {
  const known = seenAt(SEEN_MS, {}, { overAtMs: LATER_MS });
  expect((await why({ known, settings: { pausedBy: 'person', problem: 'cannot-see' } })).steps).toMatchObject([
    { step: 'seen' },
    { step: 'over', because: 'left', atMs: LATER_MS },
    { step: 'happened' },
    { step: 'paused', by: 'person' },
    { step: 'blocked', problem: 'cannot-see' },
  ]);
});

test('that the subscription was changed since, where that came after the offer', async () => {
  const settings = { changedAtMs: LATER_MS };
  expect((await why({ settings })).steps).toContainEqual({ step: 'changed', atMs: LATER_MS });
  expect(await steps({ known: seenAt(LATER_MS), settings })).not.toContain('changed');
});

test.each([
  ['sold-out', { isSoldOut: true, endDateMs: LATER_MS }, LATER_MS],
  ['ended', { endDateMs: LATER_MS }, LATER_MS],
  ['left', { endDateMs: LATER_MS + 1 }, LATER_MS],
] as const)('that it is over, and why: %s', async (because, offer, overAtMs) => {
  const { steps: found } = await why({ known: seenAt(SEEN_MS, offer, { overAtMs }) });
  expect(found).toContainEqual({ step: 'over', because, atMs: overAtMs });
});

test('feeds in the order in which they showed it, under the names that they are written with, or else as they are', async () => {
  const presence = { unseenSinceMs: null, goneSinceMs: null, isOld: false };
  const feeds = {
    tools: { ...presence, firstSeenMs: LATER_MS },
    home: { ...presence, firstSeenMs: SEEN_MS, goneSinceMs: LATER_MS },
  };
  expect((await why({ known: seenAt(SEEN_MS, {}, { feeds }) })).steps.slice(0, 2)).toEqual([
    { step: 'seen', feed: 'Home', atMs: SEEN_MS, goneSinceMs: LATER_MS },
    { step: 'seen', feed: 'tools', atMs: LATER_MS, goneSinceMs: null },
  ]);
});

test('what happened is told in its order, whatever it was and however it is known', async () => {
  const restock = { kind: 'restocked' as const, subject: uuid(1), occurrence: '1', item: anOffer(1) };
  const ofOthers = { ...restock, occurrence: '2' };
  const posts = [
    post({ announcement: restock, deliveryId: deliveryId('10', restock), postedAtMs: SEEN_MS - 1 }),
    post({
      announcement: ofOthers,
      deliveryId: deliveryId('10', ofOthers),
      postedAtMs: SEEN_MS - 2,
      messageId: '76',
      matches: [{ subscriptionId: 'other', terms: [] }],
    }),
  ];
  const { steps: found } = await why({ posts });
  expect(found.flatMap((step) => ('kind' in step ? [[step.step, step.kind]] : []))).toEqual([
    ['posted-for-others', 'restocked'],
    ['happened', 'restocked'],
    ['happened', 'new-offer'],
  ]);
});

describe('in the events that a subscription follows', () => {
  const almostGone = KINDS['event-started'].announce(
    anEvent(9, { offers: [anEventOffer(1, { percentageRemaining: 5 })], startDateMs: NOW_MS, endDateMs: null }),
  );
  const source: Source = { kind: 'events', sites: [], types: [] };
  const of = (changes: Partial<Facts> = {}): Partial<Facts> => ({
    known: undefined,
    settings: { source, kinds: ['almost-gone'] },
    ...changes,
  });

  test('an offer that is almost gone is told with what became of that', async () => {
    const event = [almostGone, SEEN_MS] as const;
    expect(await why(of({ event }))).toMatchObject({
      offer: { title: 'Blender 1' },
      steps: [{ step: 'happened', kind: 'almost-gone', atMs: SEEN_MS, verdict: { is: 'unrecorded' } }],
    });
    const [part = almostGone] = partsOf(almostGone);
    expect(await verdicts(of({ event, ended: [[deliveryOf(part), {}]] }))).toMatchObject([{ is: 'posted' }]);
  });

  test('one that never was is told as that, by each kind that is wanted', async () => {
    expect((await why(of())).steps).toEqual([{ step: 'unnoticed', kind: 'almost-gone' }]);
    expect((await why(of({ settings: { source, kinds: ['event-started'] } }))).steps).toEqual([{ step: 'no-offers' }]);
  });

  test('one that was so at the first sight of the events is told as recorded', async () => {
    expect(await verdicts(of({ event: [almostGone, NOW_MS] }))).toEqual([{ is: 'first-sight' }]);
  });

  test('an event by itself is no offer', async () => {
    const plain = KINDS['event-started'].announce(anEvent(9, { offers: [anEventOffer(1)], endDateMs: null }));
    expect(await why(of({ event: [plain, SEEN_MS] }))).toMatchObject({ offer: null, steps: [{ step: 'unnoticed' }] });
  });
});
