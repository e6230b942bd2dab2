import { describe, expect, test } from 'vitest';
import { deliveryId, KINDS as KIND_OF } from '../../../src/announcements/kinds/index.ts';
import { deliveriesOf, putIn } from '../../../src/announcements/outbox/enqueue.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { USUAL_TIMING } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { asNextTry, asTried, type Delivery } from '../../../src/store/delivery.ts';
import { MENTIONED } from '../../helpers/mentioned.ts';
import { putInEmpty } from '../../helpers/opened-deliveries.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';
import {
  aDelivery,
  anEvent,
  anEventOffer,
  anOffer,
  aSubscription,
  NOW_MS,
  newOfferOf,
  uuid,
} from '../../helpers/things.ts';

const RULES = { mentions: MENTIONED };

const kettle = newOfferOf(anOffer(1, { startDateMs: NOW_MS - 2 * HOUR_MS }));
const toaster = newOfferOf(anOffer(2, { startDateMs: NOW_MS - HOUR_MS }));

test('several subscriptions of a channel make one delivery, on behalf of all', () => {
  const subscriptions = [aSubscription('a'), aSubscription('b'), aSubscription('c', { channelId: '11' })];
  const matches = subscriptions.map((subscription) => ({ announcement: kettle, subscription, terms: [] }));
  const deliveries = deliveriesOf(matches, NOW_MS, false, RULES);
  expect(
    deliveries.map(({ channelId, matches }) => [
      channelId,
      matches.map(({ subscriptionId }) => subscriptionId).toSorted(),
    ]),
  ).toEqual([
    ['11', ['c']],
    ['10', ['a', 'b']],
  ]);
});

