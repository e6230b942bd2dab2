import { describe, expect, test } from 'vitest';
import { decide, deliveryIdsOf, type Facts, postableOf } from '../../../src/announcements/explain/decide.ts';
import { KINDS, partsOf } from '../../../src/announcements/kinds/index.ts';
import { deliveriesOf, deliveryId } from '../../../src/announcements/outbox/enqueue.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { Verdict } from '../../../src/deals/decision.ts';
import { parseFilter } from '../../../src/deals/filter/index.ts';
import type { KnownOffer } from '../../../src/deals/known-offer.ts';
import { USUAL_LOOK } from '../../../src/deals/look.ts';
import type { Source, Subscription } from '../../../src/deals/subscription.ts';
import type { LedgerEntry, RollUp } from '../../../src/store/delivery.ts';
import type { Post } from '../../../src/store/posts.ts';
import {
  aKnownOffer,
  anEvent,
  anEventOffer,
  anOffer,
  aSubscription,
  HOUR_MS,
  NOW_MS,
  newOfferOf,
  uuid,
} from '../../helpers/things.ts';

const SEEN_MS = NOW_MS + HOUR_MS;
const LATER_MS = NOW_MS + 2 * HOUR_MS;
const asNew = newOfferOf(anOffer(1));
const ID = deliveryId('10', asNew);

function filterOf(text: string) {
  const parsed = parseFilter(text);
  return parsed.ok ? parsed.filter : null;
}

/** An offer that appeared an hour after its feed was first seen and subscribed to, and of which nothing came. */
function facts(changes: Partial<Facts> & { indexed?: Partial<Subscription> } = {}): Facts {
  const { indexed, ...others } = changes;
  const subscription = aSubscription('s', indexed);
  return {
    offerId: uuid(1),
    subscription,
    filter: filterOf(subscription.filter),
    known: seenAt(SEEN_MS),
    inEvents: [],
    feedNames: new Map([['home', 'Home']]),
    source: { firstSeenMs: NOW_MS, polledAtMs: LATER_MS, isCutOff: false, failingSinceMs: null, spentUntilMs: null },
    pending: [],
    rollUp: undefined,
    freeAtMs: 0,
    isPostingPaused: false,
    ended: new Map(),
    posts: [],
    nowMs: LATER_MS,
    ...others,
  };
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
    { atMs: LATER_MS, salePrice: price(minimum) },
  ];
  return seenAt(SEEN_MS, { salePrice: price(minimum) }, { prices, ...changes });
}

/** The verdicts, oldest first. */
function verdicts(some: Facts): Verdict[] {
  return decide(some).steps.flatMap((step) => (step.step === 'happened' ? [step.verdict] : []));
}

function steps(some: Facts): string[] {
  return decide(some).steps.map(({ step }) => step);
}

function pendingOf(
  announcement: Announcement,
  indexed: Partial<Subscription>,
  subscription = aSubscription('s', indexed),
) {
  return deliveriesOf([{ announcement, subscription, terms: [] }], SEEN_MS);
}

const entry = (changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  channelId: '10',
  outcome: 'posted',
  messageChannelId: '10',
  messageId: '77',
  rollUpId: null,
  endedAtMs: SEEN_MS,
  ...changes,
});

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
  look: USUAL_LOOK,
  alsoTells: [],
  face: null,
  postedAtMs: SEEN_MS,
  ...changes,
});

describe('what answers the question', () => {
  const reasonOf = (some: Facts) => {
    const { reason } = decide(some);
    return reason?.step === 'happened' ? reason.verdict.is : (reason?.step ?? null);
  };
  const small = { indexed: { priceDropPercent: 10 } };

  test.each<[string, Facts, string]>([
    ['how the newest change ended', facts({ ...small, known: cheaper(19), posts: [post()] }), 'unsuited'],
    [
      'the post, where one of several changes at once was posted',
      facts({ posts: [post()], indexed: { kinds: [] } }),
      'posted',
    ],
    [
      'the filter, though it is paused since',
      facts({ indexed: { filter: 'samovar', pausedBy: 'person' } }),
      'filtered',
    ],
    ['the pause, where nothing else explains it', facts({ indexed: { pausedBy: 'person' } }), 'paused'],
    ['that nothing explains it', facts(), 'unrecorded'],
    ['that it never came', facts({ known: undefined }), 'unseen'],
    ['the pause before that', facts({ known: undefined, indexed: { pausedBy: 'person' } }), 'paused'],
    [
      'that such a subscription posts no offers',
      facts({ indexed: { source: { kind: 'polls' }, kinds: [] } }),
      'no-offers',
    ],
  ])('is %s', (_, some, reason) => {
    expect(reasonOf(some)).toBe(reason);
    const decision = decide(some);
    expect(decision.steps).toContain(decision.reason);
  });
});