describe('a channel with thousands of subscriptions that want one thing', () => {
  const many = Array.from({ length: 3_000 }, (_, index) =>
    aSubscription(uuid(index), {
      mentioned: index % 1_000 === 999 ? [`role-${index}`] : [],
      tagIds: index === 2_500 ? ['tag'] : index === 2_600 ? ['another'] : [],
      isPublished: index === 2_000,
      mostPerHour: index === 1_500 ? 1 : 30,
      timing: { ...aSubscription('a').timing, quiet: index === 1_700 ? null : { fromMinute: 0, toMinute: 1_000 } },
    }),
  );
  const matches = many.map((subscription, index) => ({
    announcement: kettle,
    subscription,
    terms: [`word ${index}`],
  }));

  test('has a row of bounded size, which says how many it leaves out', () => {
    const [delivery] = deliveriesOf(matches, NOW_MS, false, RULES);
    expect(JSON.stringify(delivery).length).toBeLessThan(12_000);
    expect(delivery?.matches).toHaveLength(100);
    expect(delivery?.matches.at(-1)?.unlisted).toBe(2_900);
    expect(delivery?.matches.filter(({ unlisted }) => unlisted !== undefined)).toHaveLength(1);
    expect(delivery?.matches.filter(({ terms }) => terms.length > 0)).toHaveLength(10);
  });

  test('calls every role, sets every tag, publishes and keeps every limit that one of them asks for', () => {
    const [delivery] = deliveriesOf(matches, NOW_MS, false, RULES);
    const ids = new Set(delivery?.matches.map(({ subscriptionId }) => subscriptionId));
    const listed = many.filter(({ id }) => ids.has(id));
    const rung = delivery?.matches.flatMap(({ roleIds = [] }) => roleIds);
    expect(new Set(rung)).toEqual(new Set(['role-999', 'role-1999', 'role-2999']));
    expect(new Set(listed.flatMap(({ tagIds }) => tagIds))).toEqual(new Set(['tag', 'another']));
    expect(listed.some(({ isPublished }) => isPublished)).toBe(true);
    expect(Math.min(...listed.map(({ mostPerHour }) => mostPerHour))).toBe(1);
    expect(listed.some(({ timing }) => timing.quiet === null)).toBe(true);
  });

  test('up to a hundred are all listed', () => {
    const [delivery] = deliveriesOf(matches.slice(0, 100), NOW_MS, false, RULES);
    expect(delivery?.matches.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
      many
        .slice(0, 100)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(delivery?.matches.some(({ unlisted }) => unlisted !== undefined)).toBe(false);
  });
});

test('what started first is posted first', () => {
  const deliveries = deliveriesOf(
    [toaster, kettle].map((announcement) => ({ announcement, subscription: aSubscription('a'), terms: [] })),
    NOW_MS,
  );
  expect(deliveries.toSorted((a, b) => a.sequence - b.sequence).map(({ announcement }) => announcement)).toEqual([
    kettle,
    toaster,
  ]);
});

test('each subscription’s times count once, whatever else matches, and one whose times make no sense holds up nobody', () => {
  const daily = aSubscription('daily', { timing: { ...USUAL_TIMING, mode: 'daily', timeZone: 'Mars/Olympus' } });
  const broken = aSubscription('broken', { channelId: '11', timing: { ...USUAL_TIMING, mode: 'weekly' as 'daily' } });
  const twice = [daily, aSubscription('a'), daily];
  const matches = [kettle, toaster].flatMap((announcement) =>
    [...twice, broken].map((subscription) => ({ announcement, subscription, terms: [] })),
  );
  const found = deliveriesOf(matches, NOW_MS, false, RULES);
  expect(
    found.map(({ channelId, dueAtMs, isDigest, matches }) => [channelId, dueAtMs, isDigest, matches.length]),
  ).toEqual([
    ['11', NOW_MS, false, 1],
    ['10', NOW_MS, false, 2],
    ['11', NOW_MS, false, 1],
    ['10', NOW_MS, false, 2],
  ]);
});

test('a subscription that asks twice is named once', () => {
  const subscription = aSubscription('a');
  const terms = [['ssd'], ['tv']];
  const [delivery, ...others] = deliveriesOf(
    terms.map((some) => ({ announcement: kettle, subscription, terms: some })),
    NOW_MS,
  );
  expect(delivery?.matches).toHaveLength(1);
  expect(others).toEqual([]);
});

test('a delivery carries all that its post needs, due when the first of its subscriptions wants it', () => {
  const daily = { mode: 'daily', dailyAtMinute: 720, timeZone: 'UTC', quiet: null } as const;
  const hourly = { ...daily, mode: 'hourly' } as const;
  const subscriptions = [
    aSubscription('a', { timing: { ...daily, dailyAtMinute: 14 * 60 } }),
    aSubscription('b', { timing: hourly }),
    aSubscription('c', { timing: { ...daily, dailyAtMinute: 14 * 60 } }),
  ];
  const matches = subscriptions.map((subscription) => ({
    announcement: kettle,
    subscription,
    terms: [subscription.id],
  }));
  const [delivery, ...others] = deliveriesOf(matches, NOW_MS, true);
  expect(others).toEqual([]);
  expect(delivery).toMatchObject({
    id: deliveryId('10', kettle),
    matches: expect.arrayContaining(['a', 'b', 'c'].map((id) => ({ subscriptionId: id, terms: [id] }))) as unknown,
    announcement: kettle,
    dueAtMs: NOW_MS + HOUR_MS,
    isDigest: true,
    isLate: true,
  });
  const alone = { announcement: toaster, subscription: aSubscription('d'), terms: [] };
  const [second] = deliveriesOf([...matches, alone], NOW_MS).filter(({ sequence }) => sequence === 1);
  expect(second).toMatchObject({ announcement: toaster, dueAtMs: NOW_MS, isDigest: false, isLate: false });
});

test('the id of a delivery is the same whenever it is computed, and fits a nonce', () => {
  expect(deliveryId('10', kettle)).toBe(deliveryId('10', newOfferOf(anOffer(1, { title: 'Another title' }))));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('11', kettle));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('10', toaster));
  expect(deliveryId('10', kettle)).toMatch(/^[\w-]{22}$/);
});

test('an offer is new in a channel once, as new or as relisted; what happens again has an id of its own', () => {
  const item = anOffer(1);
  const before = { offerId: uuid(9), salePrice: null, endedAtMs: NOW_MS };
  const relisted: Announcement = { kind: 'relisted', subject: item.id, occurrence: '', item, before };
  const ending = (occurrence: string): Announcement => ({ kind: 'ending-soon', subject: item.id, occurrence, item });
  expect(deliveryId('10', relisted)).toBe(deliveryId('10', newOfferOf(item)));
  expect(deliveryId('10', ending('1'))).not.toBe(deliveryId('10', ending('2')));
});