describe('what can be posted at a person’s wish', () => {
  const kindOf = (some: Facts) => postableOf(some)?.kind ?? null;
  const ended = (outcome: LedgerEntry['outcome'], id = ID) =>
    new Map([[id, { entry: entry({ outcome }), matches: null }]]);
  const digest = { timing: { ...aSubscription('s').timing, mode: 'daily' as const } };
  const quiet = (toMinute: number) => ({
    timing: { ...aSubscription('s').timing, quiet: { fromMinute: 0, toMinute } },
  });
  const minuteNow = Math.floor((LATER_MS % (24 * HOUR_MS)) / 60_000);

  test.each<[string, Facts, Announcement['kind'] | null]>([
    ['what the filter excludes', facts({ indexed: { filter: 'samovar' } }), 'new-offer'],
    ['a kind that is turned off', facts({ indexed: { kinds: [] } }), 'new-offer'],
    ['the newest change', facts({ known: cheaper(19), posts: [post()] }), 'price-drop'],
    ['what only another feed lists', facts({ indexed: { source: { kind: 'feed', feed: 'Tools' } } }), 'new-offer'],
    ['not what nobody knows', facts({ known: undefined }), null],
    ['not what was posted', facts({ ended: ended('posted') }), null],
    ['not what Discord rejected', facts({ ended: ended('refused') }), null],
    ['not what is sold out', facts({ known: seenAt(SEEN_MS, { isSoldOut: true }) }), null],
    ['not for a paused subscription', facts({ indexed: { pausedBy: 'person' } }), null],
    ['not into a blocked channel', facts({ indexed: { problem: 'cannot-post' } }), null],
    ['not in quiet hours', facts({ indexed: quiet(minuteNow + 1) }), null],
    ['but when they have ended', facts({ indexed: quiet(minuteNow) }), 'new-offer'],
    ['not what is due', facts({ pending: pendingOf(asNew, {}) }), null],
    ['but what waits for a digest', facts({ pending: pendingOf(asNew, digest), indexed: digest }), 'new-offer'],
  ])('%s', (_, some, kind) => {
    expect(kindOf(some)).toBe(kind);
    expect(decide(some).canPost).toBe(kind !== null);
  });

  test('it shows the offer as it is now', () => {
    const known = seenAt(
      SEEN_MS,
      { salePrice: { minimum: 9, maximum: 9 } },
      { prices: [{ atMs: SEEN_MS, salePrice: { minimum: 20, maximum: 20 } }] },
    );
    expect(postableOf(facts({ known }))).toMatchObject({ item: { salePrice: { minimum: 9 } } });
  });
});

describe('what became of it comes before all else', () => {
  test('posted, with the place', () => {
    const posted = { is: 'posted', atMs: SEEN_MS, at: { channelId: '10', messageId: '77' }, isTogether: false };
    expect(verdicts(facts({ posts: [post()] }))).toEqual([posted]);
    expect(verdicts(facts({ ended: new Map([[ID, { entry: entry(), matches: null }]]) }))).toEqual([posted]);
    expect(verdicts(facts({ posts: [post()], indexed: { kinds: [], filter: 'samovar' } }))).toEqual([posted]);
  });

  test('posted at a place that is no longer recorded', () => {
    for (const lost of [{ messageChannelId: null }, { messageId: null }]) {
      const ended = new Map([[ID, { entry: entry(lost), matches: null }]]);
      expect(verdicts(facts({ ended }))).toMatchObject([{ is: 'posted', at: null }]);
    }
  });

  test('posted once, where the ledger knows of the post as well', () => {
    const ended = new Map([[ID, { entry: entry(), matches: null }]]);
    expect(decide(facts({ posts: [post()], ended })).steps.map(({ step }) => step)).toEqual(['seen', 'happened']);
    // An offer that is forgotten has nothing but its posts to tell by.
    expect(verdicts(facts({ known: undefined, posts: [post()], ended }))).toHaveLength(1);
  });

  test('dropped for another subscription is not told', () => {
    const others = [{ subscriptionId: 'other', terms: [] }];
    const ended = new Map([[ID, { entry: entry({ outcome: 'refused' }), matches: others }]]);
    expect(steps(facts({ ended }))).toEqual(['seen', 'happened']);
    expect(verdicts(facts({ ended }))).toEqual([{ is: 'unrecorded' }]);
  });

  test('posted together with others', () => {
    const matches = [{ subscriptionId: 's', terms: [] }];
    const ended = new Map([[ID, { entry: entry({ rollUpId: 'r' }), matches }]]);
    expect(verdicts(facts({ ended }))).toMatchObject([{ is: 'posted', isTogether: true }]);
  });

  test.each(['over', 'gone', 'refused'] as const)('dropped: %s', (outcome) => {
    const ended = new Map([
      [ID, { entry: entry({ outcome, messageChannelId: null, messageId: null }), matches: null }],
    ]);
    expect(verdicts(facts({ ended }))).toEqual([{ is: 'dropped', because: outcome, atMs: SEEN_MS }]);
  });

  test('posted for so many subscriptions of the channel that not all are listed: for this one too', () => {
    const listed = (unlisted?: number) => [{ subscriptionId: 'other', terms: [], ...(unlisted && { unlisted }) }];
    expect(verdicts(facts({ posts: [post({ matches: listed(1) })] }))).toMatchObject([{ is: 'posted' }]);
    expect(verdicts(facts({ posts: [post({ matches: listed() })] }))).not.toMatchObject([{ is: 'posted' }]);
  });

  test('posted for another subscription of the channel, while this one did not want it', () => {
    const some = facts({
      posts: [post({ matches: [{ subscriptionId: 'other', terms: [] }] })],
      indexed: { filter: 'samovar' },
    });
    expect(verdicts(some)).toEqual([{ is: 'filtered' }]);
    expect(decide(some).steps).toContainEqual({
      step: 'posted-for-others',
      kind: 'new-offer',
      atMs: SEEN_MS,
      at: { channelId: '10', messageId: '77' },
    });
  });

  test('posted by the post that tells what else was found in the same look', () => {
    const stock = [
      { atMs: SEEN_MS + 1, isSoldOut: true },
      { atMs: LATER_MS, isSoldOut: false },
    ];
    const known = cheaper(10, { stock });
    const restock = { kind: 'restocked' as const, subject: uuid(1), occurrence: String(SEEN_MS + 1), item: anOffer(1) };
    const restocked = deliveryId('10', restock);
    const [, dropped = ''] = deliveryIdsOf(facts({ known })).filter((id) => id !== restocked);
    const [delivery] = pendingOf(restock, {});
    const pending = delivery ? [{ ...delivery, alsoTells: [dropped] }] : [];
    expect(verdicts(facts({ known, pending })).slice(1)).toEqual([
      { is: 'waiting', for: 'turn' },
      { is: 'waiting', for: 'turn' },
    ]);
    const posts = [post({ announcement: restock, deliveryId: restocked })];
    const ended = new Map([[dropped, { entry: entry(), matches: null }]]);
    expect(verdicts(facts({ known, posts, ended })).slice(1)).toMatchObject([{ is: 'posted' }, { is: 'posted' }]);
    const others = [{ subscriptionId: 'other', terms: [] }];
    const forOthers = facts({ known, posts: posts.map((one) => ({ ...one, matches: others })), ended });
    expect(verdicts(forOthers).map(({ is }) => is)).not.toContain('posted');
  });

  test('what was posted of an offer that is forgotten', () => {
    expect(decide(facts({ known: undefined, posts: [post()] }))).toMatchObject({
      offer: { title: 'Kettle 1' },
      steps: [{ step: 'unseen' }, { step: 'happened', kind: 'new-offer', verdict: { is: 'posted' } }],
    });
    const ended = new Map([[ID, { entry: entry(), matches: null }]]);
    expect(verdicts(facts({ known: undefined, ended }))).toMatchObject([{ is: 'posted' }]);
    expect(deliveryIdsOf(facts({ known: undefined }))).toEqual([ID]);
  });
});