test('the id of a delivery tells the kinds apart, and what happens to a thing more than once', () => {
  const { subject } = kettle;
  const ids = (['new-offer', 'restocked', 'ending-soon', 'price-drop'] as const).flatMap((kind) =>
    ['', '1'].map((occurrence) => deliveryId('10', { kind, subject, occurrence })),
  );
  expect(new Set(ids).size).toBe(8);
});

test('the id of a delivery is what it was in every released version: the ledger knows it by that', () => {
  const subject = uuid(1);
  expect(deliveryId('10', { kind: 'new-offer', subject, occurrence: '' })).toBe('iujsViAN4Bk2Dk-9-i4_Bj');
  expect(deliveryId('10', { kind: 'price-drop', subject, occurrence: '40-20' })).toBe('bJHL0TnskXw9jVcj4-z-Bf');
});

/** In the order of their rank. */
const KINDS = ['new-offer', 'relisted', 'restocked', 'price-drop', 'ending-soon'] as const;
const price = { minimum: 1, maximum: 1 };
const told = (kind: (typeof KINDS)[number], changes: Partial<Delivery> = {}): Delivery => {
  const item = anOffer(1);
  const beside = {
    'new-offer': {},
    relisted: { before: { offerId: 'o', salePrice: price, endedAtMs: 1 } },
    restocked: {},
    'price-drop': { before: price },
    'ending-soon': {},
  }[kind];
  const announcement = { kind, subject: item.id, occurrence: '', item, ...beside } as Announcement;
  return aDelivery(kind, { announcement, ...changes });
};

test('the most telling of what is found of a thing stands for all of it, whatever the order', async () => {
  for (const found of [KINDS.map((kind) => told(kind)), KINDS.toReversed().map((kind) => told(kind))]) {
    for (const [index, kind] of KINDS.entries()) {
      const rest = found.filter(
        ({ announcement }) => !KINDS.slice(0, index).some((more) => more === announcement.kind),
      );
      const [post, ...more] = await putInEmpty(rest);
      expect(post?.announcement.kind).toBe(kind);
      expect(post?.alsoTells.toSorted()).toEqual(KINDS.slice(index + 1).toSorted());
      expect(more).toEqual([]);
    }
  }
});

test('of two of the same kind the one that was found first stands for both, and each subscription is named once', async () => {
  const match = (subscriptionId: string, term: string) => ({ subscriptionId, terms: [term] });
  const one = told('price-drop', { id: 'a', matches: [match('s', 'ssd')], alsoTells: ['x'] });
  const other = told('price-drop', { id: 'b', matches: [match('t', 'tv'), match('s', 'tv')], alsoTells: ['y'] });
  const [post] = await putInEmpty([one, other]);
  expect(post).toEqual({ ...one, matches: [match('s', 'ssd'), match('t', 'tv')], alsoTells: ['x', 'b', 'y'] });
});

test('an event that has just begun stands for the offers of it that run out, and these do not for each other', async () => {
  const event = anEvent(1, {
    offers: [anEventOffer(101, { percentageRemaining: 5 }), anEventOffer(102, { percentageRemaining: 5 })],
  });
  const [one, other] = KIND_OF['almost-gone']
    .announceParts(event)
    .map((announcement) => aDelivery(announcement.subject, { announcement })) as [Delivery, Delivery];
  const begun = aDelivery('begun', { announcement: KIND_OF['event-started'].announce(event) });
  expect(await putInEmpty([one, other])).toEqual([one, other]);
  for (const found of [
    [begun, one, other],
    [one, other, begun],
  ]) {
    const [post, ...more] = await putInEmpty(found);
    expect(post).toMatchObject({ id: 'begun', alsoTells: expect.arrayContaining([one.id, other.id]) as string[] });
    expect(more).toEqual([]);
  }
});