describe('what waits', () => {
  const daily = { timing: { ...aSubscription('s').timing, mode: 'daily' as const } };
  const quiet = { timing: { ...aSubscription('s').timing, quiet: { fromMinute: 0, toMinute: 23 * 60 } } };

  test.each<[string, Partial<Subscription>, Partial<Facts>, unknown]>([
    ['for the digest', daily, {}, { is: 'waiting', for: 'digest', untilMs: Date.UTC(2026, 9, 7, 9) }],
    ['for the end of the quiet hours', quiet, {}, { is: 'waiting', for: 'quiet', untilMs: Date.UTC(2026, 9, 6, 23) }],
    ['for room in the hour', {}, { freeAtMs: LATER_MS + 1 }, { is: 'waiting', for: 'cap', untilMs: LATER_MS + 1 }],
    ['for the channel', { problem: 'cannot-post' }, {}, { is: 'waiting', for: 'channel' }],
    ['for the owner', { problem: 'cannot-post' }, { isPostingPaused: true }, { is: 'waiting', for: 'pause' }],
    ['for the owner, not the digest', daily, { isPostingPaused: true }, { is: 'waiting', for: 'pause' }],
    ['for its turn', {}, {}, { is: 'waiting', for: 'turn' }],
  ])('%s', (_, indexed, others, verdict) => {
    expect(verdicts(facts({ indexed, pending: pendingOf(asNew, indexed), ...others }))).toEqual([verdict]);
  });

  test.each<[string, Partial<Subscription>, Partial<Facts>]>([
    ['the end of a digest', daily, { nowMs: Date.UTC(2026, 9, 7, 9) }],
    ['room in the hour', {}, { freeAtMs: LATER_MS }],
  ])('for nothing but its turn from %s on', (_, indexed, others) => {
    const pending = pendingOf(asNew, indexed);
    expect(verdicts(facts({ indexed, pending, ...others }))).toEqual([{ is: 'waiting', for: 'turn' }]);
  });

  test('in a roll-up', () => {
    const matches = [{ subscriptionId: 's', terms: [] }];
    const rollUp = {
      id: 'r',
      guildId: '1',
      channelId: '10',
      members: [{ deliveryId: ID, announcement: asNew, alsoTells: [], matches }],
      replaces: [ID],
      createdAtMs: SEEN_MS,
      reason: 'limit',
    } as const satisfies RollUp;
    expect(verdicts(facts({ rollUp, freeAtMs: LATER_MS + 1 }))).toMatchObject([{ is: 'waiting', for: 'cap' }]);
    for (const change of [{ matches: [] }, { deliveryId: 'another' }]) {
      const others = { ...rollUp, members: rollUp.members.map((member) => ({ ...member, ...change })) };
      expect(verdicts(facts({ rollUp: others }))).toEqual([{ is: 'unrecorded' }]);
    }
  });

  test('what waits for another subscription says nothing of this one', () => {
    const pending = pendingOf(asNew, {}, aSubscription('other'));
    expect(verdicts(facts({ pending, indexed: { kinds: ['restocked'] } }))).toEqual([{ is: 'kind-not-wanted' }]);
  });
});

describe('what was recorded, not announced', () => {
  const oldSince = (atMs: number) =>
    seenAt(atMs, {}, { feeds: { home: { firstSeenMs: atMs, unseenSinceMs: null, goneSinceMs: null, isOld: true } } });

  test.each<[string, Parameters<typeof facts>[0], unknown]>([
    ['the first sight of the feed', { known: oldSince(NOW_MS) }, { is: 'first-sight' }],
    ['nobody followed the feed', { known: oldSince(SEEN_MS) }, { is: 'unfollowed' }],
    [
      'before the subscription was made',
      { indexed: { createdAtMs: LATER_MS } },
      { is: 'before-subscription', createdAtMs: LATER_MS },
    ],
    [
      'sold out when it was seen',
      { known: seenAt(SEEN_MS, { isSoldOut: true }, { soldOutAtMs: SEEN_MS }) },
      { is: 'over-when-seen', because: 'sold-out' },
    ],
    [
      'over when it was seen',
      { known: seenAt(SEEN_MS, { endDateMs: SEEN_MS }) },
      { is: 'over-when-seen', because: 'ended' },
    ],
  ])('%s', (_, some, verdict) => {
    expect(verdicts(facts(some))).toEqual([verdict]);
  });
});