test('things and channels keep their own posts, and a post is due when the first of what it tells is', async () => {
  const elsewhere = told('restocked', { id: 'elsewhere', channelId: '11' });
  const another = aDelivery('another');
  const digest = told('restocked', { dueAtMs: NOW_MS + 1, isDigest: true });
  const alone = told('price-drop');
  expect(await putInEmpty([digest, elsewhere, another, alone])).toEqual([
    { ...digest, dueAtMs: NOW_MS, isDigest: false, alsoTells: ['price-drop'] },
    elsewhere,
    another,
  ]);
  const [early] = await putInEmpty([told('restocked'), told('price-drop', { dueAtMs: NOW_MS + 1, isDigest: true })]);
  expect(early).toMatchObject({ id: 'restocked', dueAtMs: NOW_MS, isDigest: false });
});

/** The roles that each delivery rings for the subscription `a`. */
const rung = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ matches }) => matches.find(({ subscriptionId }) => subscriptionId === 'a')?.roleIds);

test('what stands for several kinds rings the roles for each of them', async () => {
  const subscription = aSubscription('a', {
    mentioned: [
      { roleId: '1', kinds: ['restocked'] },
      { roleId: '2', kinds: ['price-drop'] },
      { roleId: '3', kinds: ['ending-soon'] },
    ],
  });
  const other = aSubscription('b', { mentioned: ['4'] });
  const found = [told('price-drop'), told('restocked')].map(({ announcement }) => announcement);
  const [both, alone] = [[subscription, other], [subscription]];
  const matches = found.flatMap((announcement, index) =>
    (index === 0 ? both : alone).map((one) => ({ announcement, subscription: one, terms: [] })),
  );
  const [post, ...more] = await putInEmpty(deliveriesOf(matches, NOW_MS, false, RULES));
  expect(more).toEqual([]);
  expect(post?.announcement.kind).toBe('restocked');
  expect(rung(post ? [post] : []).flatMap((roleIds) => roleIds?.toSorted())).toEqual(['1', '2']);
  expect(post?.matches.find(({ subscriptionId }) => subscriptionId === 'b')?.roleIds).toEqual(['4']);
});