describe('what the subscription does not want', () => {
  test('the kind', () => {
    expect(verdicts(facts({ indexed: { kinds: ['price-drop'] } }))).toEqual([{ is: 'kind-not-wanted' }]);
  });

  test('a price that fell too little', () => {
    const small = { is: 'unsuited', announcement: { kind: 'price-drop', before: { minimum: 20 } } };
    expect(verdicts(facts({ known: cheaper(19) }))[1]).toMatchObject(small);
    expect(verdicts(facts({ known: cheaper(18) }))[1]).not.toMatchObject(small);
  });

  test('what the filter does not take, term by term', () => {
    const some = facts({ indexed: { filter: 'kettle price:<10 -refurb*' } });
    expect(decide(some).steps).toMatchObject([
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

  test('the filter sees what the offer was when it happened', () => {
    const some = facts({ known: cheaper(5), indexed: { filter: 'price:<10', kinds: ['new-offer', 'price-drop'] } });
    expect(verdicts(some)).toEqual([{ is: 'filtered' }, { is: 'unrecorded' }]);
  });

  test('a filter that can’t be read', () => {
    expect(verdicts(facts({ indexed: { filter: 'price:<x' } }))).toEqual([{ is: 'filter-unreadable' }]);
  });

  test('what nothing explains is not explained away', () => {
    expect(verdicts(facts())).toEqual([{ is: 'unrecorded' }]);
  });
});

describe('what was never seen', () => {
  const source = facts().source;

  test('by a feed that was looked at, never looked at, or is cut off', () => {
    expect(decide(facts({ known: undefined })).steps).toEqual([{ step: 'unseen', lastReadMs: LATER_MS }]);
    const never = { ...source, firstSeenMs: null, polledAtMs: null };
    expect(decide(facts({ known: undefined, source: never })).steps).toEqual([{ step: 'unseen', lastReadMs: null }]);
    expect(steps(facts({ known: undefined, source: { ...source, isCutOff: true } }))).toEqual(['unseen', 'cut-off']);
    expect(steps(facts({ source: { ...source, isCutOff: true } })), 'it was seen').toEqual(['seen', 'happened']);
  });

  test('in the feed that the subscription follows', () => {
    const some = facts({ indexed: { source: { kind: 'feed', feed: 'Tools' } } });
    expect(steps(some)).toEqual(['seen', 'unseen']);
  });

  test('as the catalog does not answer, or the requests are spent', () => {
    const troubled = { ...source, failingSinceMs: SEEN_MS, spentUntilMs: LATER_MS };
    expect(decide(facts({ known: undefined, source: troubled })).steps).toEqual([
      { step: 'unseen', lastReadMs: LATER_MS },
      { step: 'failing', sinceMs: SEEN_MS },
      { step: 'quota-spent', resetsAtMs: LATER_MS },
    ]);
  });

  test('by a subscription that has no offers', () => {
    const indexed = { source: { kind: 'dealcasts' } as const };
    expect(steps(facts({ indexed }))).toEqual(['seen', 'no-offers']);
  });
});

test('that it is over, that the subscription rests, and that its channel is shut', () => {
  const known = seenAt(SEEN_MS, {}, { overAtMs: LATER_MS });
  const indexed = { pausedBy: 'person', problem: 'cannot-see' } as const;
  expect(decide(facts({ known, indexed })).steps).toMatchObject([
    { step: 'seen' },
    { step: 'over', because: 'left', atMs: LATER_MS },
    { step: 'happened' },
    { step: 'paused', by: 'person' },
    { step: 'blocked', problem: 'cannot-see' },
  ]);
});

test('that the subscription was changed since, where that came after the offer', () => {
  const changed = { step: 'changed', atMs: LATER_MS };
  expect(decide(facts({ indexed: { changedAtMs: LATER_MS } })).steps).toContainEqual(changed);
  expect(steps(facts({ known: seenAt(LATER_MS), indexed: { changedAtMs: LATER_MS } }))).not.toContain('changed');
});

test.each([
  ['sold-out', { isSoldOut: true, endDateMs: LATER_MS }, LATER_MS],
  ['ended', { endDateMs: LATER_MS }, LATER_MS],
  ['left', { endDateMs: LATER_MS + 1 }, LATER_MS],
] as const)('that it is over, and why: %s', (because, offer, overAtMs) => {
  const { steps: found } = decide(facts({ known: seenAt(SEEN_MS, offer, { overAtMs }) }));
  expect(found).toContainEqual({ step: 'over', because, atMs: overAtMs });
});

test('feeds in the order in which they showed it, under the names that they are written with, or else as they are', () => {
  const presence = { unseenSinceMs: null, goneSinceMs: null, isOld: false };
  const feeds = {
    tools: { ...presence, firstSeenMs: LATER_MS },
    home: { ...presence, firstSeenMs: SEEN_MS, goneSinceMs: LATER_MS },
  };
  expect(decide(facts({ known: seenAt(SEEN_MS, {}, { feeds }) })).steps.slice(0, 2)).toEqual([
    { step: 'seen', feed: 'Home', atMs: SEEN_MS, goneSinceMs: LATER_MS },
    { step: 'seen', feed: 'tools', atMs: LATER_MS, goneSinceMs: null },
  ]);
});

test('what happened is told in its order, whatever it was and however it is known', () => {
  const restock = { kind: 'restocked' as const, subject: uuid(1), occurrence: '1', item: anOffer(1) };
  const ofOthers = { ...restock, occurrence: '2' };
  const posts = [
    post({ announcement: restock, deliveryId: deliveryId('10', restock), postedAtMs: SEEN_MS - 1 }),
    post({
      announcement: ofOthers,
      deliveryId: deliveryId('10', ofOthers),
      postedAtMs: SEEN_MS - 2,
      matches: [{ subscriptionId: 'other', terms: [] }],
    }),
  ];
  const { steps: found } = decide(facts({ posts }));
  expect(found.flatMap((step) => ('kind' in step ? [[step.step, step.kind]] : []))).toEqual([
    ['posted-for-others', 'restocked'],
    ['happened', 'restocked'],
    ['happened', 'new-offer'],
  ]);
});

describe('in the events that a subscription follows', () => {
  const offers = [anEventOffer(1, { percentageRemaining: 5 })];
  const event = anEvent(9, { offers, startDateMs: NOW_MS, endDateMs: null });
  const started = KINDS['event-started'].announce(event);
  const [part = started] = partsOf(started);
  const source: Source = { kind: 'events', sites: [], types: [] };
  const inEvents = [{ announcement: part, firstSeenMs: SEEN_MS }];
  const of = (changes: Parameters<typeof facts>[0] = {}) =>
    facts({ known: undefined, indexed: { source, kinds: ['almost-gone'] }, ...changes });

  test('an offer that is almost gone is told with what became of that', () => {
    expect(decide(of({ inEvents }))).toMatchObject({
      offer: { title: 'Blender 1' },
      steps: [{ step: 'happened', kind: 'almost-gone', atMs: SEEN_MS, verdict: { is: 'unrecorded' } }],
    });
    expect(deliveryIdsOf(of({ inEvents }))).toEqual([ID, deliveryId('10', part)]);
  });

  test('one that never was is told as that, by each kind that is wanted', () => {
    expect(decide(of()).steps).toEqual([{ step: 'unnoticed', kind: 'almost-gone' }]);
    expect(deliveryIdsOf(of())).toEqual([ID, deliveryId('10', part)]);
    expect(decide(of({ indexed: { source, kinds: ['event-started'] } })).steps).toEqual([{ step: 'no-offers' }]);
  });

  test('one that was so at the first sight of the events is told as recorded', () => {
    const first = [{ announcement: part, firstSeenMs: NOW_MS }];
    expect(verdicts(of({ inEvents: first }))).toEqual([{ is: 'first-sight' }]);
    const neverRead = { ...facts().source, firstSeenMs: null };
    expect(verdicts(of({ inEvents: first, source: neverRead }))).toEqual([{ is: 'unrecorded' }]);
  });

  test('an event by itself is no offer', () => {
    expect(decide(of({ inEvents: [{ announcement: started, firstSeenMs: SEEN_MS }] }))).toMatchObject({
      offer: null,
      steps: [{ step: 'unnoticed' }],
    });
  });
});

test('what came at the moment of the subscription is judged by it', () => {
  expect(verdicts(facts({ indexed: { createdAtMs: SEEN_MS } }))).toEqual([{ is: 'unrecorded' }]);
});

test('a feed whose first reading is not known is not called seen for the first time', () => {
  const feeds = { home: { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: null, isOld: true } };
  const source = { ...facts().source, firstSeenMs: null };
  expect(verdicts(facts({ known: seenAt(NOW_MS, {}, { feeds }), source }))).toEqual([{ is: 'unfollowed' }]);
});