describe('what is found again while it waits', () => {
  const AT_NOON = { ...USUAL_TIMING, mode: 'daily', dailyAtMinute: 720 } as const;
  const LATER_MS = NOW_MS + HOUR_MS;

  /** An outbox, and what waits in it after each of these polls, an hour apart, with the last one's answer. */
  async function polls(
    ...found: { subscriptions: Subscription[]; about?: readonly Announcement[]; isLate?: boolean }[]
  ) {
    const { state } = openedState();
    const records = await openedRecords(state);
    const changed: Delivery[][] = [];
    for (const [index, { subscriptions, about = [kettle], isLate = false }] of found.entries()) {
      for (const one of subscriptions) await state.commit((changes) => records.subscriptions.put(changes, one));
      const matches = about.flatMap((announcement) =>
        subscriptions.map((subscription) => ({ announcement, subscription, terms: ['kettle'] })),
      );
      const deliveries = deliveriesOf(matches, NOW_MS + index * HOUR_MS, isLate, RULES);
      changed.push(await state.transact((changes) => putIn(records, changes, deliveries)));
    }
    return { waiting: records.deliveries.pending('10'), changed };
  }
  const inOrder = (deliveries: readonly Delivery[]) =>
    deliveries.flatMap(({ matches }) =>
      matches.map(({ subscriptionId, roleIds = [] }) => [subscriptionId, ...roleIds]),
    );

  test('is due as soon as the first of both is, alone where that one is, and rings the roles of both', async () => {
    const daily = aSubscription('daily', { timing: AT_NOON, mentioned: ['1'] });
    const instant = aSubscription('instant', { mentioned: ['2'] });
    const one = await polls({ subscriptions: [daily], isLate: true }, { subscriptions: [instant] });
    expect(one.waiting).toMatchObject([{ dueAtMs: LATER_MS, isDigest: false, isLate: false }]);
    expect(one.changed[1]).toEqual(one.waiting);
    const other = await polls({ subscriptions: [instant], isLate: true }, { subscriptions: [daily] });
    expect(other.waiting).toMatchObject([{ dueAtMs: NOW_MS, isDigest: false, isLate: true }]);
    expect([inOrder(one.waiting), inOrder(other.waiting)]).toEqual([
      [
        ['daily', '1'],
        ['instant', '2'],
      ],
      [
        ['instant', '2'],
        ['daily', '1'],
      ],
    ]);
  });

  test('keeps what was decided for a subscription that wants it already, and is no change by that', async () => {
    const [before, after] = ['1', '2'].map((roleId) => aSubscription('s', { mentioned: [roleId] }));
    if (!before || !after) throw new Error('There are two.');
    const { waiting, changed } = await polls({ subscriptions: [before] }, { subscriptions: [after] });
    expect(inOrder(waiting)).toEqual([['s', '1']]);
    expect(changed.map(({ length }) => length)).toEqual([1, 0]);
  });

  test('gets the roles that are decided only now, in a row of their own until a try includes them', async () => {
    const { state } = openedState();
    const records = await openedRecords(state);
    const find = async (mentioned: string[], isForRoles: boolean, atMs: number) => {
      const subscription = aSubscription('s', { mentioned });
      await state.commit((changes) => records.subscriptions.put(changes, subscription));
      const match = {
        announcement: kettle,
        subscription,
        terms: ['kettle'],
        ...(isForRoles && { isForRoles: true as const }),
      };
      const deliveries = deliveriesOf([match], atMs, false, RULES);
      return state.transact((changes) => putIn(records, changes, deliveries));
    };
    expect(await find(['1'], true, NOW_MS), 'nothing was announced').toEqual([]);
    await find(['1'], false, NOW_MS);
    expect(await find(['1'], true, LATER_MS), 'that is no change').toEqual([]);
    await find(['1', '2'], true, LATER_MS);
    const [waiting, ...others] = records.deliveries.pending('10');
    if (!waiting) throw new Error('Nothing waits.');
    expect(others).toEqual([]);
    expect([waiting.createdAtMs, waiting.dueAtMs]).toEqual([NOW_MS, NOW_MS]);
    expect(inOrder([asTried(waiting)]), 'a try that may stand there').toEqual([['s', '1']]);
    expect(inOrder([asNextTry(waiting)])).toEqual([['s', '1', '2']]);
    expect(asNextTry(waiting).matches).toMatchObject([{ terms: ['kettle'] }]);
  });

  test('joins the post that stands for it, with the roles for each kind', async () => {
    const both = [told('restocked'), told('price-drop')].map(({ announcement }) => announcement);
    const mentioned = [
      { roleId: '1', kinds: ['restocked' as const] },
      { roleId: '2', kinds: ['price-drop' as const] },
    ];
    const { waiting } = await polls(
      { subscriptions: [aSubscription('s')], about: both },
      { subscriptions: [aSubscription('t', { mentioned })], about: both },
    );
    expect(waiting.map(({ announcement }) => announcement.kind)).toEqual(['restocked']);
    expect(inOrder(waiting).map((one) => one.toSorted())).toEqual([['s'], ['1', '2', 't']]);
  });

  test('lists a hundred subscriptions at most, those that decide how it is posted first', async () => {
    const many = (from: string, role: string | null) =>
      Array.from({ length: 80 }, (_, index) =>
        aSubscription(`${from}${index}`, { mentioned: role !== null && index === 79 ? [role] : [] }),
      );
    const { waiting } = await polls({ subscriptions: many('a', '1') }, { subscriptions: many('b', '2') });
    const [matches = []] = waiting.map((one) => one.matches);
    expect(matches).toHaveLength(100);
    expect(matches.filter(({ unlisted }) => unlisted !== undefined)).toEqual([matches.at(-1)]);
    expect(matches.at(-1)?.unlisted).toBe(60);
    expect(matches.filter(({ terms }) => terms.length > 0)).toHaveLength(10);
    expect(matches.flatMap(({ roleIds = [] }) => roleIds).toSorted()).toEqual(['1', '2']);
    // Several kinds of one poll keep to it, too.
    const both = [told('restocked'), told('price-drop')].map(({ announcement }) => announcement);
    const [half, other] = [many('a', '1'), many('b', '2')];
    const kinds = await polls({ subscriptions: [...half, ...other], about: both });
    expect(kinds.waiting.map((one) => one.matches.length)).toEqual([100]);
  });
});
